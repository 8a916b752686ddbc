"""A round of the paper's Entropy on very many objects: solver, mean field, a batch of 100,000 pairs.

Ten answers for each object (10 n in all) from Oracle 1 with gamma 0.4, about ten large clusters or about
clusters of ten; of the latter a third of the questions are within a cluster and the others among near ones,
since uniform questions would hardly ever meet a cluster. Each step runs in a process of its own that loads
what the steps before left, so ``peak_mb`` is that of the step, with the answers and Python itself.

python -m benchmarks entropy_million                  100,000 objects
python -m benchmarks.bench_entropy_million long       and a million: results/entropy_million_long.json
"""

import json
import subprocess
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from benchmarks.common import GAMMA, ROOT, Row, cpu_seconds, keep, oracle_answers, peak_memory_mb
from ofakind.acquire.base import State
from ofakind.acquire.choose import choose
from ofakind.acquire.entropy import Entropy
from ofakind.acquire.pool import Pool
from ofakind.clustering import Clustering
from ofakind.pairs import Pairs
from ofakind.posterior.mean_field.belief import Form, MeanFieldBelief, is_large
from ofakind.posterior.mean_field.dense import MeanField
from ofakind.posterior.mean_field.sparse import SparseMeanField
from ofakind.similarity import Similarity
from ofakind.solve.base import Solver
from ofakind.solve.local_search import LocalSearch
from ofakind.solve.multilevel import Multilevel

BATCH = 100_000
SWEEPS = {"dense": 100, "sparse": 2000}
"""A field of so few answers can take thousands of sweeps to settle; most objects do in a hundred. Sparse ones
pass over objects at rest, so their later sweeps cost little."""

Field = MeanField | SparseMeanField


def run(*, long: bool = False) -> list[Row]:
    rows = []
    for n in (100_000, 1_000_000) if long else (100_000,):
        for case in ("few", "many"):
            rows += one_round(n, case)
    return rows


def one_round(n: int, case: str) -> list[Row]:
    """All steps of a round, one process after another."""
    with TemporaryDirectory() as folder:
        step(folder, "answers", n, case)
        rows = [step(folder, "solve", n, "local search" if case == "few" else "multilevel")]
        for beta in ("3",) if case == "few" else ("3", "log k"):
            rows += [step(folder, "believe", n, beta), step(folder, "ask", n, beta)]
    clusters = "10 clusters" if case == "few" else "clusters of ten"
    return [row | {"what": f"{row['what']}, {clusters}"} for row in rows]


def step(folder: str, name: str, n: int, option: str) -> Row:
    command = [sys.executable, "-m", "benchmarks.bench_entropy_million", "step", folder, name, str(n), option]
    done = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True)
    row: Row = json.loads(done.stdout.splitlines()[-1])
    print("  ".join(str(value) for value in row.values()), file=sys.stderr, flush=True)
    return row


# -- the steps, each in its own process --------------------------------------------------------------------


def answers(folder: Path, n: int, case: str) -> Row:
    similarity = oracle_answers(n, 10 * n) if case == "few" else clusters_of_ten(n)
    arrays = {name: getattr(similarity, name) for name in ("indptr", "indices", "values", "counts")}
    np.savez(folder / "answers.npz", **arrays)
    return {"what": "answers", "n": n}


