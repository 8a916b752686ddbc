"""nCOBRAS: COBRAS that expects wrong answers, finds them and corrects them."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from time import monotonic
from typing import ClassVar

from numpy.random import Generator

from ofakind.arrays import Ints
from ofakind.checks import real_number, whole_number
from ofakind.errors import GaveUpError, InvalidInputError
from ofakind.rivals.base import BudgetedRival, Given, Questions
from ofakind.rivals.cobras import divide, merge
from ofakind.rivals.corroboration import Corroboration, relevant_answers
from ofakind.rivals.super_instances import Features, labels_of, one_cluster
from ofakind.rivals.worlds import Worlds


@dataclass(frozen=True, slots=True)
class NCOBRAS(BudgetedRival):
    """Noise-robust COBRAS, by Soenen, Dumančić, Van Craenendonck and Blockeel (2021).

    It splits and merges as `COBRAS` does, but takes each answer for wrong with probability ``noise``. No pair
    is asked twice: what confirms or contradicts an answer is another question that closes a cycle with it.
    After each merging, questions are asked until the answers between the representatives of all
    super-instances are right, all of them, with probability ``certainty``. When answers contradict each
    other, questions are asked until it is clear which of those that matter are wrong; they are corrected, and
    all super-instances are merged again from the start. Every clustering that gets so far replaces the last.

    The probabilities come from `Worlds`, all consistent ways to take answers for right or wrong. The authors
    list those with up to ``order`` more wrong answers than the best one, for all answers at once: some
    n**2 / 2 for n answers, which ends at a hundred questions or so. Here they are listed for each block of
    answers on common cycles, which gives the same probabilities and lets thousands of questions be asked.
    Where it departs:

    - The order counts for each block, not for all of them together: blocks are independent, so this leaves
      out less. Small blocks know their worlds to any order.
    - A block with more than 20 000 worlds drops those of the highest order, if need be down to the best ones.
      Once its answers are consistent again, those that a few flips reach are listed anew.
    - Relations on which all worlds up to ``last_order`` agree (in a large block, up to ``order``) are
      settled: an answer against them is taken for wrong from then on.
    - The authors' program fails when more than ``last_order`` answers turn out to be wrong at once. Here
      worlds are updated with each answer, so that there always is a best one, and a run never fails. It ends
      with its budget, by itself when nothing is left to split, or after ``time_limit`` seconds; the last
      complete clustering is kept, and ``stopped`` says so.
    - A question is chosen to refute the likeliest doubts of one block, with other blocks as believed. When no
      question would refute any doubt, none is asked, though ``certainty`` may not have been reached.

    Options:
        noise: how often answers are wrong, above 0 and below 0.5. For a `NoisyOracle`, half of its gamma; the
            authors take 0.05 where it is 0.
        certainty: from 0 to 1, not included: that would never be reached.
        order, last_order: see above; 1 <= order <= last_order.
        time_limit: in seconds, looked at before each question; None for no limit. With a limit, what is found
            may depend on the speed of the machine.
        n_init: how many starts k-means makes for each split.

    At 2000 questions about 1000 objects, a question takes about 5 milliseconds, k-means included, and up to
    15 where many answers are wrong. Memory: some 100 MB at worst.

    >>> import numpy as np
    >>> from ofakind.oracles.noisy import NoisyOracle
    >>> x = np.arange(40.0).reshape(-1, 1)
    >>> oracle = NoisyOracle(np.arange(40) // 10, gamma=0.1)
    >>> run = NCOBRAS(noise=0.05)(40, oracle, budget=400, rng=np.random.default_rng(0), features=x)
    >>> run.sizes().tolist()
    [10, 10, 10, 10]
    """

    noise: float = 0.1
    certainty: float = 0.95
    order: int = 2
    last_order: int = 3
    time_limit: float | None = 60.0
    n_init: int = 10
    anytime: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if real_number("noise", self.noise, above=0, most=0.5) == 0.5:
            raise InvalidInputError(f"noise is {self.noise}; expected below 0.5: such answers say nothing")
        if real_number("certainty", self.certainty, least=0, most=1) == 1:
            raise InvalidInputError(
                f"certainty is {self.certainty}; expected below 1, which is never reached"
            )
        whole_number("order", self.order, least=1)
        whole_number("last_order", self.last_order, least=self.order)
        if self.time_limit is not None:
            real_number("time_limit", self.time_limit, least=0)
        whole_number("n_init", self.n_init, least=1)

    def _labellings(self, questions: Questions, rng: Generator, given: Given) -> Iterator[Ints]:
        """Yield the labels of every complete clustering; features are needed."""
        table = Features.of(given.features, questions.n)
        relations = DoubtedConstraints(questions, self)
        clusters = one_cluster(table)
        yield labels_of(clusters, questions.n)
        while divided := divide(clusters, relations, features=table, rng=rng, n_init=self.n_init):
            clusters = merge(divided, relations)
            instances = [instance for cluster in clusters for instance in cluster]
            while relations.corroborate([instance.representative for instance in instances]):
                clusters = merge([[instance] for instance in instances], relations)
            yield labels_of(clusters, questions.n)


class DoubtedConstraints:
    """Relations (see `COBRAS`) that believe an answer until others speak against it."""

    def __init__(self, questions: Questions, options: NCOBRAS) -> None:
        self.worlds = Worlds(options.order, options.last_order)
        self._questions, self._certainty = questions, options.certainty
        self._limit, self._begin = options.time_limit, monotonic()
        self._corroboration = Corroboration(self.worlds, options.noise)

    def known(self, u: int, v: int) -> int:
        """What is believed about the pair, in either order; 0 when it was not asked."""
        return self.worlds.known(u, v)

    def ask(self, u: int, v: int) -> int:
        """Ask about the pair through the counter, and believe the answer for now."""
        if self._limit is not None and monotonic() - self._begin >= self._limit:
            used = f"with {self._questions.used} answers used of {self._questions.budget}"
            raise GaveUpError(f"the time limit of {self._limit:g} seconds is over, {used}")
        answer = 1 if self._questions.ask([u], [v])[0] > 0 else -1
        self.worlds.tell(u, v, answer)
        return answer

    def items(self) -> Iterable[tuple[tuple[int, int], int]]:
        """Everything believed, in the order in which it was asked."""
        return zip(self.worlds.pairs, self.worlds.values, strict=True)

    def corroborate(self, representatives: list[int]) -> bool:
        """Ask until all answers between these objects are certain enough; say whether any was corrected."""
        corrected = self._correct(representatives)
        while True:
            doubts = self._corroboration.doubts(relevant_answers(self.worlds, representatives))
            certain = self._corroboration.confidence(doubts) >= self._certainty
            question = None if certain else self._corroboration.question(doubts)
            if question is not None:
                self.ask(*question)
                corrected |= self._correct(representatives)
                continue
            believed = list(self.worlds.values)
            if not self.worlds.renew():
                break
            corrected |= believed != self.worlds.values
        self.worlds.settle()
        return corrected

    def _correct(self, representatives: list[int]) -> bool:
        """If answers contradict each other, ask until it is clear which of these are wrong; believe that."""
        contradiction = not self.worlds.consistent
        self.worlds.drop_refuted()
        while doubtful := self.worlds.doubtful():
            question = None
            if self.worlds.blocks[doubtful[0]].complete >= 0:  # else better worlds may be unknown
                relevant = relevant_answers(self.worlds, representatives)
                question = self._corroboration.deciding_question(doubtful[0], relevant)
            if question is None:
                self.worlds.believe(doubtful[0])
            else:
                self.ask(*question)
                self.worlds.drop_refuted()
        if contradiction:
            self.worlds.renew()
        return contradiction
