"""Rounds that keep samples of the round before, when little is new."""

import json
from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ofakind import Answers, NoisyOracle
from ofakind.clustering import canonical_labels
from ofakind.engine.document import plain
from ofakind.noise.calibration import learn, pair_weights
from ofakind.posterior.partition import belief as belief_module
from ofakind.posterior.partition.answer_graph import AnswerGraph
from ofakind.posterior.partition.belief import PartitionBelief
from ofakind.posterior.partition.chains import chains_at, rows_of_each, run_on
from ofakind.posterior.partition.schedule import QUICK, Plan
from ofakind.posterior.partition.size_prior import prior_grid

N, DRAWN = 120, 4  # objects, and samples that are drawn when 1 % of the answers are new
TRUTH = np.arange(N) % 3


@pytest.fixture(autouse=True)
def a_hundred_objects_are_many(monkeypatch):
    quick = replace(QUICK, quick=False)  # correlated errors are looked for all the same
    monkeypatch.setattr(belief_module, "usual_schedule", lambda _: quick)


def asked(count, *, seed=0, gamma=0.4):
    rng = np.random.default_rng(seed)
    u = rng.integers(N, size=count)
    pairs = np.stack([u, (u + rng.integers(1, N, size=count)) % N], axis=1)
    return Answers.none(N).adding(pairs, NoisyOracle(TRUTH, gamma=gamma, seed=seed)(pairs))


def follow(answers, carried=None, *, belief=None, seed=0):
    return (belief or PartitionBelief()).update(answers, carried=carried, rng=np.random.default_rng(seed))


def one_in_a_hundred(seed=0):
    """Answers of which 1 % are new, what was carried over before, and the objects that they are about."""
    answers = asked(500, seed=seed)
    old = answers.first(495)
    belief = PartitionBelief()
    carried = belief.carry(follow(old, belief.carry(follow(old))))
    new = answers.since(495)
    return answers, carried, np.unique(np.r_[new.u, new.v])


def without(labels, objects):
    """The partition of all other objects."""
    return canonical_labels(np.delete(labels, objects))


@pytest.mark.parametrize("seed", range(3))
def test_when_little_is_new_older_samples_are_kept_but_for_the_objects_with_new_answers(seed):
    answers, carried, touched = one_in_a_hundred(seed)
    posterior = follow(answers, carried)
    assert posterior.n_answers == 500
    assert posterior.chain.tolist() == [0] * 8 + [1] * 8
    for chain in range(2):
        older = carried.labels[carried.chain == chain][DRAWN:]
        now = posterior.labels[posterior.chain == chain]
        for before, after in zip(older, now, strict=False):
            np.testing.assert_array_equal(without(before, touched), without(after, touched))


def test_an_object_that_nothing_was_known_of_is_where_the_new_answers_say_in_older_samples_too():
    known = asked(6000, gamma=0.0)
    old = known.u * known.v != 0  # all but object 0
    before = Answers.none(N).adding(np.stack([known.u, known.v], axis=1)[old], known.values[old])
    belief = PartitionBelief()
    carried = belief.carry(follow(before))
    news = np.stack([np.zeros(40, int), np.arange(1, 41)], axis=1)
    posterior = follow(before.adding(news, np.where(TRUTH[1:41] == 0, 1.0, -1.0)), carried)
    for labels in posterior.labels:
        np.testing.assert_array_equal(labels == labels[0], TRUTH == 0)


@pytest.mark.slow
def test_what_is_believed_is_as_near_to_a_long_round_as_what_a_full_round_believes():
    u, v = np.triu_indices(N, 1)
    away = []
    for seed in range(6):
        answers, carried, _ = one_in_a_hundred(seed)
        burn_in, samples, _ = QUICK.final
        long, full = (
            PartitionBelief(burn_in=50, samples=300),
            PartitionBelief(burn_in=burn_in, samples=samples),
        )
        far = follow(answers, carried, belief=long)
        near = follow(answers, carried, seed=1), follow(answers, carried, belief=full, seed=1)
        away.append(
            [np.abs(far.same_probability(u, v) - each.same_probability(u, v)).mean() for each in near]
        )
        learned = [each.calibration.log_ratio([-1, 1]) for each in (far, near[0])]
        np.testing.assert_allclose(*learned, atol=0.6)
    short, usual = np.mean(away, axis=0)
    assert short < 1.5 * usual


def test_numbers_that_are_given_hold_for_every_round():
    answers, carried, touched = one_in_a_hundred()
    drawn = follow(answers, carried, belief=PartitionBelief(samples=8), seed=9).labels
    older = carried.labels[DRAWN]
    assert not np.array_equal(without(older, touched), without(drawn[0], touched))


