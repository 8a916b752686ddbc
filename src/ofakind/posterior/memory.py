"""What a round takes over from the one before: the worth of answers, trust, and a memory that was saved."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ofakind.errors import InvalidInputError
from ofakind.pairs import whole_number
from ofakind.posterior.answered import FULL
from ofakind.posterior.calibration import Calibration, pair_weights
from ofakind.posterior.evidence import Evidence
from ofakind.posterior.trust import Trust

Floats = NDArray[np.float64]


class Past(NamedTuple):
    """What a round takes over: the worth of answers, trust, and what was believed of new answers' pairs.

    With ``draws`` it takes over samples too, and draws only so many.
    """

    calibration: Calibration | None = None
    trust: Trust = FULL
    new: Evidence | None = None
    foreseen: Floats = np.empty(0)
    draws: int | None = None

    def trust_after(self, calibration: Calibration) -> Trust:
        """Return the trust after the new answers, if they were foreseen by anybody."""
        if self.new is None:
            return self.trust
        return self.trust.after(self.foreseen, pair_weights(self.new, calibration))


def recalled(entry: Mapping[str, Any], n: int) -> dict[str, Any]:
    """Check a saved memory of n objects; one without a second opinion had none so far."""
    labels, chain = np.array(entry["labels"], np.int32), np.array(entry["chain"], np.int64)
    concentration = np.array(entry["concentration"], np.float64)
    if labels.ndim != 2 or labels.shape != (len(chain), n) or not len(chain) == len(concentration) > 0:
        shapes = f"{labels.shape}, {chain.shape} and {concentration.shape}"
        raise InvalidInputError(f"samples, chains and alphas have shapes {shapes}; expected as many")
    if labels.size and (labels.min() < 0 or labels.max() >= n):
        raise InvalidInputError(f"the samples hold labels outside 0..{n - 1}")
    if not (concentration > 0).all() or np.any(np.diff(chain) < 0):
        raise InvalidInputError("the samples' alphas or chains are not in order")
    Calibration.from_entry(entry["calibration"])
    Trust.from_entry(entry["trust"])
    count = whole_number("answers", entry["answers"], least=0)
    asked = whole_number("opinion", entry.get("opinion", 0), least=0)
    samples = {"labels": labels, "chain": chain, "concentration": concentration}
    return {**entry, **samples, "answers": count, "opinion": asked}
