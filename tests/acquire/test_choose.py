"""A batch is distinct, open, of the right length and best first, whoever wrote the acquisition."""

from dataclasses import dataclass, field, replace
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chisquare

from ofakind.acquire import choose as choosing
from ofakind.acquire.base import Scores, State
from ofakind.acquire.choose import choose, power_keys, power_top, top
from ofakind.acquire.pool import Pool
from ofakind.clustering import Clustering
from ofakind.errors import InvalidInputError
from ofakind.pairs import Pairs, count_pairs
from ofakind.similarity import Similarity
from twins.selection import draw_probabilities, gumbel_top


def make_state(n=6, asked=((0, 1),)):
    u, v = np.array(asked, np.int64).reshape(-1, 2).T
    similarity = Similarity.from_pairs(n, u, v, np.ones(len(u)))
    return State(similarity, Clustering.of(similarity, np.zeros(n, np.int64)), believe=lambda: None)


def make_pool(state, **options):
    return Pool(state.similarity, Pairs.of([4], [5]) if state.similarity.n > 5 else Pairs.empty(), **options)


@dataclass(frozen=True)
class ByRank:
    """Later pairs are better."""

    noise: float = 0.0

    def score(self, state, pairs, _rng):
        return Scores(pairs, pairs.ranks(state.similarity.n).astype(float))


@dataclass(frozen=True)
class Selecting(ByRank):
    """Selects these pairs with score 1."""

    pairs: Pairs = field(default_factory=Pairs.empty)

    def select(self, _state, _pool, _size, _rng):
        return Scores(self.pairs, np.ones(len(self.pairs)))


@dataclass(frozen=True)
class Scoring:
    """Gives what this function makes of the pairs."""

    make: object

    def score(self, _state, pairs, _rng):
        return self.make(pairs)


def test_the_best_open_pairs_are_chosen_best_first():
    state = make_state()
    batch = choose(ByRank(), state, make_pool(state), 3, np.random.default_rng(0))
    assert list(batch.pairs) == [(3, 5), (3, 4), (2, 5)]
    assert batch.values.tolist() == [13.0, 12.0, 11.0]


@pytest.mark.parametrize("acquisition", [ByRank(), ByRank(noise=1.0), Selecting()])
def test_a_batch_is_as_long_as_wanted_or_as_there_are_open_pairs(acquisition):
    for n, size in product((0, 1, 2, 6), (0, 1, 5, 1000)):
        state = make_state(n, asked=())
        pool = make_pool(state)
        batch = choose(acquisition, state, pool, size, np.random.default_rng(0))
        assert len(batch.pairs) == len(set(batch.pairs)) == min(size, pool.size), (n, size)
        assert np.all(pool.is_open(batch.pairs.u, batch.pairs.v)), (n, size)


def test_a_selection_that_is_too_short_is_filled_with_other_pairs_of_unknown_score():
    state = make_state()
    pool = make_pool(state)
    first = Pairs.of([2, 0], [3, 5])
    batch = choose(Selecting(pairs=first), state, pool, 99, np.random.default_rng(0))
    assert batch.pairs[:2] == first
    assert set(batch.pairs) == set(pool.list())
    assert np.isnan(batch.values[2:]).all()
    assert batch.values[:2].tolist() == [1.0, 1.0]


def test_when_pairs_cannot_be_listed_some_are_drawn_and_the_best_of_them_taken(monkeypatch):
    monkeypatch.setattr(choosing, "CHOICE", replace(choosing.CHOICE, candidates=20))
    state = make_state(n=200)
    firsts = set()
    for seed in range(10):
        batch = choose(ByRank(), state, make_pool(state, list_limit=0), 2, np.random.default_rng(seed))
        assert batch.values[0] > batch.values[1] > count_pairs(200) / 4
        firsts.add(batch.pairs[0])
    assert len(firsts) > 5


