"""How long people wait for the next question while the learner computes beside, for 5,000 objects.

python -m benchmarks waiting                  two people at a time, with features and without: some minutes
python -m benchmarks.bench_waiting 2000 30    other numbers of objects and of seconds

Each person answers, and asks for the next question at once; the time from before `tell` to after `ask` is
measured. The same is then measured while the learner rests (it is held back), which is what the disk and
Python need by themselves; the ratio of the two is what the learner costs whoever answers.
"""

import sys
import tempfile
import warnings
from collections import Counter
from pathlib import Path
from threading import Event, Thread
from time import perf_counter, sleep
from typing import Any

import numpy as np

from benchmarks.__main__ import table
from benchmarks.common import Row
from ofakind.project.opening import new_project, open_project
from ofakind.project.project import Project

KINDS = 500  # groups of ten at 5,000 objects
THINKING = 0.3  # seconds between two answers of a person: faster than people are


def objects(n: int, *, features: bool) -> tuple[list[Any], np.ndarray]:
    """Records whose names are misspelt, or bare ids, with the truth about them."""
    rng = np.random.default_rng(n)
    truth = rng.integers(max(n * KINDS // 5000, 2), size=n)
    if not features:
        return [*range(n)], truth
    letters = np.array(list("abcdefghijklmnopqrstuvwxyz"))
    names = ["".join(rng.choice(letters, 12)) for _ in range(truth.max() + 1)]
    records = []
    for one in truth.tolist():
        name = list(names[one])
        for place in rng.integers(12, size=2).tolist():
            name[place] = str(rng.choice(letters))
        records.append({"name": "".join(name)})
    return records, truth


def person(project: Project, truth: np.ndarray, name: str, waits: list[float], end: Event) -> None:
    """Answer, one question after the other, and write down how long each took to come."""
    questions = project.ask(1, name)
    while questions and not end.is_set():
        sleep(THINKING)
        (question,) = questions
        left, right = int(question.left_id), int(question.right_id)
        begin = perf_counter()
        project.tell(question, 1.0 if truth[left] == truth[right] else -1.0)
        questions = project.ask(1, name)
        waits.append(perf_counter() - begin)


def measured(project: Project, truth: np.ndarray, seconds: float) -> np.ndarray:
    """Let two people answer for so long; returns the seconds that each next question took."""
    waits: list[float] = []
    end = Event()
    threads = [Thread(target=person, args=(project, truth, name, waits, end)) for name in ("Ada", "Bob")]
    for thread in threads:
        thread.start()
    sleep(seconds)
    end.set()
    for thread in threads:
        thread.join()
    return np.array(waits)


def one_case(n: int, seconds: float, *, features: bool) -> list[Row]:
    given, truth = objects(n, features=features)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a.ofk"
        new_project(given, path=path).close()
        with open_project(path, ahead=True) as project:
            busy = measured(project, truth, seconds)
            chosen = Counter(why.by for why in project._books.ledger.reasons.values())  # noqa: SLF001
            with project._model.lock:  # noqa: SLF001  the learner rests
                idle = measured(project, truth, seconds / 4)
    by = ", ".join(f"{count} {name}" for name, count in sorted(chosen.items()))
    what = "with" if features else "without"
    rows = []
    for name, quantile in (("median", 0.5), ("99 %", 0.99), ("longest", 1.0)):
        ours, idly = float(np.quantile(busy, quantile)), float(np.quantile(idle, quantile))
        row = {"what": f"next question, {what} features, {name}", "n": n, "answers": len(busy)}
        rows.append(row | {"ours_s": ours, "twin_s": idly, "ratio": ours / idly, "note": by})
    return rows


def run(n: int = 5000, seconds: float = 60.0) -> list[Row]:
    """Both cases; ``twin_s`` is while the learner rests."""
    warnings.simplefilter("ignore")
    return [row for features in (True, False) for row in one_case(n, seconds, features=features)]


if __name__ == "__main__":
    print(table(run(*(int(one) for one in sys.argv[1:]))))
