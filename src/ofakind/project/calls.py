"""What events mean to the learner: the ordered calls that a log stands for.

The order of events is the order of calls, but for questions that were computed beside: an ``ask`` comes right
after the event that it was chosen from, before all answers that arrived while it was computed. So questions
do not depend on how fast a machine was.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from ofakind.project.fields import Pair


@dataclass(frozen=True, slots=True)
class LearnerCall:
    """A call of the learner, and the event that it comes from."""

    seq: int

    @property
    def place(self) -> tuple[int, int]:
        """Where it stands in the order of calls."""
        return self.seq, 0


@dataclass(frozen=True, slots=True)
class BeginCall(LearnerCall):
    """The learner itself: so many objects, a seed, options, and the number of its graph of features."""

    n: int
    seed: int
    options: Mapping[str, int | None]
    graph: int | None


@dataclass(frozen=True, slots=True)
class ExtendCall(LearnerCall):
    """More objects."""

    more: int
    graph: int | None


@dataclass(frozen=True, slots=True)
class AskCall(LearnerCall):
    """Questions, chosen after the event ``after``; ``pairs`` are those that were chosen then.

    Where it is a ``screen``, all of them share an object. ``revision`` is that of the learner that chose.
    """

    after: int
    size: int
    pairs: tuple[Pair, ...]
    screen: bool = False
    revision: int | None = None

    @property
    def place(self) -> tuple[int, int]:
        """Where it stands in the order of calls."""
        return self.after, 1


@dataclass(frozen=True, slots=True)
class TellCall(LearnerCall):
    """Answers of the event ``source``, which is not ``seq`` when they are told again."""

    source: int
    pairs: tuple[Pair, ...]
    values: tuple[float, ...]
    annotator: str
    asked: tuple[bool, ...]


@dataclass(frozen=True, slots=True)
class RetractCall(LearnerCall):
    """The answers of the event ``source`` are taken back."""

    source: int


@dataclass(frozen=True, slots=True)
class PinCall(LearnerCall):
    """Pairs are pinned."""

    pairs: tuple[Pair, ...]
    same: bool


@dataclass(frozen=True, slots=True)
class UnpinCall(LearnerCall):
    """Pairs are pinned no longer."""

    pairs: tuple[Pair, ...]


@dataclass(frozen=True, slots=True)
class ReleaseCall(LearnerCall):
    """Questions are taken back."""

    pairs: tuple[Pair, ...]


@dataclass(frozen=True, slots=True)
class JudgeCall(LearnerCall):
    """Scores of a judge, each the newest of its pair."""

    judge: str
    pairs: tuple[Pair, ...]
    scores: tuple[float, ...]


def in_order(calls: Iterable[LearnerCall]) -> list[LearnerCall]:
    """Return calls of a log in the order in which the learner gets them.

    >>> [call.seq for call in in_order([RetractCall(4, 2), RetractCall(5, 3), AskCall(6, 4, 1, ())])]
    [4, 6, 5]
    """
    return sorted(calls, key=lambda call: call.place)
