"""The answers as chains see them: a graph of pairs, each with what speaks for "same"."""

from dataclasses import dataclass
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from ofakind.answers import Answers
from ofakind.arrays import Floats, Ints
from ofakind.noise.calibration import CALIBRATION
from ofakind.noise.evidence import Evidence
from ofakind.noise.tempering import UNTEMPERED, Tempering
from ofakind.pairs import Pairs
from ofakind.posterior.partition.size_prior import ruled_out
from ofakind.similarity import Similarity


class Frame(NamedTuple):
    """Which pairs a graph holds, as CSR arrays."""

    indptr: NDArray[Any]
    indices: NDArray[Any]


@dataclass(frozen=True, slots=True, eq=False)
class AnswerGraph:
    """Answers in two forms: as evidence for each pair, and as a graph whose entries know their pair.

    The graph may hold candidates besides: ``place`` is where the answered pairs stand among all its pairs
    (None: there are no others). ``allowed`` is what lifts candidates out of the ``background``, the log odds
    of all pairs that are not in the graph, for each entry.
    """

    answers: Answers
    evidence: Evidence
    similarity: Similarity
    frame: Frame
    pair_of_entry: Ints
    candidates: Pairs | None = None
    place: Ints | None = None
    allowed: Floats | None = None

    @classmethod
    def of(
        cls, answers: Answers, candidates: Pairs | None = None, similarity: Similarity | None = None
    ) -> Self:
        """Sort the answers, and connect what they and the candidates connect: O(m log m).

        ``similarity`` is their fold, if it is there already.
        """
        from ofakind.kernels.graph.csr import symmetric_csr

        evidence, n = Evidence.of(answers), answers.n
        similarity = Similarity.from_answers(answers) if similarity is None else similarity
        u, v = evidence.pairs.u, evidence.pairs.v
        if candidates is None:
            _, _, of_entry = symmetric_csr(n, u, v)
            return cls(answers, evidence, similarity, Frame(similarity.indptr, similarity.indices), of_entry)
        answered, others = u * n + v, candidates.u * n + candidates.v
        every = np.union1d(answered, others)
        indptr, indices, of_entry = symmetric_csr(n, every // n, every % n)
        return cls(
            answers,
            evidence,
            similarity,
            Frame(indptr, indices),
            of_entry,
            candidates,
            place=np.searchsorted(every, answered),
            allowed=np.where(np.isin(every, others)[of_entry], -ruled_out(n), 0.0),
        )

    @property
    def background(self) -> float:
        """Log odds of a pair that is not in the graph."""
        return 0.0 if self.candidates is None else ruled_out(self.answers.n)

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
            every = np.zeros(len(self.pair_of_entry) // 2)
            every[self.place] = ratios
            weights = heat * every[self.pair_of_entry] + self.allowed
        weights.flags.writeable = False
        return np.asarray(weights, np.float64)

    def per_pair(self, amounts: Floats) -> Floats:
        """Add up the amounts of both entries of each answered pair."""
        every = np.bincount(self.pair_of_entry, amounts, minlength=len(self.pair_of_entry) // 2)
        return np.asarray(every if self.place is None else every[self.place], np.float64)

    def before(self, count: int, *, tempered: bool) -> "AnswerGraph":
        """Return the graph as it was when there were ``count`` answers.

        Only with candidates, or where weights are tempered, its similarity is needed, and it is built anew.
        Else it takes O(m), and the kinds of answers and the similarity stay those of all answers.
        """
        if self.candidates is not None or tempered:
            return AnswerGraph.of(self.answers.first(count), self.candidates)
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
