"""The record journey, by a simulated person: new, plan, questions, status, groups, export."""

import csv
import io
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import TYPE_CHECKING

import numpy as np
import typer

from ofakind.cli.demo.people import MadeUpList, misspelt_people

if TYPE_CHECKING:
    from ofakind.project.project import Project
    from ofakind.project.questions import Question

SHOWN = 3  # questions that are shown
ASKED_AT_ONCE = 10  # questions at a time
ERRORS = 0.03  # of the simulated person
WIDEST_CARD = 100  # columns, at most


def show_records(people: int, records: int, budget: int, seed: int) -> None:
    """Go the whole way in a folder that is removed afterwards, and say at each step what to type."""
    begun, listed = perf_counter(), misspelt_people(people, records, seed)
    with TemporaryDirectory() as folder, _inside(Path(folder)):
        source, target = Path("people.csv"), Path("people.ofk")
        _write(source, listed)
        typer.echo(f"{records} records of {people} people, misspelt; a simulated person knows who is who,")
        typer.echo(f"and errs in {100 * ERRORS:.0f} % of the answers.")
        _new(source, seed)
        _label(target, listed, budget, np.random.default_rng(seed))
        _results(target, listed)
    typer.echo(f"\nThat took {perf_counter() - begun:.0f} s. With a list of your own: ofakind new FILE.csv")


@contextmanager
def _inside(folder: Path) -> Iterator[None]:
    """Work in a folder, so that what is typed and printed has no long paths."""
    import os

    before = Path.cwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)


def _write(path: Path, listed: MadeUpList) -> None:
    from ofakind.files import write_whole

    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, list(listed.records[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(listed.records)
    write_whole(path, text.getvalue().encode())


def _typed(command: str) -> None:
    typer.secho(f"\n$ {command}", bold=True)


def _new(source: Path, seed: int) -> None:
    from ofakind.cli.new import new

    _typed(f"ofakind new {source} --id id")
    new(source, id="id", seed=seed)


def _label(path: Path, listed: MadeUpList, budget: int, rng: np.random.Generator) -> None:
    """Answer questions as a person does who knows the truth and errs now and then."""
    from ofakind.cli.waiting import waiting
    from ofakind.project.opening import open_project

    _typed(f"ofakind label {path} --budget {budget}")
    people = {record["id"]: int(one) for record, one in zip(listed.records, listed.truth, strict=True)}
    with waiting("answering"), open_project(path) as project:
        asked = 0
        while asked < budget:
            questions = project.ask(min(ASKED_AT_ONCE, budget - asked), "Ada")
            for question in questions:
                same = people[str(question.left_id)] == people[str(question.right_id)]
                said = same != (rng.random() < ERRORS)
                if asked < SHOWN:
                    _show(project, question, same=said)
                project.tell(question, 1.0 if said else -1.0)
                asked += 1
            if not questions:
                break
    typer.echo(f"... and {max(asked - SHOWN, 0)} more")


def _show(project: "Project", question: "Question", *, same: bool) -> None:
    import shutil

    from ofakind.cli.terminal.cards import Paper, SideBySide, card_lines

    width = min(shutil.get_terminal_size().columns, WIDEST_CARD)
    ids = question.left_id, question.right_id
    both = SideBySide(*ids, project.about(ids[0]), project.about(ids[1]))
    typer.echo("\n".join(card_lines(both, Paper(width))))
    typer.echo(f"{project.question} {'S (same)' if same else 'D (different)'}\n")


def _results(path: Path, listed: MadeUpList) -> None:
    from ofakind.cli.export import export
    from ofakind.cli.status import status
    from ofakind.project.opening import open_project

    _typed(f"ofakind status {path}")
    status(path)
    _typed(f"ofakind export {path} -o groups.csv --columns")
    export(path, output=Path("groups.csv"), columns=True)
    for line in Path("groups.csv").read_text(encoding="utf-8").splitlines()[:6]:
        typer.echo(f"  {line}")
    with open_project(path, read_only=True) as project:
        labels = project.labels()
    found = np.array([labels[record["id"]] for record in listed.records])
    typer.echo(f"\n{verdict(found, listed.truth)}")


def verdict(found: np.ndarray, truth: np.ndarray) -> str:
    """Compare groups with the truth.

    >>> verdict(np.array([0, 0, 1]), np.array([5, 5, 6]))
    'The truth is known here: 2 of 2 people have a group with all their records alone; pair F1 is 1.00.'
    """
    groups = {frozenset(np.flatnonzero(found == one).tolist()) for one in np.unique(found)}
    people = [frozenset(np.flatnonzero(truth == one).tolist()) for one in np.unique(truth)]
    whole = sum(person in groups for person in people)
    both = _pairs(np.unique(np.column_stack([found, truth]), axis=0, return_counts=True)[1])
    either = _pairs(np.unique(found, return_counts=True)[1]) + _pairs(np.unique(truth, return_counts=True)[1])
    exact = f"{whole} of {len(people)} people have a group with all their records alone"
    return f"The truth is known here: {exact}; pair F1 is {2 * both / max(either, 1):.2f}."


def _pairs(sizes: np.ndarray) -> int:
    return int((sizes * (sizes - 1) // 2).sum())
