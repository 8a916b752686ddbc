"""How much people agree, how often they err, and who checks whom."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ofakind as ok
from ofakind.project.people import PEOPLE, error_rate, krippendorff_alpha
from twins.projects import right

units = st.lists(st.lists(st.sampled_from([-1.0, -0.5, 0.0, 1.0]), max_size=4), max_size=6)


def plain_alpha(units):
    """Krippendorff's alpha by its definition: observed over expected disagreement."""
    units = [unit for unit in units if len(unit) > 1]
    values = [value for unit in units for value in unit]
    n = len(values)
    observed = sum(
        (a - b) ** 2 / (len(unit) - 1) for unit in units for a, b in itertools.permutations(unit, 2)
    )
    expected = sum((a - b) ** 2 for a, b in itertools.permutations(values, 2))
    return None if not expected else 1 - (observed / n) / (expected / (n * (n - 1)))


@given(units)
def test_alpha_is_that_of_its_definition(units):
    found, expected = krippendorff_alpha(units), plain_alpha(units)
    assert (found is None) == (expected is None)
    assert found is None or found == pytest.approx(expected)


def test_alpha_of_a_published_example():
    """Krippendorff's data of four observers and twelve units, by the metric of intervals: 0.849."""
    table = [
        [1, 2, 3, 3, 2, 1, 4, 1, 2, None, None, None],
        [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, None, 3],
        [None, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, None],
        [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, None],
    ]
    columns = [[value for value in column if value is not None] for column in zip(*table, strict=True)]
    assert krippendorff_alpha(columns) == pytest.approx(0.849, abs=5e-4)


def test_people_who_agree_have_an_alpha_of_one_and_one_alone_has_none(project):
    for value, pair in ((1, ("o0", "o3")), (-1, ("o0", "o1"))):
        project.tell(pair, value, "Ada")
    assert project.status().agreement is None
    for value, pair in ((1, ("o0", "o3")), (-1, ("o0", "o1"))):
        project.tell(pair, value, "Bob")
    assert project.status().agreement == 1
    project.tell(("o0", "o1"), 1, "Bob")  # the last answer of a person counts
    assert project.status().agreement < 1


def test_a_rate_needs_answers_and_its_interval_holds_it():
    assert error_rate(0.0, PEOPLE.least - 0.1) is None
    rng = np.random.default_rng(0)
    held = 0
    for _ in range(300):
        true, n = rng.uniform(0.02, 0.3), 60
        rate = error_rate(float(rng.binomial(n, true)), n)
        held += rate.interval[0] <= true <= rate.interval[1]
    assert 0.84 <= held / 300 <= 0.96  # the level is 0.9


@pytest.mark.slow
def test_who_errs_is_found(tmp_path):
    rng = np.random.default_rng(1)
    with ok.new_project([f"o{number}" for number in range(24)], path=tmp_path / "b.ofk") as project:
        pairs = list(itertools.combinations(project.ids, 2))
        for pair in [pairs[row] for row in rng.permutation(len(pairs))[:120]]:
            question = ok.Question("", *pair)
            for name, error in (("careful", 0.02), ("hasty", 0.35), ("third", 0.05)):
                project.tell(pair, right(question) * (-1 if rng.random() < error else 1), name)
        careful, hasty, _ = project.people()
    assert (careful.name, careful.n_answers) == ("careful", 120)
    assert careful.errors_on_different.rate < 0.12 < 0.2 < hasty.errors_on_different.rate
    low, high = hasty.errors_on_different.interval
    assert low < 0.35 < high


@pytest.mark.slow
def test_somebody_checks_a_share_of_what_another_has_answered(path):
    with ok.new_project([f"o{number}" for number in range(30)], path=path) as project:
        for question in project.ask(60, "Ada"):
            project.tell(question, right(question))
        answered = {frozenset((one.left_id, one.right_id)) for one in project.answers}
        again = 0
        for _ in range(100):
            (question,) = project.ask(1, "Bob")
            again += frozenset((question.left_id, question.right_id)) in answered
            project.tell(question, right(question), "Bob")
        assert again == 5
        assert project.status().agreement == 1


@pytest.mark.slow
def test_somebody_alone_is_asked_nothing_twice(project):
    seen = []
    for _ in range(30):
        (question,) = project.ask(1, "Ada")
        seen.append(frozenset((question.left_id, question.right_id)))
        project.tell(question, right(question))
    assert len(set(seen)) == 30
