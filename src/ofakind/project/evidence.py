"""Why two objects are together or not: the answers between them, what features say, what connects them."""

from collections import Counter
from dataclasses import dataclass

import numpy as np

from ofakind.engine.learner import ActiveClustering
from ofakind.kernels import portable
from ofakind.pairs import Pairs
from ofakind.priors.base import positions
from ofakind.project.events import AnswerGiven
from ofakind.project.fields import ObjectId, Pair
from ofakind.project.ledger import Ledger, WhyAsked
from ofakind.project.pinning import shortest_chain
from ofakind.report.assessment import features_map_of


@dataclass(frozen=True, slots=True)
class GivenAnswer:
    """An answer as it stands in the log; ``in_force`` unless it was taken back or corrected."""

    event: int
    at: str
    left_id: ObjectId
    right_id: ObjectId
    value: float
    annotator: str
    in_force: bool = True
    asked: bool = True


@dataclass(frozen=True, slots=True)
class PairEvidence:
    """Everything that speaks for or against two objects being of a kind.

    ``chain`` are the fewest answers and pins in force that say "same" and lead from one to the other; empty
    where none do. ``prior`` is P(same) by what features are worth by now, None where they say nothing of the
    pair, and ``probability`` P(same) by everything. ``asked`` is why the pair was asked first, None if it was
    not. ``judges`` are those that looked at the pair, by name, and the mean of their scores.
    """

    left_id: ObjectId
    right_id: ObjectId
    together: bool
    probability: float
    prior: float | None
    pinned: bool | None
    answers: tuple[GivenAnswer, ...]
    chain: tuple[tuple[ObjectId, ObjectId], ...]
    asked: WhyAsked | None = None
    judges: tuple[tuple[str, float], ...] = ()

    def __str__(self) -> str:
        word = "together" if self.together else "apart"
        lines = [f"{self.left_id} and {self.right_id} are {word}: P(same) is {self.probability:.2f}"]
        if self.pinned is not None:
            lines.append(f"pinned as {'the same' if self.pinned else 'different'}")
        if self.prior is not None:
            lines.append(f"features alone: {self.prior:.2f}")
        lines += [f"{judge} says {score:.2g}" for judge, score in self.judges]
        if self.asked is not None:
            lines.append(str(self.asked))
        lines += [f"{one.annotator or 'somebody'} said {one.value:+g} ({one.at})" for one in self.answers]
        if self.chain:
            lines.append("connected by " + ", ".join(f"{a} = {b}" for a, b in self.chain))
        return "\n  ".join(lines)


def answers_in(ledger: Ledger, pair: Pair | None = None) -> list[GivenAnswer]:
    """Return all answers of a log in order, or those to one pair, taken back or not."""
    found = []
    for seq, event in ledger.events.items():
        if isinstance(event, AnswerGiven):
            for (u, v), value in zip(event.pairs, event.values, strict=True):
                if pair is None or pair == (u, v):
                    one = GivenAnswer(
                        event=seq,
                        at=ledger.times[seq],
                        left_id=ledger.ids[u],
                        right_id=ledger.ids[v],
                        value=value,
                        annotator=event.annotator,
                        in_force=ledger.force[seq],
                        asked=ledger.asked.get((u, v), seq) < seq,
                    )
                    found.append(one)
    return found


def answer_counts(ledger: Ledger) -> dict[str, int]:
    """Return the number of answers in force of everybody who gave some."""
    given = (ledger.events[seq] for answers in ledger.answered.values() for seq in answers)
    return dict(Counter(event.annotator for event in given if isinstance(event, AnswerGiven)))


def chain_between(ledger: Ledger, pair: Pair) -> tuple[tuple[ObjectId, ObjectId], ...]:
    """Return the shortest chain of pairs that answers on average, or pins, call the same."""
    said = [one for one, values in ledger.answered.items() if sum(values.values()) > 0]
    said += [one for one, same in ledger.pinned.items() if same]
    apart = {one for one, same in ledger.pinned.items() if not same}
    chain = shortest_chain([one for one in said if one not in apart], *pair)
    return tuple((ledger.ids[a], ledger.ids[b]) for a, b in chain or ())


def same_probability(learner: ActiveClustering, pairs: list[Pair]) -> list[float]:
    """Return P(same) of pairs by everything that is known."""
    if not pairs:
        return []
    u, v = np.array(pairs, np.int64).T
    return [float(value) for value in learner.posterior.same_probability(u, v)]


def prior_probability(learner: ActiveClustering, pair: Pair) -> float | None:
    """Return P(same) of a pair by its features alone, None where it has none."""
    near, known = learner.prior, features_map_of(learner.posterior)
    if near is None or known is None:
        return None
    (row,) = positions(near.pairs, Pairs.from_array([pair]), near.n)
    return None if row < 0 else float(portable.expit(known.log_odds(near.features[[row]])[0]))
