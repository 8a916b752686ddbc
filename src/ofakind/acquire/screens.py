"""Screens: one object and several others, which of these are of its kind? As many answers as it shows."""

from dataclasses import dataclass
from typing import Any, Protocol, Self, runtime_checkable

import numpy as np
from numpy.random import Generator

from ofakind.acquire.base import Acquisition, Scores, State
from ofakind.acquire.choose import choose
from ofakind.acquire.pool import Pool
from ofakind.arrays import Floats, Ints, read_only
from ofakind.errors import InvalidInputError
from ofakind.pairs import Pairs, first_duplicate


@dataclass(frozen=True, slots=True)
class ScreenRules:
    """Tuned numbers of a screen that is cut from a list of pairs; by judgement."""

    listed: int = 50  # pairs that are listed for each other object of a screen


SCREEN = ScreenRules()


@dataclass(frozen=True, slots=True, eq=False)
class Screen:
    """Which of these ``others`` are of a kind with ``object``? The best first.

    ``worth`` is what the answer about each tells beyond those before it, in nats where our own method chose.
    A screen without others has the object -1, and counts as false.

    >>> screen = Screen.of(2, [5, 1])
    >>> screen, [tuple(pair) for pair in screen.pairs]
    (Screen(2: 5, 1), [(2, 5), (1, 2)])
    """

    object: int
    others: Ints
    worth: Floats

    @classmethod
    def of(cls, object: int, others: Ints | list[int], worth: Floats | None = None) -> Self:  # noqa: A002
        """Put some others before an object."""
        shown = np.array(others, np.int64)
        told = np.full(len(shown), np.nan) if worth is None else np.array(worth, np.float64)
        return cls(int(object), read_only(shown), read_only(told))

    @classmethod
    def empty(cls) -> Self:
        """Nothing to ask."""
        return cls.of(-1, [])

    @property
    def pairs(self) -> Pairs:
        """The object with each of the others, in their order: what `tell` takes with an answer for each."""
        anchor = np.full(len(self.others), self.object)
        return Pairs.trusted(np.minimum(anchor, self.others), np.maximum(anchor, self.others))

    def __len__(self) -> int:
        return len(self.others)

    def __eq__(self, other: Any) -> bool:  # noqa: PYI032
        if not isinstance(other, Screen):
            return NotImplemented
        return self.object == other.object and np.array_equal(self.others, other.others)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"Screen({self.object}: {', '.join(map(str, self.others.tolist()))})" if self else "Screen()"


@runtime_checkable
class ScreenSelector(Protocol):
    """An acquisition function that chooses screens in a way of its own."""

    def select_screen(self, state: State, pool: Pool, size: int, rng: Generator) -> Screen:
        """Choose an object and at most ``size`` others, each open with it; none when none are worth it."""
        ...


def choose_screen(acquisition: Acquisition, state: State, pool: Pool, size: int, rng: Generator) -> Screen:
    """Choose the next screen: of open pairs, at most ``size`` of them; empty where none is open.

    A `ScreenSelector` chooses by its own ``select_screen``. For any other acquisition, a long list of its
    best pairs is cut down to the object whose pairs are worth most together (`cut_screen`).
    """
    if pool.size == 0:
        return Screen.empty()
    found = Screen.empty()
    if isinstance(acquisition, ScreenSelector):
        found = acquisition.select_screen(state, pool, size, rng)
        _check(acquisition, pool, found, size)
    return found or cut_screen(choose(acquisition, state, pool, SCREEN.listed * size, rng), size)


def cut_screen(best: Scores, size: int) -> Screen:
    """Cut a list of pairs down to one object and its best partners: those that are worth most together.

    A pair without a score (NaN) is worth nothing, but better than none.

    >>> cut_screen(Scores(Pairs.of([0, 0, 1, 2], [1, 2, 3, 3]), [0.5, 0.4, 0.6, 0.1]), 2)
    Screen(1: 3, 0)
    """
    if not len(best.pairs):
        return Screen.empty()
    ends = np.concatenate([best.pairs.u, best.pairs.v])
    others = np.concatenate([best.pairs.v, best.pairs.u])
    worth = np.tile(np.nan_to_num(best.values, nan=0.0, posinf=0.0, neginf=0.0), 2)
    order = np.lexsort((-worth, ends))
    ends, others, worth = ends[order], others[order], worth[order]
    first = np.flatnonzero(np.r_[True, np.diff(ends) != 0])
    place = np.arange(len(ends)) - np.repeat(first, np.diff(np.r_[first, len(ends)]))
    shown = place < size
    least = 1e-12 * max(float(worth.max()), 1.0)  # of two objects that are worth the same, more partners
    total = np.add.reduceat(np.where(shown, worth + least, 0.0), first)
    rows = np.flatnonzero((ends == ends[first[np.argmax(total)]]) & shown)
    return Screen.of(int(ends[rows[0]]), others[rows], worth[rows])


def random_screen(pool: Pool, size: int, rng: Generator) -> Screen:
    """Draw an object that has open pairs, and others that are open with it. O(n), or O(allowed)."""
    drawn = pool.draw(1, rng)
    if not len(drawn):
        return Screen.empty()
    one = int(rng.choice(np.array(drawn[0])))
    if pool.allowed is None:
        others = np.delete(np.arange(pool.similarity.n), one)
    else:
        listed = pool.allowed.take((pool.allowed.u == one) | (pool.allowed.v == one))
        others = listed.u + listed.v - one
    others = others[pool.is_open(np.full(len(others), one), others)]
    return Screen.of(one, rng.choice(others, min(size, len(others)), replace=False))


def _check(acquisition: Acquisition, pool: Pool, found: object, size: int) -> None:
    """Refuse what is no screen of distinct open pairs; the message names the class that gave it."""
    name = f"{type(acquisition).__name__}.select_screen"
    if not isinstance(found, Screen):
        got = f"{name} returned a {type(found).__name__}"
        raise InvalidInputError(f"{got}; expected Screen.of(object, others)")
    if len(found) > size:
        raise InvalidInputError(f"{name} returned {len(found)} others; expected at most {size}")
    pairs = found.pairs
    if first_duplicate(pairs.u, pairs.v) is not None:
        raise InvalidInputError(f"{name} returned {found!r:.80}, with another one twice; expected each once")
    if not pool.is_open(pairs.u, pairs.v).all():
        raise InvalidInputError(f"{name} returned {found!r:.80}; expected open pairs (see Pool.is_open)")
