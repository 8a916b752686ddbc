import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ofakind as ok
from ofakind.answers import Answers
from ofakind.noise.evidence import Bins, Evidence, known_elsewhere
from twins import calibration as twin

VALUES = st.one_of(
    st.lists(st.sampled_from([-1.0, 1.0])),
    st.lists(st.sampled_from([-1.0, -0.5, 0.0, 0.25, 1.0]), max_size=60),
    st.lists(st.floats(-1, 1, allow_subnormal=False).map(lambda value: round(value, 2)), max_size=200),
)


def table(n, seed, *, named=True, many=60):
    """Some answers, several to some pairs, by three people or nobody."""
    rng = np.random.default_rng(seed)
    u = rng.integers(n, size=many)
    pairs = np.stack([u, (u + rng.integers(1, n, size=many)) % n], axis=1)
    values = rng.choice([-1, 1, 0, 0.3, -0.7], many)
    return Answers.none(n).adding(pairs, values, rng.choice(["", "Ada", "Ben"], many) if named else None)


BETWEEN = st.integers(-999, 998).map(lambda step: (step + 0.37) / 1000)  # no value, and midway between none


@given(VALUES, st.lists(BETWEEN, max_size=20))
def test_values_fall_into_the_kinds_of_the_plain_twin(values, others):
    bins, (atoms, inner, rest) = Bins.fitting(values), twin.kinds(values)
    np.testing.assert_array_equal(bins.atoms, atoms)
    np.testing.assert_allclose(bins.cuts, inner)
    asked = [*values, *others]
    names = [twin.kind_of(value, atoms, inner, rest) for value in asked]
    found = bins.of(asked).tolist()
    assert len(set(zip(names, found, strict=True))) == len(set(names)) == len(set(found))


@given(VALUES, st.randoms(use_true_random=False))
def test_kinds_depend_on_no_order(values, random):
    bins, mixed = Bins.fitting(values), Bins.fitting(random.sample(values, len(values)))
    for name in ("atoms", "cuts", "centres"):
        np.testing.assert_array_equal(getattr(bins, name), getattr(mixed, name))


@given(VALUES)
def test_kinds_mirror_each_other_at_0(values):
    bins = Bins.fitting(values)
    np.testing.assert_array_equal(bins.centres[bins.of(values)], -bins.centres[bins.of(np.negative(values))])
    np.testing.assert_array_equal(np.sort(bins.centres), np.sort(-bins.centres))


@given(VALUES)
def test_each_kind_holds_a_value_or_its_opposite(values):
    bins = Bins.fitting(values)
    assert set(bins.of([*values, *np.negative(values)])) == set(range(len(bins) if values else 0))


@given(VALUES)
def test_the_middle_of_a_kind_is_the_mean_of_its_values_and_the_opposites_of_its_mirror(values):
    bins, both = Bins.fitting(values), np.r_[values, np.negative(values)]
    for kind in range(len(bins) if values else 0):
        assert bins.centres[kind] == pytest.approx(both[bins.of(both) == kind].mean())


def test_the_true_answers_of_oracle_1_are_kinds_of_their_own_and_its_noise_falls_into_ten_ranges():
    rng = np.random.default_rng(5)
    bins = Bins.fitting(np.r_[np.repeat([-1.0, 1.0], [500, 100]), rng.uniform(-1, 1, 400)])
    assert bins.atoms.tolist() == [-1, 1]
    assert len(bins) == 12
    sizes = np.bincount(bins.of(rng.uniform(-1, 1, 10_000)), minlength=12)
    assert sizes[2:].min() > 500


def test_without_ranges_a_new_value_falls_into_the_nearest_kind():
    bins = Bins.fitting([-1.0, 1.0, 0.0])
    assert bins.centres[bins.of([-0.9, -0.4, 0.1, 0.6, -1, 0])].tolist() == [-1, 0, 0, 1, -1, 0]


def test_a_value_beyond_all_others_falls_into_the_outermost_range():
    bins = Bins.fitting(np.linspace(-0.5, 0.5, 1001))
    assert bins.of([-1, 1]).tolist() == [np.argmin(bins.centres), np.argmax(bins.centres)]


@pytest.mark.parametrize("value", [-1.0, 0.0, 1.0, 0.5])
def test_one_answer_gives_kinds_for_it_and_its_opposite(value):
    assert set(Bins.fitting([value]).centres) == {value, -value}


