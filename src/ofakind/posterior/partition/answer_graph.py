"""The answers as chains see them: a graph of pairs, each with what speaks for "same".

With pins its nodes are units of objects: the pairs of objects between two units are one pair, whose evidence
is their sum; a pair inside a unit has no entry, and units that must differ have one of weight -inf.
"""

from dataclasses import dataclass, replace
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from ofakind.answers import Answers
from ofakind.arrays import Floats, Ints, Mask, T
from ofakind.noise.calibration import CALIBRATION
from ofakind.noise.evidence import Evidence
from ofakind.noise.tempering import UNTEMPERED, Tempering
from ofakind.pairs import Pairs, rank
from ofakind.pins import Pins
from ofakind.posterior.partition.size_prior import ruled_out
from ofakind.posterior.partition.told import SpanningForest, TiedNodes, told_matches
from ofakind.similarity import Similarity


class Frame(NamedTuple):
    """Which pairs a graph holds, as CSR arrays."""

    indptr: NDArray[Any]
    indices: NDArray[Any]


@dataclass(frozen=True, slots=True, eq=False)
class AnswerGraph:
    """Answers in two forms: as evidence for each pair, and as a graph whose entries know their pair.

    The graph may hold candidates besides: ``place`` is where the answered pairs stand among all its pairs
    (None: there are no others; -1: inside a unit). ``allowed`` is what lifts candidates out of the
    ``background``, the log odds of all pairs that are not in the graph, for each entry; and -inf where pins
    forbid it. The candidates are pairs of objects. ``ties`` join nodes by told matches, if there are any, and
    the answers to the pairs that are not ``heard`` (None: all are) do not show what an answer is worth.
    """

    answers: Answers
    evidence: Evidence
    similarity: Similarity
    frame: Frame
    pair_of_entry: Ints
    candidates: Pairs | None = None
    place: Ints | None = None
    allowed: Floats | None = None
    pins: Pins | None = None
    ties: TiedNodes | None = None
    heard: Mask | None = None

    @classmethod
    def of(
        cls,
        answers: Answers,
        candidates: Pairs | None = None,
        similarity: Similarity | None = None,
        pins: Pins | None = None,
    ) -> Self:
        """Sort the answers, and connect what they and the candidates connect: O(m log m).

        ``similarity`` is their fold, if it is there already.
        """
        evidence, n = Evidence.of(answers), answers.n if pins is None else len(pins.first)
        similarity = Similarity.from_answers(answers) if similarity is None else similarity
        if candidates is None and pins is None:
            frame = Frame(similarity.indptr, similarity.indices)
            graph = cls(answers, evidence, similarity, frame, _entries(n, evidence.pairs)[1])
        else:
            answered, others = _keys(evidence.pairs, pins, n), np.empty(0, np.int64)
            if candidates is not None:
                others = _keys(candidates, pins, n)
            apart = others[:0] if pins is None else _keys(pins.apart, None, n)
            every = np.unique(np.concatenate([answered, others, apart]))
            every = every[every >= 0]
            frame, of_entry = _entries(n, Pairs.trusted(every // max(n, 1), every % max(n, 1)))
            allowed = np.where(np.isin(every, others)[of_entry], -ruled_out(n), 0.0)
            allowed[np.isin(every, apart)[of_entry]] = -np.inf
            place = np.where(answered < 0, -1, np.searchsorted(every, answered))
            graph = cls(answers, evidence, similarity, frame, of_entry, candidates, place, allowed, pins)
        matches = told_matches(answers, evidence, pins)
        return graph._tied(matches) if len(matches) else graph

    def _tied(self, matches: Ints) -> Self:
        """Return it with ties for told matches, which are some of the answered pairs."""
        nodes, candidates, heard = self.nodes, self.candidate_nodes(), np.ones(len(self.evidence.pairs), bool)
        forest, heard[matches] = SpanningForest.of(matches, self.evidence.pairs, self.pins, nodes), False
        place = forest.pairs if self.place is None else self.place[forest.pairs]
        tied = np.zeros(len(self.pair_of_entry) // 2, np.bool_)
        tied[place] = True
        room = nodes if candidates is None else -(-2 * len(candidates) // max(nodes, 1))
        ties = TiedNodes.of(forest, tied[self.pair_of_entry], room)
        return replace(self, ties=ties, heard=heard)

    @property
    def nodes(self) -> int:
        """Number of nodes: objects, or units of them."""
        return len(self.frame.indptr) - 1

    @property
    def background(self) -> float:
        """Log odds of a pair that is not in the graph."""
        return 0.0 if self.candidates is None else ruled_out(self.nodes)

    def candidate_nodes(self) -> Pairs | None:
        """Return the pairs of nodes that hold a candidate, if there are candidates."""
        if self.candidates is None or self.pins is None:
            return self.candidates
        keys = np.unique(_keys(self.candidates, self.pins, self.nodes))
        keys = keys[keys >= 0]
        return Pairs.trusted(keys // self.nodes, keys % self.nodes)

    def decided(self) -> Mask | None:
        """Tell which answered pairs pins decide; None where there are no pins."""
        if self.pins is None:
            return None
        return np.asarray(self.pins.implied(self.evidence.pairs.u, self.evidence.pairs.v) != 0)

    def judging(self, answers: Answers) -> Answers:
        """Return those of the answers that tell how good a prediction was.

        They are to pairs that pins do not decide, and not told for what they say.
        """
        if self.heard is not None:
            keys = self.evidence.pairs.ranks(answers.n)
            known = self.heard[np.searchsorted(keys, rank(answers.u, answers.v, answers.n))]
            answers = answers.without(~known)
        if self.pins is None:
            return answers
        return answers.without(self.pins.implied(answers.u, answers.v) != 0)

    def concerned(self, objects: Ints) -> tuple[Ints, Ints]:
        """Return the nodes that these distinct objects are in, and all objects of these nodes."""
        if self.pins is None:
            return objects, objects
        nodes = np.unique(self.pins.units[objects])
        return nodes, self.objects_in(nodes)

    def objects_in(self, nodes: Ints) -> Ints:
        """Return all objects of these nodes."""
        return nodes if self.pins is None else np.flatnonzero(np.isin(self.pins.units, nodes))

    def weights(self, ratios: Floats, tempering: Tempering = UNTEMPERED, *, heat: float = 1.0) -> Floats:
        """Evidence for "same" of each entry, from the log ratios of the pairs (`pair_weights`).

        Tempered, it is at most what the plain values say. Answers count for the share ``heat``. Candidates
        are lifted out of the background, in which all other pairs are.
        """
        if tempering.value != 1:
            values = self.similarity.values_of(self.evidence.pairs.u, self.evidence.pairs.v)
            most = CALIBRATION.slope * np.abs(values)
            ratios = tempering.value * ratios + (1 - tempering.value) * np.clip(ratios, -most, most)
        if self.place is None or self.allowed is None:
            weights = heat * ratios[self.pair_of_entry]
        else:
            across = self.place >= 0
            every = np.bincount(self.place[across], ratios[across], minlength=len(self.pair_of_entry) // 2)
            weights = heat * every[self.pair_of_entry] + self.allowed
        weights.flags.writeable = False
        return np.asarray(weights, np.float64)

    def shares(self, amounts: Floats, count: int) -> Floats:
        """Return the mean of both entries of each answered pair, as a share of this count; 1 inside units."""
        total = np.bincount(self.pair_of_entry, amounts, minlength=len(self.pair_of_entry) // 2)
        every = np.asarray(total / max(2 * count, 1), np.float64)
        if self.place is None:
            return every
        return np.where(self.place < 0, 1.0, np.append(every, 1.0)[self.place])

    def onto_nodes(self, labels: NDArray[T]) -> NDArray[T]:
        """Return partitions (S, n) of objects as such of the nodes; a unit is where its first object is."""
        return labels if self.pins is None else on_units(labels, self.pins)

    def onto_objects(self, labels: NDArray[T]) -> NDArray[T]:
        """Return partitions of the nodes, (S, nodes), as such of all objects."""
        return labels if self.pins is None else np.ascontiguousarray(labels[:, self.pins.units])

    def before(self, count: int, *, tempered: bool) -> "AnswerGraph":
        """Return the graph as it was when there were ``count`` answers.

        With candidates, pins, ties, or weights that are tempered (which need its similarity), it is built
        anew.
        Else it takes O(m), and the kinds of answers and the similarity stay those of all answers.
        """
        alike = self.candidates is None and self.pins is None and self.answers.asked.all()
        if tempered or not alike:
            return AnswerGraph.of(self.answers.first(count), self.candidates, pins=self.pins)
        evidence, (indptr, indices) = self.evidence, self.frame
        old = evidence.row < count
        counts = np.bincount(evidence.pair[old], minlength=evidence.pairs.u.size)
        asked = counts > 0
        number, held = np.cumsum(asked) - 1, asked[self.pair_of_entry]
        earlier = Evidence(
            Pairs.trusted(evidence.pairs.u[asked], evidence.pairs.v[asked]),
            number[evidence.pair[old]],
            evidence.value[old],
            evidence.bins,
            evidence.kind[old],
            evidence.annotators,
            evidence.who[old],
            evidence.row[old],
            counts[asked],
        )
        frame = Frame(np.r_[0, np.cumsum(held)][indptr], indices[held])
        of_entry = number[self.pair_of_entry[held]]
        return AnswerGraph(self.answers.first(count), earlier, self.similarity, frame, of_entry)


def on_units(labels: NDArray[T], pins: Pins) -> NDArray[T]:
    """Return partitions (S, n) as such of units, labels 0..k-1: a unit is where its first object is."""
    from ofakind.kernels.search.consensus import renumber

    return np.asarray(renumber(np.ascontiguousarray(labels), pins.first))


def _entries(n: int, pairs: Pairs) -> tuple[Frame, Ints]:
    """Return the graph of sorted pairs, and the pair of each entry."""
    from ofakind.kernels.graph.csr import symmetric_csr

    indptr, indices, of_entry = symmetric_csr(n, pairs.u, pairs.v)
    return Frame(indptr, indices), of_entry


def _keys(pairs: Pairs, pins: Pins | None, n: int) -> Ints:
    """Number each pair of nodes; -1 inside a unit."""
    if pins is None:
        return pairs.u * n + pairs.v
    a, b = pins.units[pairs.u], pins.units[pairs.v]
    return np.where(a == b, -1, np.minimum(a, b) * n + np.maximum(a, b))
