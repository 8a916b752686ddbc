"""Entropy batches have the same distribution whether the pairs are listed or drawn."""

import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chisquare

from ofakind.acquire.base import State
from ofakind.acquire.choose import choose
from ofakind.acquire.entropy import Entropy, draw_by_entropy, list_by_entropy
from ofakind.acquire.pool import Pool
from ofakind.clustering import Clustering
from ofakind.errors import InvalidInputError
from ofakind.pairs import Pairs
from ofakind.similarity import Similarity
from twins.selection import (
    POSTERIORS,
    BarePosterior,
    FullPosterior,
    LabelPosterior,
    dense_entropy,
    draw_probabilities,
    random_q,
)


def make_state(posterior, similarity):
    clustering = Clustering.of(similarity, np.zeros(similarity.n, np.int64))
    return State(similarity, clustering, believe=lambda: posterior)


def make_case(kind, n=6, k=3, seed=0, **options):
    """A posterior and a pool with asked, pending and excluded pairs."""
    similarity = Similarity.from_pairs(n, [0, 2, 1], [1, 3, 4], [1.0, 0.0, -1.0])
    posterior = kind(random_q(n, k, np.random.default_rng(seed), confident=0.4))
    return posterior, Pool(similarity, Pairs.of([4], [5]), **options)


def check_draws(sequences, pool, posterior, noise):
    """Compare many batches with the exact law: the first draw (chi-square) and each pair's inclusion."""
    pairs = pool.list()
    values = posterior.pair_entropy(pairs.u, pairs.v)
    size = sequences.shape[1]
    exact = draw_probabilities(values, size, noise)
    first, included = np.zeros(len(pairs)), np.zeros(len(pairs))
    for draw, probability in exact.items():
        first[draw[0]] += probability
        included[list(draw)] += probability
    rare = len(sequences) * first < 5  # too few to expect for a chi-square: counted together
    seen = np.bincount(sequences[:, 0], minlength=len(pairs))
    cells = [np.r_[counts[~rare], counts[rare].sum()] for counts in (seen, len(sequences) * first)]
    kept = cells[1] > 0
    assert chisquare(cells[0][kept], cells[1][kept]).pvalue > 1e-4
    z = np.bincount(sequences.ravel(), minlength=len(pairs)) - len(sequences) * included
    z /= np.sqrt(len(sequences) * included * (1 - included))
    assert np.abs(z).max() < 4.8  # eleven normal variables exceed this once in 50,000 times


@pytest.mark.slow
@pytest.mark.parametrize("kind", POSTERIORS)
@pytest.mark.parametrize("noise", [0.5, 1.0, 3.0])
@pytest.mark.parametrize("make", [list_by_entropy, draw_by_entropy])
def test_listing_and_drawing_follow_the_same_law(make, noise, kind):
    posterior, pool = make_case(kind)
    rng = np.random.default_rng(1)
    ranks = pool.ranks()
    batches = [make(posterior, pool, 3, noise, rng).pairs.ranks(6) for _ in range(1000)]
    check_draws(np.searchsorted(ranks, np.array(batches)), pool, posterior, noise)


@given(st.integers(0, 2**32), st.integers(1, 8), st.floats(0.01, 5))
def test_a_pair_is_no_more_uncertain_than_its_objects_together(seed, k, concentration):
    rng = np.random.default_rng(seed)
    q = rng.dirichlet(np.full(k, concentration), 8)
    bound = np.minimum(LabelPosterior(q).label_entropy(), np.log(2))
    assert np.all(dense_entropy(q) <= bound[:, None] + bound + 1e-12)


@pytest.mark.parametrize("list_limit", [0, 1000])
@pytest.mark.parametrize("noise", [0.0, 0.1, 1.0, 3.0])
@pytest.mark.parametrize("kind", POSTERIORS)
def test_closed_pairs_are_never_chosen(kind, noise, list_limit):
    posterior, pool = make_case(kind, list_limit=list_limit)
    state = make_state(posterior, pool.similarity)
    for seed in range(5):
        batch = choose(Entropy(noise=noise), state, pool, 99, np.random.default_rng(seed))
        assert set(batch.pairs) == set(Pairs.from_ranks(pool.ranks(), 6))


