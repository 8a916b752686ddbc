"""What a learner does with judges: cheap comparisons of a model, beside people's answers."""

from collections.abc import Callable
from dataclasses import replace
from threading import RLock
from typing import Any, Final

import numpy as np
from numpy.typing import ArrayLike

from ofakind.acquire.base import Scores, State
from ofakind.acquire.judge import JudgePool, doubtful_pairs, kept_awake, random_partners
from ofakind.acquire.pool import Pool
from ofakind.answers import Answers
from ofakind.arrays import Floats
from ofakind.checks import refuse_strange_pairs, whole_number
from ofakind.engine.alone import alone
from ofakind.engine.inference import AWAKE, FOR_JUDGE, Known, stream
from ofakind.engine.kept import Kept
from ofakind.engine.kept_view import KeptView
from ofakind.engine.without_judges import WithoutJudges
from ofakind.errors import InvalidInputError
from ofakind.pairs import Pairs, split_columns
from ofakind.posterior.base import Belief, abilities_of
from ofakind.posterior.forest.belief import FeatureBelief, FeaturePosterior
from ofakind.posterior.forest.judged import JudgedPosterior, believing
from ofakind.posterior.forest.judged_carried import JudgedReadings
from ofakind.posterior.partition.belief import PartitionBelief
from ofakind.priors.base import positions, sorted_pairs, union
from ofakind.priors.judged import beyond_features, judges_of, newest_scores, trial_size
from ofakind.report.assessment import prior_odds_of
from ofakind.solve.base import SampleSolver, Solver


class Judging(KeptView):
    """A learner whose people are helped by judges."""

    _state: Callable[[], State]
    _change: Callable[[Kept], None]
    _known: Callable[[], Known]
    _askable: Callable[[], dict[str, Any]]

    def __init__(self, belief: Belief, solver: Solver, seed: int) -> None:
        self.belief: Final = belief
        self.solver: Final = solver
        self.seed: Final = whole_number("seed", seed, least=0)
        self._lock = RLock()

    @alone
    def tell_judge(self, pairs: ArrayLike, scores: ArrayLike, judge: str = "judge") -> None:
        """Add what a judge says of pairs: from -1 (surely different) over 0 to 1 (surely the same).

        A judge is a model, such as a language model, whose errors come together. So its scores are no answers
        but a prior: what they are worth is learned from people's answers, and as long as these are predicted
        better without, nothing of it is believed. A later score of the same judge for a pair replaces the
        earlier one. All scores are taken or, with an error, none.
        """
        if not isinstance(judge, str) or not judge:
            raise InvalidInputError(f"judge is {judge!r}; expected the name of a judge, such as a model's")
        if not isinstance(self.belief, PartitionBelief | FeatureBelief):
            got = f"{type(self.belief).__name__} knows nothing of judges"
            raise InvalidInputError(f"{got}; leave out the belief, or use PartitionBelief()")
        before = self._kept.judged or Answers.none(self.n)
        self._change(self._kept.told_by_judge(before.adding(pairs, scores, judge)))

    @alone
    def ask_judge(
        self, size: int, judge: str = "judge", *, without: ArrayLike | Pairs | None = None
    ) -> Pairs:
        """Return at most ``size`` pairs that this judge should look at, those of one object side by side.

        Without features each object is compared with 60 others at random. With features these are candidates
        that are in doubt; then some other pairs at random and, where the judge calls many of these the same,
        60 others for each object here, too. None come back when nothing more is worth it, or this judge was
        dropped. ``without`` are pairs that it cannot look at; they take nothing from others. It changes
        nothing: the same pairs come again until scores are told.
        """
        whole_number("size", size, least=1)
        said = self._kept.judged or Answers.none(self.n)
        own, _ = newest_scores(said, judge)
        u, v = split_columns(() if without is None else without)
        refuse_strange_pairs(u, v, self.n)
        seen = union(self.n, own, sorted_pairs(u, v, self.n))
        pool = JudgePool(self.n, seen, self.candidates, self._kept.pins)
        rng = stream(self.seed, FOR_JUDGE, len(said))
        if self.n < 2 or self._is_dropped(judge):
            return Pairs.empty()
        if self.prior is None:
            return random_partners(pool, size, rng)
        likely = abilities_of(self._state().posterior).likely
        if likely is None:  # features were found to be worth nothing
            likely = self.prior.pairs, np.full(len(self.prior.pairs), 0.5)
        doubtful = doubtful_pairs(pool, likely, size, rng)
        if len(doubtful):
            return doubtful
        lacking = trial_size(self.n) - int((positions(self.prior.pairs, own, self.n) < 0).sum())
        if lacking <= 0 and beyond_features(said, judge, self.prior) is None:
            return doubtful
        both = replace(pool, seen=union(self.n, seen, self.prior.pairs))
        return random_partners(both, min(size, lacking) if lacking > 0 else size, rng)

    def _is_dropped(self, judge: str) -> bool:
        """Whether this judge is out for good: people's answers were predicted far better without."""
        held = self._kept.held
        return held is not None and isinstance(held.carried, JudgedReadings) and judge in held.carried.out

    def _kept_awake(self, chosen: Scores, state: State, pool: Pool) -> Scores:
        """Let some of the questions show whether judges are right, where there are some."""
        if self._kept.judged is None:
            return chosen
        return kept_awake(chosen, state, pool, stream(self.seed, AWAKE, self.round))

    @property
    def judges(self) -> tuple[str, ...]:
        """The names of the judges that have told something."""
        return () if self._kept.judged is None else judges_of(self._kept.judged)

    @property
    @alone
    def reading(self) -> str:
        """Whose word counts now, besides people's: "judge", "features", or only "people"."""
        posterior = self._state().posterior
        if isinstance(posterior, JudgedPosterior) and not posterior.judged:
            posterior = posterior.reading
        if isinstance(posterior, JudgedPosterior):
            return "judge"
        return "features" if isinstance(posterior, FeaturePosterior) and posterior.featured else "people"

    @property
    @alone
    def prior_odds(self) -> Floats | None:
        """Log odds that features alone give each candidate of the prior, whatever answers and judges say.

        None without features, and where answers are predicted so much better without that they were dropped.
        """
        return prior_odds_of(self._state().posterior, self.prior)

    @property
    @alone
    def judges_proved(self) -> bool:
        """Whether groups go by judges, and people's answers clearly show that this is right."""
        posterior = self._state().posterior
        return isinstance(posterior, JudgedPosterior) and posterior.judges_proved

    @alone
    def without_judges(self, target: float) -> WithoutJudges | None:
        """What would be expected now without judges, where groups go by them: an estimate by the model.

        The forecast is of questions to an expected index of ``target``. None where groups do not go by
        judges, or where the reading without is not kept: for some rounds, where judges lead clearly, after
        answers were taken back, or objects or pins came. It draws no samples, and changes nothing.
        """
        believed, known = self._state().posterior, self._known()
        belief = believing(self.belief, known.judged)
        if not isinstance(believed, JudgedPosterior) or not believed.judged:
            return None
        given = {"similarity": known.similarity, "candidates": known.candidates, **known.extras}
        kept = belief.without_judges(believed, known.answers, **given)
        if kept is None or not isinstance(self.solver, SampleSolver):
            return None
        then = replace(known, answers=known.answers.first(believed.carried.seen_at))
        return WithoutJudges.of(kept, then, self.solver, target=target, **self._askable())