@pytest.mark.parametrize("steps", [50, 100, 101, 150, 1000])
def test_there_are_never_more_kinds_than_a_byte_can_number(steps):
    assert len(Bins.fitting(np.tile(np.linspace(0.001, 0.999, steps), 5))) <= 213


@pytest.mark.parametrize("n", [0, 1, 2])
def test_no_answers_are_no_evidence(n):
    evidence = Evidence.of(Answers.none(n))
    assert (len(evidence.pairs), len(evidence.pair), len(evidence.counts), len(evidence.row)) == (0, 0, 0, 0)
    assert evidence.bins.centres.tolist() == [-1, 1]


@given(st.integers(2, 9), st.integers(0, 99), st.booleans())
def test_evidence_has_the_pairs_of_the_similarity_and_all_answers(n, seed, named):
    answers = table(n, seed, named=named)
    evidence, similarity = Evidence.of(answers), ok.Similarity.from_answers(answers)
    assert evidence.pairs == similarity.pairs()
    np.testing.assert_array_equal(evidence.counts, similarity.count(evidence.pairs.u, evidence.pairs.v))
    np.testing.assert_allclose(
        evidence.sums(evidence.value) / evidence.counts,
        similarity.value(evidence.pairs.u, evidence.pairs.v),
        atol=1e-12,
    )
    assert sorted(evidence.row) == list(range(len(answers)))
    names = ("", *evidence.annotators)
    for row, pair, value, who in zip(evidence.row, evidence.pair, evidence.value, evidence.who, strict=True):
        assert (answers.u[row], answers.v[row]) == evidence.pairs[pair]
        assert answers.values[row] == value
        assert (answers.annotators or [""] * len(answers))[row] == names[who]
    np.testing.assert_array_equal(evidence.kind, evidence.bins.of(evidence.value))


@given(st.integers(2, 9), st.integers(0, 99))
def test_evidence_depends_on_no_order_of_arrival(n, seed):
    answers, rng = table(n, seed), np.random.default_rng(seed)
    order = rng.permutation(len(answers))
    pairs = np.stack([answers.u, answers.v], axis=1)[order]
    mixed = Answers.none(n).adding(pairs, answers.values[order], np.array(answers.annotators)[order])
    one, other = Evidence.of(answers), Evidence.of(mixed)
    assert (one.pairs, one.annotators) == (other.pairs, other.annotators)
    for name in ("pair", "value", "kind", "who"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name))


def test_values_that_differ_by_rounding_only_are_told_apart():
    low, high = 0.8, np.nextafter(0.8, 1)
    bins = Bins.fitting([low, -high])
    assert set(bins.centres) == {-high, -low, low, high}
    np.testing.assert_array_equal(bins.centres[bins.of([low, -low, high, -high])], [low, -low, high, -high])


@pytest.mark.parametrize(("times", "answers", "own"), [(4, 50, 0), (5, 50, 1), (9, 1000, 0), (10, 1000, 1)])
def test_a_value_is_a_kind_of_its_own_if_given_five_times_and_by_one_answer_in_a_hundred(times, answers, own):
    values = np.r_[np.full(times, 0.25), np.linspace(0.3, 0.9, answers - times)]
    assert (0.25 in Bins.fitting(values).atoms) == own


@given(st.lists(st.tuples(st.floats(0, 1), st.floats(-7, 7)), max_size=30))
def test_how_well_a_pair_is_known_elsewhere_is_between_nothing_and_everything(rows):
    same, own = np.array(rows).reshape(-1, 2).T
    known = known_elsewhere(same, own)
    assert known.shape == same.shape
    assert ((known >= 0) & (known <= 1)).all()


def test_a_pair_that_only_its_own_answers_tell_of_is_not_known_elsewhere():
    common = 0.05  # of ten thousand pairs; some have answers of their own, others do not
    prior, own = np.log(common / (1 - common)), np.array([0.0, 3.0, -3.0, 6.0])
    same = 1 / (1 + np.exp(-(prior + own)))
    many = np.r_[same, np.full(10_000, common)]
    assert known_elsewhere(many, np.r_[own, np.zeros(10_000)])[:4].max() == 0
    assert known_elsewhere(np.r_[0.999, many], np.r_[-3.0, own, np.zeros(10_000)])[0] > 0.9
