"""Two or three kinds of answers stand for all: next to nothing is lost, and nothing is invented."""

from itertools import combinations_with_replacement

import numpy as np
import pytest

import ofakind as ok
from ofakind.acquire.information.answer_kinds import AnswerKinds
from ofakind.noise.calibration import Calibration
from ofakind.noise.channel import SymmetricChannel
from ofakind.posterior.base import Abilities

HALF = np.array(0.5)


def together(tables, groups):
    """Put kinds together as they are numbered in groups."""
    return AnswerKinds(*(tuple(np.bincount(groups, table, 3)) for table in tables))


@pytest.mark.parametrize("seed", range(4))
def test_the_three_kinds_are_those_that_tell_most_of_all_that_kinds_can_be_put_together_to(seed):
    rng = np.random.default_rng(seed)
    tables = rng.dirichlet(np.ones(6), 2)
    order = np.argsort(tables[0] / tables[1])
    tried = []
    for ordered in combinations_with_replacement(range(3), 6):
        groups = np.empty(6, np.int64)
        groups[order] = ordered
        tried.append(float(together(tables, groups).information(HALF)))
    found = AnswerKinds.fewest(*tables)
    assert float(found.information(HALF)) >= 0.98 * max(tried)
    assert float(found.information(HALF)) <= max(tried) + 1e-12
    for table in (found.if_same, found.if_different):
        assert sum(table) == pytest.approx(1)


def test_where_answers_are_yes_or_no_two_kinds_are_kept_as_they_are():
    found = AnswerKinds.of(Abilities(answers=Calibration.fixed(3)))
    assert found.if_same == pytest.approx((0.0474, 0.9526), abs=1e-3)
    assert found.if_different == pytest.approx((0.9526, 0.0474), abs=1e-3)


def test_a_kind_of_answers_that_tells_nothing_is_kept_apart_if_there_are_many_of_them():
    many = AnswerKinds.fewest(np.array([0.0, 0.4, 0.6]), np.array([0.6, 0.4, 0.0]))
    assert many == AnswerKinds((0.0, 0.4, 0.6), (0.6, 0.4, 0.0))
    few = AnswerKinds.fewest(np.array([0.1, 0.001, 0.899]), np.array([0.899, 0.001, 0.1]))
    assert len(few.if_same) == 2


def test_kinds_are_what_a_posterior_takes_answers_to_be_like():
    assert AnswerKinds.of(Abilities()) == AnswerKinds((0.0, 1.0), (1.0, 0.0))
    assert AnswerKinds.of(Abilities(answers=SymmetricChannel(0.1))) == AnswerKinds((0.1, 0.9), (0.9, 0.1))


def test_doubtful_answers_are_no_errors():
    truth = np.arange(60) % 4
    learner = ok.ActiveClustering(60, seed=0)
    for _ in ok.run(learner, ok.NoisyOracle(truth, gamma=0.4, seed=0), 400):
        pass
    answers = learner.posterior.abilities.answers
    by_sign = AnswerKinds.wrong(*answers.error_rates())
    told = float(AnswerKinds.of(learner.posterior.abilities).information(HALF))
    assert 0.95 * float(answers.information(0.5)) < told <= float(answers.information(0.5)) + 1e-9
    assert told > 1.3 * float(by_sign.information(HALF))


@pytest.mark.parametrize("same", [0.0, 0.2, 0.5, 1.0])
def test_what_an_answer_tells_is_its_mutual_information(same):
    kinds = AnswerKinds((0.1, 0.3, 0.6), (0.5, 0.3, 0.2))
    plain = 0.0
    for a, b in zip(kinds.if_same, kinds.if_different, strict=True):
        said = same * a + (1 - same) * b
        plain += same * a * np.log(a / said) + (1 - same) * b * np.log(b / said)
    assert float(kinds.information(np.array(same))) == pytest.approx(plain, abs=1e-12)
