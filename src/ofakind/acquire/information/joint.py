"""What several answers tell together: their joint information, and a set that is grown by it.

An answer about a pair is "same" with a probability that depends on the partition. In sample s of the
posterior, pair c is of a kind with probability P_cs (0 or 1, or what is left of doubt when an object's label
is averaged out), given which pairs are independent. So the answers to pairs c in B are distributed as

    P(y_B) = mean over s of the product over c of Q_cs if y_c is "same", else of 1 - Q_cs,

Q being P seen through the errors of answers. Their information about the partition is H(y_B) less the entropy
that is mere error, which is the sum over c of the mean entropy of y_c given whether c is of a kind.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from ofakind.arrays import Floats, Ints
from ofakind.posterior.base import Abilities


@dataclass(frozen=True, slots=True)
class AnswerSetRules:
    """How far redundancy is counted exactly; by judgement."""

    exact: int = 9  # answers that further ones are compared with in all combinations, 2^9 of them


ANSWER_SET = AnswerSetRules()


@dataclass(frozen=True, slots=True)
class Errors:
    """How often an answer is wrong: of pairs of a kind ``missed``, of others ``mistaken`` for one."""

    missed: float = 0.0
    mistaken: float = 0.0

    @classmethod
    def of(cls, able: Abilities) -> "Errors":
        """Read what a posterior takes answers to be like; where it does not say, they count as right.

        An answer of 0 says nothing: rates are those among the others.
        """
        answers: Any = able.answers
        if answers is None:
            return cls()
        if not hasattr(answers, "error_rates"):
            wrong = float(getattr(answers, "wrong", 0.0))
            return cls(wrong, wrong)
        (missed, mistaken), decided = answers.error_rates(), answers.centres != 0
        of_same, of_different = (float(table[decided].sum()) for table in (answers.same, answers.different))
        return cls(missed / of_same, mistaken / of_different)

    def said_same(self, same: Floats) -> Floats:
        """Probability of the answer "same", for probabilities of being of a kind."""
        return (1 - self.missed) * same + self.mistaken * (1 - same)

    def entropy(self, same: Floats) -> Floats:
        """Mean entropy, in nats, of an answer given whether its pair is of a kind."""
        apart = binary_nats(np.array([self.missed, self.mistaken]))
        return np.asarray(same * apart[0] + (1 - same) * apart[1])


def joint_information(same: Floats, errors: Errors) -> float:
    """Information in nats that the answers to all of some pairs, (pairs, samples), give of the partition.

    Exact for nine pairs or fewer.

    >>> together = np.array([[1.0, 0.0], [1.0, 0.0]])  # two pairs that go together: one answer tells both
    >>> round(joint_information(together, Errors()), 3)  # log 2
    0.693
    """
    return float(grown(same, errors, len(same))[1].sum())


def grown(same: Floats, errors: Errors, size: int, left: Floats | None = None) -> tuple[Ints, Floats]:
    """Grow a set of pairs, one after another the one whose answer tells most beyond those before it.

    ``same`` is (pairs, samples); ``left`` is the share of each one's worth that is left for other reasons.
    Returns their positions, at most ``size``, and what each tells. O(2^size pairs samples).
    """
    said, noise = errors.said_same(same), errors.entropy(same.mean(axis=1))
    weights = np.full((1, same.shape[1]), 1 / max(same.shape[1], 1))
    worth_left = np.ones(len(same)) if left is None else left
    free = np.ones(len(same), np.bool_)
    rows, gains = [], []
    for _ in range(min(size, len(same))):
        gain = np.maximum(_conditional_entropy(weights, said) - noise, 0.0) * worth_left
        best = int(np.argmax(np.where(free, gain, -1.0)))
        rows.append(best)
        gains.append(float(gain[best]))
        free[best] = False
        if len(rows) <= ANSWER_SET.exact:
            weights = np.concatenate([weights * said[best], weights * (1 - said[best])])
    return np.array(rows, np.int64), np.array(gains, np.float64)


def _conditional_entropy(weights: Floats, said: Floats) -> Floats:
    """Entropy of each answer given those before: ``weights`` is (their outcomes, samples), sums to 1."""
    both, before = weights @ said.T, weights.sum(axis=1, keepdims=True)
    share = np.divide(both, before, out=np.zeros_like(both), where=before > 0)
    return np.asarray((before * binary_nats(share)).sum(axis=0))


def binary_nats(p: Floats) -> Floats:
    """Entropy in nats of coins; rounding may have left them slightly outside [0, 1]."""
    from scipy.special import entr

    inside = np.clip(p, 0.0, 1.0)
    return np.asarray(entr(inside) + entr(1 - inside), np.float64)
