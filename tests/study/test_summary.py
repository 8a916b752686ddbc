"""The numbers of a study: by hand on tiny curves, and against plain loops on random ones."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ofakind.errors import InvalidInputError
from ofakind.study.summary import (
    SIGNIFICANCE,
    answers_to_reach,
    area,
    checked,
    common_budget,
    compare,
    dataset_order,
    estimate,
    holm,
    mean_curve,
    natural,
    pairs_needed,
    reach,
    seconds_per_round,
    signed_rank,
    summarise,
    value_at,
)
from twins import summary as twin
from twins.summary import run

EVERYTHING = [summarise, compare, seconds_per_round, checked]


@st.composite
def runs(draw):
    answers = sorted(draw(st.lists(st.integers(0, 60), max_size=8)))
    ari = draw(st.lists(st.floats(-0.5, 1), min_size=len(answers), max_size=len(answers)))
    return run(ari, answers)


def contest(gaps, *, first="A", second="B"):
    """Runs of two methods, one seed for each difference between their areas (times a half)."""
    return [
        run([0.5 + side * gap], [0], method=method, seed=seed, dataset="Forest")
        for seed, gap in enumerate(gaps)
        for method, side in ((first, 1), (second, 0))
    ]


# -- one curve ---------------------------------------------------------------------------------------------


def test_a_target_is_reached_at_the_first_crossing_even_if_the_curve_falls_again():
    curve = run([0.1, 0.8, 0.3, 0.95])
    assert [answers_to_reach(curve, target) for target in (0.8, 0.81, 0.95, 0.96)] == [200, 400, 400, None]
    assert answers_to_reach(run([]), 0.0) is None


def test_between_rounds_the_last_value_is_in_hand_and_before_the_first_nothing():
    curve = run([0.2, 0.6], [10, 30])
    assert value_at(curve, [0, 9, 10, 29, 30, 99]).tolist() == [0, 0, 0.2, 0.2, 0.6, 0.6]
    assert value_at(run([]), [0, 5]).tolist() == [0, 0]


@pytest.mark.parametrize(
    ("curve", "budget", "expected"),
    [
        (run([0.5, 1.0], [10, 20]), 20, 0.25),  # 10 without, 10 with 0.5; the last round comes at the end
        (run([0.5, 1.0], [10, 20]), 40, 0.625),  # solved early: 1 for the other 20
        (run([0.5, 1.0], [10, 20]), 15, 0.5 / 3),  # what comes later does not count
        (run([0.5, 1.0], [10, 20]), 5, 0.0),
        (run([1.0], [0]), 7, 1.0),
        (run([]), 7, 0.0),
        (run([-0.5], [0]), 7, -0.5),
    ],
)
def test_the_area_is_that_of_a_step_function_divided_by_the_budget(curve, budget, expected):
    assert area(curve, budget) == pytest.approx(expected)


@given(runs(), st.integers(1, 80))
def test_the_area_is_what_one_holds_on_average_while_the_answers_come_in(curve, budget):
    assert area(curve, budget) == pytest.approx(twin.area(curve, budget), abs=1e-12)
    assert value_at(curve, range(80)).tolist() == [twin.ari_in_hand(curve, m) for m in range(80)]


def test_an_area_needs_a_budget():
    with pytest.raises(InvalidInputError, match="budget is 0; expected a whole number, 1 or more"):
        area(run([1.0]), 0)


def test_the_common_budget_is_that_of_the_longest_run():
    assert common_budget([run([0.1]), run([0.1, 0.2, 0.3]), run([])]) == 300
    assert common_budget([run([])]) == common_budget([run([0.3], [0])]) == 1


# -- means and intervals -----------------------------------------------------------------------------------


def test_the_interval_is_students():
    found = estimate([1.0, 2.0, 3.0])
    assert (found.mean, found.n) == (2.0, 3)
    assert found.half_width == pytest.approx(4.302653 / np.sqrt(3), rel=1e-6)  # the t table; deviation 1
    assert estimate([1.0, 2.0]).half_width == pytest.approx(12.7062047 * 0.5, rel=1e-6)


def test_one_seed_has_no_interval():
    assert (estimate([0.3]).mean, estimate([0.3]).half_width) == (0.3, None)
    assert mean_curve([run([0.3])], 100).half_width is None


def test_a_target_that_not_all_reach_says_how_many_did():
    found = reach([run([0.9]), run([0.1, 0.9]), run([0.1, 0.2])], 0.9)
    assert (found.reached, found.runs, found.answers.mean, found.answers.n) == (2, 3, 150, 2)
    nobody = reach([run([0.5]), run([])], 0.9)
    assert (nobody.reached, nobody.runs, nobody.answers) == (0, 2, None)


def test_methods_are_summed_up_in_each_setting_by_area_up_to_the_longest_run_there():
    curves = [
        run([1.0], method="quick", oracle="B"),
        run([0.5, 0.5], method="slow", oracle="B"),
        run([0.5, 1.0, 1.0, 1.0], method="slow", oracle="A"),
    ]
    found = summarise(curves)
    assert [(s.setting.oracle, s.method, s.budget) for s in found] == [
        ("A", "slow", 400),
        ("B", "quick", 200),
        ("B", "slow", 200),
    ]
    assert [s.area.mean for s in found] == pytest.approx([0.625, 0.5, 0.25])
    assert [r.target for r in found[0].reaches] == [0.8, 0.9, 0.95, 0.99]
    assert [r.answers.mean for r in found[0].reaches] == [200] * 4


def test_the_mean_curve_stands_on_all_answers_of_its_runs_and_goes_on_to_the_budget():
    mean = mean_curve([run([0.2, 1.0], [10, 30]), run([0.4], [20])], 50)
    assert mean.answers.tolist() == [10, 20, 30, 50]
    assert mean.mean.tolist() == pytest.approx([0.1, 0.3, 0.7, 0.7])
    assert mean.half_width.tolist() == pytest.approx(12.7062047 * np.array([0.1, 0.1, 0.3, 0.3]), rel=1e-6)


@given(st.lists(runs(), min_size=1, max_size=4))
def test_the_mean_curve_is_the_mean_of_what_each_run_has_in_hand(curves):
    mean = mean_curve(curves, 60)
    for answers, value in zip(mean.answers, mean.mean, strict=True):
        assert value == pytest.approx(np.mean([twin.ari_in_hand(c, answers) for c in curves]), abs=1e-12)
    assert np.isfinite(mean.mean).all()
    assert mean.half_width is None or np.isfinite(mean.half_width).all()


# -- who beats whom ----------------------------------------------------------------------------------------


@given(st.lists(st.floats(0, 1), max_size=12))
def test_holms_correction_is_its_definition(p_values):
    assert holm(p_values) == pytest.approx(twin.holm(p_values))


def test_holms_correction_by_hand():
    assert holm([0.04, 0.01, 0.03]) == pytest.approx([0.06, 0.03, 0.06])
    assert holm([0.5, 0.9]) == [1.0, 1.0]
    assert holm([]) == []


@pytest.mark.slow
@given(st.lists(st.integers(-5, 5).filter(bool), min_size=1, max_size=6))
def test_the_signed_rank_test_counts_all_signs_when_there_are_few(differences):
    assert signed_rank(np.array(differences, np.float64))[0] == pytest.approx(twin.signed_rank(differences))


@pytest.mark.slow
@given(st.permutations(range(1, 12)), st.lists(st.booleans(), min_size=11, max_size=11))
def test_the_signed_rank_test_of_different_sizes_is_exact_and_takes_no_side(sizes, ups):
    differences = np.array(sizes, np.float64) * np.where(ups, 1, -1)
    p, lean = signed_rank(differences)
    assert p == pytest.approx(twin.signed_rank(differences))
    assert signed_rank(-differences) == (p, -lean)
    assert lean == np.sign(differences.sum())  # these sizes are their own ranks


def test_differences_of_nothing_do_not_count():
    assert signed_rank(np.zeros(8)) == (1.0, 0)
    assert signed_rank(np.full(8, SIGNIFICANCE.same / 2)) == (1.0, 0)
    some = np.array([0.1, 0.2, -0.3, 0.5])
    assert signed_rank(np.concatenate([some, np.zeros(5)])) == signed_rank(some)


def test_the_verdict_follows_the_ranks_and_not_the_median():
    gaps = [0.001 * i for i in range(1, 17)] + [-0.01 * i for i in range(2, 17)]
    (found,) = compare(contest(gaps))
    assert found.median > 0
    assert found.wins > found.losses
    assert found.lean == -1
    assert found.verdict == -1


def test_two_methods_are_compared_on_the_runs_that_both_made():
    curves = [
        run([0.8], [0], method="A", seed=0),
        run([0.5], [0], method="B", seed=0),
        run([0.4], [0], method="A", seed=1),
        run([0.5], [0], method="B", seed=1),
        run([0.5], [0], method="A", dataset="Forest"),
        run([0.5], [0], method="B", dataset="Forest"),
        run([0.9], [0], method="A", seed=7),
        run([0.1], [0], method="B", seed=8),
    ]
    (found,) = compare(curves)
    assert (found.first, found.second, found.pairs) == ("A", "B", 3)
    assert (found.wins, found.losses, found.ties) == (1, 1, 1)
    assert found.median == 0
    assert (found.p, found.verdict) == (1.0, 0)


def test_methods_that_never_met_are_not_compared():
    assert compare([run([0.1], method="A"), run([0.2], method="B", seed=1)]) == []
    assert compare([run([0.1], method="A"), run([0.2], method="B", oracle="Oracle 1")]) == []
    assert compare([run([0.1])]) == []


@pytest.mark.parametrize("pairs", range(1, 9))
def test_fewer_than_six_pairs_are_never_significant(pairs):
    (found,) = compare(contest(np.linspace(0.1, 0.4, pairs)))
    assert found.p == pytest.approx(min(1.0, 2.0 ** (1 - pairs)))
    assert found.verdict == (pairs >= SIGNIFICANCE.fewest_pairs)


@pytest.mark.parametrize("comparisons", [1, 3, 10, 45])
def test_the_correction_needs_as_many_pairs_as_it_says(comparisons):
    needed = pairs_needed(comparisons)
    assert comparisons * 2.0 ** (1 - needed) <= SIGNIFICANCE.level < comparisons * 2.0 ** (2 - needed)
    assert pairs_needed(0) == pairs_needed(1) == SIGNIFICANCE.fewest_pairs


def test_the_correction_is_over_the_comparisons_of_one_oracle():
    three = [run([0.9 - 0.1 * i], [0], method=m, seed=s) for i, m in enumerate("ABC") for s in range(7)]
    two = [
        run([0.9 - 0.1 * i], [0], method=m, seed=s, oracle="X") for i, m in enumerate("AB") for s in range(7)
    ]
    found = compare([*three, *two])
    assert [(c.oracle, c.first + c.second, c.wins) for c in found] == [
        ("Oracle 2", "AB", 7),
        ("Oracle 2", "AC", 7),
        ("Oracle 2", "BC", 7),
        ("X", "AB", 7),
    ]
    assert [c.p for c in found] == pytest.approx([3 / 64, 3 / 64, 3 / 64, 1 / 64])


# -- time --------------------------------------------------------------------------------------------------


def test_seconds_are_averaged_over_rounds_and_then_over_datasets():
    curves = [
        run([0, 0, 0], seconds=1.0),
        run([0], seconds=5.0, seed=1),  # four rounds on Ecoli: 2 on average
        run([0], seconds=4.0, dataset="Forest"),
        run([0], seconds=0.1, method="Uniform"),
        run([0], seconds=0.1, method="Uniform", dataset="Forest"),
        run([0], seconds=99.0, dataset="MNIST"),  # where Uniform did not run
        run([0], seconds=99.0, oracle="Oracle 1"),
    ]
    found = seconds_per_round(curves)
    assert found.datasets == ("Ecoli", "Forest")
    assert list(found.by_method) == ["Uniform", "JEIG"]
    assert list(found.by_method.values()) == pytest.approx([0.1, 3.0])


def test_methods_without_a_common_dataset_have_no_times_to_compare():
    found = seconds_per_round([run([0.1]), run([0.1], method="Uniform", dataset="Forest")])
    assert (found.datasets, found.by_method) == ((), {})
    assert seconds_per_round([run([])]).by_method == {}


# -- order and damage --------------------------------------------------------------------------------------


def test_datasets_come_as_in_the_paper_and_others_after():
    paper = ["CIFAR-10", "newsgroups5", "cardiotocography", "Ecoli", "Forest Type Mapping", "user_knowledge"]
    names = [*paper, "MNIST", "Synthetic", "digits", "zoo 2", "zoo 10"]
    assert sorted(sorted(names), key=dataset_order) == names


def test_numbers_in_names_are_sorted_as_numbers():
    names = ["β = 10 a", "β = 10", "β = 0.5", "β = 3"]
    assert sorted(names, key=natural) == ["β = 0.5", "β = 3", "β = 10", "β = 10 a"]
    assert sorted(["a", "1", "b²", "", "A"], key=natural) == ["", "1", "A", "a", "b²"]


@pytest.mark.slow
@given(st.permutations(range(6)))
def test_the_order_of_the_curves_does_not_matter(order):
    curves = [run([0.1 * i, 0.3], method=m, seed=i) for i in range(3) for m in "AB"]
    shuffled = [curves[i] for i in order]
    assert summarise(shuffled) == summarise(curves)
    assert compare(shuffled) == compare(curves)


@pytest.mark.parametrize("function", EVERYTHING)
def test_no_curves_are_refused_with_words(function):
    with pytest.raises(InvalidInputError, match="there are no curves yet; run the study"):
        function([])


@pytest.mark.parametrize("function", EVERYTHING)
def test_a_run_that_stands_there_twice_is_refused(function):
    with pytest.raises(InvalidInputError, match=r"\('Ecoli', 'Oracle 2', 'JEIG', 0\) stands there twice"):
        function([run([0.1]), run([0.2], seed=1), run([0.3])])


@pytest.mark.parametrize(
    ("curve", "words"),
    [
        (run([0.1, np.nan]), "expected a number for every round"),
        (run([0.1], seconds=np.inf), "expected a number for every round"),
        (run([0.1, 0.2], [10]), "expected a number for every round"),
        (run([0.1, 0.2], [20, 10]), "expected them to rise"),
        (run([0.1], [-1]), "expected them to rise"),
    ],
)
def test_a_damaged_curve_is_refused(curve, words):
    with pytest.raises(InvalidInputError, match=words):
        checked([run([0.5], seed=1), curve])
