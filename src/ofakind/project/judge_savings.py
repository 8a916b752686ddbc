"""What judges have saved people by now, as far as the model can tell: groups with them, and without."""

from dataclasses import dataclass
from enum import StrEnum

from ofakind.engine.learner import ActiveClustering
from ofakind.engine.without_judges import WithoutJudges
from ofakind.project.prospect import answers_lacking
from ofakind.project.status import counted, thin, wrong_pairs_words
from ofakind.report.accuracy import Accuracy


class Verdict(StrEnum):
    """Whether anything can be said of what judges saved."""

    NOTHING = "nothing"  # groups do not go by them
    TOO_EARLY = "too early"  # people's answers do not show yet whether they are right
    NOT_KEPT = "not kept"  # nobody has looked at the answers without them for long
    ESTIMATED = "estimated"


@dataclass(frozen=True, slots=True)
class WrongPairs:
    """What is said of wrong pairs: expected, and limits that hold; all None where it is too early to say."""

    expected: float | None = None
    at_least: float | None = None
    at_most: float | None = None

    @classmethod
    def of(cls, found: Accuracy) -> "WrongPairs":
        """Return what an accuracy says."""
        low, high = found.wrong_pairs_interval
        return cls(found.expected_wrong_pairs, low if low > 0 else None, None if found.open_ended else high)

    def __str__(self) -> str:
        if self.expected is None:
            return "too early to say how many pairs are wrong"
        return wrong_pairs_words(self.expected, self.at_least, self.at_most)


@dataclass(frozen=True, slots=True)
class JudgeSavings:
    """What all judges together are expected to have saved people by now: an estimate by the model.

    Only where the ``verdict`` is "estimated" the rest is there: wrong pairs ``with_judges`` and ``without``,
    in groups by people's answers, and features, alone; these knew the first ``n_answers``. It would take
    about ``questions`` more answers of people to get without judges where the groups are expected to be now;
    where the forecast has no such number (None), ``at_least`` so many. 0: people's answers alone would do.

    >>> print(JudgeSavings(Verdict.NOTHING))
    nothing now: groups do not go by it
    """

    verdict: Verdict
    together: int = 1  # how many judges there are
    with_judges: WrongPairs | None = None
    without: WrongPairs | None = None
    n_answers: int = 0
    behind: int = 0  # how many newer answers the groups without them did not know
    questions: int | None = None
    at_least: int | None = None

    def __str__(self) -> str:
        return "; ".join(self.lines)

    @property
    def lines(self) -> tuple[str, ...]:
        """What is said of it, in one line or three."""
        it = "it" if self.together == 1 else "them"
        if self.verdict is Verdict.NOTHING:
            return (f"nothing now: groups do not go by {it}",)
        if self.verdict is Verdict.TOO_EARLY:
            right = "it is" if self.together == 1 else "they are"
            return (f"too early to say: people's answers do not show yet whether {right} right",)
        if self.verdict is Verdict.NOT_KEPT:
            return (f"not known now: what groups would be without {it} is not kept",)
        then = f" (as of {counted(self.n_answers, 'answer')})" if self.behind else ""
        without = f"without {it}{then} {self.without}"
        return f"with {it} {self.with_judges}", without, f"{self._way(it)} (an estimate by the model)"

    def _way(self, it: str) -> str:
        """Say how many answers of people it would take instead."""
        if self.questions == 0:
            return "people's answers alone would do as well by now"
        goal = f"to get here without {it}:"
        if self.questions is not None:
            least = "" if self.at_least is None else f", at least {thin(self.at_least)}"
            return f"{goal} about {counted(self.questions, 'more answer')} of people{least}"
        if self.at_least:
            return f"{goal} at least {counted(self.at_least, 'more answer')} of people"
        return f"{goal} no forecast of how many more answers"


def savings_of(learner: ActiveClustering, found: Accuracy | None, *, lacking: int) -> JudgeSavings:
    """Say what judges have saved; ``found`` is the learner's accuracy, too early if answers are lacking."""
    together = len(learner.judges)
    if found is None or lacking:
        return JudgeSavings(Verdict.TOO_EARLY, together)
    if learner.reading != "judge":
        return JudgeSavings(Verdict.NOTHING, together)
    if not learner.judges_proved:
        return JudgeSavings(Verdict.TOO_EARLY, together)
    other = learner.without_judges(found.expected_ari)
    if other is None:
        return JudgeSavings(Verdict.NOT_KEPT, together)
    early = answers_lacking(learner, other.accuracy) > 0
    behind = learner.n_answers - other.n_answers
    questions, least = _from_now(other, behind)
    return JudgeSavings(
        Verdict.ESTIMATED,
        together,
        WrongPairs.of(found),
        WrongPairs() if early else WrongPairs.of(other.accuracy),
        other.n_answers,
        behind,
        questions,
        least,
    )


def _from_now(other: WithoutJudges, behind: int) -> tuple[int | None, int | None]:
    """Return about how many more answers it takes, and at least how many, from now on."""
    found = other.forecast
    if found.reached:
        return 0, 0
    questions = None if found.questions is None else max(found.questions - behind, 1)
    return questions, max(found.low - behind, 0) or None
