"""``ofakind why``: the evidence between two objects."""

from typing import TYPE_CHECKING, Annotated

import typer

from ofakind.cli.printable import printable
from ofakind.cli.projects import ProjectPath, id_of, opened

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ofakind.project.evidence import PairEvidence
    from ofakind.project.fields import Content

NARROW = 40  # characters of a cell that is shown beside another, at most


def why(
    path: ProjectPath,
    left: Annotated[str, typer.Argument(metavar="A", help="The id of an object.")],
    right: Annotated[str, typer.Argument(metavar="B", help="The id of another one.")],
) -> None:
    """Show the evidence between two objects.

    Both records, whether they are together, answers, what features say, and what connects them.

    Example: ofakind why customers.ofk 1042 2217
    """
    with opened(path) as project:
        one, other = id_of(project, left), id_of(project, right)
        evidence = project.why(one, other)
        table = side_by_side((str(one), str(other)), (project.contents(one), project.contents(other)))
        groups = {group.group: group for group in project.describe()}
        labels = project.labels()
        places = [groups[labels[each]] for each in (one, other)]
    for line in table:
        typer.echo(line)
    typer.echo()
    for line in evidence_lines(evidence):
        typer.echo(line)
    for each, place in zip((one, other), places, strict=True):
        if each == one or not evidence.together:
            who = "both are" if evidence.together else f"{printable(each, width=30)} is"
            size = f"{len(place)} object{'' if len(place) == 1 else 's'}"
            typer.echo(f"  {who} in group {place.group}, {printable(place.name, width=60)} ({size})")


def side_by_side(
    ids: tuple[str, str], contents: "tuple[Mapping[str, Content], Mapping[str, Content]]"
) -> list[str]:
    """Return both records, a line for each column; a dot marks where they differ."""
    left, right = contents
    rows = [("", *(printable(one, width=NARROW) for one in ids), " ")]
    for name in left:
        cells = ["" if each[name] is None else printable(each[name], width=NARROW) for each in (left, right)]
        rows.append((printable(name, width=20), *cells, "•" if left[name] != right[name] else " "))
    first, second = (max(len(row[place]) for row in rows) for place in (0, 1))
    return [f"{mark} {name:<{first}}  {one:<{second}}  {two}".rstrip() for name, one, two, mark in rows]


def evidence_lines(evidence: "PairEvidence") -> list[str]:
    """Return what speaks for and against, a line for each thing."""
    word = "together" if evidence.together else "apart"
    lines = [f"They are {word}: P(same) is {evidence.probability:.2f}."]
    if evidence.pinned is not None:
        lines.append(f"  pinned as {'the same' if evidence.pinned else 'different'}")
    if evidence.prior is not None:
        lines.append(f"  features alone say {evidence.prior:.2f}")
    for judge, score in evidence.judges:
        lines.append(f"  {printable(judge, width=30)} says {score:.2g}")
    if evidence.asked is not None:
        lines.append(f"  {evidence.asked}")
    for one in evidence.answers:
        when = one.at[:16].replace("T", " ")
        lines.append(f"  {printable(one.annotator or 'somebody', width=30)} said {said(one.value)} ({when})")
    if not evidence.answers:
        lines.append("  nobody was asked about these two" if evidence.asked is None else "  no answer yet")
    for place, (start, end) in enumerate(evidence.chain):
        head = "connected by" if not place else "then"
        lines.append(f"  {head:<12} {printable(start, width=30)} = {printable(end, width=30)}")
    return lines


def said(value: float) -> str:
    """Write an answer as a person would.

    >>> said(1.0), said(-1.0), said(0.0), said(0.4)
    ('the same', 'different', 'undecided', 'rather the same (+0.4)')
    """
    if abs(value) in (0.0, 1.0):
        return {1.0: "the same", -1.0: "different", 0.0: "undecided"}[value]
    return f"rather {'the same' if value > 0 else 'different'} ({value:+g})"
