"""Every option of a wrong type or value is refused by its name, whatever it belongs to."""

import math
from fractions import Fraction

import numpy as np
import pytest

import ofakind as ok
from ofakind.checks import one_of, real_number, truth_value, whole_number

NO_NUMBER = ["1", "", None, True, np.True_, [1], np.array([1, 2]), 1j, math.nan, np.float32("nan"), print]
NOT_WHOLE = [*NO_NUMBER, 1.0, 1.5, math.inf, np.array([3]), -1]
NOT_REAL = [*NO_NUMBER, 10**400, -(10**400), np.array(0.5), Fraction(1, 2), -1]
NO_WORD = ["nonsense", "", None, True, 1, ["pairs"], np.array(["pairs", "objects"])]
NO_TRUTH = ["yes", "False", None, 0, 1, 1.0, [], np.array([True])]

WHOLE = [
    (ok.JEIG, ["subsets", "samples", "max_subset", "max_sweeps"]),
    (ok.EIGO, ["max_sweeps"]),
    (ok.Entropy, ["candidates"]),
    (ok.LocalSearch, ["restarts", "sweeps"]),
    (ok.Pivot, ["repeats"]),
    (ok.Exact, ["limit"]),
    (ok.MeanFieldBelief, ["max_sweeps"]),
    (ok.Precision, ["max_sweeps"]),
]
WHOLE_OR_NONE = [(ok.PartitionBelief, ["chains", "burn_in", "samples"])]
REAL = [
    (ok.JEIG, ["subset", "noise", "tol"]),
    (ok.EIGO, ["candidates_per_object", "noise", "tol"]),
    (ok.Entropy, ["noise"]),
    (ok.InformationGain, ["focus"]),
    (ok.MaxExp, ["explore"]),
    (ok.MaxMin, ["explore"]),
    (ok.MeanFieldBelief, ["beta", "tol"]),
    (ok.PartitionBelief, ["exponent"]),
    (ok.Precision, ["tol"]),
]
WORDS = [
    (ok.JEIG, ["choose_by", "draw"]),
    (ok.EIGO, ["over"]),
    (ok.LocalSearch, ["new_cluster"]),
    (ok.Consensus, ["measure"]),
    (ok.MeanFieldBelief, ["schedule", "form"]),
]
TRUTHS = [
    (ok.LocalSearch, ["warm_start", "alone"]),
    (ok.PartitionBelief, ["calibrate"]),
]


def cases(table):
    return [pytest.param(make, name, id=f"{make.__name__}.{name}") for make, names in table for name in names]


def check_refused(make, name, values):
    for value in values:
        with pytest.raises(ok.InvalidInputError, match=f"^{name} is .*; expected"):
            make(**{name: value})


@pytest.mark.parametrize(("make", "name"), cases(WHOLE))
def test_what_is_no_whole_number_is_refused_by_its_name(make, name):
    check_refused(make, name, NOT_WHOLE)
    assert getattr(make(**{name: np.int16(7)}), name) == 7


@pytest.mark.parametrize(("make", "name"), cases(WHOLE_OR_NONE))
def test_what_is_neither_a_whole_number_nor_none_is_refused_by_its_name(make, name):
    check_refused(make, name, [value for value in NOT_WHOLE if value is not None])
    assert getattr(make(**{name: np.int16(7)}), name) == 7
    assert getattr(make(**{name: None}), name) is None


@pytest.mark.parametrize(("make", "name"), cases(REAL))
def test_what_is_no_finite_number_is_refused_by_its_name(make, name):
    check_refused(make, name, [*NOT_REAL, math.inf, -math.inf])
    for value in (1, 0.5, np.float32(0.5), np.int8(1)):
        assert getattr(make(**{name: value}), name) == value


@pytest.mark.parametrize(("make", "name"), cases(WORDS))
def test_a_word_that_is_no_choice_is_refused_by_its_name(make, name):
    check_refused(make, name, NO_WORD)


@pytest.mark.parametrize(("make", "name"), cases(TRUTHS))
def test_what_is_neither_true_nor_false_is_refused_by_its_name(make, name):
    check_refused(make, name, NO_TRUTH)
    assert getattr(make(**{name: np.True_}), name)