def clusters_of_ten(n: int) -> Similarity:
    rng = np.random.default_rng([n, 10])
    u = rng.integers(n, size=10 * n)
    inside = u // 10 * 10 + rng.integers(10, size=len(u))
    near = (u + rng.integers(1, 61, len(u)) * rng.choice([-1, 1], len(u))) % n
    v = np.where(rng.random(len(u)) < 0.35, np.minimum(inside, n - 1), near)
    u, v = u[u != v], v[u != v]
    values = np.where(u // 10 == v // 10, 1.0, -1.0)
    noise = rng.uniform(-1, 1, len(u))
    number = rng.permutation(n)
    return Similarity.from_pairs(n, number[u], number[v], np.where(rng.random(len(u)) < GAMMA, noise, values))


def solve(folder: Path, n: int, name: str) -> Row:
    similarity = load_answers(folder, n)
    solver: Solver = LocalSearch(restarts=1) if name == "local search" else Multilevel()
    seconds, found = timed(lambda s: solver(s, start=None, rng=np.random.default_rng(0)), similarity)
    np.save(folder / "labels.npy", found.labels)
    note = f"k = {found.k}, cost {found.cost:.0f}"
    return described(f"{name}", similarity, seconds) | {"note": note}


def believe(folder: Path, n: int, beta: str) -> Row:
    similarity = load_answers(folder, n)
    labels = np.load(folder / "labels.npy")
    k = int(labels.max()) + 1
    form: Form = "sparse" if is_large(n, k) else "dense"  # what "auto" would choose, also for few objects
    trust = 3.0 if beta == "3" else float(np.log(k))
    belief = MeanFieldBelief(trust, max_sweeps=SWEEPS[form], form=form)

    def work(s: Similarity) -> Field:
        found = Clustering.of(s, labels[: s.n])
        return belief(s, found, rng=np.random.default_rng(0))

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        seconds, field = timed(work, similarity)
    said = {warning.category.__name__ for warning in caught}
    save_field(folder, field)
    size = field.q.nbytes if isinstance(field, MeanField) else 12 * len(field.above) + 16 * n
    note = f"{kind(field)}, Q {size / 1e6:.0f} MB, {field.sweeps} sweeps, residual {field.residual:.1g}"
    if "CollapsedWarning" in said:
        note += "; warns that it collapsed"
    return described(f"mean field, k = {k}, beta = {beta}", similarity, seconds) | {"note": note}


def ask(folder: Path, n: int, beta: str) -> Row:
    similarity, field = load_answers(folder, n), load_field(folder, n)
    clustering = Clustering(np.load(folder / "labels.npy"), field.k, 0.0)
    state = State(similarity, clustering, lambda: field)
    pool = Pool(similarity, Pairs.empty())
    choose(Entropy(), state, pool, 100, np.random.default_rng(1))  # compiles
    seconds, batch = cpu_seconds(lambda: choose(Entropy(), state, pool, BATCH, np.random.default_rng(0)))
    drawn = np.count_nonzero(~np.isnan(batch.values))
    note = f"{drawn} drawn by entropy, {np.nanmean(batch.values):.2g} nats on average"
    row = described(f"batch, k = {field.k}, beta = {beta}", similarity, seconds)
    return row | {"batch": BATCH, "note": note}


# -- what the steps share ----------------------------------------------------------------------------------


def timed(work: Callable[[Similarity], Any], similarity: Similarity) -> tuple[float, Any]:
    """CPU seconds of the work and its result, after a first run on few objects, which compiles."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        work(oracle_answers(1000, 5000))
    return cpu_seconds(lambda: work(similarity))


def described(what: str, similarity: Similarity, seconds: float) -> Row:
    row: Row = {"what": what, "n": similarity.n, "answers": similarity.n_pairs, "ours_s": seconds}
    return row | {"peak_mb": peak_memory_mb()}


def kind(field: Field) -> str:
    return (
        "dense"
        if isinstance(field, MeanField)
        else f"sparse, {len(field.above) / field.similarity.n:.1f} an object"
    )


def load_answers(folder: Path, n: int) -> Similarity:
    arrays = np.load(folder / "answers.npz")
    return Similarity(n, *(arrays[name] for name in ("indptr", "indices", "values", "counts")))


def save_field(folder: Path, field: Field) -> None:
    names = ("q",) if isinstance(field, MeanField) else ("rest", "indptr", "clusters", "above")
    np.savez(
        folder / "field.npz", k=field.k, beta=field.beta, **{name: getattr(field, name) for name in names}
    )


def load_field(folder: Path, n: int) -> Field:
    """The field again, without the costs, which a batch does not need."""
    arrays, similarity = np.load(folder / "field.npz"), load_answers(folder, n)
    beta, done = float(arrays["beta"]), (True, 0, 0.0)
    if "q" in arrays:
        q = arrays["q"]
        return MeanField(similarity, q, np.zeros((0, q.shape[1])), beta, "asynchronous", *done)
    rest, indptr, clusters, above = (arrays[name] for name in ("rest", "indptr", "clusters", "above"))
    return SparseMeanField(similarity, int(arrays["k"]), rest, indptr, clusters, above, beta, *done)


STEPS: dict[str, Callable[[Path, int, str], Row]] = {
    "answers": answers,
    "solve": solve,
    "believe": believe,
    "ask": ask,
}


def main(arguments: list[str]) -> None:
    if arguments[:1] == ["step"]:
        folder, name, n, option = arguments[1:]
        print(json.dumps(STEPS[name](Path(folder), int(n), option)))
        return
    from benchmarks.__main__ import table

    long = arguments == ["long"]
    rows = run(long=long)
    print(table(rows))
    keep("entropy_million_long" if long else "entropy_million", rows)


if __name__ == "__main__":
    main(sys.argv[1:])
