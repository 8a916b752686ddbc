"""Our method for many objects: time and memory of a round, and whole runs. Warm starts: `bench_warm`.

python -m benchmarks scale            up to 10,000 objects, about a minute
python -m benchmarks.bench_scale      all sizes, up to a million: as markdown, and results/scale_long.json

A round has three parts: samples of partitions, the partition to report, and 0.6 n questions. It is measured
on 20 answers for each object by Oracle 1 (gamma 0.4), 20 % of them inside clusters (35 % beyond ten
clusters), no pair twice, with chains that start near the truth: one object in ten is anywhere. What answers
are worth is learned from there. Every measurement has a process of its own, so that its peak memory is its
own. Seconds are those of the processor, on one core.
"""

import json
import subprocess
import sys
from collections.abc import Callable, Sequence
from functools import partial
from time import process_time
from typing import Any

import numpy as np

from benchmarks.common import CLUSTERS, GAMMA, ROOT, Row, cpu_seconds, exponent, keep, machine, peak_memory_mb
from ofakind.acquire.base import State
from ofakind.acquire.choose import choose
from ofakind.acquire.information.score import InformationGain
from ofakind.acquire.pool import Pool
from ofakind.answers import Answers
from ofakind.arrays import Ints
from ofakind.clustering import Clustering, adjusted_rand_index
from ofakind.engine.learner import ActiveClustering
from ofakind.noise.calibration import learn
from ofakind.noise.evidence import Evidence
from ofakind.noise.tempering import UNTEMPERED
from ofakind.oracles.noisy import NoisyOracle
from ofakind.pairs import Pairs
from ofakind.posterior.base import newest
from ofakind.posterior.partition.belief import PartitionBelief
from ofakind.posterior.partition.carried import CarriedSamples
from ofakind.posterior.partition.schedule import LOOK, SCHEDULE
from ofakind.similarity import Similarity
from ofakind.solve.consensus import Consensus

PER_OBJECT, STRAYING, BATCH = 20, 0.1, 0.6
GOALS = (0.5, 0.9, 0.95, 0.99)
SHORT, LONG = (1_000, 10_000), (1_000, 10_000, 100_000, 1_000_000)
PARTS = ("sample_s", "estimate_s", "select_s")


def run() -> list[Row]:
    """Measure what takes about a minute."""
    rows = with_exponents([measured("round_of", n, CLUSTERS) for n in SHORT])
    return [*rows, measured("closed_loop", SHORT[-1])]


def main() -> None:
    """Measure all sizes, print tables as markdown and keep the rows."""
    print(", ".join(f"{key} {value}" for key, value in machine().items()), end="\n\n")
    every = [measured("closed_loop", n) for n in LONG[1:3]]
    print_table(every, ("n", *(f"asked_{goal}" for goal in GOALS), "rounds", "ours_s", "peak_mb"))
    for clusters in (lambda _: 10, lambda _: 100, lambda n: n // 10):
        rows = with_exponents([measured("round_of", n, clusters(n)) for n in LONG])
        print_table(rows, ("n", "k", "sweep_ms", *PARTS, "ours_s", "peak_mb", "note"))
        every += rows
        keep("scale_long", every)


def measured(name: str, *sizes: int) -> Row:
    """Measure in a process of its own."""
    print(f"{name}{sizes} ...", file=sys.stderr, end=" ", flush=True)
    command = [sys.executable, "-m", "benchmarks.bench_scale", name, *map(str, sizes)]
    done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True)
    row: Row = json.loads(done.stdout)
    print(f"{row['ours_s']:.1f} s, {row['peak_mb']:.0f} MB", file=sys.stderr, flush=True)
    return row


def with_exponents(rows: list[Row]) -> list[Row]:
    """Say in the last row how time grows: among large problems, whose rounds are alike, if there are two."""
    alike = [row for row in rows if row["n"] > SCHEDULE.quick_beyond]
    alike = rows if len(alike) < 2 else alike
    sizes = [row["n"] for row in alike]
    powers = [
        f"{part} n^{exponent(sizes, [row[part] for row in alike]):.2f}" for part in ("sweep_ms", *PARTS)
    ]
    rows[-1]["exponent"] = exponent(sizes, [row["ours_s"] for row in alike])
    rows[-1]["note"] += "; " + ", ".join(powers)
    return rows


def print_table(rows: Sequence[Row], columns: Sequence[str]) -> None:
    def shown(value: Any) -> str:
        return f"{value:,.3g}" if isinstance(value, float) and value < 1000 else str(value)

    lines = [columns, ["---"] * len(columns), *([shown(row[column]) for column in columns] for row in rows)]
    print("\n".join(f"| {' | '.join(line)} |" for line in lines), end="\n\n", flush=True)


# -- the measurements, each in its process -----------------------------------------------------------------


