"""What the benchmarks share: instances, clocks, fitted exponents, the plain twins."""

import json
import os
import platform
import resource
import subprocess
import sys
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from importlib import import_module
from pathlib import Path
from time import process_time
from typing import Any, TypeVar

import numpy as np

from ofakind.clustering import Clustering
from ofakind.pairs import count_pairs, unrank
from ofakind.posterior.mean_field.dense import MeanField, mean_field
from ofakind.similarity import Similarity
from ofakind.solve.local_search import LocalSearch

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "benchmarks" / "results"
CLUSTERS, GAMMA = 10, 0.4
Row = dict[str, Any]
T = TypeVar("T")


def twin(name: str) -> Any:
    """A plain twin from tests/twins."""
    if str(ROOT / "tests") not in sys.path:
        sys.path.insert(0, str(ROOT / "tests"))
    return import_module(f"twins.{name}")


def oracle_answers(n: int, count: int, seed: int = 0) -> Similarity:
    """Distinct uniform pairs of ten balanced clusters, answered by Oracle 1 with gamma 0.4."""
    rng = np.random.default_rng([seed, n, count])
    truth = rng.permutation(np.arange(n) % CLUSTERS)
    ranks = np.unique(rng.integers(count_pairs(n), size=count + count // 2 + 10))
    u, v = unrank(rng.choice(ranks, count, replace=False), n)
    answers = np.where(truth[u] == truth[v], 1.0, -1.0)
    noise = rng.uniform(-1, 1, count)
    return Similarity.from_pairs(n, u, v, np.where(rng.random(count) < GAMMA, noise, answers))


def solved(n: int, count: int, seed: int = 0) -> tuple[Similarity, Clustering, MeanField]:
    """An instance with the paper's clustering of it and its mean field."""
    similarity = oracle_answers(n, count, seed)
    clustering = LocalSearch()(similarity, rng=np.random.default_rng(seed))
    return similarity, clustering, mean_field(similarity, clustering.labels)


def cpu_seconds(work: Callable[[], T], *, repeats: int = 1) -> tuple[float, T]:
    """Least CPU time of some repeats (other processes on the machine do not count), and the result."""
    times = []
    for _ in range(repeats):
        begin = process_time()
        result = work()
        times.append(process_time() - begin)
    return min(times), result


def exponent(sizes: Sequence[float], seconds: Sequence[float]) -> float:
    """Slope of the straight line through the logarithms: time grows as n to this power."""
    return float(np.polyfit(np.log(sizes), np.log(seconds), 1)[0])


def peak_memory_mb() -> float:
    """Largest resident size of this process so far."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def keep(name: str, rows: Sequence[Row]) -> None:
    """Write the rows, with machine, commit and date, to where the pages of docs quote them from."""
    RESULTS.mkdir(exist_ok=True)
    found = {"machine": machine(), "rows": rows}
    (RESULTS / f"{name}.json").write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


def machine() -> dict[str, str]:
    """What the numbers are measured on, and when."""
    names = [line for line in _lines("/proc/cpuinfo") if line.startswith("model name")]
    versions = {name: import_module(name).__version__ for name in ("numpy", "scipy", "numba")}
    return {
        "cpu": names[0].split(":")[1].strip() if names else platform.processor(),
        "cores": str(os.cpu_count()),
        "load": f"{os.getloadavg()[0]:.1f}",  # processes that wanted a core: beyond the cores, times are high
        "python": platform.python_version(),
        **versions,
        "commit": _git("rev-parse", "--short", "HEAD")
        + ("+changes" if _git("status", "--porcelain", "src") else ""),
        "date": datetime.now(UTC).date().isoformat(),
    }


def _lines(path: str) -> list[str]:
    return Path(path).read_text(encoding="utf-8").splitlines() if Path(path).exists() else []


def _git(*arguments: str) -> str:
    done = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True)
    return done.stdout.strip()
