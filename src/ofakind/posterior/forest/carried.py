"""What a belief with a feature prior carries over to the next round: its forests and what it has learned."""

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, fields, replace
from typing import Any, Self

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from ofakind.answers import Answers
from ofakind.arrays import Floats, Ints, Mask, read_only
from ofakind.checks import plain_array, real_number, whole_number
from ofakind.errors import InvalidInputError
from ofakind.noise.calibration import Calibration
from ofakind.noise.leave_one_out import LeaveOneOut
from ofakind.pairs import Pairs, rank
from ofakind.pins import Pins
from ofakind.posterior.forest.candidate_graph import CandidateGraph
from ofakind.posterior.forest.samples import ForestSamples
from ofakind.posterior.forest.surprises import Surprises
from ofakind.posterior.forest.trees import Scale, answer_weights, tree_prior_of
from ofakind.posterior.partition.answer_graph import AnswerGraph
from ofakind.posterior.partition.calibrated import answer_ratios
from ofakind.priors.base import positions
from ofakind.priors.neighbours import Neighbours
from ofakind.priors.pair_map import PairMap, offsets_of

Parents = NDArray[np.int32]


@dataclass(frozen=True, slots=True, eq=False)
class CarriedForests:
    """All of a posterior but its graphs, which follow from answers and features; see `ForestSamples`.

    ``moved`` says that pins or objects changed since, so that forests are made anew from the labels.
    """

    labels: NDArray[np.int32]  # (samples, n)
    parents: Parents  # (samples, nodes)
    chain: Ints  # (samples,)
    calibration: Calibration
    pair_map: PairMap
    scale: Scale
    surprises: Surprises
    own: Parents  # (nodes,)
    candidate_same: Floats
    answered_same: Floats
    n_answers: int
    log_likelihood: tuple[float, ...] = ()
    fit: LeaveOneOut | None = None
    renewed_at: int = 0
    drift: float = 0.0
    moved: bool = False

    @classmethod
    def of(cls, posterior: ForestSamples) -> Self:
        """Keep all of it."""
        return cls(**{name: getattr(posterior, name) for name in SHARED_BY_FORESTS})

    def without(self, gone: Mask, objects: Ints) -> Self:  # noqa: ARG002
        """Return it when some answers are taken back, or pins change."""
        left = [count - int(gone[:count].sum()) for count in (self.n_answers, self.renewed_at)]
        nothing = read_only(np.empty(0))
        return replace(self, n_answers=left[0], renewed_at=left[1], answered_same=nothing, moved=True)

    def anew(self) -> Self:
        """Return it where the candidates may be others: forests are made anew, of the same groups."""
        return replace(self, candidate_same=read_only(np.empty(0)), moved=True)

    def extended(self, more: int) -> Self:
        """Return it with so many more objects, each alone in every sample."""
        n = self.labels.shape[1]
        alone = np.broadcast_to(np.arange(n, n + more, dtype=np.int32), (len(self.labels), more))
        labels = np.concatenate([self.labels, alone], axis=1)
        return replace(self.anew(), labels=read_only(labels), pair_map=self.pair_map.extended(more))

    def forests(
        self, graph: AnswerGraph, prior: Callable[[], Any], chains: int, rng: Generator
    ) -> tuple[Parents, Parents]:
        """Return a forest for each chain to go on from, and the prior's own; ``prior`` makes the weights."""
        from ofakind.kernels.graph.csr import Graph
        from ofakind.kernels.partition.forest import forest_in

        last = np.resize(np.flatnonzero(np.diff(np.append(self.chain, -1))), chains)
        nodes = graph.nodes
        if not self.moved and self.parents.shape[1] == nodes == len(self.own):
            return self.parents[last].copy(), self.own.copy()
        answers = Graph(*graph.frame, graph.weights(np.zeros(len(graph.evidence.pairs))))
        labels = graph.onto_nodes(self.labels[last])
        weights = prior()
        found = [forest_in(weights, answers, np.ascontiguousarray(row), rng) for row in labels]
        return np.array(found, np.int32).reshape(chains, nodes), np.full(nodes, -1, np.int32)

    def offsets(self, near: Neighbours, pairs: Pairs) -> Floats:
        """What was known of candidates besides their features: the log odds expected, less the map's.

        After the graph has changed, nothing is known besides.
        """
        if len(self.candidate_same) != len(near.pairs):
            return np.zeros(len(pairs))
        rows = positions(near.pairs, pairs, near.n)
        return offsets_of(self.candidate_same[rows], self.pair_map.log_odds(near.features[rows], pairs))

    def refuse_others(self, answers: Answers, near: Neighbours, pins: Pins | None) -> None:
        """Refuse it if it cannot come from these answers, features and pins."""
        if self.n_answers > len(answers):
            got = f"the samples have seen {self.n_answers} answers"
            raise InvalidInputError(f"{got}; expected {len(answers)} at most, as many as there are")
        if self.moved:  # then it need not fit: forests are made anew
            return
        if self.pair_map.names != near.names:
            got = f"the samples know the features {', '.join(self.pair_map.names):.80}"
            raise InvalidInputError(f"{got}; expected those of the prior, {', '.join(near.names):.80}")
        first = answers.first(self.n_answers)
        answered = len(np.unique(rank(first.u, first.v, answers.n)))
        nodes = near.n if pins is None else len(pins.first)
        for what, found, expected in (
            ("candidates", len(self.candidate_same), len(near.pairs)),
            ("answered pairs", len(self.answered_same), answered),
            ("nodes", len(self.own), nodes),
        ):
            if found != expected:
                got = f"the samples are of {found} {what}"
                raise InvalidInputError(f"{got}; expected {expected}, as many as answers and prior have")

    def posterior(self, graph: AnswerGraph, candidates: CandidateGraph) -> ForestSamples:
        """Return the posterior that this was carried from, given the same answers and features."""
        return ForestSamples(
            similarity=graph.similarity,
            prior=tree_prior_of(candidates, self.pair_map, self.scale),
            graph=answer_weights(graph, answer_ratios(graph, self.calibration)),
            candidates=candidates.near.pairs,
            pins=graph.pins,
            **{name: getattr(self, name) for name in SHARED_BY_FORESTS},
        )

    def to_entry(self) -> dict[str, Any]:
        """Return everything as arrays, numbers and text, for a document; `from_entry` reads it."""
        return {
            "labels": self.labels,
            "parents": self.parents,
            "chain": self.chain,
            "calibration": self.calibration.to_entry(),
            "map": self.pair_map.to_entry(),
            "scale": list(self.scale),
            "surprises": self.surprises.to_entry(),
            "own": self.own,
            "candidate_same": self.candidate_same,
            "same": self.answered_same,
            "answers": self.n_answers,
            "log_likelihood": list(self.log_likelihood),
            "fit": None if self.fit is None else asdict(self.fit),
            "renewed": self.renewed_at,
            "drift": self.drift,
            "moved": self.moved,
        }

    @classmethod
    def from_entry(cls, entry: Mapping[str, Any], n: int) -> Self:
        """Check and read what was saved of n objects."""
        labels, parents, own = (np.array(entry[name], np.int32) for name in ("labels", "parents", "own"))
        chain = np.array(entry["chain"], np.int64)
        if labels.shape != (len(chain), n) or parents.shape != (len(chain), len(own)) or not len(chain):
            shapes = f"{labels.shape}, {parents.shape}, {chain.shape} and {own.shape}"
            raise InvalidInputError(f"samples, forests, chains and the prior's own have shapes {shapes}")
        if labels.size and (labels.min() < 0 or labels.max() >= n):
            raise InvalidInputError(f"the samples hold labels outside 0..{n - 1}")
        for row in (*parents, own):
            _check_forest(row)
        return cls(
            read_only(labels),
            read_only(parents),
            read_only(chain),
            Calibration.from_entry(entry["calibration"]),
            PairMap.from_entry(entry["map"], n),
            Scale(*(real_number("scale", number) for number in entry["scale"])),
            Surprises.from_entry(entry["surprises"], n),
            read_only(own),
            _probabilities(entry["candidate_same"]),
            _probabilities(entry["same"]),
            whole_number("answers", entry["answers"], least=0),
            tuple(map(float, entry["log_likelihood"])),
            None if entry["fit"] is None else LeaveOneOut(**entry["fit"]),
            whole_number("renewed", entry["renewed"], least=0),
            real_number("drift", entry["drift"], least=0),
            bool(entry["moved"]),
        )


SHARED_BY_FORESTS = tuple(part.name for part in fields(CarriedForests) if part.name != "moved")
"""What a posterior and what is carried over from it both have."""


def _probabilities(values: Any) -> Floats:
    found = plain_array(values, "probabilities").astype(np.float64)
    if found.ndim != 1 or not ((found >= 0) & (found <= 1)).all():
        raise InvalidInputError("what is expected of pairs are no probabilities")
    return read_only(found)


def _check_forest(parent: Parents) -> None:
    """Refuse parents outside of -1..n-1, or that go round in a circle."""
    n, seen = len(parent), parent.copy()
    if n and (parent.min() < -1 or parent.max() >= n):
        raise InvalidInputError(f"a forest has parents outside -1..{n - 1}")
    for _ in range(n.bit_length() + 1):  # each time twice as many steps up are taken at once
        seen = np.where(seen < 0, -1, seen[seen])
    if (seen >= 0).any():
        raise InvalidInputError("a forest has a circle")
