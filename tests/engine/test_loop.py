"""A learner and an oracle left to themselves."""

import time
from typing import Any

import numpy as np
import pytest

from ofakind.acquire.entropy import Entropy
from ofakind.acquire.uniform import Uniform
from ofakind.clustering import adjusted_rand_index
from ofakind.engine.learner import ActiveClustering
from ofakind.engine.loop import run
from ofakind.errors import InvalidAnswerError, InvalidInputError
from ofakind.oracles.noisy import NoisyOracle
from ofakind.oracles.replay import ReplayOracle
from ofakind.pairs import Pairs, count_pairs
from ofakind.posterior.mean_field.belief import MeanFieldBelief
from ofakind.solve.local_search import LocalSearch
from twins.parts import OwnAcquisition, OwnBelief, OwnSolver

OWN: dict[str, Any] = {"acquisition": OwnAcquisition(), "solver": OwnSolver(), "belief": OwnBelief()}
REAL: dict[str, Any] = {
    "acquisition": Entropy(),
    "solver": LocalSearch(),
    "belief": MeanFieldBelief(tol=1e-3),
}
N = 30
TRUTH = np.arange(N) % 3


@pytest.mark.parametrize("budget", [0, 1, 29, 30, 31, 48, 100])
def test_the_budget_is_met_to_the_letter(budget: int) -> None:
    learner = ActiveClustering(N, **OWN)
    steps = list(run(learner, NoisyOracle(TRUTH), budget))
    assert learner.n_answers == budget
    assert len(learner.pending) == 0
    assert [step.n_answers for step in steps] == [*range(30, budget, 18), budget] * (budget > 0)
    assert [step.round for step in steps] == list(range(len(steps)))
    assert sum(record.n_asked for record in learner.history) == budget


def test_of_more_pending_pairs_than_the_budget_allows_the_first_are_asked() -> None:
    learner = ActiveClustering(N, **OWN)
    pairs = learner.ask()
    list(run(learner, NoisyOracle(TRUTH), 10))
    assert learner.n_answers == 10
    assert list(learner.pending) == list(pairs)[10:]


def test_a_run_ends_when_nothing_is_open() -> None:
    learner = ActiveClustering(10, **OWN)
    *_, last = run(learner, NoisyOracle(TRUTH[:10]), 10**6)
    assert last.n_answers == learner.n_answers == count_pairs(10)
    assert list(run(ActiveClustering(1, **OWN), NoisyOracle([0]), 5)) == []


def test_answers_from_before_count_towards_the_budget() -> None:
    learner = ActiveClustering(N, **OWN)
    list(run(learner, NoisyOracle(TRUTH, gamma=0), 30))  # noise-free first answers
    list(run(learner, NoisyOracle(TRUTH, gamma=0.4), 60))
    assert learner.n_answers == 60
    assert np.all(np.abs(learner.answers.values[:30]) == 1)
    assert list(run(learner, NoisyOracle(TRUTH), 60)) == []


def test_a_step_holds_the_clustering_of_all_answers_so_far() -> None:
    learner = ActiveClustering(N, **REAL)
    for step in run(learner, NoisyOracle(TRUTH), 90):
        assert step.clustering is learner.clustering
        assert step.labels is learner.labels
        assert step.k == learner.clustering.k
        assert step.ari(TRUTH) == adjusted_rand_index(learner.labels, TRUTH)


def test_a_run_asks_what_asking_by_hand_would() -> None:
    by_run, by_hand = ActiveClustering(N, **REAL), ActiveClustering(N, **REAL)
    list(run(by_run, NoisyOracle(TRUTH), 84))
    oracle = NoisyOracle(TRUTH)
    for _ in range(4):
        pairs = by_hand.ask()
        by_hand.tell(pairs, oracle(pairs))
    assert by_run.to_document() == by_hand.to_document()


def test_a_run_that_is_left_can_be_taken_up_again() -> None:
    broken_off, whole = ActiveClustering(N, **REAL), ActiveClustering(N, **REAL)
    oracle = NoisyOracle(TRUTH)
    next(run(broken_off, oracle, 84))
    assert broken_off.n_answers == N
    list(run(broken_off, oracle, 84))
    list(run(whole, NoisyOracle(TRUTH), 84))
    assert broken_off.to_document() == whole.to_document()


def test_seconds_leave_the_oracle_out() -> None:
    class Slow(NoisyOracle):
        def __call__(self, pairs: Any) -> Any:
            time.sleep(0.3)
            return super().__call__(pairs)

    steps = list(
        run(
            ActiveClustering(N, acquisition=Uniform(), solver=OwnSolver(), belief=OwnBelief()),
            Slow(TRUTH),
            40,
        )
    )
    assert 0 < min(step.seconds for step in steps) < 0.3


