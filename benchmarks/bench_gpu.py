"""JEIG, EIG-O, Entropy and the mean field on a CUDA device, against its noise and against one CPU core.

JEIG has the paper's settings (2 %, m = 5, n = 50) and chooses 300 of all pairs. Times on the GPU are medians
of five warm repeats between CUDA events, from the posterior in ordinary memory to the batch. ``error`` is the
mean difference of the gains of 100 000 random pairs from a reference with the same subsets and pseudo-answers
(float32, 16 parts, up to 200 sweeps); ``noise`` that between two seeds of the reference.
"""

import sys
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.common import CLUSTERS, Row, cpu_seconds, oracle_answers, solved
from ofakind.acquire.base import Acquisition, State
from ofakind.acquire.choose import choose
from ofakind.acquire.eig import EIGO
from ofakind.acquire.entropy import Entropy
from ofakind.acquire.gpu import upload
from ofakind.acquire.jeig import JEIG
from ofakind.acquire.pool import Pool
from ofakind.clustering import Clustering
from ofakind.errors import OfakindError
from ofakind.pairs import Pairs, count_pairs
from ofakind.posterior.mean_field.conditional import require_mean_field
from ofakind.posterior.mean_field.dense import Device, MeanField, mean_field

Ranks = NDArray[np.int64]
BATCH, PAIRS, SEED = 300, 100_000, 2**62
GOALS = {1000: 12.0, 10_000: 100.0, 20_000: 350.0, 50_000: 2500.0}
LARGE = [(1000, 20_000), (10_000, 150_000), (10_000, 300_000), (20_000, 300_000), (20_000, 600_000)]
OPTIONS: dict[str, Any] = {"max_subset": 10**9}  # 2 % of the pairs, however many
TO_THE_END: dict[str, Any] = {"tol": 1e-5, "max_sweeps": 500}
GPU_JEIG = JEIG(device="cuda", **OPTIONS)


def run() -> list[Row]:
    from ofakind.kernels.gpu.device import open_device

    try:
        open_device()
    except OfakindError as error:
        print(f"gpu: nothing was measured, because {error}")
        sys.exit()
    rows = [joint(n, answers, searched(n, answers)) for n, answers in ((500, 500), (500, 3000), (500, 8000))]
    rows += [joint(n, answers, known(n, answers)) for n, answers in [*LARGE, (50_000, 1_000_000)]]
    rows += others(1000, 20_000)
    rows += [same_choice(0), same_choice(10_000, **TO_THE_END)]
    print(markdown(rows))
    return rows


# -- states ------------------------------------------------------------------------------------------------


def searched(n: int, answers: int) -> State:
    """A small state with the paper's clustering."""
    similarity, clustering, field = solved(n, answers)
    return State(similarity, clustering, lambda: field)


def known(n: int, answers: int) -> State:
    """A large state whose mean field starts at the true clusters, which takes no search."""
    similarity = oracle_answers(n, answers)
    truth = np.random.default_rng([0, n, answers]).permutation(np.arange(n) % CLUSTERS)
    field = mean_field(similarity, truth, tol=1e-5, device="cuda")
    return State(similarity, Clustering.of(similarity, truth), lambda: field)


# -- measurements ------------------------------------------------------------------------------------------


def milliseconds(work: Callable[[], Any], repeats: int = 5) -> float:
    """Median time between CUDA events around the work, after a first time that compiles."""
    import torch

    event: Any = torch.cuda.Event
    work()
    times = []
    for _ in range(repeats):
        begin, end = event(enable_timing=True), event(enable_timing=True)
        torch.cuda.synchronize()
        begin.record()
        work()
        end.record()
        torch.cuda.synchronize()
        times.append(begin.elapsed_time(end))
    return float(np.median(times))


def chosen(acquisition: Acquisition, state: State, seed: int = 0, size: int = BATCH) -> Pairs:
    pool = Pool(state.similarity, Pairs.empty())
    return choose(acquisition, state, pool, size, np.random.default_rng(seed)).pairs


