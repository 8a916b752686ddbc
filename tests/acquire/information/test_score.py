"""The information score is the mutual information it claims to be, and its batches waste no question."""

import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ofakind.acquire.base import Acquisition, Scores, Selector, State
from ofakind.acquire.choose import choose
from ofakind.acquire.information import score as module
from ofakind.acquire.information.batch import without_repetition
from ofakind.acquire.information.score import INFORMATION, InformationGain, _tabulated, answer_information
from ofakind.acquire.pool import Pool
from ofakind.acquire.uniform import Uniform
from ofakind.answers import Answers
from ofakind.clustering import Clustering, adjusted_rand_index
from ofakind.errors import InvalidInputError
from ofakind.kernels.search.batch import STEP
from ofakind.oracles.noisy import NoisyOracle
from ofakind.pairs import Pairs
from ofakind.posterior.base import abilities_of
from ofakind.posterior.mean_field.dense import mean_field
from ofakind.posterior.partition.belief import PartitionBelief
from ofakind.similarity import Similarity
from twins.agreement import Answer, agreement_state, perturbed
from twins.selection import BarePosterior, entropy_of, random_q


def select(state, size, seed=0, acquisition=None, **options):
    pool = Pool(state.similarity, options.pop("pending", Pairs.empty()), **options)
    acquisition = InformationGain() if acquisition is None else acquisition
    return acquisition.select(state, pool, size, np.random.default_rng(seed)), pool


def doubtful_state(doubt, k=4, samples=40, seed=0, **options):
    """Objects in k clusters, each somewhere else in this share of the samples."""
    truth = np.arange(len(doubt)) % k
    labels = perturbed(truth, samples, doubt, np.random.default_rng(seed))
    return agreement_state(labels, estimate=truth, **options)


# -- the score ---------------------------------------------------------------------------------------------


def test_it_is_an_acquisition_that_selects():
    assert isinstance(InformationGain(), Acquisition)
    assert isinstance(InformationGain(), Selector)


@given(st.integers(0, 2**32), st.integers(2, 6), st.floats(0.001, 0.5))
def test_the_score_is_the_mutual_information_of_answer_and_partition(seed, n, wrong):
    labels = np.random.default_rng(seed).integers(3, size=(7, n))
    state, pairs = agreement_state(labels, wrong=wrong), Pairs.all(n)
    same = labels[:, pairs.u] == labels[:, pairs.v]  # (partitions, pairs)
    yes = np.where(same, 1 - wrong, wrong)
    expected = 0
    for answer in (
        yes,
        1 - yes,
    ):  # sum over partitions and answers of p log (p(answer | partition) / p(answer))
        expected = expected + np.mean(answer * np.log(answer / answer.mean(axis=0)), axis=0)
    scores = InformationGain().score(state, pairs, np.random.default_rng(0))
    assert scores.pairs == pairs
    np.testing.assert_allclose(scores.values, expected, atol=1e-12)


@pytest.mark.parametrize(
    ("size", "kept"), [(400, 100), (25_000, 6_250), (50_000, 25_000), (100_000, 100_000)]
)
def test_the_larger_a_batch_the_fewer_of_its_questions_wait(size, kept):
    pairs = Pairs.from_ranks(np.arange(size), 500)
    values = np.full(size, 0.01)
    values[0] = 0.5
    assert len(InformationGain().urgent(Scores(pairs, values)).pairs) == kept


@given(st.floats(0, 1), st.floats(0.01, 30))
def test_on_a_mean_field_an_answer_is_as_reliable_as_beta_says(p, beta):
    field = mean_field(Similarity.from_pairs(2, [0], [1], [1.0]), [0, 0], beta=beta)
    wrong = 1 / (1 + np.exp(beta))
    assert answer_information(field.abilities)(p) == pytest.approx(Answer(wrong).information(p), abs=1e-12)


def test_a_posterior_that_says_nothing_of_answers_has_them_always_right():
    p = np.linspace(0, 1, 101)
    np.testing.assert_allclose(
        answer_information(abilities_of(BarePosterior(np.ones((2, 1)))))(p), entropy_of(p), atol=1e-14
    )


def test_the_table_is_close_to_the_function_also_near_certainty():
    exact = Answer(0.05).information
    p = np.r_[0, 10.0 ** -np.arange(1, 12), 0.5, 1 - 10.0 ** -np.arange(1, 12), np.linspace(0, 1, 997), 1]
    np.testing.assert_allclose(_tabulated(exact)(p), exact(p), atol=2e-6)


@pytest.mark.parametrize("focus", [-0.1, 1.1, "1", None, True, np.nan])
def test_a_focus_outside_0_and_1_is_refused(focus):
    with pytest.raises(InvalidInputError, match=r"^focus is .*; expected"):
        InformationGain(focus=focus)


