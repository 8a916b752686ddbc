"""Reading the answers to somebody else's questions: what do the questions give, and what does the reading?"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from ofakind.answers import Answers
from ofakind.clustering import Clustering
from ofakind.learner import BELIEVE, SOLVE
from ofakind.posterior.base import Remembering
from ofakind.posterior.estimate import Accuracy, Consensus, accuracy


class Reading:
    """Samples of partitions and their consensus, from all answers so far; kept from round to round.

    It draws as a learner with this seed does that reads the answers to its own questions.
    """

    def __init__(self, belief: Remembering, seed: int) -> None:
        self._belief, self._seed = belief, seed
        self._round = 0
        self._memory: Mapping[str, Any] | None = None
        self._last: Clustering | None = None

    def read(self, answers: Answers) -> tuple[Clustering, Accuracy]:
        """Return the clusters that all these answers speak for, and how wrong they may be."""
        self._round += 1
        believing, solving = (
            np.random.default_rng((self._seed, stage, self._round)) for stage in (BELIEVE, SOLVE)
        )
        posterior: Any = self._belief.follow(answers, memory=self._memory, rng=believing)
        self._last = Consensus().read(posterior, start=self._last, rng=solving)
        self._memory = self._belief.memory(posterior)
        return self._last, accuracy(posterior.labels, posterior.chain, self._last.labels)
