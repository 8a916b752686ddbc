"""What a learner says of its own clusters: how wrong they may be, and what speaks against believing it."""

from dataclasses import dataclass, replace

from numpy.typing import ArrayLike

from ofakind.answers import Answers
from ofakind.arrays import Floats
from ofakind.checks import as_objects
from ofakind.errors import (
    AccuracyWarning,
    ChainsDisagreeWarning,
    ContradictedWarning,
    DependentErrorsWarning,
    InvalidInputError,
    OneSidedAnswersWarning,
    warn,
)
from ofakind.noise.calibration import Calibration
from ofakind.noise.correlated_errors import correlation
from ofakind.noise.evidence import Evidence
from ofakind.noise.leave_one_out import LeaveOneOut
from ofakind.noise.one_sided import ONE_SIDED, never_below_zero, sides
from ofakind.pins import Pins
from ofakind.posterior.base import Abilities, AnswerModel, Samples, abilities_of, newest
from ofakind.posterior.forest.belief import FeaturePosterior
from ofakind.posterior.forest.judged import JudgedPosterior
from ofakind.posterior.forest.samples import ForestSamples
from ofakind.posterior.partition.diagnostics import diagnose
from ofakind.priors.neighbours import Neighbours
from ofakind.priors.pair_map import PairMap
from ofakind.report.accuracy import INTERVAL, Accuracy, accuracy
from ofakind.report.compared import never_compared
from ofakind.report.contradicted import uncontradicted
from ofakind.report.misplaced import misplaced


@dataclass(frozen=True, slots=True)
class WarningRules:
    """When to warn; chosen by judgement, "correlated" so that at most 1 % of independent runs are."""

    correlated: float = 3.0  # deviations of the errors' correlation from which on they are correlated
    certain: float = 0.8  # an expected index from which on clusters seem certain
    many: float = 0.4  # a share of contradicted answers that needs a warning then,
    some: float = 0.1  # and one that does if the others are predicted no better than by chance:
    gain: float = 10.0  # by fewer nats than this,
    surprise: float = 50.0  # of more than that


WARN = WarningRules()
JUDGED_TEXT = (
    "Its errors may come together, about objects that no person has looked at, so that more may be wrong "
    "than the limit says: compare some random pairs yourself"
)


def assess(posterior: object, labels: ArrayLike, answers: Answers, pins: Pins | None = None) -> Accuracy:
    """Return the accuracy of labels under a posterior's samples, with a warning if these cannot tell it.

    They cannot if there is only one, or if the chains disagree; and it is doubtful if they contradict many
    answers, or if no answer speaks for "different". If errors are correlated, nothing is said of how bad it
    may be at worst. Where pairs that are no candidates are treated as different, fewer are wrong than
    expected: nothing is said of the best case. So it is with features, by which more pairs seem wrong than
    are. With features, chains that answers contradict have no say, the worst case allows for objects that
    are `misplaced` (without features, by judges: for all that are alone), and of pairs that nothing connects
    only their number is said (`never_compared`).
    Where it is open whether a judge is right, the worst case is that of both readings.
    """
    able = abilities_of(posterior)
    samples = able.samples
    if samples is None:
        got = f"a {type(posterior).__name__} holds no samples of partitions to estimate the accuracy from"
        raise InvalidInputError(f"{got}; use belief=PartitionBelief(), as by default")
    samples = believable(samples)
    _warn_of_samples(samples)
    by_judges = isinstance(posterior, JudgedPosterior) and not posterior.featured
    result = _accuracy_under(samples, able, labels, by_judges=by_judges)
    if able.blocked:
        result = result.without_best_case()
    if (other := abilities_of(able.other)).samples is not None:
        second = _accuracy_under(believable(other.samples), other, labels, by_judges=by_judges)
        result = result.with_worst_case_of(second)
    if able.likely is not None:
        result = replace(result, never_compared=never_compared(able.likely[0], answers, pins))
    warn_of_one_side(able.answers, answers)
    warn_of_contradictions(able.fit, result.expected_ari)
    if able.judged or isinstance(samples, ForestSamples):
        result = result.with_unseen_errors(labels, judged=able.judged)
    if able.judged:
        proved = isinstance(posterior, JudgedPosterior) and posterior.judges_proved
        because = "for people's answers agree with it" if proved else "as people's answers do not decide yet"
        warn(f"what a judge says is believed, {because}. {JUDGED_TEXT}", DependentErrorsWarning)
    if warned_of_correlation(samples, answers):
        return result.without_worst_case(samples.labels.shape[1])
    return result


def believable(samples: Samples) -> Samples:
    """Return samples without those of chains that the answers contradict."""
    return uncontradicted(samples) if isinstance(samples, ForestSamples) else samples


