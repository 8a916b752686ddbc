"""What equal bits on every processor cost: `kernels.portable` against NumPy, SciPy and their BLAS.

The peers round differently from processor to processor. Functions are timed on 100,000 numbers, products at
the sizes that the pair map and the search for neighbours have. BLAS has one thread.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special
from threadpoolctl import threadpool_limits

from benchmarks.common import Row, cpu_seconds
from ofakind.kernels import portable
from ofakind.kernels.graph.products import block_products

COUNT = 100_000
SHAPES = ((80, 9), (1_000, 17), (20_000, 17), (100_000, 24))
TILE = 512, 4_096  # queries and members
DIMENSIONS = (64, 128, 384)
PEERS: dict[str, tuple[Callable[..., Any], str]] = {
    "exp": (np.exp, "any"),
    "log": (np.log, "share"),
    "log1p": (np.log1p, "share"),
    "expm1": (np.expm1, "any"),
    "expit": (special.expit, "any"),
    "logit": (special.logit, "share"),
    "log_expit": (special.log_expit, "any"),
    "entr": (special.entr, "share"),
    "log_gamma": (special.gammaln, "positive"),
}


def run() -> list[Row]:
    with threadpool_limits(1, user_api="blas"):
        return [*functions(), *products(), *searches()]


def functions() -> list[Row]:
    rng = np.random.default_rng(0)
    numbers = {
        "any": rng.normal(size=COUNT) * 4,
        "share": rng.random(COUNT),
        "positive": rng.random(COUNT) * 50,
    }
    found = []
    for name, (peer, kind) in PEERS.items():
        ours, x = getattr(portable, name), numbers[kind]
        assert np.allclose(ours(x), peer(x), rtol=1e-12)
        found.append(compared(name, COUNT, partial(ours, x), partial(peer, x)))
    return found


def products() -> list[Row]:
    rng, found = np.random.default_rng(1), []
    for m, d in SHAPES:
        rows, weights, x = rng.normal(size=(m, d)), rng.random(m), rng.normal(size=d)
        note = f"{d} columns"
        for name, ours, blas in (
            ("F' W F", partial(portable.gram, rows, weights), partial(blas_gram, rows, weights)),
            ("F x", partial(portable.matmul, rows, x), partial(np.matmul, rows, x)),
            ("F' y", partial(portable.matmul, rows.T, weights), partial(np.matmul, rows.T, weights)),
        ):
            assert np.allclose(ours(), blas())
            found.append(compared(name, m, ours, blas) | {"note": note})
    return found


def blas_gram(rows: NDArray[np.float64], weights: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray((rows * weights[:, None]).T @ rows)


def searches() -> list[Row]:
    rng, found = np.random.default_rng(2), []
    for d in DIMENSIONS:
        queries, members = (rng.normal(size=(size, d)).astype(np.float32) for size in TILE)
        ours, blas = partial(block_products, queries, members), partial(np.matmul, queries, members.T)
        assert np.allclose(ours(), blas(), atol=1e-3)
        found.append(compared("a tile of the search", TILE[1], ours, blas) | {"note": f"{d} dimensions"})
    return found


def compared(what: str, n: int, ours: Callable[[], Any], peer: Callable[[], Any]) -> Row:
    """Measure both in turn, each often enough to see it."""
    times = max(1, COUNT // n)
    (ours_s, _), (peer_s, _) = (cpu_seconds(partial(often, one, times), repeats=7) for one in (ours, peer))
    return {
        "what": what,
        "n": n,
        "ours_s": ours_s / times,
        "twin_s": peer_s / times,
        "ratio": peer_s / ours_s,
    }


def often(work: Callable[[], Any], times: int) -> None:
    for _ in range(times):
        work()
