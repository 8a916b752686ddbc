"""One sitting: question after question, until somebody quits, a budget is spent, or none is left.

An answer is on the disk before the next question is shown. Whatever is taken back is shown again.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Protocol

from ofakind.cli.printable import printable
from ofakind.cli.terminal import words
from ofakind.cli.terminal.budget import SittingBudget
from ofakind.cli.terminal.keyboard import CLOSED, REDRAW, STOPPING, TIME_IS_UP
from ofakind.cli.terminal.words import Ending, two_ids, value_said
from ofakind.cli.why import evidence_lines
from ofakind.errors import MovedProjectError, OfakindError, StorageError
from ofakind.project.books import new_key
from ofakind.project.fields import ObjectId
from ofakind.project.project import Project
from ofakind.project.questions import Question
from ofakind.project.status import counted
from ofakind.project.undoing import PastAction

CODES = {"SIGINT": 130, "SIGTERM": 143, "SIGHUP": 129}


@dataclass(frozen=True, slots=True)
class AskedNow:
    """What is on the screen: the question, its number in this sitting, and what else there is to say."""

    question: Question
    number: int
    left: str  # of the budget
    notices: tuple[str, ...] = ()


class LabellingDesk(Protocol):
    """Where somebody sits: a screen that shows a question, and keys."""

    def show(self, now: AskedNow) -> None:
        """Show a question; nothing that was pressed before counts."""

    def press(self, seconds: float | None) -> str:
        """Return the next key, or what else happened; see `Keyboard.press`."""


@dataclass(slots=True)
class Sitting:
    """Somebody answers questions of a project; `run` ends when they do."""

    project: Project
    annotator: str
    budget: SittingBudget
    desk: LabellingDesk
    told: Callable[[], None] = lambda: None  # called after every change
    clock: Callable[[], float] = time.monotonic
    given: list[int] = field(default_factory=list)  # events of the answers of this sitting in force
    _waiting: list[Question] = field(default_factory=list)  # questions to come back to
    _sides: dict[frozenset[ObjectId], tuple[ObjectId, ObjectId]] = field(default_factory=dict)  # as shown
    _notices: tuple[str, ...] = ()
    _begun: float = 0.0

    def run(self) -> Ending:
        """Ask until something ends it."""
        self._begun = self.clock()
        while True:
            if self.budget.spent(len(self.given), self._seconds):
                return self._ended("the budget is spent")
            question = self._next()
            if question is None:
                return self._ended("no questions are left for you")
            ending = self._about(question)
            if ending is not None:
                return ending

    @property
    def _seconds(self) -> float:
        return self.clock() - self._begun

    def _next(self) -> Question | None:
        if self._waiting:
            return self._waiting.pop()
        found = self.project.ask(1, self.annotator)
        return found[0] if found else None

    def _about(self, question: Question) -> Ending | None:
        """Show one question until it is answered, skipped or left; then say whether that was the end."""
        shown, sides = self.clock(), (question.left_id, question.right_id)
        self._sides[frozenset(sides)] = sides
        while True:
            left = self.budget.left(len(self.given), self._seconds)
            self.desk.show(AskedNow(question, len(self.given) + 1, left, self._notices))
            key = self._key()
            if (ending := self._end_by(key)) is not None:
                return ending
            if key == words.UNDO_KEY and (again := self._undo()) is not None:
                self._waiting += [question, again]
                return None
            if key in words.VALUES and self._answer(question, words.VALUES[key], shown):
                return None
            if key == words.SKIP_KEY and self._skip(question):
                return None
            if key == words.WHY_KEY:
                self._why(question)
            elif key == words.HELP_KEY:
                self._notices = words.HELP

    def _key(self) -> str:
        """Wait for something that means something."""
        while True:
            limit = None if self.budget.seconds is None else self.budget.seconds - self._seconds
            key = self.desk.press(limit)
            if key in (REDRAW, TIME_IS_UP, CLOSED, *STOPPING) or key.lower() in words.MEANINGFUL:
                return key if len(key) > 1 else key.lower()

    def _end_by(self, key: str) -> Ending | None:
        if key == TIME_IS_UP:
            return self._ended("the budget is spent")
        if key in words.QUITTING:
            return self._ended("stopped")
        if key in STOPPING:
            return self._ended("stopped", CODES[key])
        if key == CLOSED:
            return self._ended("stopped", CODES["SIGHUP"])
        return None

    def _ended(self, reason: str, code: int = 0) -> Ending:
        return Ending(reason, len(self.given), code)

    def _answer(self, question: Question, value: float, shown: float) -> bool:
        """Keep an answer; False if the disk refused it, which is said."""
        took = int(1000 * (self.clock() - shown))
        return self._kept(lambda: self.given.append(self.project.tell(question, value, milliseconds=took)))

    def _skip(self, question: Question) -> bool:
        return self._kept(lambda: self.project.skip(question))

    def _kept(self, change: Callable[[], object]) -> bool:
        try:
            change()
        except StorageError as error:
            cure = (
                "then answer again" if isinstance(error, MovedProjectError) else "make room, and answer again"
            )
            self._notices = (printable(f"NOT KEPT: {error}"), cure)
            return False
        self._notices = ()
        self.told()
        return True

    def _undo(self) -> Question | None:
        """Take the last action back and say what it was; what was asked then is asked again."""
        action = self.project.last_action(self.annotator)
        if action is None:
            self._notices = ("there is nothing to take back",)
            return None
        action = replace(action, pairs=tuple(self._sides.get(frozenset(two), two) for two in action.pairs))
        if not self._kept(lambda: self.project.undo(action.event, annotator=self.annotator)):
            return None
        if action.event in self.given:
            self.given.remove(action.event)
        self._notices = (f"taken back: {_said_of(action)}",)
        if action.kind not in ("answer", "skip"):
            return None
        left, right = action.pairs[0]
        contents = self.project.contents
        return Question(new_key(), left, right, self.annotator, contents(left), contents(right))

    def _why(self, question: Question) -> None:
        try:
            lines = evidence_lines(self.project.why(question.left_id, question.right_id))
        except OfakindError as error:
            lines = [printable(error)]
        self._notices = tuple(lines)


def _said_of(action: PastAction) -> str:
    """Say in words what was done."""
    if not action.pairs:
        return "the name of a group"
    left, right = action.pairs[0]
    more = f" and {counted(len(action.pairs) - 1, 'more pair')}" if len(action.pairs) > 1 else ""
    if action.kind == "answer":
        what = f'"{value_said(action.value or 0.0)}"'
    else:
        what = {"skip": "would rather not", "pin": "a pin", "unpin": "an unpin"}[action.kind]
    return f"{what} of {two_ids(left, right)}{more}"
