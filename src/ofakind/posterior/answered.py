"""The answers as chains see them: a graph of pairs, each with what speaks for "same"."""

from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from ofakind.answers import Answers
from ofakind.pairs import Ints, Pairs
from ofakind.posterior.calibration import Calibration, pair_weights
from ofakind.posterior.evidence import Evidence
from ofakind.posterior.prior import ruled_out
from ofakind.posterior.trust import Trust
from ofakind.similarity import Similarity

Floats = NDArray[np.float64]
Frame = tuple[NDArray[Any], NDArray[Any]]  # indptr, indices
SLOPE = 3.0  # worth of an answer before anything is learned, per unit of its value: the paper's beta
FULL = Trust()


class Answered(NamedTuple):
    """Answers in two forms: as evidence for each pair, and as a graph whose entries know their pair.

    The graph may hold candidates besides: ``place`` is where the answered pairs stand among all its pairs
    (None: there are no others). ``allowed`` is what lifts candidates out of the background, for each entry.
    """

    evidence: Evidence
    similarity: Similarity
    frame: Frame
    pair_of_entry: Ints
    place: Ints | None = None
    allowed: Floats | None = None

    @classmethod
    def of(cls, answers: Answers, candidates: Pairs | None = None) -> Self:
        """Sort the answers, and connect what they and the candidates connect: O(m log m)."""
        from ofakind.kernels.csr import symmetric_csr

        evidence, similarity, n = Evidence.of(answers), Similarity.from_answers(answers), answers.n
        u, v = evidence.pairs.u, evidence.pairs.v
        if candidates is None:
            return cls(
                evidence, similarity, (similarity.indptr, similarity.indices), symmetric_csr(n, u, v)[2]
            )
        answered, others = u * n + v, candidates.u * n + candidates.v
        every = np.union1d(answered, others)
        indptr, indices, of_entry = symmetric_csr(n, every // n, every % n)
        allowed = np.where(np.isin(every, others)[of_entry], -ruled_out(n), 0.0)
        place = np.searchsorted(every, answered)
        return cls(evidence, similarity, (indptr, indices), of_entry, place, allowed)

    def weights(self, calibration: Calibration, trust: Trust = FULL) -> Floats:
        """Evidence for "same" of each entry: as learned; where not trusted, at most the plain value's."""
        learned, pairs = pair_weights(self.evidence, calibration), self.evidence.pairs
        if trust.value != 1:
            most = SLOPE * np.abs(self.similarity.value(pairs.u, pairs.v))
            learned = trust.value * learned + (1 - trust.value) * np.clip(learned, -most, most)
        if self.place is None:
            return np.asarray(learned[self.pair_of_entry])
        every = np.zeros(len(self.pair_of_entry) // 2)
        every[self.place] = learned
        return np.asarray(every[self.pair_of_entry])

    def lifted(self, weights: Floats) -> Floats:
        """Return the weights of all entries in a graph in which other pairs are in the background."""
        return weights if self.allowed is None else weights + self.allowed

    def per_pair(self, amounts: Floats) -> Floats:
        """Add up the amounts of both entries of each answered pair."""
        every = np.bincount(self.pair_of_entry, amounts, minlength=len(self.pair_of_entry) // 2)
        return np.asarray(every if self.place is None else every[self.place], np.float64)
