"""Fit where the pair map starts, on public data: python -m benchmarks.fit_pair_map (needs OFAKIND_DATA).

A logistic regression on the candidate graphs of several sets of the same kind, each weighted equally, written
to src/ofakind/priors/start.json. The sets are these and no others; all others are kept to report on.
"""

import json
from pathlib import Path

import numpy as np

from ofakind.arrays import Floats
from ofakind.datasets import Dataset, load
from ofakind.files import write_whole
from ofakind.priors.neighbours import Neighbours

SETS = {
    "text": ("febrl3", "cora", "affiliations", "amazon_google"),
    "vectors": (
        "mnist",
        "mnist images",
        "cifar10",
        "cifar10 images",
        "cardiotocography standardised",
        "forest_type_mapping standardised",
    ),
}
FILE = Path(__file__).parents[1] / "src/ofakind/priors/start.json"
RIDGE = 1e-3  # of each coefficient but the constant, for a pair


def graph_of(kind: str, name: str) -> tuple[Neighbours, Floats]:
    """Return the candidate graph of a set, and which of its pairs are of a kind."""
    name, _, part = name.partition(" ")
    data = load(name)
    if kind == "text":
        if data.records is None:
            raise ValueError(f"{name} has no records")
        near = Neighbours.from_records([dict(record) for record in data.records])
    else:
        near = Neighbours.from_vectors(_vectors(data, part))
    same = data.labels[near.pairs.u] == data.labels[near.pairs.v]
    return near, same.astype(np.float64)


def _vectors(data: Dataset, part: str) -> Floats:
    if part == "images":
        return np.asarray(data.images, np.float64).reshape(data.n, -1)
    found = np.asarray(data.features, np.float64)
    if part == "standardised":
        spread = found.std(axis=0)
        found = (found - found.mean(axis=0)) / np.where(spread > 0, spread, 1.0)
    return found


def fit(features: Floats, same: Floats, weights: Floats) -> tuple[Floats, Floats]:
    """Maximise the weighted likelihood, with a small ridge; coefficients and information for one pair."""
    from scipy.special import expit

    beta = np.zeros(features.shape[1])
    ridge = RIDGE * np.eye(len(beta))
    ridge[0, 0] = 0.0
    for _ in range(100):
        p = expit(features @ beta)
        gradient = features.T @ (weights * (same - p)) - ridge @ beta
        information = (features * (weights * p * (1 - p))[:, None]).T @ features
        step = np.linalg.solve(information + ridge, gradient)
        beta += step
        if np.abs(step).max() < 1e-10:
            break
    return beta, information


def main() -> None:
    kinds = {}
    for kind, sets in SETS.items():
        graphs = [graph_of(kind, name) for name in sets]
        common = [name for name in graphs[0][0].names if all(name in near.names for near, _ in graphs)]
        parts = [(near.features[:, [near.names.index(n) for n in common]], same) for near, same in graphs]
        features = np.concatenate([table for table, _ in parts])
        same = np.concatenate([truth for _, truth in parts])
        weights = np.concatenate([np.full(len(t), 1 / len(t) / len(parts)) for _, t in parts])
        beta, information = fit(features, same, weights)
        kinds[kind] = {
            "sets": list(sets),
            "names": common,
            "coefficients": beta.round(4).tolist(),
            "information": information.round(8).tolist(),
        }
        print(kind, ", ".join(f"{name} {b:+.2f}" for name, b in zip(common, beta, strict=True)))
    text = json.dumps({"made by": "python -m benchmarks.fit_pair_map", "kinds": kinds}, indent=1)
    write_whole(FILE, (text + "\n").encode())


if __name__ == "__main__":
    main()
