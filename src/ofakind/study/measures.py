"""How near a clustering is to the truth, by four measures."""

import warnings
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ofakind.clustering import adjusted_rand_index, canonical_labels


def measure(labels: ArrayLike, truth: ArrayLike) -> dict[str, float]:
    """Adjusted Rand index, adjusted mutual information, V-measure and pair F1; 1 is perfect for each.

    >>> measure([0, 0, 1], [5, 5, 5])["pair_f1"]
    0.5
    """
    from sklearn.metrics import adjusted_mutual_info_score, v_measure_score

    found, true = canonical_labels(labels), canonical_labels(truth)
    with warnings.catch_warnings():
        warnings.simplefilter(
            "ignore", UserWarning
        )  # scikit-learn wonders whether many clusters are a regression
        ami = float(adjusted_mutual_info_score(true, found)) if len(true) else 1.0
        v_measure = float(v_measure_score(true, found)) if len(true) else 1.0
    return {
        "ari": adjusted_rand_index(found, true),
        "ami": ami,
        "v_measure": v_measure,
        "pair_f1": pair_f1(found, true),
    }


def pair_f1(labels: NDArray[Any], truth: NDArray[Any]) -> float:
    """Harmonic mean of precision and recall over pairs of a kind; 1 when neither has any.

    >>> pair_f1(np.array([0, 0, 1, 1]), np.array([0, 0, 0, 1]))
    0.4
    """
    found, true = _pairs_within(labels), _pairs_within(truth)
    both = _pairs_within(np.stack([labels, truth], axis=1))
    return 2 * both / (found + true) if found + true else 1.0


def _pairs_within(groups: NDArray[Any]) -> float:
    sizes = np.unique(groups, axis=0, return_counts=True)[1]
    return float((sizes * (sizes - 1) // 2).sum())
