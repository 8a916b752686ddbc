"""What is said to somebody who answers in a terminal."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ofakind.cli.printable import printable
from ofakind.project.fields import ObjectId

SAME_KEY, DIFFERENT_KEY, UNSURE_KEY = "s", "d", " "
UNDO_KEY, WHY_KEY, SKIP_KEY, HELP_KEY, QUIT_KEY = "z", "w", "k", "?", "q"
VALUES: Mapping[str, float] = {SAME_KEY: 1.0, DIFFERENT_KEY: -1.0, UNSURE_KEY: 0.0}
QUITTING = (QUIT_KEY, "\x04")  # Ctrl-D, too
MEANINGFUL = {*VALUES, *QUITTING, UNDO_KEY, WHY_KEY, SKIP_KEY, HELP_KEY, "\x0c"}  # Ctrl-L draws again
SAID = {1.0: "same", -1.0: "different", 0.0: "unsure"}

KEY_HINTS = (
    "S same",
    "D different",
    "Space unsure",
    "K rather not",
    "Z undo",
    "W why",
    "? help",
    "Q quit",
)
SHORT_KEYS = ("S D Space K Z W · ? help · Q quit", "S D Space K Z W ? Q")  # where there is little room
HELP = (
    "S      the two are of a kind",
    "D      they are not",
    "Space  you cannot tell: that counts as an answer",
    "K      you would rather not: somebody else may get it, and you do not see it again",
    "Z      take the last answer back, and answer it anew; again and again, as far back as you like",
    "W      why this is asked, and what speaks for it (look after you have made up your mind)",
    "Q      stop; everything is kept, and you can go on at any time",
    "= equal   ≈ equal but for case, blanks and punctuation   ≠ different   · nothing to compare with",
)


@dataclass(frozen=True, slots=True)
class Ending:
    """Why a sitting ended: the reason in words, the answers of this sitting, and the exit code."""

    reason: str
    answers: int
    code: int = 0


def value_said(value: float) -> str:
    """Say an answer in a word.

    >>> value_said(1.0), value_said(-0.5)
    ('same', '-0.5')
    """
    return SAID.get(value, f"{value:g}")


def two_ids(left: ObjectId, right: ObjectId) -> str:
    """Write the ids of two objects, safe for a terminal."""
    return f"{printable(left, width=40)} | {printable(right, width=40)}"


def joined(parts: Sequence[str], width: int, between: str = " · ") -> list[str]:
    """Put parts into lines of at most a width; no part is broken, a longer one is cut.

    >>> joined(["S same", "D different", "Q quit"], 22)
    ['S same · D different', 'Q quit']
    """
    lines: list[str] = []
    for part in parts:
        short = part if len(part) <= width else part[: width - 1] + "…"
        if lines and len(lines[-1]) + len(between) + len(short) <= width:
            lines[-1] += between + short
        else:
            lines.append(short)
    return lines
