"""The posterior over partitions by enumeration, for a few objects."""

import numpy as np
from scipy import stats
from scipy.special import gammaln, logsumexp

from twins.partitions import partitions


def log_prior(labels, grid):
    """Log probability of a partition, averaged over the grid of alphas without further normalising."""
    sizes = np.bincount(labels)
    return logsumexp(grid.log_weights + len(sizes) * grid.log_alphas) + grid.factors[sizes].sum()


def enumerated(weights, grid):
    """All partitions and their probabilities, given the (n, n) log-likelihood ratios."""
    found = np.array(partitions(len(weights)))
    logs = []
    for labels in found:
        together = labels[:, None] == labels
        logs.append(log_prior(labels, grid) + weights[together].sum() / 2)
    return found, np.exp(np.array(logs) - logsumexp(logs))


def p_value(drawn, found, probabilities):
    """Chi-square test of drawn partitions (canonical rows) against their probabilities."""
    number = {tuple(labels): at for at, labels in enumerate(found)}
    counts = np.bincount([number[tuple(row)] for row in drawn], minlength=len(found)).astype(float)
    expected = probabilities * len(drawn)
    rare = expected < 5
    if rare.any():
        counts = np.r_[counts[~rare], counts[rare].sum()]
        expected = np.r_[expected[~rare], expected[rare].sum()]
    return stats.chisquare(counts, expected * counts.sum() / expected.sum()).pvalue


def slow_log_normaliser(n, alpha, exponent):
    """Total weight of all partitions, by summing over them."""
    logs = []
    for labels in partitions(n):
        sizes = np.bincount(labels) if n else np.array([], int)
        logs.append(len(sizes) * np.log(alpha) + exponent * gammaln(sizes).sum())
    return logsumexp(logs)


def same_probabilities(found, probabilities):
    """(n, n) probabilities of being together."""
    together = found[:, :, None] == found[:, None, :]
    return np.tensordot(probabilities, together, axes=1)


def slow_sparse_log_normaliser(neighbours, alpha):
    """Total weight (exponent 1) of the partitions in which all objects of a cluster are neighbours."""
    n, logs = len(neighbours), []
    for labels in partitions(n):
        apart = (np.equal.outer(labels, labels) & ~neighbours & ~np.eye(n, dtype=bool)).any() if n else False
        if not apart:
            sizes = np.bincount(labels) if n else np.array([], int)
            logs.append(len(sizes) * np.log(alpha) + gammaln(sizes).sum())
    return logsumexp(logs)
