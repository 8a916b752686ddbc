"""Questions left to a target: the placing of every object is played through, with answers as they are worth.

Take a sample of the partition and one of its objects. All others being where the sample says, the object has
a probability for each cluster. Compare it with the cluster whose answer tells most, draw the answer, and go
on until the object is placed. Real questions are fewer, since an answer tells about both of its objects: what
share of the played ones they were, on runs with simulated noise, gives the forecast and its interval.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import ceil, floor, sqrt
from typing import NamedTuple

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike

from ofakind.answers import Answers
from ofakind.arrays import Ints
from ofakind.checks import real_number
from ofakind.errors import InvalidInputError
from ofakind.pairs import Pairs
from ofakind.posterior.base import abilities_of
from ofakind.posterior.forest.samples import ForestSamples
from ofakind.posterior.partition.samples import PartitionSamples
from ofakind.posterior.partition.size_prior import size_tables
from ofakind.report.assessment import warn_of_contradictions, warn_of_one_side, warned_of_correlation
from ofakind.report.contradicted import uncontradicted
from ofakind.solve.consensus import expected

DOUBT = " (if errors were independent, which they are not)"


@dataclass(frozen=True, slots=True)
class ForecastRules:
    """Tuned numbers of the forecast: shares, "sure" and "early" from runs with simulated noise.

    See docs/results/honesty.md ("The forecast"); the others are chosen by judgement.
    """

    sure: float = 0.998  # an object is placed when a cluster has this probability
    low: float = 0.36  # real questions were, as a share of the played ones, nearly always more than this,
    middle: float = 0.56  # half of the time more than this,
    high: float = 1.0  # and nearly always less than this; where the expected index is below
    late: float = 0.8  # this one, more, by
    rise: float = 1.2  # so much for each unit that it is below
    wobble: float = 0.35  # by this, over sqrt(n), the share of placed objects goes up and down between rounds
    early: float = 0.3  # the worth of answers is hardly known below this expected index,
    few: int = 300  # or with fewer answers than this or than objects; then there is only a lower limit,
    least: float = 0.12  # which is this share of the played questions, and at most
    of_left: float = 0.2  # this share of those that can be asked: of few objects all pairs may be enough
    samples: int = 8  # that are played
    objects: int = 5000  # in each of them at most,
    cells: int = 1_000_000  # or so many by the number of clusters,
    fewest_objects: int = 20  # but at least so many
    patience: int = 2000  # questions to one object, at most
    doubtful: float = 0.01  # a candidate is in doubt while P(same) is this far from 0 and from 1; of these,
    fewest_candidates: float = 0.1  # nearly always more than this share was asked,
    some_candidates: float = 0.4  # half of the time more than this
    few_with_features: int = 30  # answers; until then features are worth one does not know what, and
    least_at_first: float = 0.01  # a lower limit is this share of the doubtful candidates in question,
    least_with_features: float = 0.05  # and then this one (in 98 of 100 cases it was more)
    worthless: float = 0.01  # nats that an answer tells at best, below which there is nothing to play with
    table: int = 1001  # probabilities for which the information of an answer is tabulated


FORECASTS = ForecastRules()


@dataclass(frozen=True, slots=True)
class Forecast:
    """How many more questions it may take until the expected adjusted Rand index is ``target``.

    Between ``low`` and ``high`` nine times in ten or more, if errors are independent, and most likely about
    ``questions``. Where only a lower limit can be given, ``questions`` and ``high`` are None. Where nothing
    can be said, ``low`` is 0 as well: while answers say too little, and where questions are ``restricted`` to
    candidates of which none that is left is in doubt. With a prior from features (``featured``) there is a
    lower limit only: an answer may settle many pairs at once, by what it teaches of features, or none, so
    that the questions from one index to another differ by a factor of twenty between sets. ``expected_ari``
    is the index now, ``left`` the number of questions that can still be asked. If it is ``open_ended``,
    errors of the answers are correlated, and what is expected may never be so.

    >>> print(Forecast(0.95, 0.62, questions=1914, low=1128, high=3418, left=40_000))
    about 1,900 more questions (1,100 to 3,500) to an expected ARI of 0.95
    >>> print(Forecast(0.95, 0.12, questions=None, low=1128, high=None, left=40_000))
    at least 1,100 more questions to an expected ARI of 0.95
    """

    target: float
    expected_ari: float
    questions: int | None
    low: int
    high: int | None
    left: int
    restricted: bool = False
    open_ended: bool = False
    featured: bool = False

    @property
    def reached(self) -> bool:
        """Whether the target is reached already."""
        return self.expected_ari >= self.target

    @property
    def enough(self) -> bool:
        """Whether as many questions as are forecast can still be asked."""
        return (self.low if self.questions is None else self.questions) <= self.left

    def __str__(self) -> str:
        goal = f"an expected ARI of {self.target:g}"
        if self.reached:
            return f"no more questions: {goal} is reached{DOUBT * self.open_ended}"
        if self.questions is not None and self.high is not None:
            low, high = _rounded(self.low, floor), _rounded(self.high, ceil)
            text = f"about {_more(self.questions)} ({low} to {high}) to {goal}"
        elif self.low:
            text = f"at least {_more(self.low, floor)} to {goal}"
        elif self.featured:
            text = f"no forecast to {goal}: no pair that features name is in doubt"
        elif self.restricted:
            text = f"no forecast to {goal}: no candidate that is left is in doubt"
        else:
            text = f"no forecast yet to {goal}: the answers say too little"
        text += DOUBT * self.open_ended
        return text if self.enough else f"{text}, but only {self.left:,} can be asked"


def _rounded(number: int, how: Callable[[float], int] = round) -> str:
    """Write a number with two digits that count."""
    unit = 10 ** max(0, len(str(int(number))) - 2)
    return f"{unit * how(number / unit):,}"


def _more(questions: int, how: Callable[[float], int] = round) -> str:
    return f"{_rounded(questions, how)} more question{'' if questions == 1 else 's'}"


class _Played(NamedTuple):
    """Questions played for all objects, and whether every game came to an end."""

    questions: float
    ended: bool


def forecast_questions(
    posterior: object,
    labels: ArrayLike,
    target: float = 0.95,
    *,
    answers: Answers,
    left: int,
    candidates: Pairs | None = None,
    rng: Generator,
) -> Forecast:
    """Forecast the questions until the expected index of a posterior's labels is ``target``, at most 0.999.

    If the share p of the objects is placed and the others are alone, the index is about p^2. So of the
    questions that would place all objects that are not placed yet, the part (p' - p) / (1 - p) is needed,
    where p' and p are the roots of the target and of the expected index now. All this holds for questions
    that may be about any pair: where only ``candidates`` are left to ask, a share of those in doubt will be
    asked, and no more than there are. If errors of the ``answers`` are correlated, there is a lower limit
    only, as with features.

    O(answers + n), and O(clusters) for each of at most 5,000 objects in 8 samples; fewer objects when the
    clusters are many. Memory O(n + clusters).
    """
    goal = real_number("target", target, above=0, most=0.999)
    able = abilities_of(posterior)
    samples = able.samples if able.samples is not None else posterior
    if not isinstance(samples, PartitionSamples | ForestSamples):
        got = f"a {type(samples).__name__} holds no samples of partitions to make a forecast from"
        raise InvalidInputError(f"{got}; use belief=PartitionBelief(), as by default")
    if isinstance(samples, ForestSamples):
        samples = uncontradicted(samples)
    featured = isinstance(samples, ForestSamples) and samples.featured
    now = float(expected(samples.labels, labels)[0])
    warn_of_one_side(samples.calibration, answers)
    warn_of_contradictions(samples.fit, now)
    correlated = warned_of_correlation(samples, answers)
    if now >= goal:
        return Forecast(goal, now, 0, 0, 0, left, open_ended=correlated, featured=featured)
    restricted = candidates is not None
    nothing = Forecast(goal, now, None, 0, None, left, restricted, correlated, featured)
    if samples.calibration.information(0.5) < FORECASTS.worthless:
        return nothing
    if isinstance(samples, ForestSamples) and (featured or candidates is None):
        return _with_features(samples, nothing)
    if isinstance(samples, PartitionSamples) and candidates is None:
        return _of_any_pairs(samples, nothing, rng)
    return _among(Pairs.empty() if candidates is None else candidates, samples, nothing)


def _of_any_pairs(posterior: PartitionSamples, nothing: Forecast, rng: Generator) -> Forecast:
    """Forecast how many questions about any pairs it takes; ``nothing`` has what is known already."""
    goal, now, left = nothing.target, nothing.expected_ari, nothing.left
    questions, ended = _play(posterior, rng)
    placed, wobble = sqrt(max(now, 0.0)), FORECASTS.wobble / sqrt(posterior.n)
    low, middle, high = (
        questions * max(sqrt(goal) - placed + shift, 0.0) / (1 - placed) for shift in (-wobble, 0.0, wobble)
    )
    early = now < FORECASTS.early or posterior.n_answers < max(posterior.n, FORECASTS.few)
    if early or not ended or nothing.open_ended:
        return replace(nothing, low=max(1, floor(min(FORECASTS.least * low, FORECASTS.of_left * left))))
    top = FORECASTS.high + FORECASTS.rise * max(FORECASTS.late - now, 0.0)
    least, most = max(1, floor(FORECASTS.low * low)), max(1, ceil(top * high))
    return replace(nothing, questions=max(1, round(FORECASTS.middle * middle)), low=least, high=most)


def _with_features(posterior: ForestSamples, nothing: Forecast) -> Forecast:
    """Say how many questions it takes at least: a share of the candidates in doubt, by the way to the goal.

    On made-up sets and on records and faces the questions were 0.05 to 1.3 times the candidates in doubt, for
    the part (target - index) / (1 - index) of the way; with fewer than 30 answers 0.01 to 0.3 times.
    """
    same = posterior.candidate_same
    doubtful = int((np.minimum(same, 1 - same) > FORECASTS.doubtful).sum())
    if not doubtful:
        return nothing
    early = posterior.n_answers < FORECASTS.few_with_features
    share = FORECASTS.least_at_first if early else FORECASTS.least_with_features
    way = (nothing.target - nothing.expected_ari) / (1 - nothing.expected_ari)
    return replace(nothing, low=max(1, min(floor(share * doubtful * way), nothing.left)))


def _among(candidates: Pairs, posterior: PartitionSamples | ForestSamples, nothing: Forecast) -> Forecast:
    """Forecast how many of these candidates will be asked; ``nothing`` is said if none is in doubt."""
    same = posterior.same_probability(candidates.u, candidates.v)
    doubtful = int((np.minimum(same, 1 - same) > FORECASTS.doubtful).sum())
    if not doubtful:
        return nothing
    least = max(1, floor(FORECASTS.fewest_candidates * doubtful))
    if nothing.open_ended:
        return replace(nothing, low=least)
    middle = min(nothing.left, max(1, round(FORECASTS.some_candidates * doubtful)))
    return replace(nothing, questions=middle, low=least, high=nothing.left)


def _play(posterior: PartitionSamples, rng: Generator) -> _Played:
    """Play the placing of objects, each in a sample where all others are placed, and scale it up to all."""
    from ofakind.kernels.partition.attraction import attraction
    from ofakind.kernels.partition.placing import Replies, Sample, questions_to_place

    same, different = posterior.calibration.same, posterior.calibration.different
    nats = posterior.calibration.information(np.linspace(0, 1, FORECASTS.table))
    replies = Replies(np.cumsum(same), np.cumsum(different), same / different, nats)
    labels = posterior.node_labels
    nodes = labels.shape[1]
    graph, tables = posterior.graph, size_tables(nodes, posterior.exponent)
    powers = attraction(tables.powers, posterior.background)
    total, ended = 0.0, True
    count, stop = len(labels), (FORECASTS.sure, FORECASTS.patience)
    chosen = np.linspace(0, count - 1, min(FORECASTS.samples, count)).astype(np.int64)
    for row in chosen:
        sample = Sample(labels[row], float(posterior.concentration[row]), powers)
        if posterior.ties is not None:
            sample = sample._replace(ties=posterior.ties.kernel)
        objects = _some(nodes, int(sample.label.max()) + 1, rng)
        asked = questions_to_place(graph, sample, objects, replies, stop, rng)
        total += nodes * float(asked.mean())
        ended = ended and bool((asked < FORECASTS.patience).all())
    return _Played(total / len(chosen), ended)


def _some(n: int, clusters: int, rng: Generator) -> Ints:
    """All objects, or a random choice of them: fewer, the more clusters each has to look at."""
    most = max(FORECASTS.fewest_objects, min(FORECASTS.objects, FORECASTS.cells // clusters))
    return np.arange(n) if n <= most else np.sort(rng.choice(n, most, replace=False))
