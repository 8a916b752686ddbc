"""Consensus of sampled partitions: against the dense twin, and growth with n.

The samples, 60 as in a round of a learner, are a truth from which objects stray, each with a probability of
its own. The twin holds the share of agreement of all n x n pairs; ``note`` compares expected Rand indices.
"""

from functools import partial

import numpy as np
from numpy.typing import NDArray

from benchmarks.common import Row, cpu_seconds, exponent, peak_memory_mb, twin
from ofakind.report.accuracy import accuracy
from ofakind.solve.consensus import consensus, expected

SAMPLES, CHAINS = 60, 4
SIZES = (1_000, 10_000, 100_000)
STRAYING = {"late": 0.05, "middle": 0.5, "early": 1.0}


def run() -> list[Row]:
    rows = [against_twin(name, 500, 10) for name in STRAYING]
    for what, per_cluster in (("10 clusters", None), ("clusters of 10", 10)):
        growth = [large(what, n, n // per_cluster if per_cluster else 10) for n in SIZES]
        growth[-1]["exponent"] = exponent([row["n"] for row in growth], [row["ours_s"] for row in growth])
        rows += growth
    return rows


def against_twin(name: str, n: int, k: int) -> Row:
    samples = straying(n, k, STRAYING[name])
    find(samples)  # compiles
    ours_s, ours = cpu_seconds(partial(find, samples), repeats=3)
    plain = partial(twin("consensus").dense_search, samples, samples[:CHAINS])
    twin_s, theirs = cpu_seconds(lambda: plain(rng=np.random.default_rng(0)))
    values = expected(samples, [ours, theirs])
    row = {"what": f"consensus, {name}", "n": n, "ours_s": ours_s, "twin_s": twin_s, "ratio": twin_s / ours_s}
    return row | {"note": "expected index {:.4f}, twin {:.4f}".format(*values)}


def large(what: str, n: int, k: int) -> Row:
    samples = straying(n, k, STRAYING["middle"])
    ours_s, labels = cpu_seconds(partial(find, samples))
    chain = np.arange(SAMPLES) % CHAINS
    accuracy_s, found = cpu_seconds(partial(accuracy, samples, chain, labels))
    row = {"what": f"consensus, {what}", "n": n, "ours_s": ours_s, "peak_mb": peak_memory_mb()}
    return row | {"note": f"expected index {found.expected_ari:.4f}; accuracy in {accuracy_s:.3f} s"}


def straying(n: int, k: int, share: float) -> NDArray[np.int32]:
    """Samples of k clusters; an object is elsewhere with a probability of its own, up to ``share``."""
    rng = np.random.default_rng([n, k])
    away = rng.random((SAMPLES, n)) < share * rng.random(n)
    return np.where(away, rng.integers(k, size=(SAMPLES, n)), np.arange(n) % k).astype(np.int32)


def find(samples: NDArray[np.int32]) -> NDArray[np.int64]:
    return consensus(samples, starts=samples[:CHAINS], rng=np.random.default_rng(0))
