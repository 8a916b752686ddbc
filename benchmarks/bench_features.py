"""A round with features of many records: graph, first look, a round of 100 answers, one answer; memory.

python -m benchmarks features            1,000 and 10,000 records, about two minutes
python -m benchmarks.bench_features      up to 100,000: as markdown, and results/features_long.json

Records are made up, three of a kind on average, with typing errors and gaps; answers are right. A round is
that of a learner in mid-run: 100 answers, samples of both readings, the groups and the next 100 questions.
Every size has a process of its own, so that its peak memory is its own. Seconds are those of the processor.
"""

import json
import subprocess
import sys
from time import process_time

import numpy as np

from benchmarks.bench_neighbours import made_up_people
from benchmarks.common import ROOT, Row, cpu_seconds, exponent, keep, machine, peak_memory_mb
from ofakind.arrays import Ints
from ofakind.engine.learner import ActiveClustering
from ofakind.pairs import Pairs
from ofakind.priors.neighbours import Neighbours
from ofakind.study.measures import pair_f1

SHORT, LONG = (1_000, 10_000), (1_000, 10_000, 100_000)
BATCH, BEFORE, ROUNDS = 100, 3, 2  # questions at a time, rounds before the clock starts, and rounds on it;
FEW_BEYOND = 20_000  # one of each for more records
COLUMNS = ("n", "graph_s", "first_s", "ours_s", "one_s", "peak_mb", "note")


def run() -> list[Row]:
    return with_exponent([measured(n) for n in SHORT])


def main() -> None:
    """Measure all sizes, print a table as markdown and keep the rows."""
    print(", ".join(f"{key} {value}" for key, value in machine().items()), end="\n\n")
    rows = with_exponent([measured(n) for n in LONG])
    keep("features_long", rows)
    for line in (COLUMNS, ["---"] * len(COLUMNS), *([shown(row[name]) for name in COLUMNS] for row in rows)):
        print(f"| {' | '.join(line)} |")


def measured(n: int) -> Row:
    """Measure in a process of its own."""
    command = [sys.executable, "-m", "benchmarks.bench_features", str(n)]
    done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True)
    row: Row = json.loads(done.stdout)
    print(f"{n} records: {row['ours_s']:.1f} s a round, {row['peak_mb']:.0f} MB", file=sys.stderr, flush=True)
    return row


def with_exponent(rows: list[Row]) -> list[Row]:
    sizes = [row["n"] for row in rows]
    powers = [(name, exponent(sizes, [row[f"{name}_s"] for row in rows])) for name in ("graph", "one")]
    rows[-1]["exponent"] = exponent(sizes, [row["ours_s"] for row in rows])
    rows[-1]["note"] += "".join(f", {name} n^{power:.2f}" for name, power in powers)
    rows[-1]["note"] += f", round n^{rows[-1]['exponent']:.2f}"
    return rows


def shown(value: object) -> str:
    return f"{value:,.3g}" if isinstance(value, float) and value < 1000 else f"{value}"


def rounds_of(n: int) -> Row:
    """A learner from the start to mid-run."""
    records, truth = made_up_people(n)
    compile_all(records, truth)
    graph_s, near = cpu_seconds(lambda: Neighbours.from_records(records))
    learner = ActiveClustering(n, prior=near, seed=0)
    first_s, pairs = cpu_seconds(lambda: learner.ask(BATCH))
    before, rounds = (BEFORE, ROUNDS) if n <= FEW_BEYOND else (1, 1)
    for _ in range(before):
        pairs = next_questions(learner, truth, pairs, BATCH)
    begin = process_time()
    for _ in range(rounds):
        pairs = next_questions(learner, truth, pairs, BATCH)
    ours_s = (process_time() - begin) / rounds
    one = Pairs(pairs.u[:1], pairs.v[:1])
    one_s, _ = cpu_seconds(lambda: next_questions(learner, truth, one, 1))
    row = {"what": "round with features", "n": n, "answers": learner.n_answers, "batch": BATCH}
    row |= {"graph_s": graph_s, "first_s": first_s, "ours_s": ours_s, "one_s": one_s}
    note = f"graph {graph_s:.1f} s, first look {first_s:.1f} s, one answer {one_s:.2f} s"
    return row | {"peak_mb": peak_memory_mb(), "note": f"{note}, F1 {pair_f1(learner.labels, truth):.2f}"}


def next_questions(learner: ActiveClustering, truth: Ints, pairs: Pairs, size: int) -> Pairs:
    """Answer some, and ask for the next."""
    asked = np.asarray(pairs)
    learner.tell(asked, np.where(truth[asked[:, 0]] == truth[asked[:, 1]], 1.0, -1.0))
    assert len(learner.labels) == learner.n
    return learner.ask(size)


def compile_all(records: list[dict[str, str]], truth: Ints) -> None:
    """Let everything that is compiled be loaded, on few objects."""
    learner = ActiveClustering(200, prior=Neighbours.from_records(records[:200]), seed=0)
    pairs = learner.ask(20)
    for size in (20, 1, 1):
        pairs = next_questions(learner, truth[:200], pairs, size)


if __name__ == "__main__":
    if len(sys.argv) > 1:
        print(json.dumps(rounds_of(int(sys.argv[1]))))
    else:
        main()