def test_enough_good_answers_give_the_truth() -> None:
    *_, last = run(ActiveClustering(N, **REAL), NoisyOracle(TRUTH, gamma=0), 10**6)
    assert last.ari(TRUTH) == 1.0


def test_a_replayed_table_is_asked_to_its_end() -> None:
    known = Pairs.from_ranks(np.arange(0, count_pairs(N), 7), N)
    oracle = ReplayOracle(known, np.ones(len(known)))
    learner = ActiveClustering(N, **OWN, candidates=oracle.pairs)
    list(run(learner, oracle, 10**6))
    assert learner.similarity.pairs() == known


def test_any_function_is_an_oracle() -> None:
    *_, last = run(ActiveClustering(N, **REAL), lambda pairs: [1.0] * len(pairs), 10**6)  # type: ignore[arg-type, return-value]
    assert last.k == 1


@pytest.mark.parametrize(
    "answer",
    [
        lambda _: [1.0],
        lambda pairs: np.full(len(pairs), np.nan),
        lambda pairs: np.full(len(pairs), 2),
        lambda _: None,
    ],
)
def test_answers_that_cannot_be_stop_the_run_and_leave_the_questions_pending(answer: Any) -> None:
    learner = ActiveClustering(N, **OWN)
    with pytest.raises(InvalidAnswerError, match="nothing was kept"):
        list(run(learner, answer, 100))
    assert (learner.n_answers, len(learner.pending)) == (0, N)


@pytest.mark.parametrize("budget", [-1, 2.5, True, "10", None])
def test_a_budget_that_cannot_be_is_refused_at_once(budget: Any) -> None:
    with pytest.raises(InvalidInputError, match="budget is"):
        run(ActiveClustering(N, **OWN), NoisyOracle(TRUTH), budget)


def test_an_oracle_that_cannot_be_called_is_refused_at_once() -> None:
    with pytest.raises(InvalidInputError, match="expected a function"):
        run(ActiveClustering(N, **OWN), TRUTH, 10)  # type: ignore[arg-type]


@pytest.mark.parametrize("failing_call", [0, 1, 3])
def test_a_run_that_broke_off_goes_on_as_if_nothing_had_happened(failing_call: int) -> None:
    truth = np.arange(30) % 3
    whole = ActiveClustering(30, acquisition=Entropy(), seed=3)
    expected = [step.labels.tolist() for step in run(whole, NoisyOracle(truth, seed=3), 150)]

    class Tired(NoisyOracle):
        calls = 0

        def __call__(self, pairs: Any) -> Any:
            self.calls += 1
            if self.calls == failing_call + 1:
                raise KeyboardInterrupt
            return super().__call__(pairs)

    learner, oracle, labels = ActiveClustering(30, acquisition=Entropy(), seed=3), Tired(truth, seed=3), []
    with pytest.raises(KeyboardInterrupt):
        labels.extend(step.labels.tolist() for step in run(learner, oracle, 150))
    labels += [step.labels.tolist() for step in run(learner, oracle, 150)]
    assert labels == expected
    assert np.array_equal(learner.answers.values, whole.answers.values)


def test_a_learner_is_a_learner() -> None:
    with pytest.raises(InvalidInputError, match="expected an ActiveClustering"):
        run(6, NoisyOracle([0, 1]), 2)  # type: ignore[arg-type]


class Telling:
    """Two people answer in turn, and say who they are."""

    def __init__(self, truth: Any) -> None:
        self.oracle, self.heard = NoisyOracle(truth, gamma=0.0), 0

    def __call__(self, pairs: Pairs) -> Any:
        raise AssertionError("who can tell names is asked for them")

    def answers_with_names(self, pairs: Pairs) -> tuple[Any, tuple[str, ...]]:
        names = tuple(("Ada", "Ben", "")[(self.heard + i) % 3] for i in range(len(pairs)))
        self.heard += len(pairs)
        return self.oracle(pairs), names


def test_an_oracle_that_tells_names_is_asked_for_them_and_the_learner_hears_them() -> None:
    learner = ActiveClustering(N, **OWN)
    asked = [step.n_answers for step in run(learner, Telling(TRUTH), 100)]
    assert asked[-1] == learner.n_answers == 100
    assert len(learner.pending) == 0
    names = learner.answers.annotators
    assert names is not None
    assert sorted(set(names)) == ["", "Ada", "Ben"]
    assert [names.count(name) for name in ("Ada", "Ben", "")] == [34, 33, 33]
    same = TRUTH[learner.answers.u] == TRUTH[learner.answers.v]
    assert np.array_equal(learner.answers.values > 0, same)
    assert names[:4] == ("Ada", "Ben", "", "Ada")


def test_without_names_there_are_none() -> None:
    learner = ActiveClustering(N, **OWN)
    assert list(run(learner, NoisyOracle(TRUTH), 50))
    assert learner.answers.annotators is None
