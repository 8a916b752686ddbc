"""KC-FB and KC-FC: the pivot algorithm on means of repeated, noisy answers."""

import heapq
import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import cycle

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from ofakind.acquire.pool import Pool
from ofakind.arrays import Ints, Mask
from ofakind.checks import real_number, whole_number
from ofakind.errors import BudgetSpentError, InvalidInputError
from ofakind.kernels import portable
from ofakind.pairs import Pairs, count_pairs
from ofakind.rivals.base import BudgetedRival, Given, Questions
from ofakind.rivals.qecc import around_an_object, one_by_one
from ofakind.similarity import Similarity
from ofakind.solve.pivot import Pivot

SIMILAR, OPEN, DIFFERENT = 1, 0, -1


@dataclass(frozen=True, slots=True)
class KCFB(BudgetedRival):
    """KwikCluster with a fixed budget: QECC that asks each pair about a pivot several times.

    Those with a mean answer above 0 are the pivot's cluster. The number of samples of a pair begins with
    the budget divided by the number of pairs, rounded down, and grows as a cluster takes away pairs that
    were never asked. That is undefined for a budget below the number of pairs, where our rule is: as many
    samples as what is left of the budget allows for every pair of the objects left, but at least one; and
    when one does not fit, the objects left stay alone, as in `QECC`.

    ``most_samples`` bounds the samples of a pair. With 1 this is `QECC` to the last question, which suits
    an oracle that answers the same again. Without it, the last few objects may take thousands of samples.

    >>> from ofakind.oracles.noisy import NoisyOracle
    >>> oracle = NoisyOracle(np.arange(30) % 3, gamma=0.4)
    >>> KCFB()(30, oracle, budget=9000, rng=np.random.default_rng(0)).k
    3
    """

    most_samples: int | None = None

    def __post_init__(self) -> None:
        if self.most_samples is not None:
            whole_number("most_samples", self.most_samples, least=1)

    def _labellings(
        self,
        questions: Questions,
        rng: Generator,
        given: Given,  # noqa: ARG002
    ) -> Iterator[Ints]:
        """Yield the labels after each cluster that was taken out; features are not looked at."""
        samples = _Samples(questions)

        def find(rest: Ints) -> Mask:
            count = samples.next(len(rest))
            if self.most_samples is not None:
                count = min(count, self.most_samples)
            return around_an_object(questions, rest, rng, samples=count)

        return one_by_one(questions.n, find)


