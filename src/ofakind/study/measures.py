"""How near a clustering is to the truth, by four measures, and how near it was thought to be."""

import warnings
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ofakind.clustering import adjusted_rand_index, canonical_labels
from ofakind.report.accuracy import Accuracy
from ofakind.report.forecast import Forecast
from ofakind.study.mutual_information import adjusted_mutual_information


def measure(labels: ArrayLike, truth: ArrayLike) -> dict[str, float]:
    """Adjusted Rand index, adjusted mutual information, V-measure and pair F1; 1 is perfect for each.

    >>> measure([0, 0, 1], [5, 5, 5])["pair_f1"]
    0.5
    """
    from sklearn.metrics import v_measure_score

    found, true = canonical_labels(labels), canonical_labels(truth)
    with warnings.catch_warnings():
        warnings.simplefilter(
            "ignore", UserWarning
        )  # scikit-learn wonders whether many clusters are a regression
        ami = adjusted_mutual_information(found, true)
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
    found, true, both = _pair_counts(labels, truth)
    return 2 * both / (found + true) if found + true else 1.0


def pair_rates(labels: NDArray[Any], truth: NDArray[Any]) -> dict[str, float]:
    """Precision and recall over pairs of a kind (1 when there are none), and the number of wrong pairs.

    >>> pair_rates(np.array([0, 0, 1, 1]), np.array([0, 0, 0, 1]))
    {'pair_precision': 0.5, 'pair_recall': 0.3333333333333333, 'wrong_pairs': 3.0}
    """
    found, true, both = _pair_counts(labels, truth)
    return {
        "pair_precision": both / found if found else 1.0,
        "pair_recall": both / true if true else 1.0,
        "wrong_pairs": found + true - 2 * both,
    }


def wrong_pairs(labels: NDArray[Any], truth: NDArray[Any]) -> float:
    """Count the pairs that the labels hold together and the truth apart, or the other way round.

    >>> wrong_pairs(np.array([0, 0, 1, 1]), np.array([0, 0, 0, 1]))
    3.0
    """
    found, true, both = _pair_counts(labels, truth)
    return found + true - 2 * both


def compare(accuracy: Accuracy, labels: NDArray[Any], truth: NDArray[Any]) -> dict[str, float]:
    """Put the real number of wrong pairs beside what was expected of it, and of the adjusted Rand index.

    ``open_ended`` is 1 where no worst case was given.
    """
    wrong_low, wrong_high = accuracy.wrong_pairs_interval
    ari_low, ari_high = accuracy.ari_interval
    return {
        "wrong_pairs": wrong_pairs(labels, truth),
        "expected_wrong_pairs": accuracy.expected_wrong_pairs,
        "wrong_low": wrong_low,
        "wrong_high": wrong_high,
        "expected_ari": accuracy.expected_ari,
        "ari_low": ari_low,
        "ari_high": ari_high,
        "open_ended": float(accuracy.open_ended),
    }


def forecast_row(forecast: Forecast) -> dict[str, float | None]:
    """Return the questions that are forecast, and their limits; None where there are none."""
    low = forecast.low if forecast.low or forecast.reached else None
    return {"forecast_low": low, "forecast": forecast.questions, "forecast_high": forecast.high}


def _pair_counts(labels: NDArray[Any], truth: NDArray[Any]) -> tuple[float, float, float]:
    """Pairs within the clusters, within the true ones, and within both."""
    both = np.stack([labels, truth], axis=1)
    return _pairs_within(labels), _pairs_within(truth), _pairs_within(both)


def _pairs_within(groups: NDArray[Any]) -> float:
    sizes = np.unique(groups, axis=0, return_counts=True)[1]
    return float((sizes * (sizes - 1) // 2).sum())
