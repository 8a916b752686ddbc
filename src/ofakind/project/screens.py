"""Which screen somebody gets: one that was chosen, or else one that is cut from the pairs that are ready."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np

from ofakind.acquire.base import Scores
from ofakind.acquire.screens import cut_screen
from ofakind.kernels import portable
from ofakind.pairs import Pairs
from ofakind.project.ahead import by_chance, is_new
from ofakind.project.books import Books, new_key
from ofakind.project.events import QuestionsAsked, QuestionsShown
from ofakind.project.fields import Pair
from ofakind.project.leases import available
from ofakind.project.ledger import Ledger
from ofakind.project.people import PEOPLE, second_screen, time_to_check


@dataclass(frozen=True, slots=True)
class LentScreenRules:
    """When a screen of which a part was answered is lent as one; by judgement."""

    left: float = 0.5  # share of its pairs that must be left, and free
    fading: float = 0.98  # each pair of a list is worth so much of the one before, when it is cut


LENT_SCREEN = LentScreenRules()


@dataclass(frozen=True, slots=True)
class LentScreen:
    """A screen that was lent: its key, and its pairs, each beginning with the one object."""

    key: str
    pairs: tuple[Pair, ...]


def free_screens(books: Books, annotator: str) -> list[tuple[Pair, ...]]:
    """Return the open pairs of screens that somebody may have, the newest screen first."""
    ledger, leases = books.ledger, books.leases
    sizes, left = dict[int, int](), dict[int, list[Pair]]()
    for pair in ledger.open:
        number = ledger.screen_of.get(pair)
        if number is not None:
            sizes[number] = sizes.get(number, 0) + 1
            if leases.may_have(pair, annotator) and not ledger.skipped.get((annotator, pair)):
                left.setdefault(number, []).append(pair)
    whole = (one for one in sorted(left, reverse=True) if len(left[one]) >= LENT_SCREEN.left * sizes[one])
    return [tuple(left[one]) for one in whole]


def take_screen(
    books: Books, size: int, annotator: str, asked: QuestionsAsked | None = None
) -> tuple[LentScreen | None, int | None]:
    """Lend a screen that somebody may have, if there is one; a new one may come with it, written first."""

    def job() -> tuple[LentScreen | None, int | None]:
        seq = None if asked is None else books.write([asked])
        found = _checks(books, annotator) + free_screens(books, annotator) if size else []
        return (_lend(books, found[0][:size], annotator) if found else None), seq

    return books.run(job)


def _checks(books: Books, annotator: str) -> list[tuple[Pair, ...]]:
    """Return a screen that somebody else has answered, if it is time to compare two people."""
    had, leases = books.ledger.had, books.leases
    if len(had.keys() | {annotator}) < 2 or not time_to_check(had[annotator], PEOPLE.overlap):
        return []
    pairs = second_screen(books.ledger, annotator)
    return [pairs] if pairs and all(leases.may_have(pair, annotator) for pair in pairs) else []


def take_cut(books: Books, size: int, annotator: str, spare: Sequence[Pair] = ()) -> LentScreen | None:
    """Lend a screen that is cut from the open pairs that somebody may have, and from ``spare`` ones."""

    def job() -> LentScreen | None:
        ready = list(available(books.ledger, books.leases, annotator))
        new = [pair for pair in dict.fromkeys(spare) if is_new(books.ledger, pair)]
        pairs = cut(ready + new, size)
        return _lend(books, pairs, annotator, new, "next") if pairs else None

    return books.run(job)


def take_any(books: Books, size: int, annotator: str, near: Pairs | None) -> LentScreen | None:
    """Lend an object with others that nothing speaks for, but for features; None if all was asked."""

    def job() -> LentScreen | None:
        rng = np.random.default_rng((books.seed, books.ledger.last))
        first = by_chance(books.ledger, near, 1, rng)
        pairs = partners(books.ledger, near, int(rng.choice(first[0])), size, rng) if first else ()
        return _lend(books, pairs, annotator, pairs, "uniform") if pairs else None

    return books.run(job)


def take_spare_screen(
    books: Books, size: int, annotator: str, screens: Iterable[Sequence[Pair]]
) -> LentScreen | None:
    """Lend the first of some screens whose pairs are all new."""

    def job() -> LentScreen | None:
        for pairs in screens:
            if pairs and all(is_new(books.ledger, pair) for pair in pairs):
                return _lend(books, pairs[:size], annotator, pairs, "next")
        return None

    return books.run(job)


def ready_screens(books: Books) -> int:
    """Return how many screens nobody has."""

    def job() -> int:
        ledger, leases = books.ledger, books.leases
        taken, every = set[int](), set[int]()
        for pair in ledger.open:
            if (number := ledger.screen_of.get(pair)) is not None:
                (every if leases.is_free(pair) else taken).add(number)
        return len(every - taken)

    return books.run(job)


def cut(pairs: Sequence[Pair], size: int) -> tuple[Pair, ...]:
    """Return the pairs of one object in a list, best first: the object whose pairs stand there first.

    >>> cut([(0, 3), (1, 2), (2, 4), (2, 5)], 2)
    ((1, 2), (2, 4))
    """
    if not pairs:
        return ()
    u, v = np.array(pairs, np.int64).T
    worth = portable.power(LENT_SCREEN.fading, np.arange(len(pairs)))
    found = cut_screen(Scores(Pairs.of(u, v), worth), size)
    return tuple((int(u), int(v)) for u, v in found.pairs)


def partners(
    ledger: Ledger, near: Pairs | None, one: int, size: int, rng: np.random.Generator
) -> tuple[Pair, ...]:
    """Return new pairs of one object, those that features name first, the others by chance."""
    named = np.empty(0, np.int64)
    if near is not None:
        named = np.concatenate([near.v[near.u == one], near.u[near.v == one]])
    drawn = rng.choice(len(ledger.ids), min(len(ledger.ids), 50 * size), replace=False)
    every = dict.fromkeys([*rng.permutation(named).tolist(), *drawn.tolist()])
    pairs = ((min(one, other), max(one, other)) for other in every if other != one)
    return tuple(islice((pair for pair in pairs if is_new(ledger, pair)), size))


def _lend(
    books: Books, pairs: Sequence[Pair], annotator: str, spare: Sequence[Pair] = (), by: str = "next"
) -> LentScreen:
    """Lend the pairs of a screen under one key; those that were ``spare`` are asked first."""
    new, before = tuple(pair for pair in pairs if pair in set(spare)), []
    if new:
        before = [QuestionsAsked(books.ledger.last, len(new), new, (None,) * len(new), by)]
    key, shown = new_key(), object_first(pairs)
    books.write([*before, QuestionsShown(annotator, (key,) * len(shown), shown)])
    for pair in pairs:
        books.leases.lend(pair, annotator)
    return LentScreen(key, shown)


def object_first(pairs: Sequence[Pair]) -> tuple[Pair, ...]:
    """Return pairs with the object that they have in common first; of a single pair, the smaller one.

    >>> object_first([(1, 2), (0, 2)])
    ((2, 1), (2, 0))
    """
    one = min(set.intersection(*(set(pair) for pair in pairs)))
    return tuple((one, pair[1] if pair[0] == one else pair[0]) for pair in pairs)
