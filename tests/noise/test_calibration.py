import json
import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ofakind as ok
from ofakind.answers import Answers
from ofakind.engine.document import plain
from ofakind.errors import InvalidInputError
from ofakind.noise import misleading as module
from ofakind.noise.calibration import Calibration, learn, pair_weights
from ofakind.noise.evidence import Evidence
from ofakind.noise.misleading import MISLEADING
from twins import calibration as twin

NAMES = ("", "Ada", "Ben", "Cyd")


def random_answers(n, many, *, seed, values=(-1, 1), names=None):
    rng = np.random.default_rng(seed)
    u = rng.integers(n, size=many)
    pairs = np.stack([u, (u + rng.integers(1, n, size=many)) % n], axis=1)
    said = rng.choice(values, many)
    return Answers.none(n).adding(pairs, said, rng.choice(names, many) if names else None)


def world(n=300, many=6000, *, clusters=4, seed=0):
    """Random distinct pairs, and for each whether it is of a kind."""
    rng = np.random.default_rng(seed)
    pairs = ok.Pairs.from_ranks(np.sort(rng.choice(n * (n - 1) // 2, many, replace=False)), n)
    return pairs, (pairs.u % clusters == pairs.v % clusters), rng


def evidence_of(pairs, values, names=None):
    return Evidence.of(Answers.none(int(np.max(pairs)) + 1).adding(pairs, values, names))


def flipped(same, error, rng):
    return np.where(same ^ (rng.random(same.shape) < error), 1.0, -1.0)


def as_lists(evidence, weights=None):
    amount = np.ones(len(evidence.row)) if weights is None else np.asarray(weights)[evidence.row]
    columns = (evidence.pair, evidence.who, evidence.kind, amount)
    return list(zip(*(column.tolist() for column in columns), strict=True))


def shapes_of(evidence):
    def kind(value):
        return int(evidence.bins.of([value])[0])

    return twin.prior(evidence.value.tolist(), kind, evidence.bins.centres.tolist())


CASES = st.tuples(
    st.integers(2, 12),
    st.integers(0, 120),
    st.sampled_from([(-1, 1), (-1, 0, 0.4, 1), tuple(np.linspace(-0.9, 0.95, 38))]),
    st.sampled_from([None, NAMES]),
    st.integers(0, 999),
)


def some(case):
    """Evidence, probabilities of its pairs and weights of its answers."""
    n, many, values, names, seed = case
    evidence = Evidence.of(random_answers(n, many, seed=seed, values=values, names=names))
    rng = np.random.default_rng(seed)
    return evidence, rng.beta(0.3, 0.5, len(evidence.pairs)), rng.uniform(0, 2, many)


# -- the plain twin ----------------------------------------------------------------------------------------


@pytest.mark.slow
@given(CASES, st.booleans())
def test_what_is_learned_equals_the_plain_twin(case, weighted):
    evidence, same, weights = some(case)
    weights = weights if weighted else None
    calibration = learn(evidence, same, weights=weights)
    answers, people = as_lists(evidence, weights), len(evidence.annotators)
    tables, misleading = twin.learn(answers, same, shapes_of(evidence), people=people, steps=400)
    np.testing.assert_allclose(calibration.misleading, misleading, atol=2e-3)
    np.testing.assert_allclose(calibration.looks_same, tables[0], atol=2e-3)
    np.testing.assert_allclose(calibration.looks_different, tables[1], atol=2e-3)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("steps", [1, 2, 7])
def test_each_step_over_the_looks_equals_the_plain_twin(monkeypatch, seed, steps):
    monkeypatch.setattr(module, "MISLEADING", replace(MISLEADING, steps=steps, tolerance=0))
    evidence, same, weights = some((20, 250, (-1, 1, 0.3), NAMES, seed))
    assert (evidence.counts > 1).sum() >= 30
    assert (evidence.counts == 1).any()
    calibration = learn(evidence, same, weights=weights)
    answers, people = as_lists(evidence, weights), len(evidence.annotators)
    tables, misleading = twin.learn(answers, same, shapes_of(evidence), people=people, steps=steps)
    np.testing.assert_allclose(calibration.misleading, misleading, rtol=1e-9)
    np.testing.assert_allclose([calibration.looks_same, calibration.looks_different], tables, rtol=1e-9)


@pytest.mark.slow
@given(CASES)
def test_pair_weights_equal_the_plain_twin(case):
    evidence, same, _ = some(case)
    calibration = learn(evidence, same)
    tables = calibration.looks_same, calibration.looks_different
    expected = twin.pair_weights(as_lists(evidence), tables, calibration.misleading)
    np.testing.assert_allclose(pair_weights(evidence, calibration), expected, atol=1e-9)


@given(CASES, st.floats(0, 1))
def test_information_equals_enumeration(case, p):
    evidence, same, _ = some(case)
    calibration = learn(evidence, same)
    expected = twin.information(p, calibration.same, calibration.different)
    assert calibration.information(p) == pytest.approx(expected, abs=1e-12)


# -- tables, ratios, information ---------------------------------------------------------------------------


@pytest.mark.slow
@given(CASES)
def test_tables_are_distributions_and_ratios_are_limited(case):
    evidence, same, _ = some(case)
    for calibration in (learn(evidence), learn(evidence, same)):
        tables = np.concatenate(calibration.tables())
        np.testing.assert_allclose(tables.sum(axis=1), 1)
        assert (tables > 0).all()
        assert np.abs(pair_weights(evidence, calibration)).max(initial=0) <= 7
        assert np.abs(calibration.log_ratio(np.linspace(-1, 1, 21))).max() <= 7


@pytest.mark.slow
@given(CASES)
def test_the_ratio_of_one_answer_is_the_weight_of_a_pair_with_that_answer(case):
    evidence, same, _ = some(case)
    calibration, weights = learn(evidence, same), pair_weights(evidence, learn(evidence, same))
    names = (None, *evidence.annotators)
    for pair in np.flatnonzero(evidence.counts == 1):
        at = int(np.flatnonzero(evidence.pair == pair)[0])
        ratio = calibration.log_ratio(evidence.value[at], names[evidence.who[at]])
        assert ratio == pytest.approx(weights[pair])


@pytest.mark.slow
@given(CASES)
def test_permuting_the_answers_changes_nothing(case):
    n, many, values, names, seed = case
    answers = random_answers(n, many, seed=seed, values=values, names=names)
    order = np.random.default_rng(seed).permutation(many)
    people = np.array(answers.annotators)[order] if names else None
    pairs = np.stack([answers.u, answers.v], axis=1)[order]
    mixed = Answers.none(n).adding(pairs, answers.values[order], people)
    evidence, same, weights = some(case)
    one, other = (
        learn(evidence, same, weights=weights),
        learn(Evidence.of(mixed), same, weights=weights[order]),
    )
    np.testing.assert_allclose(one.tables(), other.tables(), rtol=1e-9)
    np.testing.assert_array_equal(learn(evidence, same).tables(), learn(Evidence.of(mixed), same).tables())


@pytest.mark.slow
@given(CASES, st.lists(st.floats(0, 1), min_size=1, max_size=5))
def test_information_lies_between_0_and_the_entropy_and_vanishes_without_doubt(case, doubts):
    evidence, same, _ = some(case)
    information = learn(evidence, same).information(np.array([0, 1, *doubts]))
    entropy = [-sum(x * math.log(x) for x in (p, 1 - p) if x > 0) for p in doubts]
    assert information[:2] == pytest.approx([0, 0], abs=1e-15)
    assert (information >= 0).all()
    assert (information[2:] <= np.array(entropy) + 1e-12).all()


@given(CASES, st.floats(0, 1))
def test_before_anything_is_learned_same_and_different_mirror_each_other(case, p):
    calibration = learn(some(case)[0])
    atoms, kinds = len(calibration.bins.atoms), len(calibration.bins)
    mirror = np.r_[range(atoms)[::-1], range(atoms, kinds)[::-1]].astype(int)
    np.testing.assert_allclose(calibration.same, calibration.different[mirror])
    assert calibration.information(p) == pytest.approx(calibration.information(1 - p), abs=1e-12)


@given(CASES)
def test_before_anything_is_learned_an_answer_s_has_the_ratio_3_s(case):
    evidence = some(case)[0]
    expected = 3 * evidence.bins.centres[evidence.kind]
    np.testing.assert_allclose(learn(evidence).log_ratio(evidence.value), expected, atol=1e-9)


# -- learning from simulated answers -----------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(3))
def test_under_oracle_1_exact_answers_are_worth_much_and_all_others_next_to_nothing(seed):
    pairs, same, _ = world(seed=seed)
    values = ok.NoisyOracle(np.arange(300) % 4, gamma=0.4, seed=seed)(pairs)
    calibration = learn(evidence_of(pairs, values), same)
    np.testing.assert_allclose(calibration.log_ratio([-1, 1]) > 4, [False, True])
    assert calibration.log_ratio(-1) < -4
    assert np.abs(calibration.log_ratio(np.linspace(-0.99, 0.99, 50))).mean() < 0.3
    assert calibration.same[1] == pytest.approx(0.6, abs=0.05)
    # an exact answer tells all, another nothing
    assert calibration.information(0.5) == pytest.approx(0.6 * np.log(2), abs=0.03)


@pytest.mark.parametrize(("missed", "mistaken"), [(0.1, 0.1), (0.3, 0.02), (0.05, 0.25)])
def test_errors_about_same_and_different_pairs_are_learned_apart(missed, mistaken):
    pairs, same, rng = world()
    values = flipped(same, np.where(same, missed, mistaken), rng)
    calibration = learn(evidence_of(pairs, values), same)
    np.testing.assert_allclose(calibration.same, [missed, 1 - missed], atol=0.03)
    np.testing.assert_allclose(calibration.different, [1 - mistaken, mistaken], atol=0.03)
    expected = [math.log(missed / (1 - mistaken)), math.log((1 - missed) / mistaken)]
    np.testing.assert_allclose(calibration.log_ratio([-1, 1]), expected, atol=0.35)


def test_the_ratio_of_graded_answers_is_learned_along_their_values():
    pairs, same, rng = world(many=20_000)
    values = np.clip(np.where(same, 0.3, -0.3) + rng.normal(0, 0.4, len(same)), -0.999, 0.999)
    calibration = learn(evidence_of(pairs, values), same)
    inner = np.abs(calibration.centres) < 0.9  # outside values pile up by the clipping
    centres = calibration.centres[inner]
    np.testing.assert_allclose(calibration.log_ratio(centres), 0.6 / 0.4**2 * centres, atol=0.5)


def test_answers_that_do_not_depend_on_the_pair_lose_their_worth():
    pairs, same, rng = world()
    calibration = learn(evidence_of(pairs, rng.choice([-1, 0, 1], len(same))), same)
    assert np.abs(calibration.log_ratio([-1, 0, 1])).max() < 0.25
    assert calibration.information(0.5) < 0.01


def test_weights_make_answers_count_as_if_they_were_not_there():
    pairs, same, rng = world(many=400)
    values, kept = flipped(same, 0.2, rng), rng.random(400) < 0.5
    part = learn(evidence_of(pairs, values), same, weights=kept.astype(float))
    expected = twin.count(
        as_lists(evidence_of(pairs, values), kept), same, shapes_of(evidence_of(pairs, values)), people=0
    )
    np.testing.assert_allclose(part.looks_same, expected[0])


# -- annotators --------------------------------------------------------------------------------------------


def crowd(errors, *, many=2000, seed=0):
    """Each pair answered once, by each annotator in turn; ``errors`` says how often each is wrong."""
    pairs, same, rng = world(many=many, seed=seed)
    who = np.arange(many) % len(errors)
    names = tuple(f"person {number}" for number in who)
    return evidence_of(pairs, flipped(same, np.array(errors)[who], rng), names), same


def test_a_liar_among_honest_people_gets_inverted_ratios():
    evidence, same = crowd([0.05, 0.05, 0.05, 1.0])
    calibration = learn(evidence, same)
    assert calibration.log_ratio(1, "person 3") < -1.5
    assert calibration.log_ratio(-1, "person 3") > 1.5
    assert calibration.log_ratio(1, "person 0") > 2
    liars = evidence.who == 4
    agrees = pair_weights(evidence, calibration)[evidence.pair] > 0
    assert (agrees[liars] == (evidence.value[liars] < 0)).all()


def test_each_annotator_is_trusted_as_far_as_his_answers_deserve():
    calibration = learn(*crowd([0.02, 0.2, 0.5]))
    ratios = [calibration.log_ratio(1, f"person {number}") for number in range(3)]
    assert ratios[0] > ratios[1] + 1 > ratios[2] + 1.5
    assert abs(ratios[2]) < 0.5


def test_few_answers_leave_an_annotator_with_everybodys_ratios():
    pairs, same, rng = world()
    names = ("Zoe", *["Ada"] * (len(same) - 1))
    calibration = learn(evidence_of(pairs, flipped(same, 0.1, rng), names), same)
    np.testing.assert_allclose(
        calibration.log_ratio([-1, 1], "Zoe"), calibration.log_ratio([-1, 1]), atol=0.5
    )


@pytest.mark.parametrize("times", [1, 2])
def test_where_one_person_answers_alone_a_name_changes_nothing(times):
    pairs, same, rng = world(many=300)
    values = np.tile(flipped(same, 0.2, rng), times)
    several = [pair for _ in range(times) for pair in pairs]
    nobody, ada = (evidence_of(several, values, names) for names in (None, ("Ada",) * len(values)))
    without, named = learn(nobody, same), learn(ada, same)
    np.testing.assert_array_equal(named.looks_same, np.repeat(without.looks_same, 2, axis=0))
    np.testing.assert_array_equal(named.looks_different, np.repeat(without.looks_different, 2, axis=0))
    np.testing.assert_array_equal(pair_weights(ada, named), pair_weights(nobody, without))


def test_an_unknown_annotator_counts_as_anybody():
    calibration = learn(*crowd([0.02, 0.4]))
    for name in (None, "", "nobody"):
        np.testing.assert_array_equal(calibration.log_ratio([-1, 1], name), calibration.log_ratio([-1, 1]))


def test_alone_a_liar_is_believed_unless_the_probabilities_tell():
    pairs, same, rng = world(many=1000)
    evidence = evidence_of(pairs, flipped(~same, 0, rng), ("Liar",) * 1000)
    assert learn(evidence).log_ratio(1, "Liar") > 0
    assert learn(evidence, same).log_ratio(1, "Liar") < 0


# -- pairs that mislead ------------------------------------------------------------------------------------


def repeated(d, e, *, error=0.1, pairs=800, times=4, seed=0):
    """Pairs answered several times by people who err apart, on pairs whose looks mislead them together."""
    asked, same, rng = world(many=pairs, clusters=2, seed=seed)
    looks = same ^ (rng.random(pairs) < np.where(same, d, e))
    values = flipped(np.repeat(looks, times), error, rng)
    return evidence_of(np.repeat(np.asarray(asked), times, axis=0), values), same


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize(("d", "e"), [(0.0, 0.0), (0.25, 0.02), (0.05, 0.15), (0.3, 0.3)])
def test_how_often_looks_mislead_is_learned_from_repeated_answers(d, e, seed):
    calibration = learn(*repeated(d, e, seed=seed))
    np.testing.assert_allclose(calibration.misleading, (d, e), atol=0.05)
    np.testing.assert_allclose(calibration.looks_same, [[0.1, 0.9]], atol=0.04)
    np.testing.assert_allclose(calibration.looks_different, [[0.9, 0.1]], atol=0.04)


def test_a_few_repeated_pairs_among_many_single_ones_tell_too():
    single, same, rng = world(many=8000, clusters=2)
    again = 400
    times = np.where(np.arange(len(same)) < again, 4, 1)
    looks = same ^ (rng.random(len(same)) < 0.2)
    values = flipped(np.repeat(looks, times), 0.05, rng)
    calibration = learn(evidence_of(np.repeat(np.asarray(single), times, axis=0), values), same)
    np.testing.assert_allclose(calibration.misleading, (0.2, 0.2), atol=0.06)


def test_pairs_asked_once_never_mislead():
    assert learn(*crowd([0.3, 0.3])).misleading == (0, 0)


def test_misleading_looks_are_learned_once_thirty_pairs_were_asked_again():
    for pairs, expected in ((29, 0), (30, 1)):
        assert (learn(*repeated(0.2, 0.2, pairs=pairs, times=3)).misleading[0] > 0) == expected


def test_only_pairs_whose_kind_is_known_from_elsewhere_tell_that_looks_mislead():
    evidence, same = repeated(0.3, 0.2)
    fully, half = np.ones(len(same)), np.where(np.arange(len(same)) % 2, 1.0, 0.0)
    assert learn(evidence, same, known=fully).misleading == learn(evidence, same).misleading
    np.testing.assert_allclose(learn(evidence, same, known=half).misleading, (0.3, 0.2), atol=0.08)
    unknown = learn(evidence, same, known=np.zeros(len(same)))
    assert unknown.misleading == pytest.approx((MISLEADING.share, MISLEADING.share))


def test_answers_to_a_misleading_pair_do_not_pile_up():
    evidence, same = repeated(0.2, 0.1)
    calibration = learn(evidence, same)
    d, e = calibration.misleading
    weights = [
        pair_weights(evidence_of([(0, 1)] * times, [1] * times), calibration)[0]
        for times in (1, 3, 10, 10_000)
    ]
    assert np.all(np.diff(weights) >= 0)
    assert weights[-1] == pytest.approx(math.log((1 - d) / e))
    assert weights[-1] < 3


@pytest.mark.parametrize("value", [-1, 1])
def test_answers_to_one_pair_never_say_more_than_the_limit(value):
    evidence = evidence_of([(0, 1)] * 1000, [value] * 1000)
    assert pair_weights(evidence, learn(evidence)).tolist() == [7 * value]


# -- corner cases ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("n", [0, 1, 2])
@pytest.mark.parametrize("same", [None, []])
def test_without_answers_the_prior_can_be_used(n, same):
    evidence = Evidence.of(Answers.none(n))
    for calibration in (learn(evidence, same), learn(evidence, same, weights=[])):
        np.testing.assert_allclose(calibration.log_ratio([-1, 1, 0.8]), [-3, 3, 3])
        assert pair_weights(evidence, calibration).shape == (0,)
        assert 0.4 < calibration.information(0.5) < math.log(2)


@pytest.mark.parametrize("p", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("value", [-1, 1])
@pytest.mark.parametrize("many", [1, 3, 500])
def test_when_all_answers_are_equal_they_still_say_what_they_say(value, many, p):
    pairs, _, _ = world(many=many)
    evidence = evidence_of(pairs, np.full(many, value))
    for calibration in (learn(evidence), learn(evidence, np.full(many, p))):
        weights = value * pair_weights(evidence, calibration)
        assert (weights >= 0.1).all() or p == (value < 0)


@pytest.mark.parametrize("p", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("many", [1, 4, 500])
def test_when_all_answers_are_0_they_say_nothing(many, p):
    evidence = evidence_of(world(many=many)[0], np.zeros(many))
    for calibration in (learn(evidence), learn(evidence, np.full(many, p))):
        np.testing.assert_allclose(pair_weights(evidence, calibration), 0, atol=1e-12)
        assert calibration.information(0.5) == pytest.approx(0, abs=1e-12)


def test_a_rare_0_says_nothing_before_and_next_to_nothing_after_learning():
    pairs, same, rng = world()
    values = np.where(rng.random(len(same)) < 0.1, 0, flipped(same, 0.1, rng))
    evidence = evidence_of(pairs, values)
    assert learn(evidence).log_ratio(0) == pytest.approx(0, abs=1e-12)
    assert learn(evidence, same).log_ratio(0) == pytest.approx(0, abs=0.3)


def test_few_graded_answers_are_told_apart():
    evidence = evidence_of([(0, 1), (1, 2), (2, 3), (3, 4)], [0.9, 0.2, -0.3, -0.8])
    weights = pair_weights(evidence, learn(evidence))
    assert weights[0] > weights[1] > 0 > weights[2] > weights[3]


def test_a_calibration_reads_answers_that_it_was_not_learned_from():
    evidence, same = crowd([0.05, 0.3])
    calibration = learn(evidence, same)
    other = evidence_of([(0, 1), (0, 2), (1, 2)], [0.9, 1, -1], ("person 1", "new", ""))
    expected = [calibration.log_ratio(1, "person 1"), calibration.log_ratio(1), calibration.log_ratio(-1)]
    np.testing.assert_allclose(pair_weights(other, calibration), expected)


# -- a fixed slope -----------------------------------------------------------------------------------------


@given(CASES, st.floats(0, 20))
def test_a_fixed_slope_gives_the_gibbs_distribution(case, slope):
    n, many, values, names, seed = case
    answers = random_answers(n, many, seed=seed, values=values, names=names)
    evidence, similarity = Evidence.of(answers), ok.Similarity.from_answers(answers)
    expected = slope * similarity.value(evidence.pairs.u, evidence.pairs.v)
    np.testing.assert_allclose(pair_weights(evidence, Calibration.fixed(slope)), expected, atol=1e-12)


@pytest.mark.parametrize("slope", [0, 0.5, 3, 40, 800, 1e6])
def test_the_information_under_a_fixed_slope_is_that_of_an_answer_with_errors(slope):
    wrong = 1 / (1 + math.exp(min(slope, 600)))
    p = np.linspace(0, 1, 11)
    expected = [twin.information(x, (wrong, 1 - wrong), (1 - wrong, wrong)) for x in p]
    np.testing.assert_allclose(Calibration.fixed(slope).information(p), expected, atol=1e-12)


@pytest.mark.parametrize("slope", [-1, math.nan, math.inf, "3", None])
def test_a_slope_that_is_no_number_from_0_is_refused(slope):
    with pytest.raises(InvalidInputError, match="slope is"):
        Calibration.fixed(slope)


# -- input, storage, text ----------------------------------------------------------------------------------


@pytest.mark.parametrize("same", [[0.5], [0.5, 0.5, 1.1], [-0.1, 0, 0], [math.nan, 0, 0], 0.5])
def test_probabilities_that_are_none_are_refused(same):
    evidence = evidence_of([(0, 1), (1, 2), (2, 3)], [1, 1, 1])
    with pytest.raises(InvalidInputError, match="expected a probability from 0 to 1 for each pair"):
        learn(evidence, same)


@pytest.mark.parametrize("weights", [[1], [1, 1, -1], [math.nan, 0, 0], [math.inf, 0, 0]])
def test_weights_that_are_none_are_refused(weights):
    evidence = evidence_of([(0, 1), (1, 2), (2, 3)], [1, 1, 1])
    with pytest.raises(InvalidInputError, match="weights"):
        learn(evidence, [0, 0, 1], weights=weights)


@pytest.mark.slow
@given(CASES)
def test_what_was_stored_as_text_comes_back_equal(case):
    evidence, same, _ = some(case)
    for calibration in (learn(evidence), learn(evidence, same), Calibration.fixed(2.5)):
        again = Calibration.from_entry(json.loads(json.dumps(plain(calibration.to_entry()), allow_nan=False)))
        np.testing.assert_array_equal(pair_weights(evidence, again), pair_weights(evidence, calibration))
        assert again.information(0.3) == calibration.information(0.3)
        assert (str(again), repr(again)) == (str(calibration), repr(calibration))


@pytest.mark.parametrize(
    "damage",
    [
        {"atoms": [1, -1]},
        {"atoms": [-1, 1, 2]},
        {"atoms": [[-1, 1]]},
        {"cuts": [0.5]},
        {"centres": [-1, math.nan]},
        {"shares": [1]},
        {"looks_same": [[0.5, 0.4]]},
        {"looks_same": [[1.5, -0.5]]},
        {"looks_same": [0.5, 0.5]},
        {"looks_different": [[0.5, 0.5], [0.5, 0.5]]},
        {"looks_different": "text"},
        {"misleading": [0.1, 0.6]},
        {"misleading": [-0.1, 0]},
        {"misleading": [0.1]},
        {"annotators": [3]},
        {"slope": -1},
    ],
)
def test_a_damaged_entry_is_refused(damage):
    entry = plain(learn(Evidence.of(Answers.none(2))).to_entry())
    Calibration.from_entry(entry)
    with pytest.raises(ValueError):
        Calibration.from_entry(entry | damage)


def test_what_is_known_can_be_read_by_people():
    evidence, same = crowd([0.02, 0.3])
    text = str(learn(evidence, same))
    assert "answer   share   if same   if different   speaks for" in text
    assert text.index("-1.00") < text.index("+1.00")
    assert "person 1: wrong about " in text
    assert "mislead" not in text
    assert "same look different" in str(learn(*repeated(0.2, 0.1)))
    assert repr(learn(evidence)).startswith("Calibration(2 kinds of answers, 2 annotators")
    assert str(Calibration.fixed(3)) == "an answer s has the log ratio 3 s (fixed, not learned)"
    assert repr(Calibration.fixed(3)) == "Calibration.fixed(3.0)"


@pytest.mark.parametrize("value", [math.nan, 1.5, -2, math.inf])
def test_what_is_no_answer_has_no_worth(value):
    for calibration in (Calibration.fixed(3), learn(evidence_of([(0, 1)], [1.0]))):
        with pytest.raises(InvalidInputError, match=r"^values hold .*; expected numbers from -1 to 1$"):
            calibration.log_ratio([0.5, value])


@pytest.mark.parametrize("value", [math.nan, 2, -0.1])
def test_what_is_no_probability_has_no_information(value):
    for wrong in (value, [0.5, value], [[value]]):
        with pytest.raises(InvalidInputError, match=r"^probabilities hold .*; expected numbers from 0 to 1$"):
            Calibration.fixed(3).information(wrong)
