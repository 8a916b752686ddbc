"""nCOBRAS: COBRAS for answers that may be wrong."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from time import monotonic

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike

from ofakind.errors import GaveUpError, InvalidInputError
from ofakind.oracles.base import Oracle
from ofakind.pairs import Ints, real_number, whole_number
from ofakind.rivals.base import Outcome, Questions, play
from ofakind.rivals.cobras import divide, merge
from ofakind.rivals.evidence import Evidence, relevant_answers
from ofakind.rivals.super_instances import Clusters, Features, labels_of, one_cluster
from ofakind.rivals.worlds import Worlds


@dataclass(frozen=True, slots=True)
class NCOBRAS:
    """TODO."""

    noise: float = 0.1
    certainty: float = 0.95
    order: int = 2
    last_order: int = 3
    time_limit: float | None = 60.0
    n_init: int = 10

    def __post_init__(self) -> None:
        pass

    def __call__(
        self, n: int, oracle: Oracle, *, budget: int, rng: Generator, features: ArrayLike | None = None
    ) -> Outcome:
        """Cluster n objects with at most ``budget`` answers; ``features`` has a row of numbers for each."""
        questions = Questions(n, oracle, budget)
        return play(questions, self._labellings(questions, Features.of(features, questions.n), rng))

    def _labellings(self, questions: Questions, features: Features, rng: Generator) -> Iterator[Ints]:
        relations = DoubtfulConstraints(questions, self)
        clusters = one_cluster(features)
        yield labels_of(clusters, questions.n)
        while divided := divide(clusters, relations, features=features, rng=rng, n_init=self.n_init):
            clusters = merge(divided, relations)
            instances = [instance for cluster in clusters for instance in cluster]
            while relations.gather_evidence([s.representative for s in instances]):
                clusters = merge([[s] for s in instances], relations)
            yield labels_of(clusters, questions.n)


class DoubtfulConstraints:
    def __init__(self, questions: Questions, options: NCOBRAS) -> None:
        self._questions = questions
        self._certainty, self._limit = options.certainty, options.time_limit
        self._begin = monotonic()
        self.worlds = Worlds(options.order, options.last_order)
        self._evidence = Evidence(self.worlds, options.noise)

    def known(self, u: int, v: int) -> int:
        return self.worlds.known(u, v)

    def ask(self, u: int, v: int) -> int:
        if self._limit is not None and monotonic() - self._begin >= self._limit:
            raise GaveUpError(f"the time limit of {self._limit:g} s is over")
        answer = 1 if self._questions.ask([u], [v])[0] > 0 else -1
        self.worlds.tell(u, v, answer)
        return answer

    def items(self) -> Iterable[tuple[tuple[int, int], int]]:
        return zip(self.worlds.pairs, self.worlds.values, strict=True)

    def gather_evidence(self, representatives: list[int]) -> bool:
        noisy = self._fix_noise(representatives)
        while True:
            doubts = self._evidence.doubts(relevant_answers(self.worlds, representatives))
            if self._evidence.confidence(doubts) >= self._certainty:
                break
            question = self._evidence.question(doubts)
            if question is None:
                break
            self.ask(*question)
            noisy |= self._fix_noise(representatives)
        self.worlds.settle()
        return noisy

    def _fix_noise(self, representatives: list[int]) -> bool:
        if self.worlds.consistent:
            return False
        self.worlds.drop_refuted()
        while doubtful := self.worlds.doubtful():
            relevant = relevant_answers(self.worlds, representatives)
            question = self._evidence.deciding_question(doubtful[0], relevant)
            if question is None:
                self.worlds.believe(doubtful[0])
            else:
                self.ask(*question)
                self.worlds.drop_refuted()
        return True