@pytest.mark.parametrize("damage", ["chains differ", "a chain less", "too few samples"])
def test_nothing_is_taken_over_from_chains_that_do_not_agree_or_are_too_few(damage):
    answers, carried, touched = one_in_a_hundred()
    kept = {"a chain less": np.arange(8), "too few samples": np.array([6, 7, 14, 15])}
    rows = kept.get(damage, np.arange(16))
    names = ("labels", "chain", "concentration")
    carried = replace(carried, **{name: getattr(carried, name)[rows] for name in names})
    if damage == "chains differ":
        blocks = np.arange(N) // 40
        labels = np.where(carried.chain[:, None] == 0, blocks, carried.labels).astype(np.int32)
        carried = replace(carried, labels=labels)
    posterior = follow(answers, carried)
    older = {without(labels, touched).tobytes() for labels in carried.labels}
    assert posterior.labels.shape == (16, N)
    assert not all(without(labels, touched).tobytes() in older for labels in posterior.labels[:4])
    assert posterior.diagnostics.between > 0.5


def test_a_short_round_is_the_same_again_from_what_was_saved_and_with_two_jobs():
    answers, carried, _ = one_in_a_hundred()
    saved = PartitionBelief().restore(json.loads(json.dumps(plain(carried.to_entry()))), N)
    once = follow(answers, carried, seed=4)
    for again in (
        follow(answers, saved, seed=4),
        follow(answers, carried, belief=PartitionBelief(n_jobs=2), seed=4),
    ):
        np.testing.assert_array_equal(once.labels, again.labels)
        np.testing.assert_array_equal(once.concentration, again.concentration)
        np.testing.assert_array_equal(once.answered_same, again.answered_same)
        assert once.calibration.to_entry().keys() == again.calibration.to_entry().keys()
    assert not np.array_equal(once.labels, follow(answers, carried, seed=5).labels)


@pytest.mark.parametrize("value", [-1.0, 0.0, 1.0])
def test_answers_that_are_all_equal_and_no_new_answer_at_all(value):
    pairs = np.stack(np.triu_indices(N, 1), axis=1)[::7]
    answers = Answers.none(N).adding(pairs, np.full(len(pairs), value))
    belief = PartitionBelief()
    carried = belief.carry(follow(answers))
    assert follow(answers, carried).labels.shape == (16, N)
    assert follow(Answers.none(N), belief.carry(follow(Answers.none(N)))).labels.shape == (16, N)


ANSWERS = st.lists(
    st.tuples(
        st.integers(0, 5),
        st.integers(0, 5),
        st.sampled_from([-1.0, -0.3, 0.0, 0.4, 1.0]),
        st.sampled_from(["", "Ada", "Bo"]),
    ),
    max_size=40,
)


@pytest.mark.slow
@given(ANSWERS, st.integers(0, 40))
def test_what_was_answered_at_first_is_what_the_first_answers_say(table, count):
    rows = [row for row in table if row[0] != row[1]]
    pairs = np.array([row[:2] for row in rows], int).reshape(-1, 2)
    answers = Answers.none(6).adding(pairs, [row[2] for row in rows], [row[3] for row in rows])
    count = min(count, len(answers))
    found, expected = (
        AnswerGraph.of(answers).before(count, tempered=False),
        AnswerGraph.of(answers.first(count)),
    )
    for calibration in (learn(expected.evidence), learn(AnswerGraph.of(answers).evidence)):
        both = [graph.weights(pair_weights(graph.evidence, calibration)) for graph in (found, expected)]
        np.testing.assert_array_equal(*both)
    for one, other in zip(found.frame, expected.frame, strict=True):
        np.testing.assert_array_equal(one, other)
    np.testing.assert_array_equal(found.evidence.row, expected.evidence.row)
    np.testing.assert_array_equal(found.pair_of_entry, expected.pair_of_entry)


def test_each_chain_has_its_rows():
    assert [rows.tolist() for rows in rows_of_each(np.array([0, 0, 1, 2, 2]))] == [[0, 1], [2], [3, 4]]


def test_a_chain_goes_on_from_the_newest_of_its_older_samples():
    older = np.stack([np.zeros(N), np.arange(N) % 2, np.arange(N) % 5]).astype(np.int32)
    graph = AnswerGraph.of(Answers.none(N))
    chain = chains_at(np.zeros((1, N), np.int32), [np.random.default_rng(0)])[0]
    chain = chain._replace(older=older, stale=np.empty(0, np.int64))
    after = run_on(chain, partial(prior_grid, N, 1.0), Plan(0, 0, 1), graph.frame, graph.weights(np.empty(0)))
    np.testing.assert_array_equal(after.labels, older)
    np.testing.assert_array_equal(after.chain.labels, older[-1])
