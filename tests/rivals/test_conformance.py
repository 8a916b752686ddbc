"""What every rival promises. A new one only needs a line in RIVALS; features and a graph are always given."""

import contextlib

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ofakind.clustering import canonical_labels, cost
from ofakind.errors import BudgetSpentError, InvalidAnswerError, InvalidInputError
from ofakind.priors.neighbours import Neighbours
from ofakind.rivals import (
    COBRAS,
    KCFB,
    KCFC,
    NCOBRAS,
    QECC,
    Outcome,
    TransitiveJoin,
    UncertaintySampling,
    looks,
)
from ofakind.rivals.base import Given, Questions
from twins.witness import Witness

RIVALS = [
    QECC(),
    QECC(positive_pair=True),
    KCFB(),
    KCFB(most_samples=1),
    KCFC(),
    COBRAS(n_init=1),
    NCOBRAS(n_init=1, time_limit=None),
    TransitiveJoin(),
    UncertaintySampling(batch_size=5),
]
IMPOSSIBLE = [
    lambda pairs: np.full(len(pairs), np.nan),
    lambda pairs: np.full(len(pairs), 2.0),
    lambda pairs: np.ones(len(pairs) + 1),
    lambda pairs: np.ones(len(pairs) - 1),
    lambda _: None,
]
each_rival = pytest.mark.parametrize("rival", RIVALS, ids=repr)
truths = st.lists(st.integers(0, 5), max_size=25)
budgets = st.integers(0, 400)
gammas = st.sampled_from([0.0, 0.2, 0.4, 1.0])
seeds = st.integers(0, 2**32 - 1)
# A run takes a while, and there are many rivals: a third as many examples as elsewhere.
few_examples = settings(max_examples=settings.default.max_examples // 3)


def features_of(truth, seed=0):
    """Two columns that tell something of the truth, but not all."""
    noise = np.random.default_rng([seed, 2]).normal(size=(len(truth), 2))
    return noise + np.array(truth, float).reshape(-1, 1)


def given_of(truth, seed=0):
    """Features, and the candidate graph that they make."""
    features = features_of(truth, seed)
    return {"features": features, "prior": Neighbours.from_vectors(features)}


def start(rival, oracle, budget, seed=0):
    """Run with any oracle that knows its truth."""
    truth = oracle.truth
    rng = np.random.default_rng(seed)
    return rival(len(truth), oracle, budget=budget, rng=rng, **given_of(truth, seed))


def check(found, oracle, budget):
    """The clustering is valid, and the oracle confirms what was asked."""
    n = len(oracle.truth)
    assert isinstance(found, Outcome)
    assert found.labels.shape == (n,)
    assert np.array_equal(found.labels, canonical_labels(found.labels))
    assert found.k == len(np.unique(found.labels))
    assert found.n_answers == len(oracle.asked) <= budget
    u, v = oracle.asked.T
    assert np.all((u >= 0) & (u < v) & (v < n))
    assert found.cost == cost(oracle.similarity(), found.labels)


class TestEveryRival:
    @pytest.mark.slow
    @each_rival
    @few_examples
    @given(truth=truths, budget=budgets, gamma=gammas, seed=seeds)
    def test_a_run_is_a_valid_clustering_within_its_budget_and_the_same_again(
        self, rival, truth, budget, gamma, seed
    ):
        oracles = [Witness(truth, gamma, seed) for _ in range(2)]
        first, second = (start(rival, oracle, budget, seed) for oracle in oracles)
        check(first, oracles[0], budget)
        assert np.array_equal(first.labels, second.labels)
        assert first.stopped == second.stopped
        assert np.array_equal(oracles[0].asked, oracles[1].asked)

    @pytest.mark.slow
    @each_rival
    @few_examples
    @given(truth=truths, gamma=gammas, seed=seeds)
    def test_the_very_number_it_used_and_one_less_are_kept_to(self, rival, truth, gamma, seed):
        used = start(rival, Witness(truth, gamma, seed), 150, seed).n_answers
        for budget in {used, max(used - 1, 0)}:
            oracle = Witness(truth, gamma, seed)
            check(start(rival, oracle, budget, seed), oracle, budget)

    @each_rival
    def test_without_a_budget_nothing_is_asked(self, rival):
        for n in (0, 1, 2, 9):
            oracle = Witness(np.zeros(n))
            check(start(rival, oracle, 0), oracle, 0)
            assert oracle.calls == []

    @each_rival
    @pytest.mark.parametrize("answer", [-1.0, 0.0, 1.0])
    def test_the_same_answer_to_everything_gives_a_valid_clustering(self, rival, answer):
        class Stubborn(Witness):
            def __call__(self, pairs):
                self.calls.append((np.asarray(pairs), np.full(len(pairs), answer)))
                return self.calls[-1][1]

        for n, budget in [
            (0, 1),
            (1, 2),
            (2, 1),
            (2, 300),
            *((12, budget) for budget in (1, 2, 11, 66, 300)),
        ]:
            oracle = Stubborn(np.zeros(n))
            check(start(rival, oracle, budget), oracle, budget)

    @pytest.mark.slow
    @each_rival
    @pytest.mark.parametrize("sizes", [[12], [1] * 12, [6, 6], [8, 3, 1]], ids=str)
    def test_true_answers_and_a_large_budget_give_the_truth(self, rival, sizes):
        truth = np.repeat(np.arange(len(sizes)), sizes)
        for seed in range(3):
            found = start(rival, Witness(truth), 4000, seed)
            assert np.array_equal(found.labels, truth), seed

    @each_rival
    @pytest.mark.parametrize("failing_call", [0, 2])
    def test_an_error_of_the_oracle_passes(self, rival, failing_call):
        class Tired(Witness):
            def __call__(self, pairs):
                if len(self.calls) == failing_call:
                    raise ZeroDivisionError("tired")
                return super().__call__(pairs)

        with pytest.raises(ZeroDivisionError, match="tired"):
            start(rival, Tired(np.arange(20) % 4, gamma=0.2), 400)

    @each_rival
    def test_an_impossible_answer_is_refused(self, rival):
        given = given_of(np.arange(10) % 2)
        for answer in IMPOSSIBLE:
            with pytest.raises(InvalidAnswerError):
                rival(10, answer, budget=100, rng=np.random.default_rng(0), **given)

    @each_rival
    def test_a_budget_that_cannot_be_is_refused(self, rival):
        for budget in (-1, 2.5, None):
            with pytest.raises(InvalidInputError, match="budget is"):
                start(rival, Witness(np.arange(6) % 2), budget)

    @each_rival
    def test_what_it_is_given_does_not_change(self, rival):
        truth = np.arange(12) % 3
        given = given_of(truth)
        before = given["features"].copy()
        rival(12, Witness(truth), budget=60, rng=np.random.default_rng(0), **given)
        assert np.array_equal(given["features"], before)


class TestAnytimeRivals:
    @pytest.mark.slow
    @pytest.mark.parametrize("rival", [rival for rival in RIVALS if rival.anytime], ids=repr)
    @few_examples
    @given(truth=truths, gamma=gammas, seed=seeds)
    def test_the_questions_are_the_same_with_any_budget(self, rival, truth, gamma, seed):
        oracles = [Witness(truth, gamma, seed) for _ in range(2)]
        for oracle, budget in zip(oracles, (37, 150), strict=True):
            start(rival, oracle, budget, seed)
        few, many = (oracle.asked for oracle in oracles)
        assert np.array_equal(few, many[: len(few)])
        assert len(few) == min(37, len(many))

    @pytest.mark.slow
    @pytest.mark.parametrize("rival", [rival for rival in RIVALS if rival.anytime], ids=repr)
    @few_examples
    @given(truth=truths, gamma=gammas, seed=seeds)
    def test_a_look_shows_the_last_labelling_that_took_no_more_answers(self, rival, truth, gamma, seed):
        n, given = len(truth), given_of(truth, seed)
        budgets, found = [0, 7, 20, 20, 100], [(0, np.arange(n))]
        questions, rng = Questions(n, Witness(truth, gamma, seed), 100), np.random.default_rng([seed, 0])
        with contextlib.suppress(BudgetSpentError):
            for labels in rival.labellings(questions, rng, Given(**given)):
                found.append((questions.used, canonical_labels(labels)))  # noqa: PERF401
        seen = looks(rival, n, Witness(truth, gamma, seed), budgets=budgets, seed=seed, **given)
        for budget, look in zip(budgets, seen, strict=True):
            last = [labels for used, labels in found if used <= budget][-1]
            assert np.array_equal(look.labels, last)

    @pytest.mark.slow
    @pytest.mark.parametrize("rival", [rival for rival in RIVALS if rival.needs_prior], ids=repr)
    @few_examples
    @given(truth=truths, gamma=gammas, seed=seeds)
    def test_a_look_shows_what_a_run_with_that_budget_finds(self, rival, truth, gamma, seed):
        budgets = [0, 5, 20, 35, 100]  # ends of batches
        oracle = Witness(truth, gamma, seed)
        seen = list(looks(rival, len(truth), oracle, budgets=budgets, seed=seed, **given_of(truth, seed)))
        for budget, look in zip(budgets, seen, strict=True):
            alone, rng = Witness(truth, gamma, seed), np.random.default_rng([seed, 0])
            found = rival(len(truth), alone, budget=budget, rng=rng, **given_of(truth, seed))
            assert np.array_equal(look.labels, found.labels)
            assert look.n_answers == min(budget, len(oracle.asked))
            if look.n_answers == found.n_answers:
                assert look.cost == found.cost
