import math
from dataclasses import replace

import numpy as np
import pytest

import ofakind as ok
from ofakind.errors import InvalidInputError
from ofakind.noise.calibration import Calibration
from ofakind.report import forecast as module
from ofakind.report.forecast import DOUBT, FORECASTS, Forecast, forecast_questions
from ofakind.solve.consensus import expected


def after(answers, *, n=120, k=4, share=0.1, seed=0):
    """A learner with so many answers, a share of them wrong."""
    learner = ok.ActiveClustering(n, seed=seed)
    for _ in ok.run(learner, ok.FlippingOracle(np.arange(n) % k, share, seed), budget=answers):
        pass
    return learner


@pytest.fixture(scope="module")
def learner():
    """A learner on its way: it knows a good deal, and much is left to ask."""
    learner = ok.ActiveClustering(120, seed=0)
    for step in ok.run(learner, ok.FlippingOracle(np.arange(120) % 6, 0.15, 0), budget=3000):
        if step.n_answers > FORECASTS.few and ari_now(learner) > 0.4:
            break
    return learner


def ari_now(learner):
    return float(expected(learner.posterior.labels, learner.labels)[0])


def seen(learner, target=0.95, *, seed=0):
    rng = np.random.default_rng(seed)
    posterior, labels = learner.posterior, learner.labels
    return forecast_questions(posterior, labels, target, answers=learner.answers, left=10_000, rng=rng)


# -- what is said ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("forecast", "text"),
    [
        (
            Forecast(0.95, 0.5, questions=1914, low=1199, high=2601, left=9999),
            "about 1,900 more questions (1,100 to 2,700) to an expected ARI of 0.95",
        ),
        (
            Forecast(0.9, 0.5, questions=7, low=3, high=12, left=9999),
            "about 7 more questions (3 to 12) to an expected ARI of 0.9",
        ),
        (
            Forecast(0.95, 0.97, questions=0, low=0, high=0, left=9999, open_ended=True),
            (
                "no more questions: an expected ARI of 0.95 is reached"
                " (if errors were independent, which they are not)"
            ),
        ),
        (
            Forecast(0.9, 0.5, questions=None, low=1199, high=None, left=9, open_ended=True),
            "at least 1,100 more questions to an expected ARI of 0.9" + DOUBT + ", but only 9 can be asked",
        ),
        (
            Forecast(0.95, 0.1, questions=None, low=1199, high=None, left=9999),
            "at least 1,100 more questions to an expected ARI of 0.95",
        ),
        (
            Forecast(0.95, 0.1, questions=None, low=0, high=None, left=9999),
            "no forecast yet to an expected ARI of 0.95: the answers say too little",
        ),
        (
            Forecast(0.95, 0.5, questions=300, low=200, high=400, left=250),
            "about 300 more questions (200 to 400) to an expected ARI of 0.95, but only 250 can be asked",
        ),
        (
            Forecast(0.95, 0.1, questions=None, low=0, high=None, left=9, restricted=True),
            "no forecast to an expected ARI of 0.95: no candidate that is left is in doubt",
        ),
        (
            Forecast(0.95, 0.94, questions=None, low=1, high=None, left=9999),
            "at least 1 more question to an expected ARI of 0.95",
        ),
        (
            Forecast(0.95, 0.94, questions=1, low=1, high=2, left=9999),
            "about 1 more question (1 to 2) to an expected ARI of 0.95",
        ),
        (
            Forecast(0.95, 0.951, questions=0, low=0, high=0, left=5),
            "no more questions: an expected ARI of 0.95 is reached",
        ),
    ],
)
def test_a_forecast_is_said_in_a_sentence(forecast, text):
    assert str(forecast) == text


def test_limits_are_rounded_outwards_and_never_away():
    for number in (1, 9, 10, 99, 101, 1999, 123_456):
        low, high = (int(module._rounded(number, how).replace(",", "")) for how in (math.floor, math.ceil))
        assert low <= number <= high <= 1.1 * number


# -- what is forecast --------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_forecast_has_a_lower_and_an_upper_limit(learner):
    found = seen(learner)
    assert 0 < found.low < found.questions < found.high
    assert found.expected_ari == pytest.approx(learner.accuracy.expected_ari)
    assert found.enough
    assert not replace(found, left=found.questions - 1).enough


@pytest.mark.slow
def test_a_higher_target_takes_more_questions(learner):
    found = [seen(learner, target).questions for target in (0.8, 0.9, 0.95, 0.99)]
    assert found == sorted(found)
    assert found[0] < found[-1]


def test_a_target_that_is_reached_takes_no_more_questions(learner):
    found = seen(learner, 0.01)
    assert found.reached
    assert (found.questions, found.low, found.high) == (0, 0, 0)


def test_answers_that_are_worth_less_take_more_questions(learner):
    posterior = learner.posterior
    found = [
        module._play(replace(posterior, calibration=Calibration.fixed(slope)), np.random.default_rng(0))
        for slope in (6.0, 3.0, 1.0)
    ]
    assert found[0].questions < found[1].questions < found[2].questions


@pytest.mark.slow
def test_fewer_samples_and_objects_give_about_the_same(learner, monkeypatch):
    whole = np.mean([seen(learner, seed=seed).questions for seed in range(20)])
    monkeypatch.setattr(module, "FORECASTS", replace(FORECASTS, objects=30))
    part = np.mean([seen(learner, seed=seed).questions for seed in range(60)])
    assert part == pytest.approx(whole, rel=0.15)


def test_with_many_clusters_only_some_objects_are_played():
    rng = np.random.default_rng(0)
    assert module._some(100, 5, rng).tolist() == list(range(100))
    assert len(module._some(100_000, 5, rng)) == FORECASTS.objects
    few = module._some(100_000, 50_000, rng)
    assert len(np.unique(few)) == 20
    assert few.max() < 100_000