def _accuracy_under(samples: Samples, able: Abilities, labels: ArrayLike, *, by_judges: bool) -> Accuracy:
    """Return the accuracy of labels under these samples, whose model may err more where features are used."""
    error = INTERVAL.error if able.likely is None else INTERVAL.featured
    unseen = None
    if isinstance(samples, ForestSamples):
        unseen = misplaced(samples, as_objects(labels), by_judges=by_judges)
    return accuracy(samples.labels, samples.chain, labels, error=error, unseen=unseen)


def calibration_of(posterior: object, belief: object) -> Calibration:
    """Return what a posterior takes answers to be worth; refuse one whose belief does not learn it."""
    calibration = abilities_of(posterior).answers
    if not isinstance(calibration, Calibration):
        raise InvalidInputError(
            f"{type(belief).__name__} does not learn what answers are worth; "
            "use belief=PartitionBelief(), as by default"
        )
    return calibration


def prior_map_of(posterior: object) -> PairMap:
    """Return what each feature, or judge, is worth to a posterior; refuse one without any."""
    if isinstance(posterior, JudgedPosterior):
        if posterior.forests is not None:
            return posterior.forests.pair_map
        posterior = posterior.base
    if not isinstance(posterior, FeaturePosterior):
        raise InvalidInputError("the learner has no features; give prior=Neighbours.from_records(...)")
    if posterior.forests is None:
        raise InvalidInputError(
            "the features are worth nothing: answers are predicted better without, and they were dropped"
        )
    return posterior.forests.pair_map


def features_map_of(posterior: object) -> PairMap | None:
    """Return what each feature is worth by itself, without judges; None where features are worth nothing."""
    if isinstance(posterior, JudgedPosterior):
        posterior = posterior.base
    if not isinstance(posterior, FeaturePosterior) or posterior.forests is None:
        return None
    return posterior.forests.pair_map


def prior_odds_of(posterior: object, near: Neighbours | None) -> Floats | None:
    """Return the log odds that features alone give candidates, None where these are worth nothing."""
    known = features_map_of(posterior)
    return None if near is None or known is None else known.log_odds(near.features)


def _warn_of_samples(samples: Samples) -> None:
    """Warn if the samples cannot tell how wrong a clustering is."""
    found = diagnose(samples.labels, samples.chain)
    if len(samples.labels) == 1:
        text = "one sample alone does not tell how wrong the clustering is; ask the belief for more samples"
        warn(text, AccuracyWarning)
    elif not found.converged:
        text = f"the chains do not agree ({found.between:.2f} between, {found.within:.2f} within them)"
        meaning = "the clustering may be worse than it seems"
        warn(f"{text}: {meaning}", ChainsDisagreeWarning)


def warn_of_one_side(model: AnswerModel | None, answers: Answers) -> None:
    """Warn if no answer is below 0, unless some were learned to speak for "different" all the same."""
    if not never_below_zero(answers):
        return
    if not isinstance(model, Calibration) or not sides(Evidence.of(answers), model)[1]:
        _warn_of_one_side(answers)


def warn_when_told(before: Answers, after: Answers) -> None:
    """Warn once: when a table gets so long that one answer below 0 is expected, and none has come.

    Not if all are equal and above 0: who tells matches only, as a start, knows that.
    """
    if len(before) < ONE_SIDED.expected and never_below_zero(after):
        least, most = after.values.min(), after.values.max()
        if least < most or most == 0:
            _warn_of_one_side(after)


def _warn_of_one_side(answers: Answers) -> None:
    text = (
        f"none of the {len(answers):,} answers is below 0, so that nothing parts two groups: 1 means same, "
        "-1 different, 0 undecided. If you meant 0 for different, tell 2 * answer - 1; if you told matches "
        "only, tell or ask about other pairs, too"
    )
    warn(text, OneSidedAnswersWarning)


def warn_of_contradictions(fit: LeaveOneOut | None, expected_ari: float) -> None:
    """Warn if clusters that seem certain contradict many answers, or some without predicting the others."""
    if fit is None or expected_ari < WARN.certain:
        return
    share = f"the clusters contradict {100 * fit.contradicted:.0f} % of the answers"
    text = ""
    if fit.contradicted > WARN.many:
        text = f"{share}: what some or all annotators say is read as its opposite, or as saying nothing"
    elif fit.contradicted > WARN.some and fit.gain < WARN.gain and fit.surprise > WARN.surprise:
        text = f"{share} and predict the others no better than chance: they are less certain than they seem"
    if text:
        warn(text, ContradictedWarning)


def errors_correlate(samples: Samples, answers: Answers) -> bool:
    """Whether errors are correlated, by the newest sample of each chain: O(chains answers log answers)."""
    return correlation(Evidence.of(answers), newest(samples)) > WARN.correlated


def warned_of_correlation(samples: Samples, answers: Answers) -> bool:
    """Whether errors are correlated; then with a warning."""
    correlate = errors_correlate(samples, answers)
    if correlate:
        warn(
            "errors of the answers are correlated: they are about the same objects, so that even what no "
            "answer contradicts may be wrong. How bad the clustering is at worst cannot be said; compare "
            "some pairs by other means",
            DependentErrorsWarning,
        )
    return correlate
