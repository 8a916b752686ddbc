"""What a belief carries over to the next: its samples, what answers are worth, and how that fits."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from functools import partial
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from ofakind.arrays import Floats, Ints, Mask, read_only
from ofakind.checks import as_objects, whole_number
from ofakind.errors import InvalidInputError
from ofakind.noise.calibration import Calibration, pair_weights
from ofakind.noise.leave_one_out import LeaveOneOut
from ofakind.noise.tempering import Tempering
from ofakind.posterior.partition.answer_graph import AnswerGraph
from ofakind.posterior.partition.samples import PartitionSamples


@dataclass(frozen=True, slots=True, eq=False)
class CarriedSamples:
    """All of a posterior but its graph, which follows from the answers; see `PartitionSamples`.

    The samples of a chain stand side by side, its last one last. Since they were drawn answers about the
    ``touched`` objects were taken back, or these are new, or pins of them changed; more answers may have come
    besides.
    """

    labels: NDArray[np.int32]  # (samples, n)
    chain: Ints  # (samples,)
    concentration: Floats  # (samples,)
    calibration: Calibration
    tempering: Tempering
    n_answers: int
    answered_same: Floats = field(default_factory=partial(np.empty, 0))  # (pairs,)
    log_likelihood: tuple[float, ...] = ()
    fit: LeaveOneOut | None = None
    tried_at: int = 0
    renewed_at: int = 0
    touched: Ints = field(default_factory=lambda: np.empty(0, np.int64))  # objects

    @classmethod
    def of(cls, posterior: PartitionSamples) -> Self:
        """Keep all of it."""
        return cls(**{name: getattr(posterior, name) for name in SHARED})

    def without(self, gone: Mask, objects: Ints) -> Self:
        """Return it when some answers are taken back, or pins change, which concern these objects.

        ``gone`` says for each answer there was whether it is one of them. The samples stay what they were:
        the next round goes on from them.
        """
        before = np.append(0, np.cumsum(gone))  # how many of the first answers are gone
        then = {name: getattr(self, name) for name in ("n_answers", "tried_at", "renewed_at")}
        left = {name: count - int(before[count]) for name, count in then.items()}
        return replace(self, **left, answered_same=np.empty(0), touched=np.union1d(self.touched, objects))

    def extended(self, more: int) -> Self:
        """Return it with so many more objects, each alone in every sample."""
        n = self.labels.shape[1]
        alone = np.broadcast_to(np.arange(n, n + more, dtype=np.int32), (len(self.labels), more))
        labels, touched = np.concatenate([self.labels, alone], axis=1), np.arange(n, n + more)
        return replace(self, labels=read_only(labels), touched=np.union1d(self.touched, touched))

    def posterior(self, graph: AnswerGraph, exponent: float) -> PartitionSamples:
        """Return the posterior that this was carried from, given the graph of the same answers."""
        ratios = pair_weights(graph.evidence, self.calibration)
        return PartitionSamples(
            similarity=graph.similarity,
            frame=graph.frame,
            weights=graph.weights(ratios, self.tempering),
            background=graph.background,
            exponent=exponent,
            pins=graph.pins,
            ties=graph.ties,
            **{name: getattr(self, name) for name in SHARED},
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
            "same": self.answered_same,
            "log_likelihood": list(self.log_likelihood),
            "fit": None if self.fit is None else asdict(self.fit),
            "opinion": self.tried_at,
            "renewed": self.renewed_at,
            "touched": self.touched,
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
        same = np.array(entry.get("same", ()), np.float64)
        if same.ndim != 1 or not ((same >= 0) & (same <= 1)).all():
            raise InvalidInputError("the answered pairs have no probabilities")
        return cls(
            read_only(labels),
            read_only(chain),
            read_only(concentration),
            Calibration.from_entry(entry["calibration"]),
            Tempering.from_entry(entry["trust"]),
            whole_number("answers", entry["answers"], least=0),
            read_only(same),
            tuple(map(float, entry.get("log_likelihood", ()))),
            None if entry.get("fit") is None else LeaveOneOut(**entry["fit"]),
            whole_number("opinion", entry.get("opinion", 0), least=0),
            whole_number("renewed", entry.get("renewed", 0), least=0),
            _known(as_objects(entry.get("touched", ())), n),
        )


SHARED = tuple(part.name for part in fields(CarriedSamples) if part.name != "touched")
"""What a posterior and what is carried over from it both have."""


def _known(objects: Ints, n: int) -> Ints:
    if objects.min(initial=0) < 0 or objects.max(initial=-1) >= n:
        raise InvalidInputError(f"it concerns objects outside 0..{n - 1}")
    return read_only(objects)
