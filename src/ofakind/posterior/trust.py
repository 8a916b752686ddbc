"""Trust: how far the learned worth of answers is believed, from how well new answers were foreseen.

What an answer is worth is learned by `calibration`, as if errors were independent. They may not be: a model
that answers, or a person, can be wrong about an object again and again. Then the learned worth is too high
and the posterior too sure of itself. It shows when new answers come in: they contradict probabilities near 0
and 1 too often. Trust is the factor by which the log-odds had to shrink for the last questions' answers to be
foreseen best (a prequential check); as far as it is below 1, no answer counts more than its plain value.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from ofakind.errors import InvalidInputError
from ofakind.pairs import read_only

Floats = NDArray[np.float64]
GRID = read_only(np.linspace(0.1, 1.0, 19))
PATIENCE = 20.0  # nats with which answers must speak for no trust at all, before it is believed
MEMORY = 0.8  # what a round's evidence still counts one round later
SUREST = 1e-4  # no probability from a few dozen samples is nearer to 0 or 1 than this


@dataclass(frozen=True, slots=True, eq=False)
class Trust:
    """A factor in (0, 1], ``value``, and the ``evidence`` for each factor of a grid, in nats.

    >>> Trust().value
    1.0
    >>> surprised = Trust().after(np.full(100, 0.99), np.resize([3.0, -3.0], 100))
    >>> surprised.value < 0.2
    True
    """

    value: float = 1.0
    evidence: Floats = field(default_factory=lambda: read_only(np.zeros(len(GRID))))

    def after(self, foreseen: Floats, log_ratios: Floats) -> Self:
        """Return the trust after new answers.

        Args:
            foreseen: P(same) of the pairs asked, under the posterior before the answers.
            log_ratios: evidence of the answers to each: log p(answers | same) / p(answers | different).
        """
        if not len(foreseen):
            return self
        p = np.clip(foreseen, SUREST, 1 - SUREST)
        log_odds = np.log(p) - np.log1p(-p)
        rescaled = 1 / (1 + np.exp(-log_odds * (GRID / self.value)[:, None]))  # (grid, pairs)
        evidence = MEMORY * self.evidence + np.log1p(rescaled * np.expm1(log_ratios)).sum(axis=1)
        best = np.argmax(evidence - PATIENCE * (1 - GRID))
        return type(self)(float(GRID[best]), read_only(evidence - evidence.max()))

    def to_entry(self) -> dict[str, Any]:
        """Return it as plain numbers and arrays."""
        return {"value": self.value, "evidence": self.evidence}

    @classmethod
    def from_entry(cls, entry: Mapping[str, Any]) -> Self:
        """Read what `to_entry` gave, checked."""
        value, evidence = float(entry["value"]), np.array(entry["evidence"], np.float64)
        if not 0 < value <= 1 or evidence.shape != GRID.shape or not np.isfinite(evidence).all():
            raise InvalidInputError(f"the trust is {value} with {evidence.shape} numbers; expected (0, 1]")
        return cls(value, read_only(evidence))
