"""Samples of partitions: exact on a few objects, sensible on many, the same after a save."""

import json
from dataclasses import replace

import numpy as np
import pytest

from ofakind import Answers, InvalidInputError, NoisyOracle, Pairs, Posterior, adjusted_rand_index
from ofakind.clustering import Clustering
from ofakind.engine.document import plain
from ofakind.noise.calibration import CALIBRATION, pair_weights
from ofakind.noise.evidence import Evidence
from ofakind.noise.tempering import Tempering
from ofakind.posterior.base import SequentialBelief
from ofakind.posterior.mean_field.dense import mean_field
from ofakind.posterior.mean_field.sparse import sparse_mean_field
from ofakind.posterior.partition.answer_graph import AnswerGraph
from ofakind.posterior.partition.belief import PartitionBelief
from ofakind.posterior.partition.samples import PartitionSamples
from ofakind.posterior.partition.size_prior import blocked_grid, prior_grid, ruled_out
from ofakind.similarity import Similarity
from twins.partition_posterior import enumerated, same_probabilities

USUAL, FIXED = PartitionBelief(), PartitionBelief(chains=4, burn_in=100, samples=4000, calibrate=False)


def every_pair(n):
    return np.stack(np.triu_indices(n, 1), axis=1)


def asked(truth, count, *, gamma=0.4, seed=0):
    """Noisy answers to random pairs of a known partition."""
    pairs = every_pair(len(truth))
    chosen = np.random.default_rng(seed).permutation(len(pairs))[:count]
    questions = Pairs.from_array(pairs[np.sort(chosen)])
    return Answers.none(len(truth)).adding(questions, NoisyOracle(truth, gamma=gamma, seed=seed)(questions))


def follow(answers, belief=USUAL, *, carried=None, seed=0):
    return belief.update(answers, carried=carried, rng=np.random.default_rng(seed))


def assert_probabilities(posterior, expected):
    """P(same) of every pair, from labels averaged out, from the samples and of answered pairs."""
    u, v = every_pair(len(expected)).T
    np.testing.assert_allclose(posterior.same_probability(u, v), expected[u, v], atol=0.02)
    together = posterior.labels[:, u] == posterior.labels[:, v]
    np.testing.assert_allclose(together.mean(axis=0), expected[u, v], atol=0.03)
    answered = posterior.similarity.pairs()
    np.testing.assert_allclose(posterior.answered_same, expected[answered.u, answered.v], atol=0.02)


@pytest.mark.parametrize("exponent", [0.0, 1.0])
def test_on_a_few_objects_the_probabilities_are_the_enumerated_ones(exponent):
    n, rng = 5, np.random.default_rng(3)
    pairs = every_pair(n)[rng.permutation(10)[:7]]
    values = rng.uniform(-0.6, 0.6, len(pairs))
    weights = np.zeros((n, n))
    weights[pairs[:, 0], pairs[:, 1]] = CALIBRATION.slope * values
    found, probabilities = enumerated(weights + weights.T, prior_grid(n, exponent))
    belief = PartitionBelief(chains=4, burn_in=100, samples=4000, calibrate=False, exponent=exponent)
    posterior = follow(Answers.none(n).adding(pairs, values), belief)
    expected = same_probabilities(found, probabilities)
    assert_probabilities(posterior, expected)
    assert posterior.share_same == pytest.approx(expected[np.triu_indices(n, 1)].mean(), abs=0.02)


def test_without_answers_the_samples_come_from_the_prior():
    found, probabilities = enumerated(np.zeros((4, 4)), prior_grid(4, 1.0))
    posterior = follow(Answers.none(4), FIXED)
    expected = same_probabilities(found, probabilities)[0, 1]
    assert posterior.same_probability([0, 2], [1, 3]) == pytest.approx([expected] * 2, abs=0.02)


