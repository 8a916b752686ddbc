"""Entropy batches: every pair scored against a plain dense twin, and drawn without listing for large n.

The probabilities q are synthetic: ten clusters, 60 % of the rows confident. Times are CPU seconds, the best
of several runs.
"""

import json
import sys
import tracemalloc
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ofakind.acquire.entropy import draw_by_entropy, list_by_entropy
from ofakind.acquire.pool import Pool
from ofakind.kernels import pair_entropy as kernels
from ofakind.kernels.mean_field import row_entropies
from ofakind.pairs import Pairs
from ofakind.similarity import Similarity

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

Floats = NDArray[np.float64]
CLUSTERS = 10


@dataclass(frozen=True)
class Field:
    """A posterior with given probabilities."""

    q: Floats

    def same_probability(self, u: Any, v: Any) -> Floats:
        """Probability that each pair is of a kind."""
        return np.asarray(kernels.same_probability(self.q, u, v))

    def pair_entropy(self, u: Any, v: Any) -> Floats:
        """Entropy of each pair."""
        return np.asarray(kernels.pair_entropy(self.q, u, v))

    def all_pair_entropy(self) -> Floats:
        """Entropy of every pair."""
        return np.asarray(kernels.all_pair_entropy(self.q))

    def label_entropy(self) -> Floats:
        """Entropy of each object's cluster."""
        return np.asarray(row_entropies(self.q))


def run() -> list[dict[str, Any]]:
    """Rows with what, n, batch, ours_s, twin_s (None: not run), ratio; the drawn ones with peak_mb too."""
    drawn = [time_drawn(n, 100_000) for n in (10_000, 100_000, 1_000_000)]
    sizes, seconds = np.log([[row["n"], row["ours_s"]] for row in drawn]).T
    drawn[-1]["exponent"] = float(np.polyfit(sizes, seconds, 1)[0])
    return [time_listed(1000, 1250), *drawn]


def time_listed(n: int, batch: int) -> dict[str, Any]:
    """Score every pair and choose a power batch; the twin does so with dense matrices and a full sort."""
    twin = import_module("twins.selection")
    field, pool = make_case(n)
    ours = fastest(lambda: list_by_entropy(field, pool, batch, 1.0, np.random.default_rng(0)), repeats=20)
    plain = fastest(lambda: twin.authors_style_selection(field.q, batch, np.random.default_rng(0)), repeats=5)
    row = {"what": "entropy batch, every pair scored", "n": n, "batch": batch}
    return row | {"ours_s": ours, "twin_s": plain, "ratio": plain / ours}


def time_drawn(n: int, batch: int) -> dict[str, Any]:
    """Draw a power batch without listing; the peak is of the memory taken on top of q and the answers."""
    field, pool = make_case(n)

    def draw() -> None:
        chosen = draw_by_entropy(field, pool, batch, 1.0, np.random.default_rng(0))
        assert len(chosen.pairs) == batch

    seconds = fastest(draw, repeats=5)
    tracemalloc.start()
    draw()
    peak = tracemalloc.get_traced_memory()[1] / 1e6
    tracemalloc.stop()
    row = {"what": "entropy batch, drawn", "n": n, "batch": batch, "ours_s": seconds, "twin_s": None}
    return row | {"ratio": None, "peak_mb": peak, "q_mb": field.q.nbytes / 1e6}


def make_case(n: int) -> tuple[Field, Pool]:
    """Make a posterior, and a pool in which 10 pairs per object were asked."""
    rng = np.random.default_rng(n)
    q = rng.dirichlet(np.ones(CLUSTERS), n)
    sure = rng.random(n) < 0.6
    q[sure] = 0.001 + 0.99 * np.eye(CLUSTERS)[rng.integers(CLUSTERS, size=int(sure.sum()))]
    asked = Pool.everything(n).draw(10 * n, rng)
    similarity = Similarity.from_pairs(n, asked.u, asked.v, np.ones(len(asked)))
    return Field(q), Pool(similarity, pending=Pairs.empty())


def fastest(action: Callable[[], Any], repeats: int) -> float:
    action()  # compiles
    times = []
    for _ in range(repeats):
        start = process_time()
        action()
        times.append(process_time() - start)
    return min(times)


if __name__ == "__main__":
    for row in run():
        print(json.dumps(row))