# -- batches -----------------------------------------------------------------------------------------------

SHAPES = {
    "few pairs": np.full(40, 0.4),
    "many pairs": np.full(150, 0.4),
    "certain": np.zeros(150),
    "nothing known": np.ones(150),
    "some in doubt": np.where(np.arange(150) % 10, 0.0, 0.7),
}


@pytest.mark.parametrize("k", [1, 4, 140])
@pytest.mark.parametrize("shape", SHAPES)
def test_batches_hold_distinct_open_pairs_and_are_never_empty(shape, k):
    rng = np.random.default_rng(1)
    n = len(SHAPES[shape])
    asked = Pool.everything(n).draw(200, rng)
    similarity = Similarity.from_pairs(n, asked.u, asked.v, np.ones(200))
    state = doubtful_state(SHAPES[shape], k, similarity=similarity)
    for size in (1, 7, 500):
        batch, pool = select(state, size, pending=Pool(similarity, Pairs.empty()).draw(100, rng))
        assert 0 < len(batch.pairs) <= size
        assert len(set(batch.pairs)) == len(batch.pairs)
        assert np.all(batch.pairs.u < batch.pairs.v)
        assert np.all(pool.is_open(batch.pairs.u, batch.pairs.v))
        assert np.all(batch.values >= 0)


@pytest.mark.parametrize("shape", ["few pairs", "some in doubt"])
def test_the_values_of_a_batch_fall_and_are_at_most_what_its_questions_tell(shape):
    state = doubtful_state(SHAPES[shape])
    batch, _ = select(state, 60, acquisition=InformationGain(focus=0))
    told = InformationGain().score(state, batch.pairs, np.random.default_rng(5)).values
    assert told[0] * 0.999 <= batch.values[0]  # nothing comes before the first that could tell the same
    assert np.all(batch.values <= 1.051 * told)  # up to 5 % by chance, against ties, and the table's error
    assert np.all(batch.values[1:] <= batch.values[:-1] * np.exp(STEP))
    assert batch.values[-1] < 0.8 * told[-1]


def test_a_second_question_about_an_object_is_worth_half():
    truth = np.arange(200) % 4
    labels = np.tile(truth, (30, 1))
    labels[:, 0] = np.arange(30) % 2
    state = agreement_state(labels, estimate=truth, wrong=0.01)
    batch, _ = select(state, 2)
    assert np.all(batch.pairs.u == 0)
    assert batch.values[1] == pytest.approx(batch.values[0] / 2, rel=0.06)


@pytest.mark.parametrize(
    ("wrong", "kept"), [(0.001, 0.2), (0.05, 0.286), (0.11, 0.5), (0.3, 0.881), (0.45, 0.9)]
)
def test_the_noisier_answers_are_the_more_a_second_question_about_the_same_is_worth(wrong, kept, monkeypatch):
    seen = []

    def watched(*given, useless, pending):
        seen.append(useless)
        return without_repetition(*given, useless=useless, pending=pending)

    monkeypatch.setattr(module, "without_repetition", watched)
    labels = np.tile(np.arange(40) % 2, (20, 1))
    labels[:10, 0] = 1
    select(agreement_state(labels, wrong=wrong), 5)
    assert seen == [pytest.approx(kept, abs=1e-3)]


@pytest.mark.parametrize("n", [0, 1])
def test_fewer_than_two_objects_have_no_questions(n):
    batch, _ = select(agreement_state(np.zeros(n)), 3)
    assert len(batch.pairs) == 0


@pytest.mark.parametrize("labels", [[[0, 0]], [[0, 1]], [[0, 0], [0, 1]]])
def test_of_two_objects_the_one_pair_is_asked(labels):
    assert list(select(agreement_state(labels), 3)[0].pairs) == [(0, 1)]


def test_nothing_open_gives_nothing():
    similarity = Similarity.from_pairs(3, [0, 0, 1], [1, 2, 2], [1.0, 1.0, 1.0])
    state = agreement_state([[0, 0, 0], [0, 0, 1]], similarity=similarity)
    assert len(select(state, 3)[0].pairs) == 0
    assert len(select(state, 3, repeats=2)[0].pairs) == 2  # the third is certain


@pytest.mark.parametrize("n", [30, 150])
def test_only_allowed_pairs_are_asked(n):
    allowed = Pool.everything(n).draw(60, np.random.default_rng(0))
    batch, _ = select(doubtful_state(np.full(n, 0.5)), 20, allowed=allowed)
    assert len(batch.pairs) == 20
    assert set(batch.pairs) <= set(allowed)


