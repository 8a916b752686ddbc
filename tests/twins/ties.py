"""The posterior over partitions with ties by enumeration: what told matches join counts as one unit."""

from dataclasses import dataclass

import numpy as np
from scipy.special import gammaln, logsumexp

from ofakind.kernels.partition.ties import Ties
from twins.partitions import partitions


@dataclass(frozen=True)
class TiedPrior:
    """A grid of alphas, its exponent, the edges of a forest, and how many neighbours an object has."""

    grid: tuple
    exponent: float
    edges: list
    room: int

    def log_weights(self, labels):
        """Log weight of a partition for each alpha of the grid."""
        labels, grid = np.asarray(labels), self.grid
        held = [(u, v) for u, v in self.edges if labels[u] == labels[v]]
        total = grid.log_weights + len(set(labels.tolist())) * grid.log_alphas
        for k in set(labels.tolist()):
            size = int((labels == k).sum())
            units = size - sum(labels[u] == k for u, _ in held)
            total = total + self.exponent * gammaln(units) + grid.background * size * (size - 1) / 2
        for broken in range(len(self.edges) - len(held)):  # one unit more for each
            units = len(labels) - len(self.edges) + broken
            total = total - np.log(np.exp(grid.log_alphas) + min(units, self.room))
        return total

    def kernel(self, graph):
        """The ties as kernels take them; the graph holds every edge."""
        edges = {(u, v) for u, v in self.edges} | {(v, u) for u, v in self.edges}
        rows = np.repeat(np.arange(len(graph.indptr) - 1), np.diff(graph.indptr))
        slots = np.array([pair in edges for pair in zip(rows.tolist(), graph.indices.tolist(), strict=True)])
        assert slots.sum() == 2 * len(self.edges)
        return Ties(slots.astype(bool), len(self.edges), self.room)


def enumerated_with_ties(weights, prior):
    """All partitions and their probabilities, given the (n, n) log-likelihood ratios."""
    found = np.array(partitions(len(weights)))
    logs = [
        logsumexp(prior.log_weights(labels)) + weights[labels[:, None] == labels].sum() / 2
        for labels in found
    ]
    return found, np.exp(np.array(logs) - logsumexp(logs))


def places(weights, prior, labels, item, alpha):
    """Probability that an object joins each cluster of the others, and then a new one, at one alpha."""
    labels = np.unique(np.delete(labels, item), return_inverse=True)[1]
    logs = []
    for k in range(labels.max() + 2):
        every = np.insert(labels, item, k)
        evidence = weights[item][(every == k) & (np.arange(len(every)) != item)].sum()
        logs.append(prior.log_weights(every)[alpha] + evidence)
    return np.exp(np.array(logs) - logsumexp(logs))


def random_forest(pairs, n, rng, most):
    """Some of the pairs, no two of which join what others join already."""
    part, edges = list(range(n)), []
    for u, v in rng.permutation(pairs).tolist():
        if part[u] != part[v] and len(edges) < most:
            part = [part[u] if one == part[v] else one for one in part]
            edges.append((u, v))
    return edges