def joint(n: int, answers: int, state: State) -> Row:
    """Time, error and reproducibility of JEIG batches."""
    import torch

    field = require_mean_field(state.posterior, "JEIG")
    torch.cuda.reset_peak_memory_stats()
    time = milliseconds(lambda: chosen(GPU_JEIG, state))
    row: Row = {
        "what": f"JEIG, k = {field.k}",
        "n": n,
        "answers": answers,
        "batch": BATCH,
        "ours_s": time / 1e3,
    }
    row |= {"goal_ms": GOALS.get(n), "gpu_gb": torch.cuda.max_memory_allocated() / 1e9}
    row["same"] = np.array_equal(chosen(GPU_JEIG, state), chosen(GPU_JEIG, state))
    if n <= 1000:
        row["twin_s"] = cpu_seconds(lambda: chosen(JEIG(**OPTIONS), state), repeats=2)[0]
        row["ratio"] = row["twin_s"] / row["ours_s"]
    if n <= 20_000:
        row |= accuracy(field)
        row["note"] = f"error {row['error']:.2g}, noise {row['noise']:.2g}"
    return row


def accuracy(field: MeanField) -> Row:
    n, rng = field.similarity.n, np.random.default_rng(0)
    pairs = Pairs.from_ranks(np.unique(rng.integers(count_pairs(n), size=PAIRS)), n)
    exact, other = reference(field, pairs, SEED), reference(field, pairs, SEED + 1)
    ours = gains(field, pairs, SEED)
    return {"error": float(np.abs(ours - exact).mean()), "noise": float(np.abs(other - exact).mean())}


def gains(field: MeanField, pairs: Pairs, seed: int) -> NDArray[np.float64]:
    from ofakind.kernels.gpu.pairs import gains_of

    base = upload(field)
    return gains_of(base, GPU_JEIG._on_gpu(field)(base, seed), pairs.u, pairs.v)  # noqa: SLF001


def reference(field: MeanField, pairs: Pairs, seed: int) -> NDArray[np.float64]:
    """The same gains with fields in single precision, in many parts, followed to the end."""
    import torch

    from ofakind.kernels.gpu import jeig as gpu_jeig
    from ofakind.kernels.gpu.fields import Sweeps, conditional_fields
    from ofakind.kernels.gpu.pairs import Fields, gains_of
    from ofakind.kernels.gpu.subsets import Draws, draw_subsets

    base, size = upload(field), round(0.02 * count_pairs(field.similarity.n))
    plan = gpu_jeig.Simulation(size, 5, 50, by_entropy=True, clusterings=False, tol=1e-3, max_sweeps=10,
                               synchronous=False)  # fmt: skip
    t = gpu_jeig.ringing_time(base, plan, seed)
    subsets = draw_subsets(base, Draws(seed, 0, 5, t, 50, 64, by_entropy=True, clusterings=False))
    most = 200 if field.similarity.n <= 10_000 else 40
    blocks = conditional_fields(base, subsets, Sweeps(1e-6, most, 16), lanes=64, dtype=torch.float32)
    return gains_of(base, Fields(blocks, 50, 1), pairs.u, pairs.v)


def others(n: int, answers: int) -> list[Row]:
    """EIG-O, Entropy and the mean field, against one core."""
    state = known(n, answers)
    truth = state.clustering.labels
    cases: dict[str, tuple[Callable[[], Any], Callable[[], Any]]] = {
        "EIG-O, 2 n candidates": (
            lambda: chosen(EIGO(2.0, device="cuda"), state),
            lambda: chosen(EIGO(2.0), state),
        ),
        "Entropy": (lambda: chosen(Entropy(device="cuda"), state), lambda: chosen(Entropy(), state)),
        "mean field": (
            lambda: mean_field(state.similarity, truth, device="cuda"),
            lambda: mean_field(state.similarity, truth),
        ),
    }
    rows = []
    for what, (on_gpu, on_cpu) in cases.items():
        ours, core = milliseconds(on_gpu) / 1e3, cpu_seconds(on_cpu)[0]
        row = {"what": what, "n": n, "answers": answers, "batch": BATCH if what != "mean field" else None}
        rows.append(row | {"ours_s": ours, "twin_s": core, "ratio": core / ours})
    return rows


