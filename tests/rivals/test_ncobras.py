import numpy as np
import pytest
from sklearn.datasets import make_blobs, make_classification

from ofakind.clustering import adjusted_rand_index
from ofakind.errors import InvalidInputError
from ofakind.oracles.noisy import NoisyOracle
from ofakind.rivals.base import Questions
from ofakind.rivals.cobras import COBRAS
from ofakind.rivals.ncobras import NCOBRAS, DoubtedConstraints
from ofakind.rivals.worlds import Worlds


def classes(n, k, seed=14):
    return make_classification(
        n_samples=n,
        n_features=10,
        n_informative=10,
        n_redundant=0,
        n_classes=k,
        n_clusters_per_class=1,
        class_sep=1.5,
        random_state=seed,
    )


class Wrong:
    """A perfect oracle but for some pairs; it remembers what it was asked."""

    def __init__(self, truth, wrong=()):
        self.truth, self.wrong, self.asked = np.asarray(truth), set(wrong), []

    def __call__(self, pairs):
        self.asked += [tuple(pair) for pair in pairs]
        sign = [-1 if tuple(pair) in self.wrong else 1 for pair in pairs]
        return sign * np.where(self.truth[pairs.u] == self.truth[pairs.v], 1.0, -1.0)


def run(truth, features, budget, *, gamma=0.0, seed=0, rival=None):
    oracle = NoisyOracle(truth, gamma=gamma, seed=seed)
    rival = rival or NCOBRAS(noise=max(gamma / 2, 0.05))
    return rival(len(truth), oracle, budget=budget, rng=np.random.default_rng(seed), features=features)


def mean_ari(truth, features, budget, seeds, **options):
    runs = [run(truth, features, budget, seed=seed, **options) for seed in range(seeds)]
    return np.mean([adjusted_rand_index(found.labels, truth) for found in runs])


# -- what it finds -----------------------------------------------------------------------------------------


@pytest.mark.slow
def test_with_enough_right_answers_it_finds_the_truth_and_ends_by_itself():
    for seed in range(3):
        features, truth = classes(60, 4, seed)
        found = run(truth, features, 2000, seed=seed)
        assert adjusted_rand_index(found.labels, truth) == 1
        assert found.stopped == ""
        assert found.n_answers < 1700  # of 1770 pairs


@pytest.mark.slow
def test_few_right_answers_are_worth_nearly_as_much_as_to_cobras():
    features, truth = classes(200, 5)
    ours = mean_ari(truth, features, 50, 5)
    theirs = mean_ari(truth, features, 50, 5, rival=COBRAS())
    assert theirs > 0.5
    assert ours > theirs - 0.08  # part of the budget goes into checking answers that are right


@pytest.mark.slow
def test_wrong_answers_hurt_it_less_than_cobras():
    features, truth = classes(200, 5)
    for gamma in (0.2, 0.4):
        ours = mean_ari(truth, features, 150, 3, gamma=gamma)
        assert ours > mean_ari(truth, features, 150, 3, gamma=gamma, rival=COBRAS()) + 0.05


@pytest.mark.slow
def test_wrong_answers_are_found_and_corrected():
    features, truth = make_blobs(60, centers=3, random_state=0)
    perfect = Wrong(truth)
    NCOBRAS()(60, perfect, budget=1000, rng=np.random.default_rng(0), features=features)
    for first in (0, 1, 2, 5, 8):
        oracle = Wrong(truth, [perfect.asked[first]])
        found = NCOBRAS()(60, oracle, budget=1000, rng=np.random.default_rng(0), features=features)
        assert perfect.asked[first] in oracle.asked
        assert adjusted_rand_index(found.labels, truth) == 1


# -- how it asks -------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("gamma", [0, 0.4])
def test_a_pair_is_never_asked_twice(gamma):
    features, truth = classes(80, 4)
    noisy, asked = NoisyOracle(truth, gamma=gamma), []

    def oracle(pairs):
        asked.extend(map(tuple, pairs))
        return noisy(pairs)

    NCOBRAS()(80, oracle, budget=300, rng=np.random.default_rng(0), features=features)
    assert len(set(asked)) == len(asked) > 150


@pytest.mark.slow
def test_all_answers_wrong_or_zero_still_give_a_clustering():
    features, truth = classes(40, 3)
    for value in (-1.0, 0.0, 1.0):
        found = NCOBRAS()(
            40,
            lambda pairs, value=value: np.full(len(pairs), value),
            budget=100,
            rng=np.random.default_rng(0),
            features=features,
        )
        assert len(found.labels) == 40
    upside_down = NoisyOracle(truth, gamma=0)
    NCOBRAS()(40, lambda p: -upside_down(p), budget=100, rng=np.random.default_rng(0), features=features)


