"""Reading the answers to somebody else's questions: what do the questions give, and what does the reading?"""

from dataclasses import dataclass, replace
from typing import Any, Self

from ofakind.answers import Answers
from ofakind.clustering import Clustering
from ofakind.engine.inference import Known, believe, read_samples
from ofakind.pairs import Pairs
from ofakind.posterior.base import SequentialBelief
from ofakind.report.accuracy import Accuracy
from ofakind.report.assessment import assess
from ofakind.similarity import Similarity
from ofakind.solve.consensus import Consensus


@dataclass(frozen=True, slots=True, eq=False)
class Reader:
    """Reads clusters from all answers so far, whoever asked: samples of partitions and their consensus.

    It draws as a learner with this seed does that reads the answers to its own questions. Every reading is
    another round, and returns the reader of the next.
    """

    belief: Any
    seed: int
    candidates: Pairs | None = None
    round: int = 0
    carried: Any = None
    before: Clustering | None = None

    def read(self, answers: Answers) -> tuple[Clustering, Accuracy, Self]:
        """Return the clusters that all answers speak for, how wrong they may be; and the next reader."""
        known = Known(
            answers=answers,
            similarity=Similarity.from_answers(answers),
            before=self.before,
            carried=self.carried,
            candidates=self.candidates,
            seed=self.seed,
            round=self.round + 1,
        )
        belief: SequentialBelief = self.belief
        posterior = believe(self.belief, known, None)
        found = read_samples(Consensus(), posterior, known)
        after = replace(self, round=known.round, carried=belief.carry(posterior), before=found)
        return found, assess(posterior, found.labels, answers), after
