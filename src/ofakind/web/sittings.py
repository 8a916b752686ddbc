"""What everybody has spent of their budget since the page was started."""

from collections.abc import Callable
from dataclasses import dataclass
from threading import Lock
from time import monotonic

from ofakind.errors import ConflictingAnswerError
from ofakind.project.budget import SittingBudget
from ofakind.project.project import Project
from ofakind.web.forms import BudgetOut


@dataclass(frozen=True, slots=True)
class Spent:
    """What somebody has spent: answers in force, and seconds since their first question."""

    answers: int
    seconds: float


class Sittings:
    """Keeps people to a budget, each for themselves: so many answers, or so long.

    An answer beyond the number is refused. One that comes when the time is over is kept, since it may have
    waited in a browser for a connection; but no more questions are given out.
    """

    def __init__(
        self, project: Project, budget: SittingBudget, clock: Callable[[], float] = monotonic
    ) -> None:
        self._project, self._budget, self._clock = project, budget, clock
        self._lock = Lock()
        self._begun: dict[str, float] = {}
        self._given: dict[str, dict[int, int]] = {}  # answers by events, of each person

    def begin(self, person: str) -> None:
        """Note that somebody has got questions: from the first on the time runs."""
        with self._lock:
            self._begun.setdefault(person, self._clock())

    def left(self, person: str, wanted: int) -> int:
        """Return how many of the wanted questions somebody may have."""
        spent = self.spent(person)
        if self._budget.spent(spent.answers, spent.seconds):
            return 0
        limit = self._budget.questions
        return wanted if limit is None else min(wanted, limit - spent.answers)

    def spent(self, person: str) -> Spent:
        """Return what somebody has spent."""
        with self._lock:
            begun, given = self._begun.get(person), self._given.get(person, {})
            seconds = 0.0 if begun is None else self._clock() - begun
            return Spent(sum(given.values()), seconds)

    def keep(self, person: str, key: str, answers: int, act: Callable[[], int]) -> int:
        """Keep answers, as ``act`` does, if the budget allows so many; returns the event."""
        limit = self._budget.questions
        if limit is None:
            return act()
        with self._lock:
            given = self._given.setdefault(person, {})
            known = self._project.action(key) is not None
            if not known and sum(given.values()) + answers > limit:
                raise ConflictingAnswerError(
                    f"the budget of {limit} answers is spent; this one was not kept, all before are"
                )
            event = act()
            if not known:
                given[event] = answers
            return event

    def take_back(self, person: str, event: int) -> None:
        """Note that something was taken back: it is not spent any more."""
        with self._lock:
            self._given.get(person, {}).pop(event, None)

    def told(self, person: str) -> BudgetOut | None:
        """Return the budget as the page shows it; None where there is none."""
        limit, seconds = self._budget.questions, self._budget.seconds
        if limit is None and seconds is None:
            return None
        spent = self.spent(person)
        rest = None if seconds is None else max(0.0, seconds - spent.seconds)
        over = self._budget.spent(spent.answers, spent.seconds)
        return BudgetOut(questions=limit, given=spent.answers, seconds=seconds, seconds_left=rest, spent=over)
