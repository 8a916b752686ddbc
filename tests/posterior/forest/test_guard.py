"""The guard: which of two readings predicted the newest answers better."""

import json
from dataclasses import replace

import numpy as np
import pytest
from scipy.special import logit

from ofakind import InvalidInputError
from ofakind.engine.document import plain
from ofakind.noise.calibration import pair_weights
from ofakind.noise.evidence import Evidence
from ofakind.posterior.forest.belief import FeatureBelief
from ofakind.posterior.forest.candidate_graph import CandidateGraph
from ofakind.posterior.forest.guard import GUARD, Guarded, log_predicted
from ofakind.posterior.partition.answer_graph import AnswerGraph
from twins.featured import near_vectors, right, some_answers

TRUTH, NEAR = near_vectors(6, 4)
BELIEF = FeatureBelief(n_jobs=1)
EVERY = np.stack(np.triu_indices(24, 1), axis=1)[np.random.default_rng(0).permutation(276)]


def first_round(count=20, **options):
    answers = some_answers(TRUTH, EVERY[:count], **options)
    return BELIEF.update(answers, prior=NEAR, rng=np.random.default_rng(1))


def lead_of(guarded, count, **options):
    answers = some_answers(TRUTH, EVERY[:count], **options)
    return guarded.lead_after(AnswerGraph.of(answers), CandidateGraph.of(NEAR, None))


@pytest.mark.slow
@pytest.mark.parametrize("lead", [0.0, 10.0])
def test_the_lead_is_what_one_reading_gives_the_new_answers_more_than_the_other(lead):
    posterior, count = first_round(wrong=0.1), 38
    guarded = replace(BELIEF.carry(posterior), lead=lead)
    answers = some_answers(TRUTH, EVERY[:count], wrong=0.1)
    new = Evidence.of(answers.since(20))
    ratios = pair_weights(new, posterior.forests.calibration)
    sure = np.clip(1 / (1 + np.exp(-ratios)), GUARD.wrong, 1 - GUARD.wrong)

    def best(reading):
        """The likeliest of many shifts of all log odds, less what it costs."""
        odds = logit(reading.same_probability(new.pairs.u, new.pairs.v))
        tried = [GUARD.shift * x for x in np.linspace(-3, 3, 601)]
        same = [1 / (1 + np.exp(-odds - shift)) for shift in tried]
        logs = [np.log(p * sure + (1 - p) * (1 - sure)).sum() for p in same]
        return max(x - (shift / GUARD.shift) ** 2 / 2 for x, shift in zip(logs, tried, strict=True))

    found = lead_of(guarded, count, wrong=0.1)
    total = best(posterior.forests) - best(posterior.plain)
    assert found == pytest.approx(lead * GUARD.decay ** (18 / GUARD.batch) + total, abs=0.05)


def test_a_reading_is_judged_by_what_it_tells_apart_and_not_by_how_common_it_takes_matches_to_be():
    """Of 40 doubtful pairs two are matches: whoever takes all for different knows no more than others."""
    ratios = np.where(np.arange(40) < 2, 3.0, -3.0)
    doubtful, certain = log_predicted(np.full(40, 0.5), ratios), log_predicted(np.full(40, 0.05), ratios)
    assert abs(doubtful - certain) < 2
    knows = np.where(np.arange(40) < 2, 0.7, 0.4)
    assert log_predicted(knows, ratios) > certain


@pytest.mark.slow
def test_without_new_answers_or_with_one_reading_the_lead_stays():
    guarded = replace(BELIEF.carry(first_round()), lead=3.5)
    assert lead_of(guarded, 20) == 3.5
    assert lead_of(replace(guarded, plain=None), 30) == 3.5
    assert lead_of(replace(guarded, forests=None), 30) == 3.5
    assert lead_of(guarded.without(np.zeros(20, bool), np.array([1])), 30) == 3.5
    assert lead_of(guarded, 30) != 3.5


def test_the_other_reading_is_due_until_the_lead_is_clear_and_again_when_there_are_more_answers():
    seen = Guarded(None, None, seen_at=100)
    assert not Guarded(None, None).is_due(0, 0.0)
    assert seen.is_due(101, GUARD.clear - 0.1)
    assert not seen.is_due(101, GUARD.clear)
    assert not seen.is_due(149, GUARD.clear + 5)
    assert seen.is_due(150, GUARD.clear + 5)


@pytest.mark.slow
def test_with_a_clear_lead_the_reading_without_features_is_left_out():
    guarded = replace(BELIEF.carry(first_round()), lead=4 * GUARD.clear)
    answers = some_answers(TRUTH, EVERY[:25])
    found = BELIEF.update(answers, prior=NEAR, carried=guarded, rng=np.random.default_rng(2))
    assert found.plain is None
    assert found.reading is found.forests
    assert found.seen_at == 20


@pytest.mark.slow
def test_features_that_are_far_behind_are_dropped_for_good_but_not_before_there_are_many_answers():
    behind = replace(BELIEF.carry(first_round(60)), lead=-1e5, featured=False)
    few, many = some_answers(TRUTH, EVERY[:70]), some_answers(TRUTH, EVERY[:270])
    many = many.adding(EVERY[: GUARD.patience - 270], right(TRUTH, EVERY[: GUARD.patience - 270]))
    options = {"prior": NEAR, "rng": np.random.default_rng(2)}
    still = BELIEF.update(few, carried=behind, **options)
    assert still.forests is not None
    assert still.reading is still.plain
    gone = BELIEF.update(many, carried=behind, **options)
    assert gone.forests is None
    after = BELIEF.update(many, carried=replace(BELIEF.carry(gone), lead=1e5), **options)
    assert after.forests is None
    assert after.reading is after.plain
    kept = FeatureBelief(guard=False, n_jobs=1).update(many, carried=behind, **options)
    assert (kept.plain, kept.reading) == (None, kept.forests)


@pytest.mark.slow
def test_both_readings_are_read_as_they_were_written():
    guarded = replace(BELIEF.carry(first_round()), lead=-2.25)
    again = BELIEF.restore(json.loads(json.dumps(plain(guarded.to_entry()))), 24)
    assert (again.lead, again.seen_at) == (-2.25, 20)
    np.testing.assert_array_equal(again.forests.labels, guarded.forests.labels)
    np.testing.assert_array_equal(again.plain.labels, guarded.plain.labels)
    none = Guarded.from_entry(json.loads(json.dumps(plain(Guarded(None, None, 1.0, 3).to_entry()))), 24)
    assert (none.forests, none.plain, none.lead, none.seen_at) == (None, None, 1.0, 3)


@pytest.mark.parametrize("wrong", [{"lead": float("nan")}, {"lead": "much"}, {"seen": -1}, {"seen": 1.5}])
def test_a_damaged_guard_is_refused(wrong):
    with pytest.raises(InvalidInputError):
        Guarded.from_entry({**Guarded(None, None).to_entry(), **wrong}, 4)


def test_answers_that_are_taken_back_no_longer_count_as_seen():
    gone = np.array([True, False, True, False, True])
    assert Guarded(None, None, 2.0, 4).without(gone, np.arange(3)).seen_at == 2
