"""What judges have said and what it has cost, folded from the log."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from ofakind.errors import InvalidInputError
from ofakind.project.calls import JudgeCall
from ofakind.project.fields import Pair
from ofakind.project.judge_events import JudgeCalled, JudgeSent


@dataclass(slots=True)
class JudgeBook:
    """Calls of judges by their events. A pair's score is the mean of the newest in each order."""

    calls: dict[int, JudgeCalled] = field(default_factory=dict)
    known: dict[str, int] = field(default_factory=dict)  # the event of each prompt that was answered
    announced: dict[int, JudgeSent] = field(default_factory=dict)  # attempts whose end nobody knows
    scores: dict[str, dict[Pair, dict[bool, float]]] = field(
        default_factory=dict
    )  # by judge, pair, if swapped

    def send(self, seq: int, event: JudgeSent) -> None:
        """Take note of an attempt that is about to be made."""
        self.announced[seq] = event

    def call(self, seq: int, event: JudgeCalled) -> JudgeCall | None:
        """Take note of a call that is over; returns what the learner is told."""
        for one in event.sent:
            if one not in self.announced or self.announced[one].digest != event.digest:
                raise InvalidInputError(f"it names event {one}, which did not announce it")
        if event.copies is not None and self.known.get(event.digest) != event.copies:
            raise InvalidInputError(f"it copies event {event.copies}, which did not ask the same")
        for one in event.sent:
            del self.announced[one]
        self.calls[seq] = event
        if not event.pairs:
            return None
        self.known.setdefault(event.digest, seq)
        own = self.scores.setdefault(event.judge, {})
        for pair, score in zip(event.pairs, event.scores, strict=True):
            own.setdefault(pair, {})[event.swapped] = score
        return JudgeCall(seq, event.judge, event.pairs, tuple(mean_of(own[pair]) for pair in event.pairs))

    @property
    def spent(self) -> float:
        """What all calls have cost, with the most that those can have cost whose end is not known."""
        return sum(one.cost for one in self.calls.values()) + self.uncertain

    @property
    def uncertain(self) -> float:
        """The most that attempts can have cost whose end is not known, as when the process was killed."""
        return sum(one.cost for one in self.announced.values())

    def n_scores(self, judge: str) -> int:
        """Count what a judge has said: a pair that it saw in both orders counts twice."""
        return sum(len(orders) for orders in self.scores.get(judge, {}).values())

    def about(self, pair: Pair) -> tuple[tuple[str, float], ...]:
        """Return the judges that have looked at a pair, each with the mean of its scores."""
        found = ((judge, scores[pair]) for judge, scores in self.scores.items() if pair in scores)
        return tuple((judge, mean_of(orders)) for judge, orders in found)

    def of(self, judge: str) -> Iterator[JudgeCalled]:
        """Give all calls of a judge."""
        return (one for one in self.calls.values() if one.judge == judge)

    @property
    def judges(self) -> list[str]:
        """All names, in order of their first calls."""
        return list(dict.fromkeys(one.judge for one in self.calls.values()))


def mean_of(orders: dict[bool, float]) -> float:
    """Return the mean of the scores of a pair in the orders in which it was seen.

    >>> mean_of({False: 0.5, True: 1.0}), mean_of({False: 0.5})
    (0.75, 0.5)
    """
    return sum(orders.values()) / len(orders)