def test_a_field_noise_makes_a_power_batch():
    state = make_state()
    pool = make_pool(state)
    batches = [choose(ByRank(noise=1.0), state, pool, 4, np.random.default_rng(seed)) for seed in range(200)]
    firsts = [batch.values[0] for batch in batches]
    assert len(set(firsts)) > 5
    values = ByRank().score(state, pool.list(), None).values
    assert np.mean(firsts) == pytest.approx(np.sum(values**2) / values.sum(), abs=1.0)


def test_the_same_generator_chooses_the_same_batch():
    state = make_state(n=30)
    pool = make_pool(state)
    a, b = (choose(ByRank(noise=1.0), state, pool, 20, np.random.default_rng(7)) for _ in range(2))
    assert a.pairs == b.pairs
    assert np.array_equal(a.values, b.values)


def test_a_size_that_cannot_be_is_refused():
    state = make_state()
    for size in (-1, 1.0, "1", None, True):
        with pytest.raises(InvalidInputError, match=f"size is {size!r}; expected a whole number, 0 or more"):
            choose(ByRank(), state, make_pool(state), size, np.random.default_rng(0))


@pytest.mark.parametrize("noise", [-1, "1", None, np.nan, np.inf])
def test_an_impossible_noise_is_refused_by_the_name_of_its_class(noise):
    state = make_state()
    with pytest.raises(InvalidInputError, match=r"ByRank.noise is .*; expected a finite number, at least 0"):
        choose(ByRank(noise=noise), state, make_pool(state), 3, np.random.default_rng(0))


@pytest.mark.parametrize(
    "values",
    [[1, 2], (1.0, 2.0), np.array([1, 2], np.uint8), np.array([1, 2], np.float32), np.array([1, 2], object)],
)
def test_scores_may_be_any_real_numbers(values):
    scores = Scores(Pairs.of([0, 0], [1, 2]), values)
    assert scores.values.dtype == np.float64
    assert scores.values.tolist() == [1.0, 2.0]


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ([1j, 2], "scores have type complex128; expected real numbers"),
        (["1", "2"], "scores have type <U1; expected real numbers"),
        ([True, False], "scores have type bool; expected real numbers"),
        ([1.0, None], "scores have type object; expected real numbers"),
        (None, "scores come as a NoneType; expected a list or an array"),
        (1.0, r"scores have shape \(\) for 2 pairs; expected one each"),
        ([1.0], r"scores have shape \(1,\) for 2 pairs; expected one each"),
    ],
)
def test_scores_that_cannot_be_are_refused_in_words(values, message):
    with pytest.raises(InvalidInputError, match=message):
        Scores(Pairs.of([0, 0], [1, 2]), values)


@pytest.mark.parametrize("pairs", [[(0, 1)], np.array([[0, 1]]), None])
def test_scores_are_of_pairs(pairs):
    with pytest.raises(
        InvalidInputError, match=rf"pairs come as a {type(pairs).__name__}; expected Pairs, such as"
    ):
        Scores(pairs, [1.0])


BAD_SELECTIONS = {
    "may not be asked now": Pairs.of([0], [1]),
    r"\(4, 5\), which may not be asked": Pairs.of([4], [5]),
    r"the pair \(0, 2\) twice": Pairs.trusted(np.array([0, 0]), np.array([2, 2])),
    "among 6 objects": Pairs.of([0], [6]),
    r"u < v": Pairs.trusted(np.array([3]), np.array([2])),
    "4 pairs; expected at most 3": Pairs.of([0, 0, 0, 0], [2, 3, 4, 5]),
}


@pytest.mark.parametrize("message", BAD_SELECTIONS)
def test_a_bad_selection_is_refused_by_the_name_of_its_class(message):
    state = make_state()
    with pytest.raises(InvalidInputError, match=message) as error:
        choose(Selecting(pairs=BAD_SELECTIONS[message]), state, make_pool(state), 3, np.random.default_rng(0))
    assert "Selecting.select" in str(error.value)