class _Samples:
    """How often each pair about the next pivot is asked.

    Either rule keeps samples * pairs among the objects left within what is left of the budget, as long as
    samples > 1; and the pivot's pairs are among these. So only a single sample can fail to fit, and that
    one is refused by `Questions.ask` as a whole: no comparison is ever begun and broken off.
    """

    def __init__(self, questions: Questions) -> None:
        self._questions = questions
        self._plain = questions.budget >= count_pairs(questions.n)
        self._before = questions.n
        self._samples = questions.budget // max(count_pairs(questions.n), 1)

    def next(self, left: int) -> int:
        """Return the number of samples when so many objects are left, two or more."""
        if not self._plain:
            return max(1, self._questions.left // count_pairs(left))
        if left < self._before:
            # The pairs that went without a question, the pivot's own aside, free their samples.
            freed = count_pairs(self._before) - count_pairs(left) - (self._before - 1)
            self._samples += self._samples * freed // count_pairs(left)
            self._before = left
        return self._samples


@dataclass(frozen=True, slots=True)
class KCFC(BudgetedRival):
    """KwikCluster with a fixed confidence: sample until every pair is known to be similar or not.

    Every pair is asked once; then the pair most surely similar and the one most surely not are asked again
    in turn, until each pair's mean is above or below 1/2 (answers are mapped to [0, 1]) by a margin that
    all means keep together with probability ``confidence``. The pivot algorithm follows, on the pairs found
    similar. ``tolerance`` is the additional cost that is allowed, by default the square root of n.

    This takes many times more answers than there are pairs. When the budget ends it earlier, pairs that are
    still open count as similar if their mean is above 1/2; below one answer for each pair, a random part of
    the pairs is asked and the others count as not similar. O(log pairs) and one call of the oracle a sample.

    >>> from ofakind.oracles.noisy import NoisyOracle
    >>> oracle = NoisyOracle([0, 0, 0, 1, 1, 1], gamma=0.2)
    >>> KCFC()(6, oracle, budget=2000, rng=np.random.default_rng(0)).labels.tolist()
    [0, 0, 0, 1, 1, 1]
    """

    confidence: float = 0.99
    tolerance: float | None = None

    def __post_init__(self) -> None:
        if real_number("confidence", self.confidence, above=0, most=1) == 1:
            raise InvalidInputError(f"confidence is {self.confidence!r}; expected a number between 0 and 1")
        if self.tolerance is not None:
            real_number("tolerance", self.tolerance, least=0)

    def _labellings(
        self,
        questions: Questions,
        rng: Generator,
        given: Given,  # noqa: ARG002
    ) -> Iterator[Ints]:
        """Yield the labels when all pairs are classified, or the budget is spent; features are not used."""
        pairs = Pool.everything(questions.n).draw(questions.left, rng)  # shuffled, so ties go anywhere
        scale = 4 * count_pairs(questions.n) / (1 - self.confidence)
        bounds = _Bounds(questions.ask(pairs.u, pairs.v), scale)
        try:
            self._classify(questions, pairs, bounds)
        except BudgetSpentError:
            yield _pivot(questions.n, pairs, bounds, rng)
            raise
        yield _pivot(questions.n, pairs, bounds, rng)

    def _classify(self, questions: Questions, pairs: Pairs, bounds: "_Bounds") -> None:
        """Sample until every pair is classified; the two kinds take turns."""
        tolerance = math.sqrt(questions.n) if self.tolerance is None else self.tolerance
        slack = tolerance / (12 * max(count_pairs(questions.n), 1))
        for kind in cycle((SIMILAR, DIFFERENT)):
            row = bounds.surest(kind)
            if row is None:
                return
            bounds.add(row, float(questions.ask(pairs.u[[row]], pairs.v[[row]])[0]))
            if bounds.bound(row, kind) >= -slack:
                bounds.kinds[row] = kind


class _Bounds:
    """The mean answer of each pair and how sure it is; the surest open pair is found in O(log pairs)."""

    def __init__(self, answers: NDArray[np.float64], scale: float) -> None:
        self.totals: list[float] = answers.tolist()
        self.counts = [1] * len(answers)
        self.kinds = [OPEN] * len(answers)
        self._scale = scale
        self._heaps: dict[int, list[tuple[float, int, int]]] = {SIMILAR: [], DIFFERENT: []}
        for kind, heap in self._heaps.items():
            heap += [(-self.bound(row, kind), row, 1) for row in range(len(answers))]
            heapq.heapify(heap)

    def bound(self, row: int, kind: int) -> float:
        """How far at least the mean lies on this kind's side of 1/2, answers mapped to [0, 1]."""
        count = self.counts[row]
        radius = math.sqrt(portable.log(self._scale * count**2) / (2 * count))
        return kind * self.totals[row] / (2 * count) - radius

    def surest(self, kind: int) -> int | None:
        """Return the open pair with the largest bound, the first of equals; None: none is left."""
        heap = self._heaps[kind]
        while heap:
            _, row, count = heap[0]
            if self.kinds[row] == OPEN and self.counts[row] == count:
                return row
            heapq.heappop(heap)  # classified, or sampled since
        return None

    def add(self, row: int, answer: float) -> None:
        """Take in one more answer about a pair."""
        self.totals[row] += answer
        self.counts[row] += 1
        for kind, heap in self._heaps.items():
            heapq.heappush(heap, (-self.bound(row, kind), row, self.counts[row]))


def _pivot(n: int, pairs: Pairs, bounds: _Bounds, rng: Generator) -> Ints:
    """Cluster by the classified pairs and, where a pair is open, by its mean."""
    kinds, means = np.array(bounds.kinds), np.array(bounds.totals) / np.array(bounds.counts)
    similarity = Similarity.from_pairs(n, pairs.u, pairs.v, np.where(kinds == OPEN, means, kinds))
    return Pivot()(similarity, rng=rng).labels
