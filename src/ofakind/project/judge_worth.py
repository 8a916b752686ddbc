"""What a judge is worth, against people: how often it errs, whether the order matters to it, what it costs.

People's answers are taken for the truth here. They were asked about pairs that were in doubt, so these rates
say more of hard pairs than of all.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from ofakind.project.fields import ObjectId, Pair
from ofakind.project.judge_book import mean_of
from ofakind.project.judge_savings import JudgeSavings
from ofakind.project.ledger import Ledger
from ofakind.project.people import PEOPLE, ErrorRate, error_rate
from ofakind.project.results import JudgedPair

MOST_DISAGREEMENTS = 50  # pairs that are given, the surest first
NORMAL = 1.6449  # half the width of a nine-in-ten interval, in standard errors (by convention)


@dataclass(frozen=True, slots=True)
class Disagreement:
    """A pair about which a judge and people differ: its score, and the mean of their answers."""

    left_id: ObjectId
    right_id: ObjectId
    score: float
    people: float


@dataclass(frozen=True, slots=True)
class PositionBias:
    """What the order does to a judge, from pairs that it saw both ways.

    ``flips`` is how often it changes its mind, and ``shift`` how much higher its scores are in the first
    order than in the other, with an interval.
    """

    flips: ErrorRate
    shift: float
    interval: tuple[float, float]


@dataclass(frozen=True, slots=True)
class JudgeWorth:
    """A judge: what it did, what that cost, and how it does against people. None where it is too early.

    ``in_use`` is whether groups go by judges now, and this one has said something; ``saved`` is what all of
    them together saved people.
    """

    name: str
    models: tuple[str, ...]
    n_pairs: int
    n_scores: int
    n_calls: int
    n_failed: int
    tokens_in: int
    tokens_out: int
    cost: float
    uncertain_cost: float
    seconds: float | None
    n_compared: int
    errors_on_same: ErrorRate | None
    errors_on_different: ErrorRate | None
    position: PositionBias | None
    disagreements: tuple[Disagreement, ...] = ()
    in_use: bool = False
    saved: JudgeSavings | None = None  # by all judges together

    @property
    def cost_per_score(self) -> float | None:
        """What a score has cost on average."""
        return self.cost / self.n_scores if self.n_scores else None


def worth_of(
    ledger: Ledger, judge: str, *, in_use: bool = False, saved: JudgeSavings | None = None
) -> JudgeWorth:
    """Return what a judge is worth as the log has it; ``in_use`` and ``saved`` are what the learner says."""
    book, calls = ledger.judges, list(ledger.judges.of(judge))
    scores = book.scores.get(judge, {})
    said = {pair: mean_of(orders) for pair, orders in scores.items()}
    truth = {pair: _mean(ledger.answered[pair]) for pair in said if pair in ledger.answered}
    decided = {pair: value for pair, value in truth.items() if value and said[pair]}
    took = [one.milliseconds / 1000 for one in calls if one.pairs and one.copies is None]
    return JudgeWorth(
        name=judge,
        models=tuple(dict.fromkeys(one.model for one in calls)),
        n_pairs=len(said),
        n_scores=book.n_scores(judge),
        n_calls=len(calls),
        n_failed=sum(one.failed for one in calls),
        tokens_in=sum(one.tokens_in for one in calls),
        tokens_out=sum(one.tokens_out for one in calls),
        cost=sum(one.cost for one in calls),
        uncertain_cost=sum(one.cost for one in book.announced.values() if one.judge == judge),
        seconds=float(np.median(took)) if took else None,
        n_compared=len(decided),
        errors_on_same=_errors(said, decided, sign=1),
        errors_on_different=_errors(said, decided, sign=-1),
        position=_position(list(scores.values())),
        disagreements=_disagreements(ledger, said, decided),
        in_use=in_use and len(said) > 0,
        saved=saved,
    )


def judged_pairs(ledger: Ledger) -> list[JudgedPair]:
    """Return all pairs that judges have looked at, with their scores in both orders."""
    return [
        JudgedPair(ledger.ids[u], ledger.ids[v], judge, orders.get(False), orders.get(True))
        for judge, scores in ledger.judges.scores.items()
        for (u, v), orders in scores.items()
    ]


def _errors(said: Mapping[Pair, float], decided: Mapping[Pair, float], *, sign: int) -> ErrorRate | None:
    """How often a judge says the opposite where people say "same" (1) or "different" (-1)."""
    of = [pair for pair, value in decided.items() if value * sign > 0]
    return error_rate(sum(said[pair] * sign < 0 for pair in of), len(of))


def _position(scores: list[dict[bool, float]]) -> PositionBias | None:
    both = [(orders[False], orders[True]) for orders in scores if len(orders) == 2]
    flips = error_rate(sum(one * other < 0 for one, other in both), len(both))
    if flips is None or len(both) < PEOPLE.least:
        return None
    differences = np.array([one - other for one, other in both])
    shift = float(differences.mean())
    error = NORMAL * float(differences.std(ddof=1)) / math.sqrt(len(both))
    return PositionBias(flips, shift, (shift - error, shift + error))


def _disagreements(
    ledger: Ledger, said: Mapping[Pair, float], decided: Mapping[Pair, float]
) -> tuple[Disagreement, ...]:
    differ = [pair for pair, value in decided.items() if said[pair] * value < 0]
    differ.sort(key=lambda pair: (-abs(said[pair] - decided[pair]), pair))
    ids = ledger.ids
    return tuple(
        Disagreement(ids[pair[0]], ids[pair[1]], said[pair], decided[pair])
        for pair in differ[:MOST_DISAGREEMENTS]
    )


def _mean(answers: Mapping[int, float]) -> float:
    return sum(answers.values()) / len(answers)