BAD_SCORES = {
    r"NaN for 1 of 13 pairs, the first of them \(0, 4\)": lambda pairs: Scores(
        pairs, np.where(np.arange(len(pairs)) == 2, np.nan, 1.0)
    ),
    "a ndarray; expected Scores": lambda pairs: np.ones(len(pairs)),
    "2 scores; expected one for each of the 13 pairs": lambda pairs: Scores(pairs[:2], np.ones(2)),
    "may not be asked": lambda _pairs: Scores(Pairs.all(6)[:13], np.ones(13)),
}


@pytest.mark.parametrize("message", BAD_SCORES)
def test_bad_scores_are_refused_by_the_name_of_their_class(message):
    state = make_state()
    with pytest.raises(InvalidInputError, match=message) as error:
        choose(Scoring(BAD_SCORES[message]), state, make_pool(state), 13, np.random.default_rng(0))
    assert "Scoring.score" in str(error.value)


def test_infinite_scores_come_first_and_last():
    state = make_state()
    values = np.r_[0.0, np.inf, -np.inf, np.arange(1.0, 11.0)]
    pool = make_pool(state)
    acquisition = Scoring(lambda pairs: Scores(pairs, values))
    batch = choose(acquisition, state, pool, 13, np.random.default_rng(0))
    assert batch.values.tolist() == sorted(values, reverse=True)


@pytest.mark.slow
@given(st.lists(st.integers(-3, 3)), st.integers(-1, 60), st.integers(0, 2**32))
def test_the_top_is_the_end_of_the_sorted_values(values, size, seed):
    values = np.array(values, float)
    rows = top(values, size, np.random.default_rng(seed))
    assert len(set(rows.tolist())) == len(rows)
    assert values[rows].tolist() == sorted(values, reverse=True)[: max(size, 0)]


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("size", [1, 3, 4, 5])
def test_ties_are_broken_uniformly_and_in_random_order(seed, size):
    rng = np.random.default_rng(seed)
    values = np.array([5.0, 1.0, 1.0, 1.0, 1.0, 0.0])
    rows = np.array([top(values, 1 + size, rng) for _ in range(1000)])
    assert np.all(rows[:, 0] == 0)
    for place in range(1, 1 + min(size, 4)):
        assert chisquare(np.bincount(rows[:, place], minlength=6)[1:5]).pvalue > 1e-4


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("noise", [0.5, 1.0, 2.0])
@pytest.mark.parametrize("batch", [power_top, gumbel_top])
def test_a_power_batch_is_drawn_one_by_one_in_proportion_to_a_power(batch, noise, seed):
    rng = np.random.default_rng(seed)
    values = np.array([0.1, 0.4, 0.2, 0.3, 0.05])
    expected = draw_probabilities(values, 2, noise)
    seen = dict.fromkeys(expected, 0)
    for _ in range(2000):
        seen[tuple(batch(values, 2, noise, rng).tolist())] += 1
    assert chisquare(list(seen.values()), 2000 * np.array(list(expected.values()))).pvalue > 1e-4


def test_without_noise_a_power_batch_is_the_top():
    values = np.random.default_rng(0).random(50)
    rows = power_top(values, 10, 0.0, np.random.default_rng(1))
    assert rows.tolist() == np.argsort(-values)[:10].tolist()


@pytest.mark.parametrize("noise", [1e-6, 0.1, 1.0, 5.0, 100.0])
def test_power_keys_are_never_nan_whatever_the_values(noise):
    values = np.array([0.0, -1.0, 1e-300, 1e-16, 0.5, 1e300, np.inf])
    keys = power_keys(values, noise, np.random.default_rng(0))
    assert not np.isnan(keys).any()
    assert len(power_top(values, 7, noise, np.random.default_rng(0))) == 7


def test_worthless_pairs_come_last_in_a_power_batch():
    values = np.r_[np.zeros(50), np.full(5, 0.1)]
    rows = power_top(values, 10, 1.0, np.random.default_rng(0))
    assert set(rows[:5]) == set(range(50, 55))
    assert len(set(rows)) == 10


def test_nothing_is_chosen_from_nothing():
    rng = np.random.default_rng(0)
    assert len(top(np.empty(0), 3, rng)) == len(power_top(np.empty(0), 3, 1.0, rng)) == 0
