"""All partitions of a few objects."""

from ofakind.clustering import cost


def partitions(n):
    """Every partition of n objects, once, as canonical labels (restricted growth strings)."""
    labels = [[]]
    for _ in range(n):
        labels = [[*head, label] for head in labels for label in range(max(head, default=-1) + 2)]
    return labels


def lowest_cost(similarity):
    """Minimum of the cost over all partitions."""
    return min(cost(similarity, labels) for labels in partitions(similarity.n))
