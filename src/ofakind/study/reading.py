"""Reading the answers to somebody else's questions: what do the questions give, and what does the reading?"""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.random import Generator

from ofakind.answers import Answers
from ofakind.clustering import Clustering
from ofakind.learner import BELIEVE, SOLVE
from ofakind.pairs import Pairs
from ofakind.posterior.base import Choosy, Remembering
from ofakind.posterior.estimate import Accuracy, Consensus
from ofakind.posterior.judgement import judge


class Reading:
    """Samples of partitions and their consensus, from all answers so far; kept from round to round.

    It draws as a learner with this seed does that reads the answers to its own questions.
    """

    def __init__(self, belief: Remembering, seed: int, candidates: Pairs | None = None) -> None:
        self._belief, self._seed, self._candidates = belief, seed, candidates
        self._round = 0
        self._memory: Mapping[str, Any] | None = None
        self._last: Clustering | None = None

    def read(self, answers: Answers) -> tuple[Clustering, Accuracy]:
        """Return the clusters that all these answers speak for, and how wrong they may be."""
        self._round += 1
        believing, solving = (
            np.random.default_rng((self._seed, stage, self._round)) for stage in (BELIEVE, SOLVE)
        )
        posterior = self._posterior(answers, believing)
        self._last = Consensus().read(posterior, start=self._last, rng=solving)
        self._memory = self._belief.memory(posterior)
        return self._last, judge(posterior, self._last.labels, answers)

    def _posterior(self, answers: Answers, rng: Generator) -> Any:
        if self._candidates is not None and isinstance(self._belief, Choosy):
            return self._belief.follow_among(self._candidates, answers, memory=self._memory, rng=rng)
        return self._belief.follow(answers, memory=self._memory, rng=rng)
