"""The learner of a project while it is open: brought up to date, asked, and looked at."""

import copy
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from threading import RLock

import numpy as np

from ofakind.arrays import Ints
from ofakind.engine.learner import ActiveClustering
from ofakind.errors import noting
from ofakind.pairs import Pairs
from ofakind.project.calls import LearnerCall, in_order
from ofakind.project.fields import Pair
from ofakind.project.judge_savings import JudgeSavings, savings_of
from ofakind.project.prospect import answers_lacking
from ofakind.project.replay import Chosen, Progress, Replay, as_pairs, chosen
from ofakind.report.accuracy import Accuracy


@dataclass(frozen=True, slots=True, eq=False)
class LookedAt:
    """What is believed after the event ``as_of``; ``notes`` are warnings that came with it.

    ``lacking`` is about how many more answers it takes until numbers of wrong pairs mean something.
    """

    as_of: int
    n_answers: int
    groups: Ints
    accuracy: Accuracy | None
    notes: tuple[str, ...]
    lacking: int = 0


@dataclass(frozen=True, slots=True)
class Spare:
    """Questions for when the learner is not ready: the next best of its last scores, and likely pairs.

    ``screens`` are the next best screens, the pairs of each.
    """

    further: tuple[Pair, ...] = ()
    likely: tuple[Pair, ...] = ()
    screens: tuple[tuple[Pair, ...], ...] = ()


class LiveModel:
    """A learner that follows the log. Whoever uses it for more than one step holds its ``lock``."""

    def __init__(self, replay: Replay, through: int, made: int) -> None:
        self.lock = RLock()
        self.replay = replay
        self.through = through  # the last event that it knows
        self.made = made  # how many calls of the ledger were made
        self.notes: dict[str, None] = {}
        self._ahead: set[int] = set()  # events whose calls were made before they were written
        self._looked: LookedAt | None = None
        self._savings: tuple[int, JudgeSavings] | None = None
        self.spare = Spare()

    @property
    def learner(self) -> ActiveClustering:
        """The learner as far as it has come."""
        return self.replay.begun

    def follow(self, calls: Sequence[LearnerCall], last: int, progress: Progress | None = None) -> None:
        """Make further calls of the ledger; ``last`` is the last event that they come from."""
        if not calls:
            self.through = last
            return
        with self.lock, noting(self.notes):
            left = [call for call in in_order(calls) if call.seq not in self._ahead]
            self.replay.advance(left, progress)
            self._ahead.clear()
            self.made, self.through = self.made + len(calls), last

    def ask(self, size: int, write: Callable[[Chosen, int], int], *, screen: bool = False) -> int:
        """Choose questions, or those of one ``screen``, and let them be written as an event.

        What could not be written was not asked.

        ``write`` gets the questions and the event that they were chosen after, and returns the number of the
        new event. Returns how many questions there are.
        """
        with self.lock:
            before = copy.copy(self.learner)
            try:
                with noting(self.notes):
                    found = chosen(self.learner, size, screen=screen)
                if len(found.pairs):
                    self._ahead.add(write(found, self.through))
                    self.replay.curve.follow(self.through, self.learner)
            except BaseException:
                # If it was written all the same, `follow` makes the call when it comes to it.
                self.replay.learner = before
                raise
            return len(found.pairs)

    def look(self) -> LookedAt:
        """Return what is believed now; computed once, until something changes."""
        with self.lock:
            if self._looked is None or self._looked.as_of != self.through:
                learner, notes = self.learner, dict(self.notes)
                with noting(notes):
                    groups = learner.groups
                    told = learner.n > 1 and (learner.n_answers > 0 or learner.prior is not None)
                    found = learner.accuracy if told else None
                if found is not None:
                    self.replay.curve.note(self.through, learner.n_answers, found, learner.clustering.k)
                lacking = answers_lacking(learner, found)
                seen = (self.through, learner.n_answers, groups, found, tuple(notes), lacking)
                self._looked = LookedAt(*seen)
            return self._looked

    def saved_by_judges(self) -> JudgeSavings:
        """Return what judges have saved people; computed once, until something changes."""
        with self.lock:
            if self._savings is None or self._savings[0] != self.through:
                seen = self.look()
                with noting({}):
                    found = savings_of(self.learner, seen.accuracy, lacking=seen.lacking)
                self._savings = self.through, found
            return self._savings[1]

    def look_further(self, size: int) -> None:
        """Keep what would be asked next; the learner itself asks nothing."""
        with self.lock, noting({}):
            self.spare = replace(self.spare, further=as_pairs(copy.copy(self.learner).ask(size)))

    def look_further_by_screens(self, count: int, size: int) -> None:
        """Keep the screens that would be asked next; the learner itself asks nothing."""
        with self.lock, noting({}):
            screens = copy.copy(self.learner).ask_screens(count, size)
            self.spare = replace(self.spare, screens=tuple(as_pairs(one.pairs) for one in screens))

    def weigh_features(self, size: int) -> None:
        """Keep what features call likely."""
        with self.lock, noting({}):
            self.spare = replace(self.spare, likely=_likely(self.learner, size))

    @property
    def last_look(self) -> LookedAt | None:
        """What was believed when somebody looked last."""
        return self._looked


def _likely(learner: ActiveClustering, size: int) -> tuple[Pair, ...]:
    """Return the open pairs that features call the likeliest to be of a kind, best first."""
    near, odds = learner.prior, learner.prior_odds
    if near is None or odds is None:
        return ()
    known = {*as_pairs(learner.similarity.pairs()), *as_pairs(learner.pending)}
    order = np.argsort(-odds, kind="stable")
    rows = order[: size + len(known)]
    best = as_pairs(Pairs.of(near.pairs.u[rows], near.pairs.v[rows]))
    return tuple(pair for pair in best if pair not in known)[:size]
