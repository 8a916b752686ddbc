"""Screens of a project: one object and several others at a time, answered by one event."""

from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import numpy as np

from ofakind.checks import whole_number
from ofakind.errors import ConflictingAnswerError, InvalidAnswerError, InvalidInputError, OfakindError, noting
from ofakind.project.ahead import AHEAD, Ahead
from ofakind.project.books import Books, new_key
from ofakind.project.events import AnswerGiven, QuestionsShown
from ofakind.project.fields import Pair, short_text
from ofakind.project.model import LiveModel
from ofakind.project.pace import Gains, Pace, gains_of, pace_of
from ofakind.project.questions import MeantScreen, ScreenQuestion
from ofakind.project.reading import ReadOnlyFile
from ofakind.project.replay import Chosen
from ofakind.project.screens import (
    LentScreen,
    ready_screens,
    take_any,
    take_cut,
    take_screen,
    take_spare_screen,
)
from ofakind.project.view import ProjectView


class ScreenedProject(ProjectView):
    """The side of a `Project` that asks by screens."""

    def __init__(self, books: Books, model: LiveModel) -> None:
        super().__init__(books, model)
        self._screen_size = 0  # of the last screen that somebody wanted: only then are some chosen ahead

    def ask_screen(self, size: int = 8, annotator: str = "") -> ScreenQuestion | None:
        """Give somebody one object and at most ``size`` others: which of these are of its kind?

        It is lent as a question of `ask` is, all of its pairs together. None where nothing is left.
        """
        wanted, _ = whole_number("size", size, least=1), short_text("annotator", annotator)
        if isinstance(self._books.file, ReadOnlyFile):
            self._books.file.append(())  # which refuses, before anything is computed
        if self._ahead is not None:
            return self._screen(self._screen_ahead(self._ahead, wanted, annotator), annotator)
        lent, _ = take_screen(self._books, wanted, annotator)
        lent = lent or self._choose_screen(wanted, annotator)[1]
        return self._screen(lent or take_cut(self._books, wanted, annotator), annotator)

    def tell_screen(
        self,
        screen: MeantScreen,
        values: Sequence[float],
        annotator: str | None = None,
        *,
        key: str | None = None,
        milliseconds: int | None = None,
    ) -> int:
        """Add an answer for each of the others on a screen, all of them as one event, whose number returns.

        Each is from -1 (different) to 1 (the same), and 0 is undecided. ``screen`` is one that was asked, or
        the id of an object and a list of others. As of `tell`, a repeat under the same ``key`` is the same
        answer, and other values under it raise `ConflictingAnswerError`. One `undo` takes all of it back.
        """
        who = annotator if annotator is not None else getattr(screen, "annotator", "")
        own = key if key is not None else getattr(screen, "key", None) or new_key()
        shown = self._screen_pairs(screen)
        pairs = tuple((min(pair), max(pair)) for pair in shown)
        if not isinstance(values, list | tuple | np.ndarray) or len(values) != len(pairs):
            got = f"the answers are {values!r:.80}"
            raise InvalidAnswerError(f"{got}; expected a number for each of {len(pairs)}; nothing was kept")
        try:
            event = AnswerGiven(own, who, pairs, tuple(values), milliseconds)
        except InvalidInputError as error:
            raise InvalidAnswerError(f"{error}; nothing was kept") from error

        def job() -> int:
            known = self._books.ledger.shown.get(own)
            if known is None:
                return self._books.answer(event, QuestionsShown(who, (own,) * len(shown), shown))
            if known[1] != shown and own not in self._books.ledger.keys:
                raise ConflictingAnswerError(f"the key {own!r} belongs to another question; nothing was kept")
            return self._books.answer(event)

        return self._books.run(job)

    def asked_screen(self, key: str) -> ScreenQuestion | None:
        """Return the screen that was asked under a key, answered or not; None if none was."""

        def job() -> ScreenQuestion | None:
            who, pairs = self._books.ledger.shown.get(key, ("", ()))
            return self._screen(LentScreen(key, pairs), who) if pairs else None

        return self._books.run(job)

    @property
    def uses_screens(self) -> bool:
        """Whether anybody was ever asked by screens."""
        return self._books.run(lambda: bool(self._books.ledger.screen_of))

    def pace(self, annotator: str = "", *, size: int = 8) -> Pace:
        """Return how fast somebody answers, by pairs and by screens of ``size``, and what each tells.

        It waits for the learner; `speed` does not.
        """
        return self.speed(annotator, self.gains(size))

    def speed(self, annotator: str = "", gains: Gains | None = None) -> Pace:
        """Return how fast somebody answers, by what is in the log, with ``gains`` from before."""
        return self._books.run(lambda: pace_of(self._books.ledger, annotator, gains))

    def gains(self, size: int = 8) -> Gains | None:
        """Return what the next pair and the next screen are expected to tell; None if nobody can say yet."""
        wanted = whole_number("size", size, least=1)
        with self._model.lock, noting({}):
            self._follow()
            learner = self._model.learner
            told = learner.n > 1 and (learner.n_answers > 0 or learner.prior is not None)
            return gains_of(learner, wanted) if told else None

    # -- inside --------------------------------------------------------------------------------------------

    def _choose_screen(self, size: int, annotator: str | None) -> tuple[int, LentScreen | None]:
        """Let the learner choose a screen, write it, and lend it to somebody, if anybody may have it."""
        lent: list[LentScreen | None] = [None]

        def write(found: Chosen, after: int) -> int:
            event = found.event(after, size, by="screen")
            lent[0], seq = take_screen(self._books, 0 if annotator is None else size, annotator or "", event)
            return seq or 0

        with self._model.lock:
            self._follow()
            found = self._model.ask(size, write, screen=True)
            self._save_sometimes()
            return found, lent[0]

    def _save_sometimes(self) -> None:
        """Put the learner into the cache now and then; whoever keeps one does."""

    def _screen_ahead(self, ahead: Ahead, size: int, annotator: str) -> LentScreen | None:
        """Lend a screen that is ready, or comes within no time; else one that was put by, or cut."""
        self._screen_size = size
        lent, _ = take_screen(self._books, size, annotator)
        if lent is None:
            ahead.wait_if_quick()
            return self._books.run(lambda: self._spare_screen(size, annotator))
        if ready_screens(self._books) < AHEAD.screens:
            ahead.want()
        return lent

    def _spare_screen(self, size: int, annotator: str) -> LentScreen | None:
        """Lend what is ready now, then what was put by, then what can be cut from pairs, then anything."""
        lent, _ = take_screen(self._books, size, annotator)
        spare, learner = self._model.spare, self._model.replay.learner
        lent = lent or take_spare_screen(self._books, size, annotator, spare.screens)
        if lent is None and learner is not None and (learner.n_answers or learner.prior is not None):
            lent = take_cut(self._books, size, annotator, (*spare.further, *spare.likely))
        near = None if learner is None or learner.prior is None else learner.prior.pairs
        lent = lent or take_any(self._books, size, annotator, near)
        return lent or take_cut(self._books, size, annotator, (*spare.further, *spare.likely))

    def _fill_screens(self) -> None:
        """Let the learner choose as many screens as should be ready, if somebody wants any."""
        size = self._screen_size
        if not size or (lacking := AHEAD.screens - ready_screens(self._books)) <= 0:
            return
        for _ in range(lacking):
            if not self._choose_screen(size, None)[0]:
                break
        with suppress(OfakindError):  # they are only for when the learner is not ready
            self._model.look_further_by_screens(AHEAD.spare_screens, size)

    def _screen(self, lent: LentScreen | None, annotator: str) -> ScreenQuestion | None:
        if lent is None:
            return None

        def job() -> ScreenQuestion:
            ids, (one, _) = self._books.ledger.ids, lent.pairs[0]
            others = [other for _, other in lent.pairs]
            names = tuple(ids[other] for other in others)
            contents = self._contents(one), tuple(self._contents(other) for other in others)
            return ScreenQuestion(lent.key, ids[one], names, annotator, *contents)

        return self._books.run(job)

    def _screen_pairs(self, screen: Any) -> tuple[Pair, ...]:
        """Return the pairs of a screen that was asked, or of an id and a list of ids; that object first."""
        meant = (screen.object_id, screen.other_ids) if isinstance(screen, ScreenQuestion) else screen
        if not isinstance(meant, tuple | list) or len(meant) != 2 or isinstance(meant[1], str):
            got = f"got {screen!r:.80}"
            raise InvalidInputError(f"{got}; expected a screen, or the id of an object and a list of others")
        one, others = self._number(meant[0]), [self._number(other) for other in meant[1]]
        if not others or one in others or len(set(others)) < len(others):
            got = f"the others are {list(meant[1])!r:.80}"
            raise InvalidInputError(
                f"{got}; expected different objects, at least one, and not the object itself"
            )
        return tuple((one, other) for other in others)