def test_it_is_a_posterior_and_symmetric():
    truth = np.repeat([0, 1, 2], 10)
    posterior = follow(asked(truth, 200))
    assert isinstance(posterior, Posterior)
    u, v = every_pair(30).T
    forth, back = posterior.same_probability(u, v), posterior.same_probability(v, u)
    np.testing.assert_array_equal(forth, back)
    assert (forth >= 0).all()
    assert (forth <= 1).all()
    entropy = posterior.pair_entropy(u, v)
    assert (entropy >= 0).all()
    assert (entropy <= np.log(2) + 1e-12).all()


def test_one_direction_is_the_mean_over_samples_of_the_conditional():
    posterior = follow(asked(np.repeat([0, 1], 6), 30), PartitionBelief(chains=2, samples=3))
    n, dense = 12, np.zeros((12, 12))
    s = posterior.similarity
    dense[np.repeat(np.arange(n), np.diff(s.indptr)), s.indices] = posterior.weights
    expected = np.zeros((n, n))
    for labels, alpha in zip(posterior.labels, posterior.concentration, strict=True):
        for i in range(n):
            others = np.delete(np.arange(n), i)
            weight = {
                k: (labels[others] == k).sum() * np.exp(dense[i, others][labels[others] == k].sum())
                for k in set(labels[others].tolist())
            }
            total = alpha + sum(weight.values())
            expected[i, others] += [weight[k] / total for k in labels[others].tolist()]
    objects, others = np.array([0, 7]), np.array([[1, 2, 3], [8, 0, 5]])
    found = posterior.against(objects, others)
    np.testing.assert_allclose(
        found, expected[objects[:, None], others] / len(posterior.labels), rtol=1e-5, atol=1e-7
    )


@pytest.mark.parametrize(
    ("objects", "others", "wrong"),
    [
        ([0], [[99]], "others hold 99; expected some of the 12 objects"),
        ([0], [[10**7]], "others hold 10000000; expected"),
        ([500], [[2]], "objects hold 500; expected"),
        ([-1], [[2]], "objects hold -1; expected"),
        ([1], [[2, -3]], "others hold -3; expected"),
        ([0], [2], r"others have shape \(1,\) for 1 objects; expected a row for each"),
        ([0, 1], [[2, 3]], r"others have shape \(1, 2\) for 2 objects; expected a row for each"),
        (0, [[2]], "objects have shape"),
        ([0], [[1.5]], "others hold 1.5"),
        ([0], [["a"]], "others have type"),
    ],
)
def test_objects_that_are_not_there_are_refused(objects, others, wrong):
    posterior = follow(asked(np.repeat([0, 1], 6), 30), PartitionBelief(chains=1, samples=2))
    with pytest.raises(InvalidInputError, match=wrong):
        posterior.against(objects, others)


def test_no_objects_and_no_others_are_fine():
    posterior = follow(asked(np.repeat([0, 1], 6), 30), PartitionBelief(chains=1, samples=2))
    assert posterior.against([], np.empty((0, 3))).shape == (0, 3)
    assert posterior.against([1, 2], [[], []]).shape == (2, 0)


def test_an_object_is_of_a_kind_with_itself():
    truth, similarity = np.repeat([0, 1], 6), Similarity.from_pairs(12, [0, 1], [6, 2], [-1.0, 1.0])
    ours = follow(asked(truth, 30))
    for posterior in (ours, mean_field(similarity, truth), sparse_mean_field(similarity, truth)):
        assert posterior.same_probability([3, 3, 0], [3, 4, 0])[[0, 2]].tolist() == [1, 1]
        assert posterior.same_probability([3], [4]) < 1
        assert posterior.pair_entropy([3, 0], [3, 0]).tolist() == [0, 0]
    assert ours.against([3, 4], [[3, 4], [3, 4]]).diagonal().tolist() == [1, 1]


def test_with_enough_answers_the_samples_are_the_truth_and_the_worth_of_answers_is_learned():
    truth = np.random.default_rng(0).integers(4, size=120)
    answers = asked(truth, 3000)
    posterior = follow(answers)
    scores = [adjusted_rand_index(truth, labels) for labels in posterior.labels]
    assert np.mean(scores) > 0.95
    assert posterior.calibration.log_ratio([1.0])[0] > 2
    assert posterior.calibration.log_ratio([-1.0])[0] < -1
    assert abs(posterior.calibration.log_ratio([0.3])[0]) < 1


