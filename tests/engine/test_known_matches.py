"""Known matches told up front: they join their objects, and say nothing of strangers."""

import copy
import pickle

import numpy as np
import pytest

import ofakind as ok
from twins.replays import reloaded

COUPLES = np.arange(98).reshape(49, 2)


def told(couples, n=100, **options):
    """A learner that was told these matches before it asked anything."""
    learner = ok.ActiveClustering(n, **options)
    learner.tell(couples, np.ones(len(couples)))
    return learner


def strangers(posterior, count=49):
    """Mean P(same) of objects of different couples, which stand side by side."""
    u, v = np.triu_indices(count, 1)
    return float(posterior.same_probability(2 * u, 2 * v + 1).mean())


def prior_mean(n, seed=0):
    """Mean P(same) where nothing is known."""
    posterior = ok.ActiveClustering(n, initial=0, seed=seed).posterior
    return float(posterior.same_probability(*np.triu_indices(n, 1)).mean())


@pytest.mark.slow
@pytest.mark.parametrize("count", [49, 10])
def test_strangers_stay_near_their_prior_and_told_couples_are_believed(count):
    learner = told(COUPLES[:count])
    posterior = learner.posterior
    assert posterior.same_probability(*COUPLES[:count].T).min() > 0.9
    found = [strangers(told(COUPLES[:count], seed=seed).posterior, count) for seed in range(4)]
    expected = [prior_mean(100 - count, seed) for seed in range(4)]
    assert np.mean(found) == pytest.approx(np.mean(expected), abs=0.15)
    with pytest.warns(ok.errors.OneSidedAnswersWarning) if count > 29 else nothing():
        accuracy = learner.accuracy
    assert accuracy.expected_ari < 0.3
    low, high = accuracy.ari_interval
    assert high - low > 0.7
    assert (learner.labels[COUPLES[:count, 0]] == learner.labels[COUPLES[:count, 1]]).mean() > 0.9


@pytest.mark.slow
def test_strangers_of_400_couples_among_1000_objects_are_near_their_prior_at_the_first_look():
    found = []
    for seed in range(3):
        learner = told(np.arange(800).reshape(400, 2), n=1000, seed=seed)
        posterior = learner.posterior
        found.append(strangers(posterior, 400))
        assert posterior.same_probability(*np.arange(800).reshape(400, 2).T).mean() > 0.9
        with pytest.warns(ok.errors.OneSidedAnswersWarning):
            assert learner.accuracy.expected_ari < 0.3
    assert 0.2 < np.mean(found) < 0.6  # of 600 objects, chains that have mixed say 0.4 to 0.6


@pytest.mark.slow
def test_told_non_matches_carry_a_base_rate_that_asked_answers_correct():
    truth, (u, v) = np.arange(100) // 20, np.triu_indices(100, 1)
    rows = np.random.default_rng(0).choice(np.flatnonzero(truth[u] != truth[v]), 300, replace=False)
    learner = ok.ActiveClustering(100)
    learner.tell(np.stack([u[rows], v[rows]], axis=1), -np.ones(300))
    others = np.setdiff1d(np.arange(len(u)), rows)
    share = (truth[u] == truth[v])[others].mean()
    assert learner.posterior.same_probability(u[others], v[others]).mean() < 0.5 * share
    for _ in range(7):
        learner.tell(pairs := learner.ask(60), np.where(truth[pairs.u] == truth[pairs.v], 1.0, -1.0))
    assert learner.posterior.same_probability(u[others], v[others]).mean() == pytest.approx(share, abs=0.03)
    assert ok.adjusted_rand_index(learner.labels, truth) > 0.95


@pytest.mark.slow
def test_what_an_answer_is_worth_is_not_learned_from_told_matches():
    learner, usual = told(COUPLES), ok.ActiveClustering(100, initial=0)
    expected = usual.calibration.log_ratio([-1, 1])
    np.testing.assert_allclose(learner.calibration.log_ratio([-1, 1]), expected, atol=1e-9)
    learner.tell([(0, 2), (4, 6)], [-1, -1])
    np.testing.assert_allclose(learner.calibration.log_ratio([-1, 1]), expected, atol=1e-9)


def test_a_late_answer_counts_as_asked_and_so_does_one_that_is_told_again():
    learner = ok.ActiveClustering(6, initial=3, seed=1)
    pairs = list(learner.ask())
    other = next((0, v) for v in range(1, 6) if (0, v) not in pairs)
    learner.tell([pairs[0], other, pairs[1][::-1]], [1, 1, -1])
    learner.tell([pairs[0]], [1], "Ada")
    learner.release([pairs[2]])
    learner.tell([pairs[2]], [1])
    assert learner.answers.asked.tolist() == [True, False, True, True, True]
    learner.retract([other, pairs[1]])
    learner.tell([other, pairs[1]], [1, 1])
    assert learner.answers.asked.tolist() == [True, True, True, False, True]
    learner.extend(3)
    learner.tell([(7, 8), pairs[0]], [1, 1])
    assert learner.answers.asked.tolist()[-2:] == [False, True]


