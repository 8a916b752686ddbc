"""The prior of spanning trees by enumeration, and the moves of its chain as plain tables, for a few objects.

Weights are (n, n) matrices: f of all pairs, the background included, and w, the log ratios of answers.
"""

from itertools import product
from math import e, exp, gamma, prod

import numpy as np

from twins.partitions import partitions


def trees(members):
    """All labelled trees on these objects, as lists of pairs, by Prüfer's codes."""
    m = len(members)
    if m == 1:
        return [[]]
    found = []
    for code in product(range(m), repeat=m - 2):
        degree = [1 + code.count(at) for at in range(m)]
        pairs = []
        for at in code:
            leaf = degree.index(1)
            pairs.append((members[leaf], members[at]))
            degree[leaf] -= 1
            degree[at] -= 1
        last = [at for at in range(m) if degree[at] == 1]
        found.append([*pairs, (members[last[0]], members[last[1]])])
    return found


def tree_sum(f, members):
    """Sum over the spanning trees of these objects of the product of their weights."""
    return sum(prod(f[u, v] for u, v in pairs) for pairs in trees(list(members)))


def tree_sum_by_determinant(f, members):
    """The same by the matrix-tree theorem."""
    inside = f[np.ix_(members, members)] * (1 - np.eye(len(members)))
    laplacian = np.diag(inside.sum(axis=1)) - inside
    return np.linalg.det(laplacian[1:, 1:])


def evidence(w, labels):
    """Sum of w over the pairs of a cluster."""
    labels = np.asarray(labels)
    u, v = np.triu_indices(len(labels), 1)
    return w[u, v][labels[u] == labels[v]].sum()


def enumerated(f, w, resolution=0.0):
    """All partitions and their probabilities."""
    found = np.array(partitions(len(f)))
    weights = []
    for labels in found:
        weight = exp(evidence(w, labels))
        for k in range(labels.max() + 1):
            members = np.flatnonzero(labels == k)
            size = len(members)
            weight *= gamma(size) * size ** (2.0 - size) * tree_sum(f, members)
            weight *= (5_000 * e / size) ** (resolution * (size - 1))
        weights.append(weight)
    return found, np.array(weights) / sum(weights)


def crp(n, concentration):
    """Probabilities of all partitions under the Chinese restaurant process."""
    weights = [prod(concentration * gamma(size) for size in np.bincount(labels)) for labels in partitions(n)]
    return np.array(weights) / sum(weights)


# -- forests -----------------------------------------------------------------------------------------------


def forests(n):
    """All rooted forests: tuples of parents, -1 for roots."""
    return [parent for parent in product(range(-1, n), repeat=n) if _is_forest(parent)]


def _is_forest(parent):
    for i in range(len(parent)):
        steps, j = 0, i
        while parent[j] != -1 and steps <= len(parent):
            j, steps = parent[j], steps + 1
        if steps > len(parent):
            return False
    return True


def clusters_of(parent):
    """Canonical labels of a forest."""
    roots = []
    for i in range(len(parent)):
        j = i
        while parent[j] != -1:
            j = parent[j]
        roots.append(j)
    first = list(dict.fromkeys(roots))
    return [first.index(j) for j in roots]


def h(n):
    return gamma(n) * e ** (n - 1.0) / n ** (n - 1.0)


def forest_weight(f, w, parent):
    """p(forest), but for a constant factor."""
    labels = clusters_of(parent)
    links = prod(f[i, j] / e for i, j in enumerate(parent) if j != -1)
    return links * prod(h(int(size)) for size in np.bincount(labels)) * exp(evidence(w, labels))


def branch(parent, i):
    """An object and all that hangs below it."""
    found = [i]
    for j in found:
        found += [child for child, p in enumerate(parent) if p == j]
    return found


def narrow(f, w, parent, i):
    """The forests that a narrow move of i leads to, each with its probability."""
    S = branch(parent, i)
    options = [(*parent[:i], j, *parent[i + 1 :]) for j in range(-1, len(parent)) if j not in S]
    return _normalised(f, w, options)


def wide(f, w, parent, i):
    """The forests that a wide move of i leads to, if it is done."""
    S, options = branch(parent, i), []
    for v in S:
        turned = rerooted(parent, i, v)
        options += [(*turned[:v], j, *turned[v + 1 :]) for j in range(-1, len(parent)) if j not in S]
    return _normalised(f, w, options)


def rerooted(parent, i, v):
    """Cut the link of i, and make v the root of what hangs at it."""
    turned, above = list(parent), -1
    while True:
        turned[v], above, below = above, v, parent[v]
        if above == i:
            return tuple(turned)
        v = below


def _normalised(f, w, options):
    weights = [forest_weight(f, w, option) for option in options]
    return {option: weight / sum(weights) for option, weight in zip(options, weights, strict=True)}


def transitions(f, w, move, states):
    """The matrix of a move: a function from a forest to the probabilities of others."""
    number = {state: at for at, state in enumerate(states)}
    matrix = np.zeros((len(states), len(states)))
    for at, state in enumerate(states):
        for other, probability in move(f, w, state).items():
            if probability > 0:
                matrix[at, number[other]] += probability
    return matrix


def rarely(moved, parent, i, most):
    """What comes of a move of i that is done with the probability min(1, most / |S|)."""
    done = min(1.0, most / len(branch(parent, i)))
    return {other: done * p + (1 - done) * (other == parent) for other, p in moved.items()}


def wide_of_a_random_object(most):
    """The wide move as the chain does it: i at random, with the probability min(1, most / |S|)."""

    def move(f, w, parent):
        n, found = len(parent), {parent: 0.0}
        for i in range(n):
            for other, probability in rarely(wide(f, w, parent, i), parent, i, most).items():
                found[other] = found.get(other, 0.0) + probability / n
        return found

    return move
