"""Two records side by side, in as many columns and lines as a terminal has."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from ofakind.cli.printable import printable
from ofakind.cli.terminal.differences import NO_OTHER, SAME, UNLIKE, marks, sign_of
from ofakind.project.fields import Content, ObjectId

MARK, DIM, BOLD, UNSTYLED = "\x1b[1;4;35m", "\x1b[2m", "\x1b[1m", "\x1b[0m"
MARK_SIGN = "\x1b[1;35m"
NOT_THERE = "(none)"
Letters = Sequence[tuple[str, bool]]  # characters, and whether each is marked


@dataclass(frozen=True, slots=True)
class CardRules:
    """How records are laid out, chosen by judgement."""

    narrow: int = 56  # columns below which the two stand one above the other
    widest: int = 160  # columns; a wider terminal is not filled
    names: int = 20  # columns for the names of fields, at most
    lines: int = 8  # of one value, at most
    longest: int = 20_000  # characters of a value that are looked at
    before: int = 20  # characters shown before the first difference, where a long text begins later


CARD = CardRules()


@dataclass(frozen=True, slots=True)
class Paper:
    """What there is to write on: columns, lines (None: as many as wanted), and whether there is colour."""

    width: int = 80
    height: int | None = None
    colour: bool = False


@dataclass(frozen=True, slots=True)
class SideBySide:
    """Two records: their ids and their fields."""

    left_id: ObjectId
    right_id: ObjectId
    left: Mapping[str, Content]
    right: Mapping[str, Content]


class FieldRow(NamedTuple):
    """A field of both records, ready to print."""

    name: str
    sign: str
    left: str
    right: str
    marked: tuple[Sequence[bool], Sequence[bool]]  # of the characters of both


def _row(name: str, sign: str, left: str, right: str) -> FieldRow:
    """Find what differs, once, however often the row is then laid out."""
    compared = sign not in (" ", SAME, NO_OTHER)
    both = marks(left, right) if compared else ([False] * len(left), [False] * len(right))
    return FieldRow(name, sign, left, right, both)


def card_lines(both: SideBySide, paper: Paper) -> list[str]:
    """Return two records as lines that are no wider than the paper, and no more than it has.

    What differs is marked by a sign, and character by character: in colour and underlined, or else by carets
    below. Where lines are few, values are cut, then fields that are equal are left out, and it is said.
    """
    rows = list(_rows(both))
    most = CARD.lines
    ids, *fields = _blocks(both, rows, paper, most)
    while paper.height is not None and len(ids) + sum(map(len, fields)) > paper.height and most > 1:
        most -= 1
        ids, *fields = _blocks(both, rows, paper, most)
    left_out = 0
    while paper.height is not None and len(fields) > 1:
        if len(ids) + sum(map(len, fields)) + bool(left_out) <= paper.height:
            break
        same = [place for place, row in enumerate(rows) if row.sign in (SAME, NO_OTHER)]
        place = same[-1] if same else -1
        del rows[place], fields[place]
        left_out += 1
    lines = [line for block in (ids, *fields) for line in block]
    if left_out:
        word = "field is" if left_out == 1 else "fields are"
        note = cut(f"… {left_out} more {word} not shown: too few lines", paper.width)
        lines = [*(lines if paper.height is None else lines[: paper.height - 1]), note]
    return lines if paper.height is None else lines[: paper.height]


def _rows(both: SideBySide) -> Iterator[FieldRow]:
    for name in dict.fromkeys([*both.left, *both.right]):
        left, right = both.left.get(name), both.right.get(name)
        empty = [one is None or one == "" for one in (left, right)]
        if not all(empty):
            shown = [
                NOT_THERE if none else _shown(one) for none, one in zip(empty, (left, right), strict=True)
            ]
            yield _row(printable(name), sign_of(left, right), *shown)


def _shown(value: Content) -> str:
    text = str(value)
    rest = len(text) - CARD.longest
    return printable(text[: CARD.longest]) + (f"… ({rest:,} more characters)" if rest > 0 else "")


def _blocks(both: SideBySide, rows: Sequence[FieldRow], paper: Paper, most: int) -> list[list[str]]:
    """Return the lines of the ids, and of each field."""
    width = min(paper.width, CARD.widest)
    ids = _row("", " ", printable(both.left_id), printable(both.right_id))
    if width < CARD.narrow:
        return [list(_stacked(row, width, paper, most)) for row in (ids, *rows)]
    names = min(max((cells(row.name) for row in rows), default=0), CARD.names)
    side = (width - names - 4) // 2 if names else (width - 3) // 2
    return [list(_beside(row, (names, side), paper, most)) for row in (ids, *rows)]


def _beside(row: FieldRow, widths: tuple[int, int], paper: Paper, most: int) -> Iterator[str]:
    """Give the lines of a field: its name, the left value, the sign, the right value."""
    names, side = widths
    left, right = (wrapped(one, side, most) for one in _marked(row, side * most))
    name = cut(row.name, names)
    head = name + " " * (names - cells(name)) + (" " if names else "")
    for number in range(max(len(left), len(right))):
        start = head if number == 0 else " " * cells(head)
        sign = _sign(row.sign, paper) if number == 0 else " "
        two = [lines[number] if number < len(lines) else [] for lines in (left, right)]
        bold = row.name == ""
        left_text, right_text = (_painted(one, paper, bold=bold) for one in two)
        gap = " " * (side - _cells_of(two[0]))
        yield f"{_dim(start, paper)}{left_text}{gap} {sign} {right_text}".rstrip()
        if not paper.colour and (carets := _carets(two, side)).strip():
            yield " " * cells(head) + carets.rstrip()


def _stacked(row: FieldRow, width: int, paper: Paper, most: int) -> Iterator[str]:
    """Give the lines of a field in a narrow terminal: its name and sign, then one value below the other."""
    if row.name:
        yield _dim(cut(f"{row.name} {row.sign}", width), paper)
    for letters in _marked(row, (width - 2) * most):
        for line in wrapped(letters, width - 2, most):
            yield ("  " + _painted(line, paper, bold=row.name == "")).rstrip()
            if not paper.colour and (carets := _carets([line, []], width - 2)).strip():
                yield "  " + carets.rstrip()


def _marked(row: FieldRow, room: int) -> list[list[tuple[str, bool]]]:
    """Return both values with their marks; long ones begin shortly before their first difference."""
    firsts = [side.index(True) for side in row.marked if True in side]
    first = min(firsts, default=0)
    start = (
        first - CARD.before if first > room - CARD.before and max(len(row.left), len(row.right)) > room else 0
    )
    found = []
    for text, side in zip((row.left, row.right), row.marked, strict=True):
        letters = list(zip(text[start:], side[start:], strict=True))
        found.append([("…", False), *letters] if start > 0 else letters)
    return found


def wrapped(letters: Letters, width: int, most: int) -> list[list[tuple[str, bool]]]:
    """Break characters into lines, between words where that is possible; the last of too many ends with …."""
    lines: list[list[tuple[str, bool]]] = []
    rest = list(letters)
    while rest and len(lines) < most:
        taken = _fitting(rest, width)
        blank = next((at for at in range(taken, 0, -1) if taken < len(rest) and rest[at][0] == " "), taken)
        end = blank if blank > width // 3 else taken
        lines.append(rest[:end])
        rest = rest[end + 1 :] if end < len(rest) and rest[end][0] == " " else rest[end:]
    if rest:
        last = lines[-1][: _fitting(lines[-1], width - 1)]
        lines[-1] = [*last, ("…", False)]
    return lines or [[]]


def _fitting(letters: Letters, width: int) -> int:
    """Return how many characters fit into a width, at least one."""
    used = 0
    for number, (letter, _) in enumerate(letters):
        used += cells(letter)
        if used > width:
            return max(number, 1)
    return len(letters)


def cells(text: str) -> int:
    """Return the columns that a text takes: two for a Chinese character, none for a combining accent."""
    if text.isascii():
        return len(text)
    from rich.cells import cell_len

    return cell_len(text)


def cut(text: str, width: int) -> str:
    """Cut a text that is safe to print to a width, in columns."""
    if cells(text) <= width:
        return text
    return text[: _fitting([(one, False) for one in text], max(width - 1, 1))] + "…" if width > 0 else ""


def _cells_of(letters: Letters) -> int:
    return cells("".join(letter for letter, _ in letters))


def _painted(letters: Letters, paper: Paper, *, bold: bool = False) -> str:
    if not paper.colour:
        return "".join(letter for letter, _ in letters)
    parts, now = [], False
    for letter, marked in letters:
        if marked != now:
            parts.append(MARK if marked else UNSTYLED)
            now = marked
        parts.append(letter)
    text = "".join(parts) + (UNSTYLED if now else "")
    return f"{BOLD}{text}{UNSTYLED}" if bold and text else text


def _dim(text: str, paper: Paper) -> str:
    return f"{DIM}{text}{UNSTYLED}" if paper.colour and text.strip() else text


def _sign(sign: str, paper: Paper) -> str:
    return f"{MARK_SIGN}{sign}{UNSTYLED}" if paper.colour and sign == UNLIKE else sign


def _carets(two: Sequence[Letters], side: int) -> str:
    """Return carets below the marked characters of one line of both values."""
    left, right = (
        "".join(("^" if marked else " ") * cells(letter) for letter, marked in line) for line in two
    )
    return left + " " * (side - len(left)) + "   " + right
