"""A budget of questions or of minutes, kept to the letter."""

import re
from dataclasses import dataclass

from ofakind.errors import InvalidInputError

TIME_UNITS = {"s": 1, "sec": 1, "m": 60, "min": 60, "h": 3600}  # seconds
BUDGET_TEXT = re.compile(r"\s*(\d+(?:\.\d+)?)\s*([a-z]*)\s*", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class SittingBudget:
    """What one sitting may take: so many answers, or so many seconds; None is without limit.

    An answer that was taken back is not spent.
    """

    questions: int | None = None
    seconds: float | None = None

    def spent(self, answers: int, seconds: float) -> bool:
        """Whether nothing is left after so many answers and seconds."""
        by_answers = self.questions is not None and answers >= self.questions
        return by_answers or (self.seconds is not None and seconds >= self.seconds)

    def left(self, answers: int, seconds: float) -> str:
        """Say what is left.

        >>> SittingBudget(questions=60).left(12, 300.0), SittingBudget(seconds=1200).left(12, 290.0)
        ('48 of 60 questions', '16 of 20 min')
        """
        if self.questions is not None:
            return f"{max(self.questions - answers, 0)} of {self.questions} questions"
        if self.seconds is not None:
            rest = max(self.seconds - seconds, 0.0)
            return f"{-(-rest // 60):.0f} of {self.seconds / 60:g} min" if rest > 60 else f"{rest:.0f} s"
        return ""


def read_budget(given: str | None) -> SittingBudget:
    """Read what somebody wrote: 60 questions, 20min, 1.5h.

    >>> read_budget("60"), read_budget("20min")
    (SittingBudget(questions=60, seconds=None), SittingBudget(questions=None, seconds=1200.0))
    """
    if given is None:
        return SittingBudget()
    found = BUDGET_TEXT.fullmatch(given)
    number, unit = found.groups() if found else ("0", "")
    wrong = not found or float(number) <= 0 or (not unit and "." in number)
    if wrong or (unit and unit.lower() not in TIME_UNITS):
        got = f"--budget is {given!r:.40}"
        raise InvalidInputError(f"{got}; expected a number of questions, or a time: 60, 20min, 90s, 1.5h")
    if not unit:
        return SittingBudget(questions=int(number))
    return SittingBudget(seconds=float(number) * TIME_UNITS[unit.lower()])