@pytest.mark.parametrize("n", [0, 1, 2, 3])
@pytest.mark.parametrize("budget", [0, 1, 2, 50])
def test_few_objects_and_few_answers(n, budget):
    features = np.arange(float(n)).reshape(n, 1)
    found = run(np.arange(n), features, budget)
    assert len(found.labels) == n
    assert found.n_answers <= min(budget, n * (n - 1) // 2)
    if budget == 50:
        assert found.k == n


def test_an_answer_that_cannot_be_corroborated_does_not_hold_it_up():
    constraints = DoubtedConstraints(Questions(2, lambda pairs: -np.ones(len(pairs)), budget=1), NCOBRAS())
    assert constraints.ask(1, 0) == -1
    assert not constraints.corroborate([0, 1])
    assert constraints.known(0, 1) == -1
    assert list(constraints.items()) == [((0, 1), -1)]


@pytest.mark.slow
def test_what_matters_is_certain_in_the_end():
    features, truth = make_blobs(60, centers=3, random_state=1)
    sure = run(truth, features, 2000, gamma=0.2, rival=NCOBRAS(noise=0.1, certainty=0.99))
    hasty = run(truth, features, 2000, gamma=0.2, rival=NCOBRAS(noise=0.1, certainty=0))
    assert sure.n_answers > hasty.n_answers


# -- how it ends -------------------------------------------------------------------------------------------


def test_without_time_it_ends_at_once_with_one_cluster():
    features, truth = classes(50, 3)
    found = run(truth, features, 100, rival=NCOBRAS(time_limit=0))
    assert (found.k, found.n_answers) == (1, 0)
    assert found.stopped == "the time limit of 0 seconds is over, with 0 answers used of 100"


@pytest.mark.slow
def test_when_the_time_is_over_the_last_complete_clustering_is_kept(monkeypatch):
    features, truth = classes(100, 4)
    clock = iter(range(1000))
    monkeypatch.setattr("ofakind.rivals.ncobras.monotonic", lambda: float(next(clock)))
    cut = run(truth, features, 1000, rival=NCOBRAS(time_limit=150.0))
    whole = run(truth, features, 149, rival=NCOBRAS(time_limit=None))
    assert cut.n_answers == whole.n_answers == 149
    assert cut.stopped.startswith("the time limit of 150 seconds is over")
    assert np.array_equal(cut.labels, whole.labels)


@pytest.mark.slow
def test_many_contradictions_at_once_do_not_end_a_run():
    features, truth = classes(100, 5)
    for seed in range(2):
        found = run(truth, features, 300, gamma=0.8, seed=seed)
        assert found.n_answers == 300
        assert "budget" in found.stopped


@pytest.mark.slow
def test_two_thousand_questions_about_a_thousand_objects_are_asked_in_time():
    features, truth = classes(1000, 10)
    found = run(truth, features, 2000, gamma=0.05, rival=NCOBRAS(noise=0.05, time_limit=300.0, n_init=1))
    assert found.n_answers == 2000
    assert "budget" in found.stopped


@pytest.mark.slow
def test_the_budget_may_end_anywhere():
    features, truth = classes(60, 4)
    for budget in range(0, 60, 7):
        found = run(truth, features, budget, gamma=0.2)
        assert found.n_answers == budget


# -- options -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("noise", 0),
        ("noise", 0.5),
        ("noise", 1),
        ("noise", "0.1"),
        ("certainty", 1),
        ("certainty", -0.1),
        ("order", 0),
        ("order", 2.0),
        ("last_order", 1),
        ("time_limit", -1),
        ("time_limit", "60"),
        ("n_init", 0),
    ],
)
def test_options_are_checked(option, value):
    with pytest.raises(InvalidInputError, match=f"^{option} is"):
        NCOBRAS(**{option: value})


def test_features_are_needed():
    with pytest.raises(InvalidInputError, match="features are missing"):
        NCOBRAS()(3, Wrong([0, 1, 2]), budget=3, rng=np.random.default_rng(0))


@pytest.mark.slow
def test_equal_seeds_give_equal_runs():
    features, truth = classes(80, 4)
    first, second = (run(truth, features, 200, gamma=0.4, seed=3) for _ in range(2))
    assert np.array_equal(first.labels, second.labels)


def test_a_question_of_an_unknown_pair_is_not_known():
    assert Worlds().known(0, 1) == 0
