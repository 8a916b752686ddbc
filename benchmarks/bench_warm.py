"""Warm starts: what a round costs when one answer in a hundred is new, against a start from nothing.

python -m benchmarks warm            10,000 objects, about half a minute
python -m benchmarks.bench_warm      and 100,000: about five minutes, as markdown

Ten clusters and 20 answers for each object, as in `bench_scale`. What was known before are all answers but
the last one in a hundred, and what a round has made of them. Cold and warm are measured one after the other
in the same process, in seconds of the processor: `twin_s` is cold, `ours_s` warm, `ratio` cold over warm.
"""

import sys
from collections.abc import Callable, Iterator
from typing import Any

from benchmarks.bench_scale import instance, near_the_truth, print_table, stream
from benchmarks.common import CLUSTERS, Row, cpu_seconds
from ofakind.clustering import Clustering
from ofakind.posterior.mean_field.dense import mean_field
from ofakind.posterior.partition.belief import PartitionBelief
from ofakind.posterior.partition.schedule import SCHEDULE
from ofakind.similarity import Similarity
from ofakind.solve.local_search import LocalSearch
from ofakind.solve.multilevel import Multilevel

NEW = 0.01
REPEATS = {10_000: 5, 100_000: 1}
Work = Callable[[], Any]


def run() -> list[Row]:
    """Measure what takes half a minute."""
    return rows_of(min(REPEATS))


def main() -> None:
    """Measure all sizes, and print a table as markdown."""
    rows = [row for n in REPEATS for row in rows_of(n)]
    print_table(rows, ("what", "n", "twin_s", "ours_s", "note"))


def rows_of(n: int) -> list[Row]:
    """Measure everything on n objects, after fewer have loaded what is compiled."""
    for _, *both in works(SCHEDULE.quick_beyond + 1):
        for work in both:
            work()
    rows = []
    for what, *both in works(n):
        cold, warm = (cpu_seconds(work, repeats=REPEATS[n])[0] for work in both)
        note = f"warm takes {warm / cold:.0%} of cold"
        print(f"n = {n}, {what}: {note}", file=sys.stderr, flush=True)
        rows.append(
            {"what": what, "n": n, "twin_s": cold, "ours_s": warm, "ratio": cold / warm, "note": note}
        )
    return rows


def works(n: int) -> Iterator[tuple[str, Work, Work]]:
    """Give the name of each computation, and how to make it from nothing and from what was known."""
    truth, answers = instance(n, CLUSTERS)
    old = answers.first(round((1 - NEW) * len(answers)))
    belief = PartitionBelief()
    memory = belief.carry(belief.update(old, carried=near_the_truth(truth, old), rng=stream(1)))
    yield (
        "samples of partitions",
        lambda: belief.update(answers, carried=None, rng=stream(2)),
        lambda: belief.update(answers, carried=memory, rng=stream(2)),
    )
    before, after = Similarity.from_answers(old), Similarity.from_answers(answers)
    start = Multilevel()(before, rng=stream(3))
    known = Clustering.of(after, start.labels)
    yield (
        "multilevel search",
        lambda: Multilevel()(after, rng=stream(4)),
        lambda: Multilevel(kicks=0)(after, start=known, rng=stream(4)),
    )
    yield (
        "local search, one restart",
        lambda: LocalSearch(restarts=1)(after, rng=stream(4)),
        lambda: LocalSearch(restarts=1, warm_start=True)(after, start=known, rng=stream(4)),
    )
    field = mean_field(before, start.labels)
    yield (
        "mean field, from labels or from costs",
        lambda: mean_field(after, start.labels),
        lambda: mean_field(after, costs=field.costs),
    )


if __name__ == "__main__":
    main()
