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
from ofakind.cli.terminal.cards import BOLD, CARD, DIM, UNSTYLED, Paper, SideBySide, card_lines, cut
from ofakind.cli.terminal.keyboard import CLOSED, REDRAW, TIME_IS_UP, Keyboard, suspend, write
from ofakind.cli.terminal.sitting import AskedNow
from ofakind.cli.terminal.words import KEY_HINTS, QUITTING, SHORT_KEYS, joined, two_ids
from ofakind.errors import InvalidInputError
from ofakind.project.fields import Content, ObjectId

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
class ScreenRules:
    """How large a window must be, in columns and lines, chosen by judgement."""

    width: int = 20  # columns, at least
    stacked: int = 8  # lines of two records one above the other, at least,
    beside: int = 4  # and side by side; with twice as many, other lines may be empty


SCREEN = ScreenRules()
EXPECTED_LINES = "expected s (same), d (different), u (unsure), k (rather not), z (undo), w (why) or q (quit)"


@dataclass(frozen=True, slots=True)
class Heading:
    """What is the same for all questions: what is asked, how far it is, and what is shown of an object."""

    question: str
    progress: Callable[[], Sequence[str]]
    about: Callable[[ObjectId], Mapping[str, Content]]  # what is shown of an object

    def parts(self, now: AskedNow) -> list[str]:
        """Return the parts of the progress line."""
        return [*self.progress(), *([f"budget: {now.left} left"] if now.left else [])]


class KeyDesk:
    """A screen that is drawn anew for every question, and single keys."""

    def __init__(self, heading: Heading, keyboard: Keyboard, source: int) -> None:
        self._heading, self._keyboard, self._source = heading, keyboard, source
        self._gone = self._hidden = False
        self._last = ""  # the key of the question that was drawn last

    def show(self, now: AskedNow) -> None:
        """Draw the question, as large as the terminal is now."""
        try:
            size = shutil.get_terminal_size()
            paper = Paper(size.columns, size.lines, in_colour())
            lines = too_small(paper)
            self._hidden = bool(lines)
            lines = lines or screen(now, self._heading, paper)
            write(TO_TOP + "".join(f"{line}{CLEAR_LINE}\n" for line in lines[:-1]) + lines[-1] + CLEAR_REST)
            if now.question.key != self._last:
                self._keyboard.settle()
            self._last = now.question.key
        except OSError:  # the terminal is gone
            self._gone = True

    def press(self, seconds: float | None) -> str:
        """Wait for a key; Ctrl-Z stops the process, and when it goes on the question is drawn again.

        Where the window is too small to show the question, keys answer nothing.
        """
        if self._gone:
            return CLOSED
        key = self._keyboard.press(seconds)
        if key == "SIGTSTP":
            suspend(self._source)
            return REDRAW
        answers = len(key) == 1 and key.lower() not in QUITTING
        return REDRAW if self._hidden and answers else key


def screen(now: AskedNow, heading: Heading, paper: Paper) -> list[str]:
    """Return the lines of a whole screen: progress, question, both records, what there is to say, keys.

    Where lines are few there are no empty ones, a line of progress, and a line of keys.
    """
    width = paper.width
    parts, notices = heading.parts(now), [line for one in now.notices for line in _folded(one, width)]
    keys = joined(KEY_HINTS, width)
    height, both = paper.height or 24, _both(now, heading)
    top = joined(parts, width)
    room = height - len(top) - len(keys) - (len(notices) + 1 if notices else 0) - 4
    gap = [""] if room >= 2 * least_card(width) else []
    if not gap:
        top = [cut(" · ".join(parts), width)]
        keys = [next((one for one in SHORT_KEYS if len(one) <= width), SHORT_KEYS[-1])]
        room = height - 3 - min(len(notices), max(height - 3 - least_card(width), 0))
    title = _styled(cut(printable(heading.question), width), BOLD, paper)
    card = card_lines(both, Paper(width, max(room, 3), paper.colour))
    above = [_styled(line, DIM, paper) for line in top]
    body = [*above, *gap, title, *gap, *card, *(gap if notices else []), *notices, *gap]
    return [*body[: height - len(keys)], *(_styled(line, DIM, paper) for line in keys)]


def least_card(width: int) -> int:
    """Return how many lines two records need at least: their ids, a field, and that there are more."""
    return SCREEN.stacked if width < CARD.narrow else SCREEN.beside


def too_small(paper: Paper) -> list[str]:
    """Say that a window is too small to show a question in; nothing where it is large enough."""
    height = paper.height or 24
    least = 3 + least_card(paper.width)
    if paper.width >= SCREEN.width and height >= least:
        return []
    wide = max(paper.width, SCREEN.width)
    said = f"too small: {paper.width} x {height}; enlarge it to {wide} x {least}; Q quits"
    return [line[: paper.width] for line in wrap(said, max(paper.width, 1))][:height]


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
    """Questions as plain text, and answers from lines: for scripts, and where there is no terminal.

    What is no answer stops a script, with the number of its line: another line may be the answer to another
    question than the script means. So does an empty line that others follow. Of somebody who types
    (``by_hand``) an empty line is passed over, and what is no answer may be typed again.
    """

    def __init__(self, heading: Heading, lines: Iterable[str], *, by_hand: bool = False) -> None:
        self._heading, self._lines, self._read, self._by_hand = heading, iter(lines), 0, by_hand

    def show(self, now: AskedNow) -> None:
        """Print the question."""
        ids = two_ids(now.question.left_id, now.question.right_id)
        out = [f"# {line}" for line in now.notices]
        out += [f"{' · '.join(self._heading.parts(now))}", f"question {now.number}: {ids}"]
        card = card_lines(_both(now, self._heading), Paper(shutil.get_terminal_size().columns))
        write("\n".join([*out, *card[1:], ""]) + "\n")

    def press(self, seconds: float | None) -> str:
        """Return the key that the next line stands for, if it comes within some seconds."""
        begun, empty = monotonic(), None
        for line in self._lines:
            self._read += 1
            if seconds is not None and monotonic() - begun >= seconds:
                return TIME_IS_UP
            word = line.strip().lower()
            if not word:
                empty = empty or self._read
            elif empty and not self._by_hand:
                got = f"line {empty} of the answers is empty, and others follow"
                raise InvalidInputError(f"{got}; {EXPECTED_LINES}; everything before it is kept")
            elif word in LINE_WORDS:
                return LINE_WORDS[word]
            elif not self._by_hand:
                got = f"line {self._read} of the answers is {word!r:.40}"
                raise InvalidInputError(f"{got}; {EXPECTED_LINES}; everything before it is kept")
            else:
                write(f"{printable(word, width=40)} is no answer; {EXPECTED_LINES}\n")
        return "q"


def is_terminal() -> bool:
    """Whether somebody sits there: keys come from a terminal, and it shows what is written."""
    if find_spec("termios") is None or os.environ.get("TERM") == "dumb":
        return False
    try:
        return sys.stdin.isatty() and sys.stdout.isatty()
    except (AttributeError, ValueError):  # closed
        return False
