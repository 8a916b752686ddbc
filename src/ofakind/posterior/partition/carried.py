"""What a round carries over to the next: some samples of each chain, calibration and tempering."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from ofakind.arrays import Floats, Ints
from ofakind.checks import whole_number
from ofakind.errors import InvalidInputError
from ofakind.noise.calibration import Calibration
from ofakind.noise.tempering import Tempering
from ofakind.posterior.partition.samples import PartitionSamples
from ofakind.posterior.partition.schedule import Schedule


@dataclass(frozen=True, slots=True, eq=False)
class CarriedSamples:
    """Some samples of each chain, its last one last, when there were ``n_answers`` answers.

    ``tried_at`` is the number of answers when restarts were last tried.
    """

    labels: NDArray[np.int32]  # (samples, n)
    chain: Ints  # (samples,)
    concentration: Floats  # (samples,)
    n_answers: int
    calibration: Calibration
    tempering: Tempering
    tried_at: int = 0

    @classmethod
    def of(cls, posterior: PartitionSamples, schedule: Schedule) -> Self:
        """Keep as many samples of each chain as the schedule says, evenly spaced."""
        samples = schedule.final.samples
        each = np.linspace(0, samples - 1, min(schedule.kept, samples)).astype(np.int64)
        kept = np.add.outer(samples * np.arange(schedule.chains), each).ravel()
        return cls(
            posterior.labels[kept],
            posterior.chain[kept],
            posterior.concentration[kept],
            posterior.n_answers,
            posterior.calibration,
            posterior.tempering,
            posterior.tried_at,
        )

    def to_entry(self) -> dict[str, Any]:
        """Return everything as arrays, numbers and text, for a document; `from_entry` reads it."""
        return {
            "labels": self.labels,
            "chain": self.chain,
            "concentration": self.concentration,
            "answers": self.n_answers,
            "calibration": self.calibration.to_entry(),
            "trust": self.tempering.to_entry(),
            "opinion": self.tried_at,
        }

    @classmethod
    def from_entry(cls, entry: Mapping[str, Any], n: int) -> Self:
        """Check and read what was saved of n objects; where restarts are not mentioned none were tried."""
        labels, chain = np.array(entry["labels"], np.int32), np.array(entry["chain"], np.int64)
        concentration = np.array(entry["concentration"], np.float64)
        if labels.ndim != 2 or labels.shape != (len(chain), n) or not len(chain) == len(concentration) > 0:
            shapes = f"{labels.shape}, {chain.shape} and {concentration.shape}"
            raise InvalidInputError(f"samples, chains and alphas have shapes {shapes}; expected as many")
        if labels.size and (labels.min() < 0 or labels.max() >= n):
            raise InvalidInputError(f"the samples hold labels outside 0..{n - 1}")
        if not (concentration > 0).all() or np.any(np.diff(chain) < 0):
            raise InvalidInputError("the samples' alphas or chains are not in order")
        return cls(
            labels,
            chain,
            concentration,
            whole_number("answers", entry["answers"], least=0),
            Calibration.from_entry(entry["calibration"]),
            Tempering.from_entry(entry["trust"]),
            whole_number("opinion", entry.get("opinion", 0), least=0),
        )