@pytest.mark.parametrize("kind", POSTERIORS)
def test_a_restricted_pool_is_respected(kind):
    allowed = Pairs.of([0, 0, 2, 4], [1, 5, 4, 5])
    posterior, pool = make_case(kind, allowed=allowed)
    for make in (list_by_entropy, draw_by_entropy):
        batch = make(posterior, pool, 99, 1.0, np.random.default_rng(0))
        assert set(batch.pairs) == {(0, 5), (2, 4)}


@pytest.mark.parametrize("list_limit", [0, 10**6])
def test_scores_are_the_entropies_of_the_pairs(list_limit):
    posterior, pool = make_case(LabelPosterior, n=40, list_limit=list_limit)
    batch = Entropy().select(make_state(posterior, pool.similarity), pool, 50, np.random.default_rng(0))
    assert len(batch.pairs) == 50
    np.testing.assert_array_equal(batch.values, posterior.pair_entropy(batch.pairs.u, batch.pairs.v))


def test_without_noise_the_most_uncertain_pairs_are_chosen_in_order():
    posterior, pool = make_case(FullPosterior, n=40)
    batch = Entropy(noise=0).select(
        make_state(posterior, pool.similarity), pool, 20, np.random.default_rng(0)
    )
    pairs = pool.list()
    expected = np.sort(posterior.pair_entropy(pairs.u, pairs.v))[::-1][:20]
    np.testing.assert_allclose(batch.values, expected, atol=1e-14)


def test_without_noise_and_unlisted_the_best_of_the_candidates_are_chosen():
    posterior, pool = make_case(LabelPosterior, n=40, list_limit=0)
    state = make_state(posterior, pool.similarity)
    few = Entropy(noise=0, candidates=30).select(state, pool, 20, np.random.default_rng(0))
    many = Entropy(noise=0, candidates=700).select(state, pool, 20, np.random.default_rng(0))
    assert len(few.pairs) == len(many.pairs) == 20
    assert np.all(np.diff(few.values) <= 0)
    assert many.values.sum() > few.values.sum()


def test_less_noise_means_more_uncertain_pairs():
    posterior, pool = make_case(LabelPosterior, n=200, list_limit=0)
    means = [
        draw_by_entropy(posterior, pool, 500, noise, np.random.default_rng(0)).values.mean()
        for noise in (3.0, 1.0, 0.3, 0.1)
    ]
    assert means == sorted(means)
    assert means[-1] > means[0] + 0.05


@pytest.mark.parametrize("list_limit", [0, 10**6])
@pytest.mark.parametrize("kind", POSTERIORS)
def test_when_nothing_is_uncertain_the_batch_is_filled(kind, list_limit):
    similarity = Similarity.from_pairs(9, [0], [1], [1.0])
    posterior = kind(np.eye(3)[np.arange(9) % 3])
    pool = Pool(similarity, Pairs.empty(), list_limit=list_limit)
    batch = choose(Entropy(), make_state(posterior, similarity), pool, 20, np.random.default_rng(0))
    assert len(set(batch.pairs)) == 20
    assert np.all(np.isnan(batch.values) | (batch.values == 0))


def test_one_uncertain_object_is_found_among_many_certain_ones():
    n = 2000
    q = np.eye(2)[np.arange(n) % 2]
    q[17] = 0.5
    drawn = draw_by_entropy(
        LabelPosterior(q), Pool.everything(n, list_limit=0), 100, 1.0, np.random.default_rng(0)
    )
    assert len(drawn.pairs) == 100
    assert np.all((drawn.pairs.u == 17) | (drawn.pairs.v == 17))


@pytest.mark.parametrize("n", [0, 1])
@pytest.mark.parametrize("kind", POSTERIORS)
@pytest.mark.parametrize("make", [list_by_entropy, draw_by_entropy])
def test_fewer_than_two_objects_have_nothing_to_choose(make, kind, n):
    posterior = kind(random_q(n, 2, np.random.default_rng(0)))
    assert len(make(posterior, Pool.everything(n), 5, 1.0, np.random.default_rng(0)).pairs) == 0


