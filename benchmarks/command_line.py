"""Questions to pair F1 0.9 and 0.95 through the command line's own path: new, ask, tell, export.

python -m benchmarks.command_line restaurants febrl1      needs OFAKIND_DATA; without names, all sets: hours
python -m benchmarks.command_line --errors 0.05 cora      one of the two simulated people only

A file of the set is written as somebody would have it (a CSV without the truth, or a folder of pictures),
made into a project by what `ofakind new` calls, asked ten questions at a time and told what a simulated
person says, with no errors and with 5 % of the answers flipped. Of crowd_restaurants the answers are those of
the workers who were asked: one of them for each question, and a skip where nobody was. After every ten
answers the groups that `ofakind export` would write are compared with the truth. A set ends when F1 is 0.95,
or after as many questions as `BUDGETS` says.
"""

import argparse
import csv
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ofakind.datasets import load
from ofakind.datasets.base import Dataset
from ofakind.errors import noting
from ofakind.project.bringing import SourceOptions
from ofakind.project.from_files import NewProject
from ofakind.project.making import ProjectOptions
from ofakind.project.opening import open_project
from ofakind.project.project import Project
from ofakind.project.questions import Question
from ofakind.project.results import ResultOptions, table_of

BUDGETS = {
    "restaurants": 300,
    "febrl1": 200,
    "febrl3": 500,
    "splink_fake_1000": 500,
    "cora": 600,
    "affiliations": 1500,
    "orl_faces": 600,
    "crowd_restaurants": 600,
}
TARGETS, BATCH, SEED, ERRORS = (0.9, 0.95), 10, 0, (0.0, 0.05)

Answer = tuple[float, str] | None  # what somebody said, and who; None if nobody can tell
Person = Callable[[int, int], Answer]


class Needed(NamedTuple):
    """Answers to each target (None: not within the budget), the last F1, answers, skips, seconds."""

    answers: tuple[int | None, ...]
    last: float
    given: int
    skipped: int
    seconds: float


def write_source(data: Dataset, folder: Path) -> Path:
    """Write a set as somebody would have it: a table without the truth, or a folder of pictures."""
    if data.records is None:
        from PIL import Image

        pictures = folder / "pictures"
        pictures.mkdir()
        for row, pixels in enumerate(data.images if data.images is not None else ()):
            Image.fromarray(pixels).save(pictures / f"{row:04}.png")
        return pictures
    path = folder / f"{data.name}.csv"
    records = list(data.records)
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, ["row", *records[0]])
        writer.writeheader()
        writer.writerows({"row": f"r{row}", **record} for row, record in enumerate(records))
    return path


def simulated(truth: np.ndarray, errors: float, seed: int) -> Person:
    """Return somebody who knows the truth, and errs."""
    rng = np.random.default_rng((seed, 17))

    def say(u: int, v: int) -> Answer:
        same = (truth[u] == truth[v]) != (rng.random() < errors)
        return (1.0 if same else -1.0), ""

    return say


def workers(data: Dataset, seed: int) -> Person:
    """Return one of the workers who were really asked about a pair, if any were."""
    if data.answers is None:
        raise ValueError(f"{data.name} has no answers")
    table, rng = data.answers, np.random.default_rng((seed, 17))
    said: dict[tuple[int, int], list[tuple[float, str]]] = {}
    names = table.annotators or ("somebody",) * len(table)
    for u, v, value, name in zip(
        table.u.tolist(), table.v.tolist(), table.values.tolist(), names, strict=True
    ):
        said.setdefault((int(u), int(v)), []).append((value, name))

    def say(u: int, v: int) -> Answer:
        found = said.get((min(u, v), max(u, v)))
        return None if not found else found[int(rng.integers(len(found)))]

    return say


def pair_f1(found: np.ndarray, truth: np.ndarray) -> float:
    """Return the F1 of pairs that are together."""
    both = np.unique(np.column_stack([found, truth]), axis=0, return_counts=True)[1]
    each = [np.unique(one, return_counts=True)[1] for one in (found, truth)]
    pairs = [float((sizes * (sizes - 1) // 2).sum()) for sizes in (both, *each)]
    return 2 * pairs[0] / max(pairs[1] + pairs[2], 1)


def exported(project: Project) -> np.ndarray:
    """Return the groups as `ofakind export` writes them, in the order of the objects."""
    return np.array(table_of(project, "groups", ResultOptions())["group"])


def answers(project: Project, numbers: dict[Any, int], person: Person) -> Iterator[tuple[Question, bool]]:
    """Answer ten questions, or skip them; gives each with whether it was answered."""
    for question in project.ask(BATCH, "somebody"):
        said = person(numbers[question.left_id], numbers[question.right_id])
        if said is None:
            project.skip(question)
        else:
            project.tell(question, said[0], said[1] or None)
        yield question, said is not None


def one_run(data: Dataset, person: Person, seed: int) -> Needed:
    """Make a project, and answer until the groups are good or the budget is spent."""
    truth = np.unique(np.asarray(data.labels), return_inverse=True)[1]
    begun = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder, "project.ofk")
        source = write_source(data, Path(folder))
        how = SourceOptions(None if source.is_dir() else "row")
        wanted = dict.fromkeys(("show", "text", "vector", "ignore"))
        with noting({}):
            NewProject(source, target, how, wanted).make(ProjectOptions("Are these two of a kind?", seed))
        with open_project(target) as project:
            numbers = {one: row for row, one in enumerate(project.ids)}
            given = skipped = 0
            found: dict[float, int] = {}
            while True:
                f1 = pair_f1(exported(project), truth)
                print(f"{data.name}: F1 {f1:.3f} after {given:,} answers", file=sys.stderr, flush=True)
                for goal in TARGETS:
                    if f1 >= goal:
                        found.setdefault(goal, given)
                if len(found) == len(TARGETS) or given + skipped >= BUDGETS[data.name]:
                    break
                told = [one for _, one in answers(project, numbers, person)]
                given, skipped = given + sum(told), skipped + len(told) - sum(told)
                if not told:
                    break
    reached = tuple(found.get(goal) for goal in TARGETS)
    return Needed(reached, f1, given, skipped, time.perf_counter() - begun)


def main(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.command_line")
    parser.add_argument("names", nargs="*", metavar="SET", help=", ".join(BUDGETS))
    parser.add_argument("--errors", type=float, action="append", metavar="SHARE", help="may be repeated")
    wanted = parser.parse_args(arguments)
    warnings.simplefilter("ignore")
    goals = " | ".join(f"F1 {goal:g}" for goal in TARGETS)
    print(f"| set | objects | answers by | {goals} | last F1 | at | s |")
    print(f"| --- | --: | --- |{' --: |' * (len(TARGETS) + 3)}")
    for name in wanted.names or BUDGETS:
        data = load(name)
        people = {
            f"{errors:.0%} errors": simulated(np.asarray(data.labels), errors, SEED)
            for errors in wanted.errors or ERRORS
        }
        if data.answers is not None:
            people = {"the workers": workers(data, SEED)}
        for who, person in people.items():
            ran = one_run(data, person, SEED)
            cells = ["-" if count is None else f"{count:,}" for count in ran.answers]
            at = f"{ran.given:,}" + (f" ({ran.skipped:,} skipped)" if ran.skipped else "")
            row = [name, f"{data.n:,}", who, *cells, f"{ran.last:.3f}", at, f"{ran.seconds:.0f}"]
            print(f"| {' | '.join(row)} |", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
