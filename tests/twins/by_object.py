"""What varies by object, as columns of a dense table: one for each judge and object."""

import numpy as np
from scipy.special import expit


def dense(features, pairs, columns, n):
    """The features, and each of these columns times the indicator of each object."""
    tables = [features]
    for column in columns:
        table = np.zeros((len(pairs), n))
        table[np.arange(len(pairs)), pairs.u] += features[:, column]
        table[np.arange(len(pairs)), pairs.v] += features[:, column]
        tables.append(table)
    return np.concatenate(tables, axis=1)


def log_posterior(coefficients, table, start, offsets, ratios):
    """As it is stated: a mixture of what an answer says of either kind, and a normal."""
    d = len(start.mean)
    s = expit(offsets + table @ coefficients)
    beta, own = coefficients[:d] - start.mean, coefficients[d:]
    heard = np.log(s * np.exp(ratios) + 1 - s).sum()
    return heard - beta @ start.precision @ beta / 2 - start.alike * own @ own / 2


def taught(features, pairs, weights, gradient, precision):
    """How far the log odds of each row come from its own answer: by each object's matrix without it."""
    found = np.zeros(len(pairs))
    for i, pair in enumerate(pairs):
        for end in pair:
            block = precision * np.eye(features.shape[1])
            for j, other in enumerate(pairs):
                if j != i and end in other:
                    block += weights[j] * np.outer(features[j], features[j])
            found[i] += gradient[i] * features[i] @ np.linalg.inv(block) @ features[i]
    return found