@pytest.mark.parametrize(("make", "name"), [(ok.InformationGain, "focus"), (ok.PartitionBelief, "exponent")])
def test_a_share_lies_between_0_and_1(make, name):
    check_refused(make, name, [1.001, 2, -0.001])
    assert [getattr(make(**{name: value}), name) for value in (0, 1)] == [0, 1]


def test_beta_may_be_infinite_for_triangles_only():
    check_refused(ok.MaxExp, "beta", [*NOT_REAL, 0, -math.inf])
    assert ok.MaxExp(beta=math.inf).beta == math.inf


@pytest.mark.parametrize(
    ("make", "name"), [(ok.MaxExp, "violations"), (ok.MaxMin, "violations"), (ok.Multilevel, "kicks")]
)
def test_some_numbers_may_be_left_out(make, name):
    check_refused(make, name, [value for value in NOT_WHOLE if value is not None])
    assert getattr(make(**{name: None}), name) is None


def test_a_precision_is_that_of_single_or_double_floats():
    check_refused(ok.Precision, "dtype", ["float32", None, np.int64, float, 32, np.array([1.0, 2.0])])
    assert ok.Precision(np.float32).dtype is np.float32


@pytest.mark.parametrize("schedule", ["asynchronous", "synchronous"])
@pytest.mark.parametrize("number", [int, np.float16, np.float32, np.longdouble, np.int8])
def test_any_kind_of_number_means_the_same_to_the_kernels(number, schedule):
    similarity = ok.Similarity.from_pairs(4, [0, 1], [1, 2], [1.0, -1.0])
    field = ok.mean_field(similarity, [0, 0, 1, 1], beta=number(3), tol=number(1), schedule=schedule)
    expected = ok.mean_field(similarity, [0, 0, 1, 1], beta=3.0, tol=1.0, schedule=schedule)
    assert np.array_equal(field.q, expected.q)
    assert type(field.beta) is float
    precision = ok.Precision(np.float64, number(1), 10**30)
    gains = ok.expected_information_gain(field, [0], [2], precision=precision)
    assert gains == ok.expected_information_gain(expected, [0], [2], precision=ok.Precision(tol=1.0))


@pytest.mark.parametrize("value", [-1, 1.0, "0", None, False, np.array([0])])
def test_the_limits_of_a_pool_are_whole_numbers(value):
    nothing = ok.Similarity.from_pairs(3, [], [], [])
    with pytest.raises(ok.InvalidInputError, match=r"^repeats is .*expected a whole number, 1 or more"):
        ok.Pool(nothing, ok.Pairs.empty(), repeats=value)
    with pytest.raises(ok.InvalidInputError, match=r"^list_limit is .*expected a whole number, 0 or more"):
        ok.Pool(nothing, ok.Pairs.empty(), list_limit=value)


# -- the words ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("check", "message"),
    [
        (lambda: whole_number("size", 0, least=1), "size is 0; expected a whole number, 1 or more"),
        (lambda: real_number("x", "1"), "x is '1'; expected a finite number"),
        (lambda: real_number("x", math.inf, least=0), "x is inf; expected a finite number, at least 0"),
        (lambda: real_number("x", 0, above=0, infinite=True), "x is 0; expected a number, above 0"),
        (
            lambda: real_number("x", 2, above=0, most=1),
            "x is 2; expected a finite number, above 0 and at most 1",
        ),
        (lambda: one_of("x", "c", "a", "b"), "x is 'c'; expected 'a' or 'b'"),
        (lambda: truth_value("x", 1), "x is 1; expected True or False"),
    ],
)
def test_a_refusal_says_what_was_got_and_what_was_expected(check, message):
    with pytest.raises(ok.InvalidInputError) as error:
        check()
    assert str(error.value) == message


def test_numbers_on_their_limits_are_welcome():
    assert real_number("x", 0, least=0) == 0
    assert real_number("x", np.int8(1), above=0, most=1) == 1
    assert real_number("x", -math.inf, infinite=True) == -math.inf
    assert type(real_number("x", np.float32(0.5))) is float
    assert type(whole_number("x", np.array(3), least=3)) is int
