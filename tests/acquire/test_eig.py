import numpy as np
import pytest

import ofakind as ok
from ofakind.acquire.choose import choose
from twins import mean_field as twin
from twins.instances import noisy
from twins.states import pool_of, state_of


@pytest.fixture(params=range(3))
def state(request):
    similarity = noisy(60, 500, clusters=4, rng=np.random.default_rng(request.param))
    return state_of(similarity, np.arange(60) % 4)


def test_order_of_endpoints_and_repetition_do_not_matter(state):
    field = state.posterior
    gains = ok.expected_information_gain(field, [3, 9, 3, 20], [9, 3, 9, 5])
    assert gains[0] == gains[1] == gains[2] != gains[3]


def test_a_pair_of_an_object_with_itself_or_a_stranger_is_refused(state):
    for u, v in ((3, 3), (0, 60), (-1, 2)):
        message = rf"pair 1 is \({u}, {v}\); expected two different objects below 60"
        with pytest.raises(ok.InvalidInputError, match=message):
            ok.expected_information_gain(state.posterior, [0, u], [1, v])


def test_a_gain_is_over_objects_or_pairs(state):
    with pytest.raises(ok.InvalidInputError, match="over is 'object'; expected 'objects' or 'pairs'"):
        ok.expected_information_gain(state.posterior, [0], [1], over="object")


def test_the_fast_scores_are_close_to_the_exact_gains(state):
    pairs = pool_of(state).list()
    field = state.posterior
    exact = ok.expected_information_gain(field, pairs.u, pairs.v)
    fast = ok.EIGO(tol=1e-5, max_sweeps=2000).score(state, pairs, np.random.default_rng(0)).values
    assert np.corrcoef(np.argsort(np.argsort(exact)), np.argsort(np.argsort(fast)))[0, 1] > 0.99


@pytest.mark.slow
def test_the_gain_over_pairs_differs_from_the_gain_over_objects(state):
    field, pairs = state.posterior, pool_of(state).list().take(slice(20))
    S = twin.dense(state.similarity)
    by_pairs = ok.expected_information_gain(field, pairs.u, pairs.v, over="pairs")
    by_objects = ok.expected_information_gain(field, pairs.u, pairs.v)
    assert not np.allclose(by_pairs, by_objects)
    expected = [
        twin.expected_information_gain(
            S, field.q, field.costs, field.beta, u, v, field=twin.asynchronous, over_pairs=True
        )
        for u, v in pairs
    ]
    np.testing.assert_allclose(by_pairs, expected, atol=2e-3)


def test_only_the_most_uncertain_pairs_are_chosen(state):
    pool = pool_of(state)
    chosen = choose(ok.EIGO(candidates_per_object=1.0), state, pool, 30, np.random.default_rng(0)).pairs
    pairs = pool.list()
    entropy = np.sort(state.posterior.pair_entropy(pairs.u, pairs.v))[::-1]
    assert state.posterior.pair_entropy(chosen.u, chosen.v).min() >= entropy[59] - 1e-12


def test_a_batch_beyond_the_candidates_goes_on_by_entropy(state):
    pool = pool_of(state)
    scores = choose(ok.EIGO(candidates_per_object=0.5), state, pool, 80, np.random.default_rng(0))
    pairs = pool.list()
    entropy = np.sort(state.posterior.pair_entropy(pairs.u, pairs.v))[::-1]
    chosen = state.posterior.pair_entropy(scores.pairs.u, scores.pairs.v)
    np.testing.assert_allclose(np.sort(chosen)[::-1], entropy[:80])
    assert np.all(scores.values[30:] == 0)


def test_without_noise_the_best_candidates_are_taken(state):
    scores = choose(ok.EIGO(noise=0.0), state, pool_of(state), 10, np.random.default_rng(0))
    every = ok.EIGO().score(state, pool_of(state).list(), np.random.default_rng(0)).values
    np.testing.assert_allclose(scores.values, np.sort(every)[::-1][:10], atol=1e-3)


def test_too_many_pairs_to_list_are_drawn_by_entropy(state):
    scores = choose(ok.EIGO(), state, pool_of(state, list_limit=0), 40, np.random.default_rng(0))
    assert len(scores.pairs) == 40
    assert np.all(pool_of(state).is_open(scores.pairs.u, scores.pairs.v))


class Coin:
    """A posterior that is not a mean field."""

    def same_probability(self, u, v):
        return np.full(len(u), 0.5)

    def pair_entropy(self, u, v):
        return np.full(len(u), np.log(2))


@pytest.mark.parametrize("acquisition", [ok.EIGO(), ok.JEIG()], ids=["EIGO", "JEIG"])
def test_a_posterior_without_mean_fields_is_refused_with_a_remedy(acquisition, state):
    other = ok.State(state.similarity, state.clustering, Coin)
    with pytest.raises(ok.InvalidInputError, match=r"cannot use a Coin; choose belief=MeanFieldBelief"):
        acquisition.score(other, pool_of(state).list(), np.random.default_rng(0))


@pytest.mark.parametrize(
    "options",
    [
        {"candidates_per_object": 0},
        {"noise": -1},
        {"noise": np.inf},
        {"over": "all"},
        {"tol": 0},
        {"max_sweeps": 0},
    ],
    ids=lambda options: next(iter(options)),
)
def test_impossible_options_are_refused(options):
    with pytest.raises(ok.InvalidInputError, match=next(iter(options))):
        ok.EIGO(**options)
