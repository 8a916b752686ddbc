"""What several answers tell together: their joint information, and a set that is grown by it.

An answer about a pair is "same", or of another kind, with a probability that depends on the partition. In
sample s of the posterior, pair c is of a kind with probability P_cs (0 or 1, or what is left of doubt when an
object's label is averaged out), given which pairs are independent. So the answers to pairs c in B are
distributed as

    P(y_B) = mean over s of the product over c of Q_cs(y_c),

Q_cs(y) being the probability of an answer of kind y, P_cs seen through the errors of answers. Their
information about the partition is H(y_B) less the entropy that is mere error, which is the sum over c of the
mean entropy of y_c given whether c is of a kind.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ofakind.acquire.information.answer_kinds import AnswerKinds
from ofakind.arrays import Floats, Ints
from ofakind.kernels import portable


@dataclass(frozen=True, slots=True)
class AnswerSetRules:
    """How far redundancy is counted exactly; by judgement."""

    outcomes: int = 3**7  # of answers, which further ones are compared with: of 7 of three kinds, 11 of two
    at_once: int = 12  # pairs that are looked at together


ANSWER_SET = AnswerSetRules()


def joint_information(same: Floats, kinds: AnswerKinds) -> float:
    """Information in nats that the answers to all of some pairs, (pairs, samples), give of the partition.

    Exact for eight pairs or fewer.

    >>> together = np.array([[1.0, 0.0], [1.0, 0.0]])  # two pairs that go together: one answer tells both
    >>> round(joint_information(together, AnswerKinds.wrong(0)), 3)  # log 2
    0.693
    """
    return float(grown(same, kinds, len(same))[1].sum())


def grown(
    same: Floats, kinds: AnswerKinds, size: int, left: Floats | None = None, *, least: float = 0.0
) -> tuple[Ints, Floats]:
    """Grow a set of pairs, one after another the one whose answer tells most beyond those before it.

    ``same`` is (pairs, samples); ``left`` is the share of each one's worth that is left for other reasons.
    Returns their positions, at most ``size``, and what each tells; fewer as soon as it is certain that
    ``size`` of them tell less than ``least``. O(kinds^size pairs samples).
    """
    chances, noise = kinds.chances(same), kinds.entropy(same.mean(axis=1))
    weights = np.full((1, same.shape[1]), 1 / max(same.shape[1], 1))
    worth_left = np.ones(len(same)) if left is None else left
    at_most, rows, gains = np.full(len(same), np.inf), list[int](), list[float]()

    def told(some: Ints) -> Floats:
        gain = _conditional_entropy(weights, chances[:, some]) - noise[some]
        return np.asarray(np.maximum(gain, 0.0) * worth_left[some])

    while len(rows) < min(size, len(same)):
        best = _best(at_most, told)
        rows.append(best)
        gains.append(float(at_most[best]))
        at_most[best] = -1.0  # taken
        if sum(gains) + (size - len(rows)) * gains[-1] < least:
            break
        if len(weights) * len(chances) <= ANSWER_SET.outcomes:
            weights = np.concatenate([weights * chance[best] for chance in chances])
    return np.array(rows, np.int64), np.array(gains, np.float64)


def _best(at_most: Floats, told: Callable[[Ints], Floats]) -> int:
    """Find who tells most, some at a time; nobody tells more than before, which ``at_most`` says, renewed."""
    order = np.argsort(-at_most, kind="stable")
    order, best = order[at_most[order] >= 0], -1
    for start in range(0, len(order), ANSWER_SET.at_once):
        seen, later = np.split(order, [start + ANSWER_SET.at_once])
        at_most[seen[start:]] = told(seen[start:])
        best = int(seen[np.argmax(at_most[seen])])
        if not len(later) or at_most[best] >= at_most[later[0]]:
            break
    return best


def _conditional_entropy(weights: Floats, chances: Floats) -> Floats:
    """Entropy of each answer given those before.

    ``weights`` is (their outcomes, samples) and sums to 1, ``chances`` is (kinds, pairs, samples).
    """
    before = portable.entr(weights.sum(axis=1)).sum()
    after = (portable.entr(portable.matmul(weights, chance.T)).sum(axis=0) for chance in chances)
    return np.asarray(sum(after) - before)
