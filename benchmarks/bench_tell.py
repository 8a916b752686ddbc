"""Answers told one by one, behind ten thousand to a million others, against a table that is copied each time.

``answers`` are there before; 1,000 more of three people are added, each by a call of its own. The twin keeps
a plain list of rows. Then a learner of 1,000 objects is told so many from nothing, with no question out.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.common import Row, cpu_seconds, exponent, twin
from ofakind.answers import Answers
from ofakind.engine.learner import ActiveClustering

SIZES, NEW, N = (10_000, 100_000, 1_000_000), 1000, 1000
PEOPLE = ("Ada", "Ben", "Cyd")


def run() -> list[Row]:
    told = [tell(size) for size in SIZES]
    told[-1]["exponent"] = exponent(SIZES, [row["ours_s"] for row in told])
    return [*map(behind, SIZES), *told]


def behind(size: int) -> Row:
    """Add single answers to a table of so many."""
    pairs = np.stack([np.zeros(size, np.int64), np.arange(size) % (N - 1) + 1], axis=1)
    names = [PEOPLE[row % 3] for row in range(size)]
    begin = (pairs, np.ones(size), names)
    ours, _ = cpu_seconds(adding(Answers.none(N).adding(*begin)), repeats=5)
    rows = [(0, int(v), 1.0, name) for (_, v), name in zip(pairs, names, strict=True)]
    plain, _ = cpu_seconds(adding(twin("answers").PlainAnswers(N, tuple(rows), named=True)))
    row = {"what": "1,000 answers, one by one, identical tables", "n": N, "answers": size}
    return row | {"ours_s": ours, "twin_s": plain, "ratio": plain / ours, "note": per_second(NEW, ours)}


def adding(table: Any) -> Callable[[], Any]:
    """How to add single answers to a table, ours or the plain one."""

    def work() -> Any:
        grown = table
        for row in range(NEW):
            grown = grown.adding([(0, 1)], [1.0], PEOPLE[row % 3])
        return grown

    return work


def tell(size: int) -> Row:
    """Tell a learner so many answers, one by one."""
    learner = ActiveClustering(N)

    def work() -> None:
        for row in range(size):
            learner.tell([(0, 1)], [1.0], PEOPLE[row % 3])

    seconds, _ = cpu_seconds(work)
    row = {"what": "n answers told to a learner, one by one", "n": size, "answers": size, "ours_s": seconds}
    return row | {"note": per_second(size, seconds)}


def per_second(count: int, seconds: float) -> str:
    return f"{count / seconds:,.0f} a second"
