"""Tempering: how far the calibration of answers is trusted, from how well new answers were predicted.

What an answer is worth is learned by `calibration`, as if errors were independent. They may not be: a model
that answers, or a person, can be wrong about an object again and again. Then calibration overstates what
answers are worth, and the posterior is too sure of itself. It shows when new answers come in: they contradict
probabilities near 0 and 1 too often. Tempering is the factor by which the log odds had to shrink for the last
questions' answers to be predicted best (a prequential check); as far as it is below 1, no answer counts more
than its plain value.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np

from ofakind.arrays import Floats, read_only
from ofakind.errors import InvalidInputError
from ofakind.kernels import portable

FACTORS = read_only(np.linspace(0.1, 1.0, 19))  # that are tried (chosen by judgement)


@dataclass(frozen=True, slots=True)
class TemperingRules:
    """Tuned numbers of tempering, chosen by judgement on runs with independent and with correlated errors."""

    reluctance: float = 20.0  # nats with which answers must speak for a factor of 0 before it is believed
    decay: float = 0.8  # what a round's evidence still counts one round later
    surest: float = 1e-4  # no probability from a few dozen samples is nearer to 0 or 1 than this


TEMPERING = TemperingRules()


@dataclass(frozen=True, slots=True, eq=False)
class Tempering:
    """A factor in (0, 1], ``value``, and the ``evidence`` for each factor of a grid, in nats.

    >>> Tempering().value
    1.0
    >>> surprised = Tempering().after(np.full(100, 0.99), np.resize([3.0, -3.0], 100))
    >>> surprised.value < 0.2
    True
    """

    value: float = 1.0
    evidence: Floats = field(default_factory=lambda: read_only(np.zeros(len(FACTORS))))

    def after(self, predicted: Floats, log_ratios: Floats, rounds: float = 1.0) -> Self:
        """Return the tempering after new answers.

        Args:
            predicted: P(same) of the pairs asked, under the posterior before the answers.
            log_ratios: evidence of the answers to each: log p(answers | same) / p(answers | different).
            rounds: as much as so many usual rounds give; answers of long ago count for less.
        """
        if not len(predicted):
            return self
        p = np.clip(predicted, TEMPERING.surest, 1 - TEMPERING.surest)
        log_odds = portable.log(p) - portable.log1p(-p)
        rescaled = 1 / (1 + portable.exp(-log_odds * (FACTORS / self.value)[:, None]))  # (grid, pairs)
        evidence = portable.power(TEMPERING.decay, rounds) * self.evidence + portable.log1p(
            rescaled * portable.expm1(log_ratios)
        ).sum(axis=1)
        best = np.argmax(evidence - TEMPERING.reluctance * (1 - FACTORS))
        return type(self)(float(FACTORS[best]), read_only(evidence - evidence.max()))

    def to_entry(self) -> dict[str, Any]:
        """Return it as plain numbers and arrays."""
        return {"value": self.value, "evidence": self.evidence}

    @classmethod
    def from_entry(cls, entry: Mapping[str, Any]) -> Self:
        """Read what `to_entry` gave, checked."""
        value, evidence = float(entry["value"]), np.array(entry["evidence"], np.float64)
        if not 0 < value <= 1 or evidence.shape != FACTORS.shape or not np.isfinite(evidence).all():
            raise InvalidInputError(
                f"the tempering is {value} with {evidence.shape} numbers; expected (0, 1]"
            )
        return cls(value, read_only(evidence))


UNTEMPERED = Tempering()
