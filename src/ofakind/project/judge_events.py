"""What judges leave in the log: money set aside before an attempt, and what came of a call."""

from dataclasses import dataclass
from typing import ClassVar

from ofakind.checks import real_number, truth_value, whole_number
from ofakind.errors import InvalidInputError
from ofakind.project.beginnings import Event
from ofakind.project.fields import Pair, digest_text, listed, ordered_pairs, same_length, short_text, text

STOPPED = "stopped"  # the problem of a call that was to be tried again when somebody stopped the run


@dataclass(frozen=True, slots=True)
class JudgeSent(Event):
    """A call with this digest is about to be made, and may cost so much: on the disk before it is sent."""

    KIND: ClassVar[str] = "judging"
    judge: str
    digest: str
    cost: float

    def __post_init__(self) -> None:
        judge_name(self.judge)
        digest_text("digest", self.digest)
        self._keep("cost", real_number("cost", self.cost, least=0))


@dataclass(frozen=True, slots=True)
class JudgeCalled(Event):
    """A call of a judge is over: its scores of pairs or, where there are none, the ``problem``.

    ``digest`` is that of the prompt. ``swapped`` says that the two of each pair came in the other order. Its
    cost and tokens are those of all attempts, which the events ``sent`` had announced. Where the same had
    been asked before, by a judge of another name, it ``copies`` that event, and cost nothing.
    """

    KIND: ClassVar[str] = "judge"
    OPTIONAL: ClassVar[frozenset[str]] = frozenset({"problem", "copies"})
    judge: str
    model: str
    digest: str
    pairs: tuple[Pair, ...]
    scores: tuple[float, ...]
    swapped: bool
    tokens_in: int
    tokens_out: int
    cost: float
    milliseconds: int
    sent: tuple[int, ...] = ()
    problem: str | None = None
    copies: int | None = None

    def __post_init__(self) -> None:
        judge_name(self.judge)
        short_text("model", self.model)
        digest_text("digest", self.digest)
        self._keep("pairs", ordered_pairs(self.pairs))
        same_length("scores", self.scores, self.pairs)
        scores = (real_number("score", one, least=-1, most=1) + 0.0 for one in self.scores)
        self._keep("scores", tuple(scores))
        truth_value("swapped", self.swapped)
        self._keep("swapped", bool(self.swapped))
        for name in ("tokens_in", "tokens_out", "milliseconds"):
            self._keep(name, whole_number(name, getattr(self, name), least=0))
        self._keep("cost", real_number("cost", self.cost, least=0))
        self._keep("sent", tuple(whole_number("sent", one, least=1) for one in listed("sent", self.sent)))
        if (self.problem is None) == (not self.pairs):
            raise InvalidInputError("a call has scores or a problem; expected one of the two")
        if self.problem is not None:
            text("problem", self.problem)
        if self.copies is not None:
            self._keep("copies", whole_number("copies", self.copies, least=1))

    @property
    def failed(self) -> bool:
        """Whether it gave no scores although nobody stopped it."""
        return self.problem not in (None, STOPPED)


def judge_name(name: object) -> str:
    """Return the name of a judge, which is not empty."""
    if not short_text("judge", name):
        raise InvalidInputError("the name of a judge is empty; expected one, such as that of its model")
    return str(name)


def visible_name(name: object) -> str:
    """Return the name of a judge that is to be used now: one that can be seen, and written as UTF-8."""
    found = judge_name(name)
    if not found.strip() or any(0xD800 <= ord(one) <= 0xDFFF for one in found):
        raise InvalidInputError(f"the name of the judge is {found!r:.80}; expected text that can be seen")
    return found
