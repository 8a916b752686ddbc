"""``ofakind status``: where a project stands."""

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ofakind.cli.judges import judge_document, judge_lines, rate_document, saved_document
from ofakind.cli.printable import printable
from ofakind.cli.projects import ProjectPath, ago, opened

if TYPE_CHECKING:
    from ofakind.project.people import ErrorRate, Person
    from ofakind.project.project import Project
    from ofakind.project.prospect import Prospect
    from ofakind.project.status import ProjectStatus


def status(
    path: ProjectPath,
    *,
    target: Annotated[
        float,
        typer.Option(
            metavar="SHARE", min=0.001, max=0.9, help="Wrong pairs to aim at, as a share of those by chance."
        ),
    ] = 0.01,
    json: Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")] = False,
) -> None:
    """Show where a project stands.

    Answers, people, groups, how many pairs may be wrong, and what is left to ask. It only looks, so it works
    while somebody labels.

    Example: ofakind status customers.ofk --target 0.02
    """
    with opened(path) as project:
        found, ahead, people = project.status(), project.prospect(target), project.people()
        if json:
            typer.echo(_json(status_document(project, found, ahead, people)))
            return
        judges = judge_lines(project.judges())
        sizes = [len(members) for members in project.groups().values()]
        lines = [*status_lines(found, ahead, people, sizes), *judges]
        typer.echo(f"{printable(path.name)} · {printable(project.question, width=80)}")
    for name, text in lines:
        typer.echo(f"  {name:<15}{text}".rstrip())
    for note in found.notes:
        typer.echo(f"  note           {printable(note)}")


def status_lines(
    found: "ProjectStatus", ahead: "Prospect", people: "list[Person]", sizes: list[int]
) -> list[tuple[str, str]]:
    """Return what is said, line by line, with a word for each."""
    from ofakind.project.status import counted, thin

    several = sum(size > 1 for size in sizes)
    pins = f" · {counted(found.n_pins, 'pin')}" if found.n_pins else ""
    groups = f"{counted(found.n_clusters, 'group')}, {thin(several)} of two or more"
    lines = [
        ("objects", f"{thin(found.n_objects)} in {groups}"),
        ("answers", f"{thin(found.n_answers)}{pins}" if found.n_answers else f"none yet{pins}"),
    ]
    lines += [("", line) for line in map(person_line, people)]
    if found.agreement is not None:
        over = counted(found.n_compared, "pair")
        lines.append(("agreement", f"{found.agreement:.2f} (Krippendorff's alpha, {over} answered by two)"))
    lines.append(("wrong pairs", found.wrong.replace(" wrong pairs", "").replace(" wrong pair", "")))
    if found.never_compared:
        words = "taken to be different; no feature and no answer connects them"
        lines.append(("never compared", f"{counted(found.never_compared, 'pair')}: {words}"))
    lines.append(("left to ask", "too early to say" if found.lacking else left_to_ask(ahead)))
    lines.append((f"next {ahead.questions}", ahead.next))
    return [*lines, ("as of", _age(found))]


def left_to_ask(ahead: "Prospect") -> str:
    """Say how many questions are left to the target."""
    goal = f"{100 * ahead.target:g} % of what random groups would get wrong"
    if ahead.reached:
        return f"nothing: {goal} is reached"
    return ahead.left if ahead.forecast.reached else f"{ahead.left}, to {goal}"


def person_line(one: "Person") -> str:
    """Say what somebody has done, and how often they err, once that means something."""
    from ofakind.project.status import counted

    said = f"{printable(one.name or 'somebody', width=30)}: {counted(one.n_answers, 'answer')}"
    said += f", {one.n_skips} skipped" if one.n_skips else ""
    rates = [("the same", one.errors_on_same), ("others", one.errors_on_different)]
    known = [f"{percent(rate)} of {word}" for word, rate in rates if rate is not None]
    return said + (f" · wrong on {', '.join(known)}" if known else "")


def percent(rate: "ErrorRate") -> str:
    """Write a rate with its interval."""
    low, high = rate.interval
    return f"{100 * rate.rate:.0f} % ({100 * low:.0f} to {100 * high:.0f} %)"


def _age(found: "ProjectStatus") -> str:
    from ofakind.project.status import counted

    behind = found.last - found.as_of
    said = "now" if not behind else f"{counted(behind, 'event')} ago"
    last = "" if found.answered_at is None else f" · last answer {ago(found.answered_at, datetime.now(UTC))}"
    return said + last


# -- for programs ------------------------------------------------------------------------------------------


def status_document(
    project: "Project", found: "ProjectStatus", ahead: "Prospect", people: "list[Person]"
) -> dict[str, Any]:
    """Return everything as JSON has it; the names and what they mean stay (see the docs)."""
    from ofakind import __version__

    low, high = found.limits
    forecast, judges = ahead.forecast, project.judges()
    return {
        "ofakind": __version__,
        "project": project.path.name,
        "question": project.question,
        "objects": found.n_objects,
        "answers": found.n_answers,
        "pins": found.n_pins,
        "open_questions": found.n_open,
        "groups": found.n_clusters,
        "people": [_person(one) for one in people],
        "judges": [judge_document(one) for one in judges],
        "saved_by_judges": saved_document(judges),
        "agreement": found.agreement,
        "pairs_answered_by_two": found.n_compared,
        "wrong_pairs": {
            "expected": None if found.lacking else found.expected_wrong_pairs,
            "at_least": low,
            "at_most": high,
            "too_early": found.lacking > 0 or found.expected_wrong_pairs is None,
            "answers_until_then": found.lacking,
        },
        "never_compared": found.never_compared,
        "target": {
            "share": ahead.target,
            "reached": ahead.reached and not found.lacking,
            "doubtful": ahead.doubtful,
            "open_ended": ahead.open_ended,
            "questions": forecast.questions,
            "at_least": forecast.low,
            "at_most": forecast.high,
        },
        "next": {"questions": ahead.questions, "fewer_wrong_pairs": ahead.fewer_wrong_pairs},
        "as_of": found.as_of,
        "last_event": found.last,
        "last_answer_at": found.answered_at,
        "notes": list(found.notes),
    }


def _person(one: "Person") -> dict[str, Any]:
    return {
        "name": one.name,
        "answers": one.n_answers,
        "skips": one.n_skips,
        "errors_on_same": rate_document(one.errors_on_same),
        "errors_on_different": rate_document(one.errors_on_different),
    }


def _json(tree: Any) -> str:
    from json import dumps

    return dumps(tree, indent=2, allow_nan=False)