def test_the_weights_are_those_of_the_calibration():
    answers = asked(np.repeat([0, 1], 15), 100)
    posterior = follow(answers)
    expected = pair_weights(Evidence.of(answers), posterior.calibration)
    pairs = posterior.similarity.pairs()
    np.testing.assert_allclose(posterior.weights[posterior.similarity.slots(pairs.u, pairs.v)], expected)


def test_labels_of_samples_are_canonical_and_chains_are_told_apart():
    posterior = follow(asked(np.repeat([0, 1], 15), 100), PartitionBelief(chains=3, samples=4))
    assert posterior.chain.tolist() == [0] * 4 + [1] * 4 + [2] * 4
    for labels in posterior.labels:
        first = np.unique(labels, return_index=True)[1]
        assert np.array_equal(labels[np.sort(first)], np.arange(len(first)))


def test_the_same_stream_gives_the_same_samples_and_another_one_others():
    answers = asked(np.repeat([0, 1, 2], 10), 60)
    first, again, other = follow(answers), follow(answers), follow(answers, seed=1)
    np.testing.assert_array_equal(first.labels, again.labels)
    assert not np.array_equal(first.labels, other.labels)


def test_it_goes_on_from_what_was_carried_over_also_if_that_was_saved():
    belief = PartitionBelief()
    answers = asked(np.repeat([0, 1, 2], 20), 400)
    before = follow(answers)
    carried = belief.carry(before)
    saved = json.loads(json.dumps(plain(carried.to_entry())))
    once = follow(answers, carried=carried, seed=5)
    again = follow(answers, carried=belief.restore(saved, 60), seed=5)
    np.testing.assert_array_equal(once.labels, again.labels)
    assert isinstance(belief, SequentialBelief)


@pytest.mark.parametrize(
    "damage",
    [
        {"labels": [[0, 1]]},
        {"labels": [0, 1, 0]},
        {"labels": [[0, 1, 9]] * 20},
        {"labels": [[0, -1, 0]] * 20},
        {"chain": [0]},
        {"chain": list(range(20))[::-1]},
        {"concentration": [0.0] * 20},
        {"answers": -1},
        {"trust": {"value": 3.0, "evidence": []}},
    ],
)
def test_what_was_carried_over_and_is_damaged_is_refused(damage):
    entry = PartitionBelief().carry(follow(asked(np.array([0, 0, 1]), 3))).to_entry()
    assert PartitionBelief().restore(entry, 3).n_answers == 3
    with pytest.raises(InvalidInputError):
        PartitionBelief().restore({**entry, **damage}, 3)


def test_from_a_similarity_it_starts_from_the_clustering():
    truth = np.repeat([0, 1, 2], 20)
    answers = asked(truth, 800, gamma=0.2)
    similarity = Similarity.from_answers(answers)
    posterior = PartitionBelief()(similarity, Clustering.of(similarity, truth), rng=np.random.default_rng(0))
    assert isinstance(posterior, PartitionSamples)
    assert np.mean([adjusted_rand_index(truth, labels) for labels in posterior.labels]) > 0.9


@pytest.mark.parametrize("n", [0, 1, 2])
def test_very_few_objects(n):
    posterior = follow(Answers.none(n))
    assert posterior.labels.shape == (32, n)
    assert 0 <= posterior.share_same <= 1
    assert posterior.same_probability([], []).tolist() == []


@pytest.mark.parametrize("value", [1.0, -1.0, 0.0])
def test_answers_that_are_all_equal(value):
    n = 20
    posterior = follow(Answers.none(n).adding(every_pair(n), np.full(190, value)))
    share = posterior.share_same
    assert np.isfinite(posterior.same_probability([0], [1])).all()
    assert share > 0.99 if value > 0 else share < 0.01 if value < 0 else True


