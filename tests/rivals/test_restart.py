"""A curve of fresh runs."""

from dataclasses import dataclass, field
from itertools import islice

import numpy as np
import pytest

from ofakind.errors import InvalidInputError
from ofakind.rivals.base import Questions, play
from ofakind.rivals.qecc import QECC
from ofakind.rivals.restart import restarts
from twins.witness import Witness

N = 30
TRUTH = np.arange(N) % 3


@dataclass(frozen=True)
class Recorder:
    """A rival that asks nothing and writes down how it was called."""

    seen: list = field(default_factory=list)

    def __call__(self, n, oracle, *, budget, rng, features=None):
        self.seen.append((n, oracle, budget, rng.random(), features))
        return play(Questions(n, oracle, budget), iter([]))


def test_each_run_gets_its_budget_and_everything_else_unchanged():
    rival, oracle, features = Recorder(), Witness(TRUTH), np.ones((N, 2))
    outcomes = list(restarts(rival, N, oracle, budgets=[5, 0, 9], features=features))
    assert len(outcomes) == 3
    assert [call[2] for call in rival.seen] == [5, 0, 9]
    assert all(n == N and same is oracle and X is features for n, same, _, _, X in rival.seen)


def test_each_run_has_its_own_randomness_and_the_seed_decides_it():
    def draws(**options):
        rival = Recorder()
        list(restarts(rival, N, Witness(TRUTH), budgets=[5] * 4, **options))
        return [draw for _, _, _, draw, _ in rival.seen]

    assert len(set(draws(seed=1))) == 4
    assert draws(seed=1) == draws(seed=1)
    assert not set(draws(seed=1)) & set(draws(seed=2))
    assert draws() == draws(seed=0)


def test_a_longer_curve_begins_like_a_shorter_one():
    short, long = ([run.labels.tolist() for run in curve([20, 40, 60][:size])] for size in (2, 3))
    assert long[:2] == short


def curve(budgets):
    return restarts(QECC(), N, Witness(TRUTH, gamma=0.3, seed=1), budgets=budgets, seed=3)


def test_runs_happen_as_they_are_taken():
    oracle = Witness(TRUTH)
    runs = restarts(QECC(), N, oracle, budgets=iter([29, 29, 29]))
    assert oracle.calls == []
    assert [run.n_answers for run in islice(runs, 2)] == [29, 29]
    assert len(oracle.asked) == 58


def test_a_run_starts_from_nothing():
    outcomes = list(curve([29, 500, 0]))
    assert [outcomes[0].n_answers, outcomes[2].n_answers, outcomes[2].k] == [29, 0, N]


def test_no_budgets_no_runs():
    assert list(restarts(QECC(), N, Witness(TRUTH), budgets=[])) == []


@pytest.mark.parametrize("seed", [-1, 0.5, None, True])
def test_a_seed_that_cannot_be_is_refused(seed):
    with pytest.raises(InvalidInputError, match="seed is"):
        list(restarts(QECC(), N, Witness(TRUTH), budgets=[5], seed=seed))
