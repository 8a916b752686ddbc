"""From pairs that a judge should look at to calls: one object against several, some in both orders."""

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass

from ofakind.oracles.judge.base import JudgeRequest, PairJudge, RecordFields
from ofakind.project.books import left_first
from ofakind.project.fields import Pair


@dataclass(frozen=True, slots=True)
class PlannedCall:
    """A call about some pairs, ready to be made; ``swapped`` where it is made for the other order."""

    pairs: tuple[Pair, ...]
    swapped: bool
    request: JudgeRequest

    @property
    def objects(self) -> set[int]:
        """All objects that it is about."""
        return {each for pair in self.pairs for each in pair}


@dataclass(frozen=True, slots=True)
class CallPlanner:
    """Makes calls of pairs. ``record`` gives what a judge sees of an object."""

    judge: PairJudge
    record: Callable[[int], RecordFields]
    seed: int = 0
    swap_share: float = 0.0

    def calls(
        self, pairs: Sequence[Pair], most: int, *, alone: Collection[Pair] = ()
    ) -> Iterator[PlannedCall]:
        """Give calls about these pairs, in their order, with so many scores at most.

        A share of them comes twice, the second time in the other order. Those that are to come ``alone`` have
        a call of their own.
        """
        left, seen = most, 0
        sharing = self.judge.one_against_several
        together = [pair for pair in pairs if pair not in alone]
        groups = [
            *grouped(together, self.judge.per_call, sharing=sharing),
            *([one] for one in pairs if one in alone),
        ]
        for number, group in enumerate(groups):
            fitting = group[:left]
            if not fitting:
                return
            orders = self._orders(fitting)
            yield self._call(orders, swapped=False)
            left -= len(fitting)
            places = [number] * len(fitting) if sharing else range(seen, seen + len(fitting))
            chosen = zip(orders, places, strict=True)
            again = [order[::-1] for order, place in chosen if is_due(place, self.swap_share)][:left]
            seen += len(fitting)
            if again:
                yield self._call(again, swapped=True)
                left -= len(again)

    def again(self, pairs: Sequence[Pair]) -> PlannedCall | None:
        """Return the call about the pairs of an earlier one, which was not swapped, as it is made now.

        None where this judge makes no such call: one about pairs without an object in common, or about more
        pairs than it is ever given (how many a model is given at a time may change).
        """
        sharing = self.judge.one_against_several
        most = len(pairs) if sharing else self.judge.per_call
        if len(list(grouped(pairs, most, sharing=sharing))) != 1:
            return None
        return self._call(self._orders(pairs), swapped=False)

    def first(self, call: PlannedCall, count: int) -> PlannedCall:
        """Return the call about the first pairs of another one."""
        request = self.judge.request(call.request.pairs[:count])
        return PlannedCall(call.pairs[:count], call.swapped, request)

    def _orders(self, pairs: Sequence[Pair]) -> list[Pair]:
        """Return pairs as they are shown: first the object that they have in common, or either by chance."""
        if not self.judge.one_against_several or len(pairs) == 1:
            return [left_first(self.seed, pair) for pair in pairs]
        (item,) = set(pairs[0]).intersection(*pairs)
        return [(item, sum(pair) - item) for pair in pairs]

    def _call(self, orders: Sequence[Pair], *, swapped: bool) -> PlannedCall:
        records = tuple((self.record(left), self.record(right)) for left, right in orders)
        pairs = tuple((min(order), max(order)) for order in orders)
        return PlannedCall(pairs, swapped, self.judge.request(records))


def grouped(pairs: Sequence[Pair], size: int, *, sharing: bool) -> Iterator[list[Pair]]:
    """Give pairs in groups of a size at most, in order; where ``sharing``, those of a group share an object.

    >>> list(grouped([(0, 1), (0, 2), (0, 3), (2, 3)], 2, sharing=True))
    [[(0, 1), (0, 2)], [(0, 3), (2, 3)]]
    """
    group: list[Pair] = []
    common: set[int] = set()
    for pair in pairs:
        shared = common & set(pair) if sharing and group else set(pair)
        if len(group) >= size or not shared:
            yield group
            group, shared = [], set(pair)
        group.append(pair)
        common = shared
    if group:
        yield group


def is_due(place: int, share: float) -> bool:
    """Whether it is the turn of this one, where a share of all has its turn, evenly.

    >>> [place for place in range(30) if is_due(place, 0.1)]
    [4, 14, 24]
    """
    return int((place + 1) * share + 0.5) > int(place * share + 0.5)