def test_what_was_released_or_dropped_by_a_pin_is_known_as_asked_after_saving():
    learner = ok.ActiveClustering(6, initial=4, seed=1)
    released, taken_back, pinned, still_out = learner.ask()
    learner.release([released])
    learner.tell([taken_back], [1])
    learner.retract([taken_back])
    learner.pin([pinned], same=True)
    learner.unpin([pinned])
    document = learner.to_document()
    assert document["pending"] == {"u": [still_out[0]], "v": [still_out[1]]}
    learner.tell([released, taken_back, pinned, still_out], [1, 1, 1, 1])
    again = ok.ActiveClustering.from_document(document)
    again.tell([released, taken_back, pinned, still_out], [1, 1, 1, 1])
    assert again.answers.asked.tolist() == learner.answers.asked.tolist() == [True] * 4
    assert again.to_document() == learner.to_document()


def test_a_document_that_says_nothing_of_released_pairs_still_loads():
    learner = ok.ActiveClustering(6, initial=2, seed=1)
    released, still_out = learner.ask()
    learner.release([released])
    document = {**learner.to_document(), "checksum": None}
    assert document.pop("released") == {"u": [released[0]], "v": [released[1]]}
    older = ok.ActiveClustering.from_document(document)
    older.tell([released, still_out], [1, 1])
    assert older.answers.asked.tolist() == [False, True]
    wrong = {**document, "released": {"u": [0], "v": [9]}}
    with pytest.raises(ok.errors.InvalidInputError, match='its "released"'):
        ok.ActiveClustering.from_document(wrong)


def test_late_answers_say_as_much_as_answers_in_time():
    late, in_time = (ok.ActiveClustering(12, initial=20, seed=3) for _ in range(2))
    pairs = in_time.ask()
    assert list(late.ask()) == list(pairs)
    late.release()
    for learner in (late, in_time):
        learner.tell(pairs, np.ones(20))
    assert late.posterior.ties is None
    assert everything(late) == everything(in_time)


def everything(learner):
    posterior = learner.posterior
    return learner.labels.tolist(), posterior.labels.tolist(), posterior.concentration.tolist()


def test_what_was_told_is_saved_copied_and_pickled():
    learner = told(COUPLES[:5], n=12)
    learner.tell(pairs := learner.ask(6), [1 if u % 3 == v % 3 else -1 for u, v in pairs])
    learner.ask(2)
    for again in (
        reloaded(learner),
        copy.deepcopy(learner),
        pickle.loads(pickle.dumps(learner)),  # noqa: S301
    ):
        assert again.answers.asked.tolist() == [False] * 5 + [True] * 6
        assert again.to_document() == learner.to_document()
        assert everything(again) == everything(learner)
    assert learner.posterior.ties.units == 7


def test_a_document_without_a_word_on_asking_says_that_all_was_asked():
    learner = told(COUPLES[:5], n=12)
    document = learner.to_document()
    del document["answers"]["asked"]
    older = ok.ActiveClustering.from_document({**document, "checksum": None})
    assert older.answers.asked.all()
    assert "asked" not in older.to_document()["answers"]
    assert older.posterior.ties is None
    wrong = {**document["answers"], "asked": [True, False]}
    with pytest.raises(ok.errors.InvalidInputError, match=r"asked has shape \(2,\) .* expected"):
        ok.ActiveClustering.from_document({**document, "answers": wrong, "checksum": None})


def test_a_match_that_is_taken_back_ties_nothing_and_new_objects_are_units_of_their_own():
    learner = told(COUPLES[:3], n=8)
    assert learner.posterior.ties.units == 5
    learner.retract([(0, 1), (2, 3)])
    assert learner.posterior.ties.units == 7
    learner.extend(4)
    assert learner.posterior.ties.units == 11
    learner.pin([(4, 5)], same=True)
    assert learner.posterior.ties is None
    learner.unpin([(4, 5)])
    assert learner.posterior.ties.units == 11
    learner.retract([(4, 5)])
    assert learner.posterior.ties is None


def test_with_candidates_told_matches_join_and_strangers_do_not():
    pairs = [(u, v) for u in range(20) for v in range(u + 1, min(u + 4, 20))]
    learner = ok.ActiveClustering(20, candidates=pairs)
    learner.tell(COUPLES[:10], np.ones(10))
    posterior = learner.posterior
    assert posterior.same_probability(*COUPLES[:10].T).min() > 0.7
    far = posterior.same_probability(np.arange(10), np.arange(10) + 10)
    assert far.max() < 0.5
    assert learner.forecast().restricted


@pytest.mark.slow
def test_a_forecast_is_made_where_matches_were_told():
    learner = told(COUPLES[:15], n=30)
    truth = np.arange(30) // 6
    for _ in range(6):
        learner.tell(pairs := learner.ask(20), np.where(truth[pairs.u] == truth[pairs.v], 1.0, -1.0))
    assert str(learner.forecast())
    assert ok.adjusted_rand_index(learner.labels, truth) > 0.95


def nothing():
    from contextlib import nullcontext

    return nullcontext()
