"""A curve of fresh runs, and one of looks at a single run."""

from dataclasses import dataclass, field
from itertools import islice

import numpy as np
import pytest

from ofakind.errors import InvalidInputError
from ofakind.rivals.base import Questions, play
from ofakind.rivals.cobras import COBRAS
from ofakind.rivals.qecc import QECC
from ofakind.rivals.restart import looks, restarts
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


# -- looks -------------------------------------------------------------------------------------------------

LINE = np.arange(float(N)).reshape(-1, 1)


def looked(budgets, oracle=None, **options):
    oracle = oracle or Witness(np.arange(N) // 10)
    return looks(COBRAS(n_init=1), N, oracle, budgets=budgets, features=LINE, **options)


def test_looks_are_at_one_run_which_goes_on_as_far_as_it_is_followed():
    oracle = Witness(np.arange(N) // 10)
    seen = looked([0, 10, 20, 200], oracle)
    assert oracle.calls == []
    first = next(seen)
    assert (first.n_answers, first.k) == (0, 1)
    asked = len(oracle.asked)
    rest = list(seen)
    assert asked < len(oracle.asked) == rest[-1].n_answers < 200
    assert rest[-1].labels.tolist() == (np.arange(N) // 10).tolist()
    assert [look.n_answers for look in rest[:2]] == [10, 20]


def test_what_ended_the_run_is_said_of_the_last_looks_only():
    seen = list(looked([0, 5, 12]))
    assert [bool(look.stopped) for look in seen[:1]] == [False]
    assert seen[-1].stopped == "1 more answer was wanted, and 0 of the budget of 12 are left"


def test_a_rival_that_looks_at_its_budget_and_budgets_that_fall_are_refused():
    for rival in (QECC(), Recorder()):
        with pytest.raises(InvalidInputError, match="looks at its budget, or nobody knows; expected an any"):
            looks(rival, N, Witness(TRUTH), budgets=[5])
    with pytest.raises(InvalidInputError, match="expected them to rise"):
        looked([5, 4])
    assert list(looked([])) == []