def round_of(n: int, k: int) -> Row:
    """One round, its chains near the truth."""
    truth, answers = instance(n, k)
    belief, carried = PartitionBelief(), near_the_truth(truth, answers)
    sample_s, posterior = cpu_seconds(partial(belief.update, answers, carried=carried, rng=stream(1)))
    similarity = Similarity.from_answers(answers)
    read = partial(Consensus().from_samples, posterior.labels, starts=newest(posterior), rng=stream(2))
    estimate_s, labels = cpu_seconds(read)
    clustering = Clustering.of(similarity, labels)
    state, pool = State(similarity, clustering, lambda: posterior), Pool(similarity, Pairs.empty())
    size = round(BATCH * n)
    select_s, batch = cpu_seconds(partial(choose, InformationGain(), state, pool, size, stream(3)))
    row = {"what": f"round, {k} clusters", "n": n, "k": k, "answers": len(answers), "batch": len(batch.pairs)}
    row |= dict(zip(PARTS, (sample_s, estimate_s, select_s), strict=True))
    row["sweep_ms"] = 1000 * sample_s / sweeps(belief, n)
    ari = adjusted_rand_index(clustering.labels, truth)
    note = f"ARI {ari:.3f}, {clustering.k} clusters"
    return row | {"ours_s": sample_s + estimate_s + select_s, "note": note}


def closed_loop(n: int) -> Row:
    """Ask until the adjusted Rand index is 0.99: ten clusters, n random pairs first, then 0.6 n a batch."""
    truth = np.random.default_rng(0).permutation(np.arange(n) % CLUSTERS)
    learner, oracle = ActiveClustering(n, seed=0), NoisyOracle(truth, gamma=GAMMA, seed=0)
    asked: dict[float, int] = {}
    seconds, ari = 0.0, 0.0
    while ari < GOALS[-1] and learner.n_answers < 20 * n:
        begin = process_time()
        labels = learner.labels
        pairs = learner.ask()
        seconds += process_time() - begin
        ari = adjusted_rand_index(labels, truth)
        asked |= {goal: learner.n_answers for goal in GOALS if ari >= goal and goal not in asked}
        print(f"{learner.n_answers} answers, ARI {ari:.3f}, {seconds:.0f} s", file=sys.stderr, flush=True)
        learner.tell(pairs, oracle(pairs))
    row = {"what": "run to ARI 0.99", "n": n, "answers": learner.n_answers, "rounds": learner.round}
    row |= {f"asked_{goal}": asked.get(goal) for goal in GOALS}
    return row | {"ours_s": seconds, "note": f"{asked.get(0.95)} questions to ARI 0.95"}


# -- what they are measured on -----------------------------------------------------------------------------


def instance(n: int, k: int) -> tuple[Ints, Answers]:
    """True labels of n objects, and answers of Oracle 1, more of them inside clusters than by chance.

    No pair is asked twice, as by a learner. Pairs that chance repeats are nearly all inside clusters; where a
    chain has one of their objects in a wrong cluster, they would teach that pairs mislead.
    """
    rng = stream(0)
    truth = rng.permutation(np.arange(n) % k)
    order = np.argsort(truth, kind="stable")
    first = np.searchsorted(truth[order], np.arange(k + 1))
    u, v = rng.integers(n, size=(2, n * PER_OBJECT // 2))
    inside = rng.random(len(u)) < (0.2 if k <= CLUSTERS else 0.35)
    sizes = np.diff(first)[truth[u]]
    v = np.where(inside, order[first[truth[u]] + rng.integers(sizes)], v)
    low, high = np.minimum(u, v), np.maximum(u, v)
    once = np.sort(np.unique(low * n + high, return_index=True)[1])
    once = once[u[once] != v[once]]
    u, v = u[once], v[once]
    values = np.where(truth[u] == truth[v], 1.0, -1.0)
    values = np.where(rng.random(len(u)) < GAMMA, rng.uniform(-1, 1, len(u)), values)
    return truth, Answers.none(n).adding(np.stack([u, v], axis=1), values)


def near_the_truth(truth: Ints, answers: Answers) -> CarriedSamples:
    """Return what a learner carries over, before the last batch, of chains with some objects anywhere."""
    rng, n = stream(4), len(truth)
    chains = PartitionBelief().schedule(n).chains
    away = rng.random((chains, n)) < STRAYING
    labels = np.where(away, truth[rng.integers(n, size=(chains, n))], truth)
    count = len(answers) - round(BATCH * n)
    evidence = Evidence.of(answers.first(count))
    together = (labels[:, evidence.pairs.u] == labels[:, evidence.pairs.v]).mean(axis=0)
    calibration, alphas = learn(evidence, together), np.ones(chains)
    return CarriedSamples(labels.astype(np.int32), np.arange(chains), alphas, calibration, UNTEMPERED, count)


def sweeps(belief: PartitionBelief, n: int) -> int:
    """Count the sweeps of all chains in a round that is not the first, with many new answers."""
    schedule = belief.schedule(n)
    plans = [LOOK, *[schedule.lesson] * schedule.later_lessons, schedule.final]
    return schedule.chains * sum(plan.burn_in + plan.samples * plan.thin for plan in plans)


def stream(number: int) -> np.random.Generator:
    return np.random.default_rng(number)


MEASUREMENTS: dict[str, Callable[..., Row]] = {
    "round_of": round_of,
    "closed_loop": closed_loop,
}

if __name__ == "__main__":
    if len(sys.argv) > 1:
        measure, sizes = MEASUREMENTS[sys.argv[1]], [int(size) for size in sys.argv[2:]]
        if measure is not closed_loop:
            measure(*[200, CLUSTERS][: len(sizes)])  # loads what is compiled
        print(json.dumps(measure(*sizes) | {"peak_mb": peak_memory_mb()}))
    else:
        main()
