"""A sparse mean field from its definition, and the bound on the entropy of its pairs, both dense."""

import numpy as np

import ofakind as ok
from twins.selection import entropy_of


def random_field(n, k, rng, *, listed=0.5, below=0.2):
    """A field with random entries: about this share of all clusters is listed, some below the rest."""
    q = rng.dirichlet(np.full(k, 0.2), n) if n else np.empty((0, k))
    is_listed = rng.random((n, k)) < listed
    is_listed[:, 0] |= is_listed.sum(axis=1) < k  # where the remainder goes
    rest = np.where(is_listed, np.inf, q).min(axis=1, initial=1.0) * rng.random(n)
    rest[is_listed.all(axis=1)] = 0
    above = np.where(is_listed, q - rest[:, None], 0)
    lower = is_listed & (rng.random((n, k)) < below)
    above[lower] = -rest[np.nonzero(lower)[0]]
    above[:, 0] += 1 - (rest * k + above.sum(axis=1))
    return field_of(rest, above)


def field_of(rest, above, beta=3.0):
    """The field whose probabilities are rest[u] + above[u, k]."""
    n, k = above.shape
    rows, clusters = np.nonzero(above)
    indptr = np.searchsorted(rows, np.arange(n + 1))
    similarity = ok.Similarity.from_pairs(n, [], [], [])
    entries = indptr, clusters.astype(np.int32), above[rows, clusters]
    return ok.SparseMeanField(similarity, k, rest, *entries, beta, converged=True, sweeps=1, residual=0.0)


def bound(field, power):
    """The most that H ** power of each pair may be, (n, n): a term for each object and shared cluster."""
    q = field.probabilities(np.arange(field.similarity.n))
    a = np.maximum(q - field.rest[:, None], 0)
    alone = doubt(field.rest) ** power
    total = alone[:, None] + alone
    for column in a.T:
        x, y = column[:, None], column[None, :]
        share = (np.log(2) * (4 * x * y) ** (1 / np.log(4))) ** power
        homes = (x > 0.5) & (y > 0.5)
        total += np.where(homes, doubt(1 - x) ** power + doubt(1 - y) ** power, np.where(x * y > 0, share, 0))
    return total


def doubt(p):
    return entropy_of(np.minimum(p, 0.5))