@pytest.mark.parametrize("kind", POSTERIORS)
@pytest.mark.parametrize("make", [list_by_entropy, draw_by_entropy])
def test_of_two_objects_the_one_pair_is_chosen(make, kind):
    posterior = kind(np.full((2, 2), 0.5))
    batch = make(posterior, Pool.everything(2), 5, 1.0, np.random.default_rng(0))
    assert list(batch.pairs) == [(0, 1)]


def test_with_one_cluster_every_pair_is_certain():
    posterior = BarePosterior(np.ones((5, 1)))
    batch = draw_by_entropy(posterior, Pool.everything(5), 3, 1.0, np.random.default_rng(0))
    assert len(batch.pairs) == 0


@pytest.mark.parametrize("make", [list_by_entropy, draw_by_entropy])
def test_the_same_generator_gives_the_same_batch(make):
    posterior, pool = make_case(LabelPosterior, n=50)
    a, b = (make(posterior, pool, 40, 1.0, np.random.default_rng(5)) for _ in range(2))
    assert a.pairs == b.pairs


def test_asked_pairs_may_be_drawn_from_the_pool_of_everything():
    posterior = LabelPosterior(random_q(6, 3, np.random.default_rng(0)))
    batch = draw_by_entropy(posterior, Pool.everything(6), 15, 1.0, np.random.default_rng(0))
    assert set(batch.pairs) == set(Pairs.all(6))


def without_object_2(kind):
    """A posterior that has NaN wherever object 2 takes part."""

    class Unsure(kind):
        def pair_entropy(self, u, v):
            return np.where((u == 2) | (v == 2), np.nan, kind.pair_entropy(self, u, v))

        def label_entropy(self):
            return np.where(np.arange(len(self.q)) == 2, np.nan, kind.label_entropy(self))

        def all_pair_entropy(self):
            return self.pair_entropy(*np.triu_indices(len(self.q), 1))

    for name in ("label_entropy", "all_pair_entropy"):
        if not hasattr(kind, name):
            delattr(Unsure, name)
    return Unsure


@pytest.mark.parametrize("list_limit", [0, 10**6])
@pytest.mark.parametrize("noise", [0.0, 1.0])
@pytest.mark.parametrize("kind", POSTERIORS)
def test_a_belief_whose_entropies_are_not_numbers_is_refused_in_words(kind, noise, list_limit):
    pool = Pool.everything(6, list_limit=list_limit)
    posterior = without_object_2(kind)(random_q(6, 3, np.random.default_rng(0)))
    what = r"(object 2|the pair \((2, \d|\d, 2)\))"
    with pytest.raises(
        InvalidInputError, match=rf"gave Unsure, in which the entropy of {what} is NaN; expected"
    ):
        choose(Entropy(noise), make_state(posterior, pool.similarity), pool, 4, np.random.default_rng(0))


@pytest.mark.parametrize(
    "options", [{"noise": -0.1}, {"noise": np.nan}, {"noise": np.inf}, {"candidates": 0}]
)
def test_senseless_options_are_refused(options):
    with pytest.raises(InvalidInputError, match=next(iter(options))):
        Entropy(**options)


@pytest.mark.slow
def test_drawing_takes_memory_for_the_objects_and_the_batch_not_for_the_answers_or_the_pairs():
    n, answers, size = 20_000, 1_000_000, 1000
    rng = np.random.default_rng(0)
    asked = Pool.everything(n).draw(answers, rng)
    pool = Pool(Similarity.from_pairs(n, asked.u, asked.v, np.ones(answers)), Pairs.empty())
    posterior = LabelPosterior(random_q(n, 4, rng))
    draw_by_entropy(posterior, pool, size, 1.0, rng)  # compiles
    tracemalloc.start()
    found = draw_by_entropy(posterior, pool, size, 1.0, rng)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert len(found.pairs) == size
    assert peak < 80 * n + 200 * size  # a byte for each direction of an answer would be too much
