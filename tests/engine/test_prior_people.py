"""People who err, lie, differ and are misled, with features as without; real workers, too."""

import warnings

import numpy as np
import pytest

import ofakind as ok
from ofakind import datasets
from twins.featured import near_vectors, right

pytestmark = pytest.mark.slow
TRUTH, NEAR = near_vectors(8, 8, spread=0.25)
N = len(TRUTH)


def told(say, rounds=20, *, seed=0, size=15, near=NEAR, **options):
    """A learner after some rounds, in which ``say`` gives values and perhaps names for rows of pairs."""
    learner, rng = ok.ActiveClustering(near.n, prior=near, seed=seed, **options), np.random.default_rng(seed)
    for _ in range(rounds):
        pairs = learner.ask(size)
        learner.tell(pairs, *say(np.asarray(pairs), rng))
    return learner


def found(learner):
    return ok.adjusted_rand_index(learner.labels, TRUTH)


@pytest.mark.parametrize("seed", [0, 1])
def test_a_liar_among_honest_people_is_told_apart(seed):
    def say(pairs, rng):
        who = rng.choice(["Ada", "Bo", "liar"], len(pairs))
        return np.where(who == "liar", -1, 1) * right(TRUTH, pairs), who.tolist()

    learner = told(say, seed=seed)
    assert learner.posterior.reading is learner.posterior.forests
    assert found(learner) > 0.95
    rates = {name: max(learner.calibration.error_rates(name)) for name in ("Ada", "Bo", "liar")}
    assert rates["liar"] > 0.7
    assert max(rates["Ada"], rates["Bo"]) < 0.2


def test_where_one_person_answers_alone_a_name_changes_no_question():
    def say(name):
        def answers(pairs, rng):
            wrong = rng.random(len(pairs)) < 0.1
            values = np.where(wrong, -1, 1) * right(TRUTH, pairs)
            return (values,) if name is None else (values, [name] * len(pairs))

        return answers

    nobody, ada = (told(say(name), rounds=6) for name in (None, "Ada"))
    np.testing.assert_array_equal(nobody.labels, ada.labels)
    assert nobody.ask(15) == ada.ask(15)


def test_people_of_different_care_are_told_apart():
    def say(pairs, rng):
        who = rng.choice(["careful", "careless"], len(pairs))
        wrong = rng.random(len(pairs)) < np.where(who == "careful", 0.0, 0.35)
        return np.where(wrong, -1, 1) * right(TRUTH, pairs), who.tolist()

    learner = told(say)
    assert found(learner) > 0.95
    careful, careless = (np.mean(learner.calibration.error_rates(name)) for name in ("careful", "careless"))
    assert careful < 0.1 < 0.2 < careless


@pytest.mark.parametrize("missed", [True, False])
def test_errors_on_one_side_only_are_learned_to_be_that(missed):
    """Matches that are missed, or others that are taken for matches."""

    def say(pairs, rng):
        values = right(TRUTH, pairs)
        wrong = (values > 0 if missed else values < 0) & (rng.random(len(pairs)) < 0.3)
        return (np.where(wrong, -values, values),)

    learner = told(say, 25)
    assert found(learner) > 0.95
    of_same, of_different = learner.calibration.error_rates()
    often, never = (of_same, of_different) if missed else (of_different, of_same)
    assert often > 0.12
    assert never < 0.08


def test_pairs_that_mislead_everybody_do_so_twice_and_do_not_stand_against_the_others():
    hard = np.triu(np.random.default_rng(9).random((N, N)) > 0.94, 1)

    def say(pairs, rng):
        values = np.where(hard[pairs[:, 0], pairs[:, 1]], -1, 1) * right(TRUTH, pairs)
        return values, rng.choice(["Ada", "Bo", "Cy"], len(pairs)).tolist()

    learner = told(say, 25, repeats=2)
    assert learner.similarity.counts.max() == 2
    assert min(learner.calibration.misleading) > 0
    assert found(learner) > 0.95


class TwoFaces:
    """A model that takes a third of the objects for another kind in half of their pairs."""

    def __init__(self, seed):
        rng = np.random.default_rng(seed)
        self.other = np.where(rng.random(N) < 0.35, rng.permutation(TRUTH), TRUTH)
        self.coins = rng.random((2, N, N)) < 0.5

    def __call__(self, pairs, _rng=None):
        u, v = pairs.T
        first, second = (
            np.where(coin[u, v], TRUTH[each], self.other[each])
            for coin, each in zip(self.coins, (u, v), strict=True)
        )
        return (np.where(first == second, 1.0, -1.0),)


@pytest.mark.filterwarnings("ignore::ofakind.ChainsDisagreeWarning")
def test_correlated_errors_are_noticed_and_no_worst_case_is_given():
    learner = told(TwoFaces(0), 40)
    assert learner.posterior.reading is learner.posterior.forests
    with pytest.warns(ok.DependentErrorsWarning, match="errors of the answers are correlated"):
        accuracy = learner.accuracy
    assert accuracy.open_ended
    assert accuracy.wrong_pairs_interval[1] == N * (N - 1) / 2
    assert accuracy.ari_interval[0] == -1
    with pytest.warns(ok.DependentErrorsWarning):
        forecast = learner.forecast(0.999)
    assert (forecast.open_ended, forecast.featured, forecast.high or 0) == (True, True, 0)


@pytest.mark.parametrize("wrong", [0.05, 0.2])
def test_independent_errors_are_not_taken_for_correlated_ones(wrong):
    def say(pairs, rng):
        return (np.where(rng.random(len(pairs)) < wrong, -1, 1) * right(TRUTH, pairs),)

    learner = told(say, 30)
    with warnings.catch_warnings():
        warnings.simplefilter("error", ok.DependentErrorsWarning)
        assert not learner.accuracy.open_ended
        assert not learner.forecast(0.999).open_ended
    assert found(learner) > 0.9


# -- candidates and features together ----------------------------------------------------------------------


def test_the_reading_without_features_goes_by_the_candidates():
    allowed = ok.Pairs.all(N).take(slice(0, None, 5))
    learner = told(lambda pairs, _: (right(TRUTH, pairs),), 2, candidates=allowed)
    assert learner.posterior.plain.background < 0
    assert set(learner.similarity.pairs()) <= set(allowed)
    learner.ask(1)
    again = ok.ActiveClustering.from_document(learner.to_document())
    assert again.posterior.plain.background == learner.posterior.plain.background
    pair = next(iter(learner.pending))
    for each in (learner, again):
        each.tell([pair], right(TRUTH, [pair]))
    assert again.posterior.lead == learner.posterior.lead


def test_real_workers_are_asked_about_candidates_only_and_features_still_speak(data_folder):
    workers = datasets.load("crowd_restaurants")
    given = workers.answers
    names = [given.names[who] for who in given.who]
    pairs = np.stack([given.u, given.v], axis=1)
    scores = {}
    for prior in (ok.Neighbours.from_records(workers.records), None):
        oracle = ok.CrowdOracle(pairs, given.values, 0, annotators=names)
        learner = ok.ActiveClustering(
            workers.n, candidates=oracle.pairs, prior=prior, initial=0, repeats=2, batch_size=60
        )
        for _ in ok.run(learner, oracle, 150):
            pass
        assert set(learner.similarity.pairs()) <= set(oracle.pairs)
        assert len(learner.answers.names) > 5
        scores[prior is not None] = ok.adjusted_rand_index(learner.labels, workers.labels)
    assert scores[True] > 0.85
    assert scores[True] > scores[False] + 0.3