def test_a_pair_may_be_asked_again_where_the_pool_says_so():
    rng = np.random.default_rng(0)
    labels = np.tile(np.arange(150) % 2, (20, 1))
    labels[:10, 0] = 1
    similarity = Similarity.from_pairs(
        150, np.zeros(149, int), np.arange(1, 150), rng.choice([-1.0, 1.0], 149)
    )
    state = agreement_state(labels, estimate=labels[-1], similarity=similarity)
    again, _ = select(state, 3, repeats=2)
    assert np.all(again.pairs.u == 0)
    once, _ = select(state, 3)
    assert not np.any(once.pairs.u == 0)


@pytest.mark.parametrize("shape", ["few pairs", "many pairs"])
def test_the_same_generator_gives_the_same_batch(shape):
    a, b, c = (select(doubtful_state(SHAPES[shape]), 30, seed=seed)[0] for seed in (3, 3, 4))
    assert a.pairs == b.pairs
    assert a.pairs != c.pairs


@pytest.mark.slow
@pytest.mark.parametrize("n", [60, 110])
def test_the_order_of_the_objects_does_not_matter(n):
    rng = np.random.default_rng(7)
    shares = []
    for _ in range(60):
        state = agreement_state(rng.integers(3, size=(12, n)))
        pairs = np.asarray(select(state, 40, seed=int(rng.integers(2**31)))[0].pairs)
        shares.append(np.mean(pairs < n // 2))
    assert abs(np.mean(shares) - 0.5) < 4.5 * np.std(shares) / np.sqrt(60)


def test_a_posterior_with_nan_is_refused():
    class Broken(BarePosterior):
        def same_probability(self, u, v):
            return np.where((u == 2) | (v == 2), np.nan, 0.5)

    for n in (20, 150):
        state = agreement_state(np.zeros(n))
        broken = State(state.similarity, state.clustering, lambda: Broken(None))
        with pytest.raises(
            InvalidInputError, match=r"^the belief gave Broken, in which P\(same\) of \(.*NaN; expected"
        ):
            select(broken, 5)


@pytest.mark.parametrize("n", [40, 150])
def test_it_works_on_any_posterior(n):
    q = random_q(n, 4, np.random.default_rng(0), confident=0.6)
    similarity = Similarity.from_pairs(n, [], [], [])
    for posterior in (BarePosterior(q), mean_field(similarity, np.arange(n) % 4)):
        state = State(similarity, Clustering.of(similarity, q.argmax(axis=1)), lambda p=posterior: p)
        batch, _ = select(state, 25)
        assert len(set(batch.pairs)) == 25


# -- what is asked -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("n", [60, 200])
def test_one_object_in_doubt_is_asked_about_with_each_of_its_clusters_first(n):
    truth = np.arange(n) % 4
    labels = np.tile(truth, (30, 1))
    labels[:, 0] = np.arange(30) % 3  # in one of three clusters, and surely not in the fourth
    state = agreement_state(labels, estimate=truth, wrong=0.01)
    batch, _ = select(state, 6)
    assert np.all(batch.pairs.u == 0)
    asked = truth[batch.pairs.v]
    assert set(asked[:3].tolist()) == {0, 1, 2}
    assert 3 not in asked


@pytest.mark.parametrize("n", [60, 200])
def test_two_clusters_that_may_be_one_are_compared(n):
    truth = np.arange(n) % 4
    labels = np.tile(truth, (30, 1))
    labels[::3][labels[::3] == 1] = 0
    batch, _ = select(agreement_state(labels, estimate=truth), 12)
    assert len(batch.pairs) == 12
    assert np.all(truth[batch.pairs.u] + truth[batch.pairs.v] == 1)
    assert np.bincount(np.asarray(batch.pairs).ravel()).max() <= 6


def test_a_batch_spreads_over_the_objects_in_doubt():
    doubt = np.where(np.arange(200) < 50, 0.8, 0.0)
    pairs = select(doubtful_state(doubt, samples=100), 50)[0].pairs
    top = InformationGain().score(
        doubtful_state(doubt, samples=100), Pairs.all(200), np.random.default_rng(0)
    )
    greedy = top.pairs.take(np.argsort(-top.values)[:50])
    assert len(np.unique(np.asarray(pairs)[np.asarray(pairs) < 50])) > 40
    assert np.bincount(np.asarray(pairs).ravel()).max() < np.bincount(np.asarray(greedy).ravel()).max() + 8


def test_questions_are_put_to_known_objects_when_focused():
    state = doubtful_state(np.where(np.arange(90) < 60, 0.9, 0.0))  # few enough to list
    to_known = [
        np.mean(select(state, 40, acquisition=InformationGain(focus))[0].pairs.v >= 60)
        for focus in (0.0, 0.95)
    ]
    assert to_known[1] > 0.9
    assert to_known[1] > to_known[0]


def test_a_batch_is_shorter_when_nothing_else_is_worth_asking_and_choose_fills_it():
    truth = np.arange(200) % 4
    labels = np.tile(truth, (30, 1))
    labels[::2, 0] = 1
    state = agreement_state(labels, estimate=truth, wrong=0.01)
    batch, pool = select(state, 500)
    assert 3 < len(batch.pairs) < 20
    filled = choose(InformationGain(), state, pool, 500, np.random.default_rng(0))
    assert len(filled.pairs) == 500
    assert np.count_nonzero(np.isnan(filled.values)) > 480
    assert len(InformationGain().urgent(filled).pairs) == 125


@pytest.mark.parametrize("size", [30, 400])
def test_what_is_worth_less_than_half_the_best_waits_but_for_a_quarter(size):
    batch, _ = select(doubtful_state(SHAPES["some in doubt"]), size)
    urgent = InformationGain().urgent(batch)
    quarter, worthy = -(-len(batch.pairs) // 4), batch.values >= 0.5 * batch.values.max()
    assert len(urgent.pairs) < len(batch.pairs)
    assert list(urgent.pairs)[:quarter] == list(batch.pairs)[:quarter]
    assert len(urgent.pairs) == np.count_nonzero(worthy | (np.arange(len(worthy)) < quarter))
    assert (np.count_nonzero(worthy) > quarter) == (size == 30)


def test_another_question_about_the_same_object_waits():
    batch, _ = select(doubtful_state(SHAPES["some in doubt"]), 30)
    asked = np.asarray(InformationGain().urgent(batch).pairs)
    in_doubt = asked[asked % 10 == 0]
    assert len(np.unique(in_doubt)) >= 0.9 * len(in_doubt)


def test_when_nothing_tells_much_nothing_waits():
    pairs = Pairs.of(np.zeros(40, int), np.arange(1, 41))
    small, large = (Scores(pairs, np.linspace(most, 0, 40)) for most in (0.05, 0.3))
    assert len(InformationGain().urgent(small).pairs) == 40
    assert len(InformationGain().urgent(large).pairs) == 20


@pytest.mark.parametrize("values", [[], [0.0], [0.0, 0.0], [np.nan], [0.1, np.nan]])
def test_some_question_of_any_batch_is_urgent(values):
    pairs = Pairs.of(np.zeros(len(values), int), np.arange(1, len(values) + 1))
    kept = InformationGain().urgent(Scores(pairs, np.array(values, float)))
    assert len(kept.pairs) >= min(1, len(values))


def test_nothing_as_large_as_all_pairs_is_made():
    n = 20_000
    rng = np.random.default_rng(0)
    state = agreement_state(perturbed(np.arange(n) % 5, 3, 0.2, rng))
    select(doubtful_state(np.full(150, 0.4)), 10)  # compile
    tracemalloc.start()
    batch, _ = select(state, 2000)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert len(batch.pairs) == 2000
    assert peak < 200e6  # all pairs in float64 take 1.6e9


# -- in a loop ---------------------------------------------------------------------------------------------


def answers_needed(acquisition, truth, seed, target=0.9):
    """Answers until the last sample is this close to the truth; a plain loop with the sampled posterior."""
    belief, n = PartitionBelief(chains=2, burn_in=15, samples=5), len(truth)
    oracle, rng = NoisyOracle(truth, gamma=0.3, seed=seed), np.random.default_rng(seed)
    pairs, answers, carried = Pool.everything(n).draw(n, rng), Answers.none(n), None
    for _ in range(40):
        answers = answers.adding(pairs, oracle(pairs))
        posterior = belief.update(answers, carried=carried, rng=rng)
        carried, labels = belief.carry(posterior), posterior.labels[-1]
        if adjusted_rand_index(labels, truth) >= target:
            break
        similarity = posterior.similarity
        state = State(similarity, Clustering.of(similarity, labels), lambda p=posterior: p)
        pairs = choose(acquisition, state, Pool(similarity, Pairs.empty()), n // 2, rng).pairs
    return len(answers)


@pytest.mark.slow
def test_in_a_loop_fewer_answers_are_needed_than_with_uniform_questions():
    truth = np.arange(120) % 4
    pool_size = 120 * 119 // 2
    assert pool_size > INFORMATION.few_pairs
    ours, uniform = (
        [answers_needed(part, truth, seed) for seed in range(6)] for part in (InformationGain(), Uniform())
    )
    assert sum(ours) < 0.87 * sum(uniform)
