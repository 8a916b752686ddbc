"""Budgets, read and spent."""

import pytest

from ofakind.errors import InvalidInputError
from ofakind.project.budget import SittingBudget, read_budget


@pytest.mark.parametrize(
    ("given", "found"),
    [
        (None, SittingBudget()),
        ("60", SittingBudget(questions=60)),
        ("20min", SittingBudget(seconds=1200)),
        ("20 MIN", SittingBudget(seconds=1200)),
        ("90s", SittingBudget(seconds=90)),
        ("1.5h", SittingBudget(seconds=5400)),
    ],
)
def test_a_budget_is_a_number_of_questions_or_a_time(given, found):
    assert read_budget(given) == found


@pytest.mark.parametrize(
    "given", ["", "0", "-5", "0min", "1.5", "20days", "nan", "inf", "1e3", "20 30", "min"]
)
def test_anything_else_is_refused_with_what_is_expected(given):
    with pytest.raises(InvalidInputError, match="expected a number of questions, or a time"):
        read_budget(given)


def test_a_budget_is_spent_by_its_own_measure_alone():
    assert SittingBudget(questions=2).spent(2, 0.0)
    assert not SittingBudget(questions=2).spent(1, 1e9)
    assert SittingBudget(seconds=60).spent(0, 60.0)
    assert not SittingBudget(seconds=60).spent(10**9, 59.9)
    assert not SittingBudget().spent(10**9, 1e9)