def test_contradictory_answers_leave_doubt():
    pairs = np.repeat(every_pair(6), 2, axis=0)
    answers = Answers.none(6).adding(pairs, np.tile([1.0, -1.0], 15))
    probability = follow(answers).same_probability(*every_pair(6).T)
    assert (probability > 0.02).all()
    assert (probability < 0.98).all()


@pytest.mark.parametrize(
    "options", [{"chains": 0}, {"burn_in": -1}, {"samples": 0}, {"calibrate": 1}, {"exponent": 1.5}]
)
def test_options_out_of_range_are_refused(options):
    with pytest.raises(InvalidInputError):
        PartitionBelief(**options)


def test_permuting_the_objects_permutes_what_is_believed():
    truth = np.repeat([0, 1, 2], 8)
    answers = asked(truth, 150)
    order = np.random.default_rng(1).permutation(24)
    moved = Answers.none(24).adding(np.stack([order[answers.u], order[answers.v]], axis=1), answers.values)
    belief = PartitionBelief(samples=300)
    u, v = every_pair(24).T
    here = follow(answers, belief).same_probability(u, v)
    there = follow(moved, belief).same_probability(order[u], order[v])
    np.testing.assert_allclose(here, there, atol=0.06)


def settled(truth, wrong, *, agree=True):
    """What chains carry over that know the truth, or each something else; then answers, some wrong."""
    n, belief, rng = len(truth), PartitionBelief(), np.random.default_rng(0)
    pairs = every_pair(n)[rng.permutation(n * (n - 1) // 2)]
    right = np.where(truth[pairs[:, 0]] == truth[pairs[:, 1]], 1.0, -1.0)
    before = Answers.none(n).adding(pairs[:300], right[:300])
    carried = belief.carry(follow(before))
    if not agree:
        other = rng.integers(3, size=(4, n), dtype=np.int32)
        carried = replace(carried, labels=np.repeat(other, 8, axis=0))
    new = np.where(rng.random(300) < wrong, -right[300:600], right[300:600])
    return carried, before.adding(pairs[300:600], new)


def test_tempering_falls_when_settled_chains_did_not_predict_the_answers():
    truth = np.arange(40) % 3
    carried, surprising = settled(truth, 0.4)
    assert follow(surprising, carried=carried).tempering.value < 0.9
    carried, predicted = settled(truth, 0.0)
    assert follow(predicted, carried=carried).tempering.value == 1.0


def test_chains_that_do_not_agree_are_not_judged():
    carried, surprising = settled(np.arange(40) % 3, 0.4, agree=False)
    assert follow(surprising, carried=carried).tempering.value == 1.0


def test_where_calibration_is_not_trusted_no_answer_counts_more_than_its_plain_value():
    answers = asked(np.repeat([0, 1, 2], 20), 900)
    posterior = follow(answers)
    assert np.abs(posterior.weights).max() > CALIBRATION.slope
    graph = AnswerGraph.of(answers)
    doubted = graph.weights(pair_weights(graph.evidence, posterior.calibration), Tempering(0.1))
    most = 0.1 * np.abs(posterior.weights) + 0.9 * CALIBRATION.slope * np.abs(posterior.similarity.values)
    assert (np.abs(doubted) <= most + 1e-12).all()
    assert (doubted * posterior.weights >= 0).all()


# -- pairs that are ruled out ------------------------------------------------------------------------------

BLOCKED = PartitionBelief(blocked=True)


def follow_among(candidates, answers, belief=BLOCKED, *, carried=None, seed=0):
    rng = np.random.default_rng(seed)
    return belief.update(answers, candidates=candidates, carried=carried, rng=rng)


@pytest.mark.parametrize("exponent", [0.0, 1.0])
def test_with_candidates_the_probabilities_are_those_of_a_posterior_in_which_others_are_ruled_out(exponent):
    n, rng = 5, np.random.default_rng(1)
    order = rng.permutation(10)
    candidates = Pairs.from_array(every_pair(n)[np.sort(order[:6])])
    asked_pairs = every_pair(n)[order[3:8]]  # three candidates and two others
    values = rng.uniform(-0.6, 0.9, len(asked_pairs))
    weights = np.zeros((n, n))
    weights[asked_pairs[:, 0], asked_pairs[:, 1]] += CALIBRATION.slope * values
    weights[candidates.u, candidates.v] -= ruled_out(n)
    found, probabilities = enumerated(weights + weights.T, blocked_grid(n, exponent, candidates))
    belief = PartitionBelief(
        chains=4, burn_in=100, samples=4000, calibrate=False, exponent=exponent, blocked=True
    )
    posterior = follow_among(candidates, Answers.none(n).adding(asked_pairs, values), belief)
    expected = same_probabilities(found, probabilities)
    assert_probabilities(posterior, expected)


def small_world(seed, *, clusters=40):
    """Clusters of one to three objects, some of whose neighbours are of another kind; who answers errs."""
    rng = np.random.default_rng(seed)
    truth = np.repeat(np.arange(clusters), rng.integers(1, 4, clusters))
    u, v = every_pair(len(truth)).T
    near = (truth[u] == truth[v]) | (rng.random(len(u)) < 0.05)
    candidates = Pairs.from_array(np.stack([u, v], axis=1)[near])
    answers = Answers.none(len(truth)).adding(candidates, NoisyOracle(truth, 0.2, seed)(candidates))
    return truth, candidates, answers


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_many_small_clusters_are_found_when_what_is_no_candidate_is_ruled_out(seed):
    truth, candidates, answers = small_world(seed)
    posterior = follow_among(candidates, answers, seed=seed)
    agreement = np.mean([adjusted_rand_index(row, truth) for row in posterior.labels])
    u, v = every_pair(len(truth)).T
    assert agreement > 0.8
    assert posterior.same_probability(u, v).sum() == pytest.approx((truth[u] == truth[v]).sum(), rel=0.3)
    open_ = follow(answers, seed=seed)
    assert agreement > np.mean([adjusted_rand_index(row, truth) for row in open_.labels]) + 0.2


@pytest.mark.slow
def test_candidates_mean_nothing_unless_others_are_ruled_out():
    _, candidates, answers = small_world(0)
    plain_one, told = follow(answers), follow_among(candidates, answers, PartitionBelief(blocked=False))
    assert np.array_equal(plain_one.labels, told.labels)
    assert np.array_equal(plain_one.weights, told.weights)


@pytest.mark.slow
def test_a_blocked_belief_goes_on_from_what_was_carried_over():
    truth, candidates, answers = small_world(1)
    first = follow_among(candidates, answers.first(60))
    carried = BLOCKED.restore(json.loads(json.dumps(plain(BLOCKED.carry(first).to_entry()))), len(truth))
    again, direct = (follow_among(candidates, answers, carried=m) for m in (carried, BLOCKED.carry(first)))
    assert np.array_equal(again.labels, direct.labels)


@pytest.mark.parametrize("value", [1.0, -1.0, 0.0])
@pytest.mark.parametrize("n", [0, 1, 2, 3])
def test_few_objects_and_no_or_all_candidates_are_fine(n, value):
    for candidates in (Pairs.empty(), Pairs.all(n)):
        for told in (Pairs.empty(), Pairs.all(n)):
            answers = Answers.none(n).adding(told, np.full(len(told), value))
            assert follow_among(candidates, answers).labels.shape == (32, n)


def test_a_pair_that_was_asked_though_it_is_no_candidate_can_still_be_of_a_kind():
    answers = Answers.none(30).adding([(0, 1)] * 4 + [(2, 3)], [1, 1, 1, 1, -1])
    posterior = follow_among(
        Pairs.of([4, 6], [5, 7]), answers, PartitionBelief(calibrate=False, blocked=True)
    )
    likely, unlikely = posterior.same_probability([0, 8], [1, 9])
    assert likely > 10 * unlikely
