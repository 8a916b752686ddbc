"""Pins: pairs that are known to be of a kind, or not, whatever the answers say."""

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from ofakind.arrays import Ints, Mask, read_only, restore_read_only
from ofakind.checks import as_count, plain_array, refuse_strange_pairs
from ofakind.errors import ContradictingPinsError, InvalidInputError
from ofakind.pairs import Pairs, count_pairs, rank, unique_pairs, unrank


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Pins:
    """Pinned pairs of n objects in order of pinning, and what follows from them.

    Objects that pins of the sort "same" connect are a unit. ``units`` is the number of each object's unit, in
    order of first appearance, ``first`` the first object of each unit, and ``apart`` the pairs of units that
    must differ. Build them with `none` and `adding`; each takes O(n + pins log pins).

    >>> pins = Pins.none(5).adding([0, 3], [3, 4], same=True).adding([1], [0], same=False)
    >>> pins.units.tolist(), list(pins.apart)
    ([0, 1, 2, 0, 0], [(0, 1)])
    >>> pins.implied([0, 4, 1], [4, 1, 2]).tolist()
    [1, -1, 0]
    """

    n: int
    pairs: Pairs
    same: Mask  # (pins,)
    units: Ints  # (n,)
    first: Ints  # (units,)
    apart: Pairs

    @classmethod
    def none(cls, n: int) -> Self:
        """No pins of n objects."""
        every = read_only(np.arange(as_count(n)))
        return cls(n, Pairs.empty(), read_only(np.empty(0, np.bool_)), every, every, Pairs.empty())

    @classmethod
    def _of(cls, n: int, pairs: Pairs, same: Mask) -> Self:
        """Derive everything from the pins; a contradiction is raised as the position of a pin."""
        units, first = _units(n, pairs.take(same))
        a, b = units[pairs.u[~same]], units[pairs.v[~same]]
        if (a == b).any():
            raise _Contradiction(int(np.flatnonzero(~same)[np.argmax(a == b)]))
        apart, _ = unique_pairs(a, b, len(first))
        return cls(n, pairs, read_only(same), read_only(units), read_only(first), apart)

    def adding(self, u: Ints, v: Ints, *, same: bool) -> Self:
        """Return it with these pairs pinned, all of them or, with an error, none.

        A pair that is pinned so already stays where it is.

        Raises:
            ContradictingPinsError: pins would contradict each other; the message gives the chain.
        """
        refuse_strange_pairs(low := np.minimum(u, v), high := np.maximum(u, v), self.n)
        keys, place = np.unique(rank(low, high, self.n), return_index=True)
        known = np.isin(keys, rank(self.pairs.u, self.pairs.v, self.n)[self.same == same])
        new = np.sort(place[~known])
        if not len(new):
            return self
        every = np.concatenate([self.pairs.u, low[new]]), np.concatenate([self.pairs.v, high[new]])
        sorts = np.concatenate([self.same, np.full(len(new), same)])
        try:
            return self._of(self.n, Pairs.trusted(*every), sorts)
        except _Contradiction as found:
            raise ContradictingPinsError(
                f"{_chain(*every, sorts, found.pin, len(self))}; nothing was pinned"
            ) from None

    def without(self, u: Ints, v: Ints) -> Self:
        """Return it without the pins of these pairs; if one is not pinned, nothing is unpinned."""
        gone, own = rank(np.minimum(u, v), np.maximum(u, v), self.n), self.pairs.ranks(self.n)
        missing = ~np.isin(gone, own)
        if missing.any():
            row = int(np.argmax(missing))
            follows = ", it follows from other pins" if self.implied(u[[row]], v[[row]])[0] else ""
            got = f"row {row}: pair ({u[row]}, {v[row]}) is not pinned{follows}"
            raise InvalidInputError(f"{got}; nothing was unpinned")
        kept = ~np.isin(own, gone)
        return self._of(self.n, self.pairs.take(kept), self.same[kept])

    def grown(self, n: int) -> Self:
        """Return the same pins of n objects, as many as before or more."""
        return self._of(n, self.pairs, self.same)

    def implied(self, u: Ints, v: Ints) -> Ints:
        """Return for each pair 1 if pins say "same", -1 if they say "different", 0 if they say nothing."""
        a, b = self.units[u], self.units[v]
        found: Ints = (a == b).astype(np.int64)
        if len(self.apart):
            k = len(self.first)
            keys, apart = np.minimum(a, b) * k + np.maximum(a, b), self.apart.u * k + self.apart.v  # sorted
            place = np.minimum(np.searchsorted(apart, keys), len(apart) - 1)
            found[apart[place] == keys] = -1
        return found

    @property
    def n_implied(self) -> int:
        """Number of pairs that pins decide."""
        sizes = self.sizes()
        return int((sizes * (sizes - 1) // 2).sum() + (sizes[self.apart.u] * sizes[self.apart.v]).sum())

    def sizes(self) -> Ints:
        """Return the number of objects in each unit."""
        return np.bincount(self.units, minlength=len(self.first))

    def parted_from(self, unit: int) -> Ints:
        """Return the units that must differ from this one. O(apart)."""
        apart = self.apart
        return np.concatenate([apart.v[apart.u == unit], apart.u[apart.v == unit]])

    def implied_ranks(self) -> Ints:
        """Ranks of the pairs that pins decide, in no order. O(their number)."""
        large = np.flatnonzero(self.sizes() > 1)
        return np.concatenate([self._between(large, large), self._between(self.apart.u, self.apart.v)])

    def undecided_ranks(self) -> Ints:
        """Ranks of the pairs that pins do not decide, ascending. O(their number, and that of the pins)."""
        k = len(self.first)
        differ = np.ones(count_pairs(k), np.bool_)
        differ[self.apart.ranks(k)] = False
        return np.sort(self._between(*unrank(np.flatnonzero(differ), k)))

    def _between(self, a: Ints, b: Ints) -> Ints:
        """Ranks of all pairs of objects between units a and b, or inside where they are one."""
        sizes, members = self.sizes(), np.argsort(self.units, kind="stable")
        start, count = np.cumsum(sizes) - sizes, sizes[a] * sizes[b]
        row = np.repeat(np.arange(len(a)), count)
        at = np.arange(len(row)) - np.repeat(np.cumsum(count) - count, count)
        i = members[start[a[row]] + at // sizes[b[row]]]
        j = members[start[b[row]] + at % sizes[b[row]]]
        once = (a[row] != b[row]) | (i < j)
        return rank(np.minimum(i, j)[once], np.maximum(i, j)[once], self.n)

    def to_entry(self) -> dict[str, Any]:
        """Return them as they stand in a document."""
        return {"u": self.pairs.u, "v": self.pairs.v, "same": self.same}

    @classmethod
    def from_entry(cls, entry: Mapping[str, Any], n: int) -> Self:
        """Read what `to_entry` gave of n objects, checked."""
        pairs, same = Pairs.of(entry["u"], entry["v"]), plain_array(entry["same"], "pins")
        refuse_strange_pairs(pairs.u, pairs.v, n)
        if same.shape != pairs.u.shape or (same.size and same.dtype != np.bool_):
            raise InvalidInputError(
                f"got {same.shape} pins of type {same.dtype}; expected True or False each"
            )
        try:
            return cls._of(n, pairs, same.astype(np.bool_))
        except _Contradiction as found:
            raise ContradictingPinsError(_chain(pairs.u, pairs.v, same, found.pin, len(pairs))) from None

    def __setstate__(self, values: list[Any]) -> None:
        restore_read_only(self, values)

    def __len__(self) -> int:
        return len(self.pairs.u)

    def __repr__(self) -> str:
        return f"Pins({len(self)} of {count_pairs(self.n)} pairs)"


class _Contradiction(Exception):  # noqa: N818
    """A pin of the sort "different" between objects of one unit."""

    def __init__(self, pin: int) -> None:
        super().__init__(pin)
        self.pin = pin


def _units(n: int, same: Pairs) -> tuple[Ints, Ints]:
    """Number of each object's unit, in order of first appearance, and the first object of each."""
    if not same.u.size:
        return np.arange(n), np.arange(n)
    from scipy import sparse

    objects, place = np.unique(np.concatenate([same.u, same.v]), return_inverse=True)
    edges = np.ones(len(same.u)), (place[: len(same.u)], place[len(same.u) :])
    graph = sparse.coo_array(edges, shape=(len(objects), len(objects)))
    count, part = sparse.csgraph.connected_components(graph, directed=False)
    smallest = np.full(count, n)
    np.minimum.at(smallest, part, objects)
    leader = np.arange(n)
    leader[objects] = smallest[part]
    alone = leader == np.arange(n)
    return (np.cumsum(alone) - 1)[leader], np.flatnonzero(alone)


def _chain(u: Ints, v: Ints, same: Mask, pin: int, old: int) -> str:
    """Say how the pins "same" connect a pair that is pinned as different; those before ``old`` were there."""
    start, goal = int(u[pin]), int(v[pin])
    near: dict[int, list[tuple[int, bool]]] = {}
    for row in np.flatnonzero(same).tolist():
        for one, other in ((int(u[row]), int(v[row])), (int(v[row]), int(u[row]))):
            near.setdefault(one, []).append((other, row < old))
    before, queue = {start: (start, True)}, deque([start])
    while goal not in before:  # breadth first: the shortest chain
        here = queue.popleft()
        for other, pinned in near[here]:
            if other not in before:
                before[other] = here, pinned
                queue.append(other)
    steps, at = [], goal
    while at != start:
        at, (to, pinned) = before[at][0], (at, before[at][1])
        steps.append(f"{at} = {to} ({'pinned' if pinned else 'new'})")
    subject = "is pinned as" if pin < old else "is to be"
    return f"{start} {subject} different from {goal}, but {', '.join(reversed(steps))}"