# -- where little can be said ------------------------------------------------------------------------------


@pytest.mark.slow
def test_while_little_is_known_there_is_only_a_lower_limit():
    found = seen(after(310, n=150, k=15))
    assert found.expected_ari < FORECASTS.early
    assert (found.questions, found.high) == (None, None)
    assert found.low > 0


def test_with_fewer_answers_than_objects_there_is_only_a_lower_limit():
    learner = ok.ActiveClustering(12)
    learner.tell([(0, i) for i in range(1, 12)], [1] * 11)
    assert seen(learner, 0.999).high is None


def test_with_few_answers_there_is_only_a_lower_limit(learner, monkeypatch):
    assert seen(learner).high is not None
    monkeypatch.setattr(module, "FORECASTS", replace(FORECASTS, few=learner.n_answers + 1))
    assert seen(learner).high is None


def test_just_below_the_target_one_question_is_left_at_least(learner):
    found = seen(learner, ari_now(learner) + 1e-9)
    assert 1 == found.low <= found.questions <= found.high


@pytest.mark.slow
def test_just_below_the_target_a_small_problem_has_a_lower_limit_too():
    learner = after(40, n=12, k=3, seed=1)
    now = ari_now(learner)
    assert 0.5 < now < 0.99
    found = learner.forecast(now + 1e-9)
    assert (found.low, found.high) == (1, None)


def with_candidates(budget):
    """A learner that may ask about neighbours in a row of 60, whose groups are three in a row."""
    learner = ok.ActiveClustering(60, candidates=[(u, u + 1) for u in range(59)], seed=0)
    for _ in ok.run(learner, ok.FlippingOracle(np.arange(60) // 3, 0.1, 0), budget=budget):
        pass
    return learner


def test_where_only_candidates_are_asked_a_share_of_the_doubtful_ones_is_forecast():
    learner = with_candidates(30)
    found = learner.forecast()
    assert found.restricted
    assert 1 <= found.low <= found.questions <= found.high == found.left == 29
    assert found.expected_ari == pytest.approx(ari_now(learner))
    assert learner.forecast(found.expected_ari).reached


def test_where_no_candidate_is_left_nothing_is_forecast():
    found = with_candidates(59).forecast(0.999)
    assert (found.questions, found.low, found.high, found.left) == (None, 0, None, 0)
    assert "no candidate that is left" in str(found)


def test_of_few_objects_no_more_is_called_the_least_than_a_part_of_what_is_left(learner):
    rng = np.random.default_rng(0)
    given = {"answers": learner.answers.first(10), "rng": rng}
    posterior = replace(learner.posterior, n_answers=10)
    assert forecast_questions(posterior, learner.labels, left=10**6, **given).low > 20
    assert forecast_questions(posterior, learner.labels, left=100, **given).low == 20


def test_games_without_an_end_leave_only_a_lower_limit(learner, monkeypatch):
    monkeypatch.setattr(module, "FORECASTS", replace(FORECASTS, patience=1))
    found = seen(learner)
    assert found.expected_ari > FORECASTS.early
    assert (found.questions, found.high) == (None, None)


def test_answers_that_tell_nothing_allow_no_forecast():
    learner = ok.ActiveClustering(20)
    pairs = learner.ask(100)
    learner.tell(pairs, np.where(np.arange(len(pairs)) == 7, -0.01, 0.0))
    found = seen(learner)
    assert (found.questions, found.low, found.high) == (None, 0, None)


@pytest.mark.parametrize("n", [0, 1])
def test_without_pairs_everything_is_known(n):
    assert seen(ok.ActiveClustering(n)).reached


@pytest.mark.parametrize("answer", [-1, 0, 1])
@pytest.mark.parametrize("n", [2, 3, 8])
def test_all_answers_alike_are_fine(n, answer):
    learner = ok.ActiveClustering(n)
    assert str(learner.forecast())
    pairs = learner.ask()
    learner.tell(pairs, [answer] * len(pairs))
    found = learner.forecast()
    assert found.low >= 0
    assert found.left == n * (n - 1) // 2 - len(pairs)


@pytest.mark.parametrize("target", [0, -0.1, 1, 1.5, np.nan, "0.9", None])
def test_a_target_that_cannot_be_is_refused(learner, target):
    with pytest.raises(InvalidInputError, match="target"):
        seen(learner, target)


def test_a_posterior_without_samples_is_refused_with_words():
    learner = ok.ActiveClustering(9, acquisition=ok.JEIG())
    learner.tell([(0, 1)], [1.0])
    with pytest.raises(InvalidInputError, match=r"MeanField holds no samples.*belief=PartitionBelief\(\)"):
        learner.forecast()


# -- whether it comes true ---------------------------------------------------------------------------------


def forecasts_and_ends(seed, target=0.95):
    """All forecasts of a run that have an upper limit, and how many questions were really left."""
    n = 150
    learner, truth, found = ok.ActiveClustering(n, seed=seed), np.arange(n) % 5, []
    for _ in ok.run(learner, ok.FlippingOracle(truth, 0.1, seed), budget=4000):
        found.append((learner.n_answers, learner.forecast(target)))
        if found[-1][1].reached:
            break
    end = learner.n_answers
    return [(forecast, end - answers) for answers, forecast in found if forecast.high]


@pytest.mark.slow
def test_most_forecasts_come_true_and_are_about_right():
    rows = [row for seed in range(3) for row in forecasts_and_ends(seed)]
    held = [forecast.low <= left <= forecast.high for forecast, left in rows]
    ratio = [forecast.questions / left for forecast, left in rows]
    assert len(rows) > 6
    assert np.mean(held) > 0.7
    assert 0.6 < np.median(ratio) < 1.7
