"""The people who answer: how much they agree, how often each of them errs, and who checks whom.

Krippendorff's alpha is 1 where all agree and 0 where they agree as by chance. Answers are numbers from -1 to
1, so the difference of two answers is the square of their distance.
"""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np

from ofakind.arrays import Floats
from ofakind.kernels import portable
from ofakind.project.events import AnswerGiven
from ofakind.project.fields import Pair
from ofakind.project.ledger import Ledger


@dataclass(frozen=True, slots=True)
class PeopleRules:
    """When numbers about people are shown, and how often two get the same question; by judgement."""

    least: float = 10.0  # answers of a kind from which on a rate of errors is shown
    level: float = 0.9  # of its interval
    overlap: float = 0.05  # share of questions that a second person gets, where there are two or more
    recent: int = 2000  # answered pairs, the newest, among which those are chosen: nobody waits for more


PEOPLE = PeopleRules()


@dataclass(frozen=True, slots=True)
class ErrorRate:
    """How often somebody is wrong about pairs of one kind; of about so many answers, with an interval."""

    rate: float
    interval: tuple[float, float]
    answers: float


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody who answers. A rate of errors is None until there are enough answers to say something."""

    name: str
    n_answers: int
    n_skips: int
    errors_on_same: ErrorRate | None = None
    errors_on_different: ErrorRate | None = None


def krippendorff_alpha(units: Sequence[Sequence[float]]) -> float | None:
    """Return the agreement about units, each with the values that it got; None where nothing overlaps.

    Computed for the metric of intervals. Units with one value say nothing. Where all values are equal,
    nobody could have disagreed: then it is None, too.

    >>> krippendorff_alpha([[1, 1], [-1, -1], [1, -1], [-1]])
    0.4444444444444444
    """
    pairable = [np.asarray(unit, np.float64) for unit in units if len(unit) > 1]
    if not pairable:
        return None
    values = np.concatenate(pairable)
    n = len(values)
    within = sum(float(_squares(unit)) / (len(unit) - 1) for unit in pairable) / n
    between = float(_squares(values)) / (n * (n - 1))
    return None if between == 0 else 1 - within / between


def _squares(values: Floats) -> float:
    """Sum of the squared differences of all ordered couples."""
    return float(2 * len(values) * ((values - values.mean()) ** 2).sum())


def agreement(ledger: Ledger) -> float | None:
    """Return Krippendorff's alpha of all answers in force; of several by one person, the last."""
    units = []
    for pair in ledger.several:
        answers = sorted(ledger.answered[pair].items())
        by_name = {_given(ledger, seq).annotator: value for seq, value in answers}
        units.append(list(by_name.values()))
    return krippendorff_alpha(units)


def overlapping(ledger: Ledger) -> int:
    """Count the pairs that two people or more have answered."""
    found = (ledger.answered[pair] for pair in ledger.several)
    return sum(len({_given(ledger, seq).annotator for seq in answers}) > 1 for answers in found)


def people_of(ledger: Ledger, same: Mapping[Pair, float]) -> list[Person]:
    """Return everybody who has answered or skipped, by name; ``same`` is P(same) of the answered pairs.

    An answer above 0 says "same", one below 0 "different"; 0 is no error. What the answers are compared with
    is what all answers together say, their own among them: early on it flatters.
    """
    names = {event.annotator for event in ledger.events.values() if hasattr(event, "annotator")}
    given: dict[str, list[tuple[float, float]]] = {name: [] for name in names}
    for pair, answers in ledger.answered.items():
        for seq, value in answers.items():
            given[_given(ledger, seq).annotator].append((value, same.get(pair, 0.5)))
    skips = dict.fromkeys(names, 0)
    for (name, _), seqs in ledger.skipped.items():
        skips[name] += len(seqs)
    return [_person(name, given[name], skips[name]) for name in sorted(names) if given[name] or skips[name]]


def _person(name: str, given: Sequence[tuple[float, float]], skips: int) -> Person:
    values, same = np.array(given, np.float64).reshape(-1, 2).T
    return Person(
        name,
        len(values),
        skips,
        error_rate(float(same[values < 0].sum()), float(same.sum())),
        error_rate(float((1 - same)[values > 0].sum()), float((1 - same).sum())),
    )


def error_rate(wrong: float, of: float) -> ErrorRate | None:
    """Return a rate with its interval (Jeffreys'), from expected counts; None of too few.

    >>> rate = error_rate(2, 40)
    >>> round(rate.rate, 3), tuple(round(limit, 3) for limit in rate.interval)
    (0.05, (0.014, 0.132))
    """
    if of < PEOPLE.least:
        return None
    tails = (1 - PEOPLE.level) / 2, (1 + PEOPLE.level) / 2
    low, high = (
        float(portable.beta_quantile(wrong + 0.5, max(of - wrong, 0.0) + 0.5, tail)) for tail in tails
    )
    return ErrorRate(wrong / of, (low, high), of)


def second_opinion(ledger: Ledger, annotator: str, shown: int, share: float) -> Pair | None:
    """Return a pair that somebody else has answered lately, if it is time for one to be checked.

    ``shown`` is how many questions somebody has had. They check whom they have least in common with, in an
    order that is fixed and looks like chance.
    """
    if not time_to_check(shown, share):
        return None
    common: dict[str, int] = {}
    choices: list[tuple[str, Pair]] = []
    for pair, answers in islice(reversed(ledger.answered.items()), PEOPLE.recent):
        names = {_given(ledger, seq).annotator for seq in answers}
        if annotator in names:
            common.update({name: common.get(name, 0) + 1 for name in names - {annotator}})
        elif len(names) == 1 and not ledger.skipped.get((annotator, pair)) and not ledger.implied(pair):
            choices.append((next(iter(names)), pair))
    key = {pair: hashlib.sha256(f"{annotator} {pair}".encode()).digest() for _, pair in choices}
    return min(choices, key=lambda one: (common.get(one[0], 0), key[one[1]]), default=("", None))[1]


def time_to_check(shown: int, share: float) -> bool:
    """Whether the next question of somebody who was shown so many should be one that somebody else had.

    >>> [number for number in range(60) if time_to_check(number, 0.05)]
    [19, 39, 59]
    """
    return int((shown + 1) * share) > int(shown * share)


def second_screen(ledger: Ledger, annotator: str) -> tuple[Pair, ...]:
    """Return the pairs of a screen that one other person has answered lately; none if there is none."""
    for seq in islice(reversed(ledger.keys.values()), PEOPLE.recent):
        event = _given(ledger, seq)
        if len(event.pairs) > 1 and ledger.force[seq] and event.key in ledger.shown:
            names = {_given(ledger, one).annotator for pair in event.pairs for one in ledger.answered[pair]}
            skipped = any(ledger.skipped.get((annotator, pair)) for pair in event.pairs)
            if len(names) == 1 and annotator not in names and not skipped:
                return tuple(pair for pair in event.pairs if not ledger.implied(pair))
    return ()


def _given(ledger: Ledger, seq: int) -> AnswerGiven:
    event = ledger.events[seq]
    if not isinstance(event, AnswerGiven):
        raise TypeError(f"event {seq} is no answer")
    return event
