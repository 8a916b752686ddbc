"""What a learner says of its own clusters, and which side of its intervals it offers."""

import warnings

import numpy as np
import pytest

import ofakind as ok
from ofakind.noise.calibration import learn
from ofakind.noise.evidence import Evidence
from ofakind.report.accuracy import Accuracy
from ofakind.report.assessment import assess, warn_of_one_side

FOUND = Accuracy(0.9, 20.0, (5.0, 40.0), 0.8, (0.6, 0.95), 3.0, (2.0, 4.0))


def test_without_its_worst_case_an_accuracy_keeps_the_better_side():
    found = FOUND.without_worst_case(10)
    assert (found.wrong_pairs_interval, found.ari_interval, found.open_ended) == ((5, 45), (-1, 0.95), True)
    assert (found.expected_wrong_pairs, found.clusters_interval) == (20, (2, 4))


def test_without_its_best_case_an_accuracy_keeps_the_worse_side():
    found = FOUND.without_best_case()
    assert (found.wrong_pairs_interval, found.ari_interval, found.open_ended) == ((0, 40), (0.6, 1), False)


@pytest.mark.slow
@pytest.mark.parametrize("blocked", [False, True])
def test_where_pairs_are_blocked_only_the_upper_side_is_offered(blocked):
    truth = np.arange(60) // 3
    near = [(u, v) for v in range(60) for u in range(max(0, v - 6), v)]
    learner = ok.ActiveClustering(60, belief=ok.PartitionBelief(blocked=blocked), candidates=near)
    for _ in ok.run(learner, ok.FlippingOracle(truth, 0.2, 0), 120):
        pass
    plain = ok.accuracy(learner.posterior.labels, learner.posterior.chain, learner.labels)
    found = assess(learner.posterior, learner.labels, learner.answers)
    assert plain.wrong_pairs_interval[0] > 0
    assert plain.ari_interval[1] < 1
    assert found == (plain.without_best_case() if blocked else plain)


def test_what_holds_no_samples_is_refused():
    with pytest.raises(ok.InvalidInputError, match="a str holds no samples of partitions"):
        assess("samples", [0], ok.Answers.none(1))


# -- answers on one side of 0 ------------------------------------------------------------------------------

TRUTH = np.arange(20) % 3
ONE_SIDE = "none of the 60 answers is below 0, .* tell 2 \\* answer - 1; if you told matches only"


def told(high, low, many=60):
    """A learner and, not yet told to it, answers of two values to random pairs."""
    learner = ok.ActiveClustering(20)
    pairs = learner.ask(many)
    return learner, pairs, np.where(TRUTH[pairs.u] == TRUTH[pairs.v], high, low)


@pytest.mark.parametrize(("high", "low"), [(1, 0), (0.8, 0.3), (0.0, 0.0)])
def test_answers_that_never_speak_for_different_are_warned_of_when_told_and_when_looked_at(high, low):
    learner, pairs, values = told(high, low)
    with pytest.warns(ok.OneSidedAnswersWarning, match=ONE_SIDE) as caught:
        learner.tell(pairs, values)
    assert [warning.filename for warning in caught] == [__file__]
    for look in (lambda: learner.accuracy, learner.forecast):
        with pytest.warns(ok.OneSidedAnswersWarning, match=ONE_SIDE) as caught:
            look()
        assert __file__ in [warning.filename for warning in caught]


def test_a_learner_warns_once_while_it_is_told():
    learner, pairs, values = told(1, 0)
    learner.tell(pairs[:29], values[:29])
    with pytest.warns(ok.OneSidedAnswersWarning, match="none of the 30 answers"):
        learner.tell(pairs[29:30], values[29:30])
    for row in range(30, 60):
        learner.tell(pairs[row : row + 1], values[row : row + 1])


def test_matches_and_nothing_else_are_warned_of_only_when_clusters_are_judged():
    learner, pairs, _ = told(1, 1)
    learner.tell(pairs, np.ones(60))
    with pytest.warns(ok.OneSidedAnswersWarning, match=ONE_SIDE):
        _ = learner.accuracy


@pytest.mark.parametrize(("high", "low"), [(1, -1), (0.9, -0.01), (-1, -1)])
def test_answers_below_0_are_nothing_to_warn_of(high, low):
    learner, pairs, values = told(high, low)
    learner.tell(pairs, values)
    with warnings.catch_warnings():
        warnings.simplefilter("error", ok.OneSidedAnswersWarning)
        warnings.simplefilter("ignore", ok.ChainsDisagreeWarning)
        warnings.simplefilter("ignore", ok.ContradictedWarning)
        _, _ = learner.accuracy, learner.forecast()


def test_what_was_learned_to_speak_for_different_is_not_warned_of():
    _, pairs, values = told(1, 0)
    answers = ok.Answers.none(20).adding(pairs, values)
    evidence = Evidence.of(answers)
    learned = learn(evidence, evidence.value)
    warn_of_one_side(learned, answers)
    for unlearned in (learn(evidence), None):
        with pytest.warns(ok.OneSidedAnswersWarning):
            warn_of_one_side(unlearned, answers)


def test_a_warning_points_to_the_line_of_the_caller_however_deep_it_arises():
    learner = ok.ActiveClustering(8, belief=ok.PartitionBelief(chains=1, samples=1, burn_in=0))
    similarity = ok.Similarity.from_pairs(9, [0, 1, 2], [1, 2, 0], [1.0, -0.5, 1.0])
    field = ok.MeanFieldBelief(max_sweeps=1, tol=1e-12)
    for look in (
        lambda: learner.accuracy,
        lambda: ok.mean_field(similarity, np.arange(9), max_sweeps=1, tol=1e-12),
        lambda: field(similarity, ok.Clustering.of(similarity, np.arange(9)), rng=np.random.default_rng(0)),
    ):
        with pytest.warns((ok.AccuracyWarning, ok.NotConvergedWarning)) as caught:
            look()
        assert {warning.filename for warning in caught} == {__file__}