def same_choice(first: int, n: int = 60, batches: int = 2000, size: int = 20, **options: Any) -> Row:
    """Whether the GPU's batches differ from the CPU's by more than the latter do among themselves.

    Seeds count from ``first`` on; with the same ones, other options would give nearly the same batches.
    """
    state = searched(n, 300)

    def drawn(device: Device, turn: int) -> Ranks:
        acquisition = JEIG(device=device, **OPTIONS, **options)
        seeds = range(first + turn * batches, first + (turn + 1) * batches)
        return np.array([chosen(acquisition, state, seed, size).ranks(n) for seed in seeds])

    on_gpu, on_cpu, again = drawn("cuda", 0), drawn("cpu", 1), drawn("cpu", 2)
    gpu, cpu = (permutation_test(other, on_cpu, count_pairs(n)) for other in (on_gpu, again))
    note = f"{batches} batches each: GPU against CPU p = {gpu:.2g}, CPU against CPU p = {cpu:.2g}"
    what = "JEIG's choice" + (", fields followed to the end" if options else "")
    return {"what": what, "n": n, "answers": 300, "batch": size, "note": note}


def permutation_test(first: Ranks, second: Ranks, pairs: int, rounds: int = 400) -> float:
    """Probability that two sets of batches (batches, size) of one distribution differ as much as these.

    Pairs of one batch depend on each other, so whole batches are exchanged between the sets.
    """
    batches = np.zeros((len(first) + len(second), pairs), np.float32)
    np.put_along_axis(batches, np.concatenate([first, second]), 1, axis=1)
    often = batches.sum(axis=0) >= 10
    batches, total, rng = batches[:, often], batches[:, often].sum(axis=0), np.random.default_rng(0)

    def difference(rows: Ranks) -> float:
        return float(np.sum((batches[rows].sum(axis=0) - total * len(first) / len(batches)) ** 2 / total))

    found = difference(np.arange(len(first)))
    chance = [difference(rng.permutation(len(batches))[: len(first)]) for _ in range(rounds)]
    return (1 + sum(other >= found for other in chance)) / (rounds + 1)


# -- the table ---------------------------------------------------------------------------------------------


def markdown(rows: list[Row]) -> str:
    """The page of results: where, when and how, and a table."""
    import torch
    import triton

    where = f"{torch.cuda.get_device_name()}, torch {torch.__version__}, triton {triton.__version__}"
    lines = [
        f"Measured on {datetime.now(UTC).date().isoformat()}, {where}: `python -m benchmarks gpu`.",
        "",
        "| what | n | answers | GPU ms | goal ms | one core ms | error | noise | same twice | GPU memory |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    for row in rows:
        if "ours_s" in row:
            cells = [
                row["what"], row["n"], row["answers"], f"{1e3 * row['ours_s']:.1f}",
                f"{row['goal_ms']:.0f}" if row.get("goal_ms") else "",
                f"{1e3 * row['twin_s']:.0f}" if row.get("twin_s") else "",
                *(f"{row[x]:.2g}" if x in row else "" for x in ("error", "noise")),
                {True: "yes", False: "NO"}.get(row["same"], "") if "same" in row else "",
                f"{row['gpu_gb']:.1f} GB" if "gpu_gb" in row else "",
            ]  # fmt: skip
            lines.append("| " + " | ".join(str(cell) for cell in cells) + " |")
        else:
            lines += ["", f"{row['what']} (n = {row['n']}, {row['batch']} pairs): {row['note']}."]
    return "\n".join(lines)
