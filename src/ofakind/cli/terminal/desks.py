"""The two ways to answer: keys on a screen that is drawn anew, or lines of a script."""

import os
import re
import shutil
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from textwrap import wrap
from time import monotonic

from ofakind.cli.printable import printable
from ofakind.cli.terminal.cards import BOLD, DIM, UNSTYLED, Paper, SideBySide, card_lines, cut
from ofakind.cli.terminal.keyboard import CLOSED, REDRAW, TIME_IS_UP, Keyboard, suspend, write
from ofakind.cli.terminal.sitting import AskedNow
from ofakind.cli.terminal.words import GRADE_HINTS, GRADES, KEY_HINTS, joined, two_ids
from ofakind.errors import InvalidInputError
from ofakind.project.fields import Content, ObjectId

LEAST_WIDTH, LEAST_HEIGHT = 20, 8
TO_TOP, CLEAR_LINE, CLEAR_REST = "\x1b[H", "\x1b[K", "\x1b[J"
LINE_WORDS = {
    word: key
    for key, said in {
        "s": ("s", "same"),
        "d": ("d", "different"),
        " ": ("u", "unsure"),
        "z": ("z", "undo"),
        "k": ("k", "skip"),
        "w": ("w", "why"),
        "q": ("q", "quit"),
    }.items()
    for word in said
}


@dataclass(frozen=True, slots=True)
class Heading:
    """What is the same for all questions: what is asked, how far it is, and what is shown of an object."""

    question: str
    progress: Callable[[], Sequence[str]]
    about: Callable[[ObjectId], Mapping[str, Content]]  # what is shown of an object
    grades: bool = False  # whether answers come in five steps

    def parts(self, now: AskedNow) -> list[str]:
        """Return the parts of the progress line."""
        return [*self.progress(), *([f"budget: {now.left} left"] if now.left else [])]


class KeyDesk:
    """A screen that is drawn anew for every question, and single keys."""

    def __init__(self, heading: Heading, keyboard: Keyboard, source: int) -> None:
        self._heading, self._keyboard, self._source = heading, keyboard, source
        self._gone = False
        self._last = ""  # the key of the question that was drawn last

    def show(self, now: AskedNow) -> None:
        """Draw the question, as large as the terminal is now."""
        try:
            size = shutil.get_terminal_size()
            paper = Paper(max(size.columns, LEAST_WIDTH), max(size.lines, LEAST_HEIGHT), in_colour())
            lines = screen(now, self._heading, paper)
            write(TO_TOP + "".join(f"{line}{CLEAR_LINE}\n" for line in lines[:-1]) + lines[-1] + CLEAR_REST)
            if now.question.key != self._last:
                self._keyboard.settle()
            self._last = now.question.key
        except OSError:  # the terminal is gone
            self._gone = True

    def press(self, seconds: float | None) -> str:
        """Wait for a key; Ctrl-Z stops the process, and when it goes on the question is drawn again."""
        if self._gone:
            return CLOSED
        key = self._keyboard.press(seconds)
        if key == "SIGTSTP":
            suspend(self._source)
            return REDRAW
        return key


def screen(now: AskedNow, heading: Heading, paper: Paper) -> list[str]:
    """Return the lines of a whole screen: progress, question, both records, what there is to say, keys."""
    width = paper.width
    top = [_styled(line, DIM, paper) for line in joined(heading.parts(now), width)]
    title = _styled(cut(printable(heading.question), width), BOLD, paper)
    keys = [_styled(line, DIM, paper) for line in joined(GRADE_HINTS if heading.grades else KEY_HINTS, width)]
    notices = [line for notice in now.notices for line in _folded(notice, width)]
    notices = ["", *notices] if notices else []
    height = (paper.height or 24) - len(top) - len(keys) - len(notices) - 4
    both = _both(now, heading)
    card = card_lines(both, Paper(width, max(height, 3), paper.colour))
    body = [*top, "", title, "", *card, *notices, ""]
    room = max((paper.height or 24) - len(keys), 1)
    return [*body[:room], *keys][: paper.height]


def _folded(text: str, width: int) -> list[str]:
    """Break a line between words; what follows is indented as far as its words are."""
    found = re.match(r"\S+ {2,}|\s*", text)
    return wrap(text, width, subsequent_indent=" " * (found.end() if found else 0), drop_whitespace=True)


def _both(now: AskedNow, heading: Heading) -> SideBySide:
    left, right = now.question.left_id, now.question.right_id
    return SideBySide(left, right, heading.about(left), heading.about(right))


def _styled(text: str, style: str, paper: Paper) -> str:
    return f"{style}{text}{UNSTYLED}" if paper.colour else text


def in_colour() -> bool:
    """Whether the terminal shows colours and nobody asked it not to (https://no-color.org)."""
    return not os.environ.get("NO_COLOR") and os.environ.get("TERM", "") not in ("", "dumb")


class LineDesk:
    """Questions as plain text, and answers from lines: for scripts, and where there is no terminal."""

    def __init__(self, heading: Heading, lines: Iterable[str]) -> None:
        self._heading, self._lines, self._read = heading, iter(lines), 0

    def show(self, now: AskedNow) -> None:
        """Print the question."""
        ids = two_ids(now.question.left_id, now.question.right_id)
        out = [f"# {line}" for line in now.notices]
        out += [f"{' · '.join(self._heading.parts(now))}", f"question {now.number}: {ids}"]
        card = card_lines(_both(now, self._heading), Paper(shutil.get_terminal_size().columns))
        write("\n".join([*out, *card[1:], ""]) + "\n")

    def press(self, seconds: float | None) -> str:
        """Return the key that the next line stands for, if it comes within some seconds.

        What is no answer is refused with its number.
        """
        begun = monotonic()
        for line in self._lines:
            self._read += 1
            if seconds is not None and monotonic() - begun >= seconds:
                return TIME_IS_UP
            word = line.strip().lower()
            if self._heading.grades and word in GRADES:
                return word
            if word in LINE_WORDS:
                return LINE_WORDS[word]
            if word:
                expected = (
                    "s (same), d (different), u (unsure), k (rather not), z (undo), w (why) or q (quit)"
                )
                expected = f"1 to 5, {expected}" if self._heading.grades else expected
                got = f"line {self._read} of the answers is {word!r:.40}"
                raise InvalidInputError(f"{got}; expected {expected}; everything before it is kept")
        return "q"


def is_terminal() -> bool:
    """Whether somebody sits there: keys come from a terminal, and it shows what is written."""
    if find_spec("termios") is None or os.environ.get("TERM") == "dumb":
        return False
    try:
        return sys.stdin.isatty() and sys.stdout.isatty()
    except (AttributeError, ValueError):  # closed
        return False
