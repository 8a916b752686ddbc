"""A round with a feature prior: its scale, its chains, and what goes on from round to round."""

from dataclasses import replace

import joblib
import numpy as np
import pytest
from scipy.special import expit

from ofakind import Answers, Neighbours, Pairs
from ofakind.kernels.partition.forest import forest_at, size_weights
from ofakind.kernels.partition.forest_chain import prior_same
from ofakind.posterior.forest import loop
from ofakind.posterior.forest.carried import CarriedForests
from ofakind.posterior.forest.loop import FOREST, one_round, rules_for
from ofakind.posterior.forest.trees import TREES, Scale, log_odds
from ofakind.priors.judged import judged_graph
from twins import judged as liar
from twins.featured import names, near_vectors, problem_of, right, some_answers

pytestmark = pytest.mark.slow
TRUTH, NEAR = near_vectors(10, 6)


def round_of(answers, near=NEAR, carried=None, seed=0):
    return one_round(problem_of(answers, near), carried, np.random.default_rng(seed))


def near_names():
    truth, found = names(15, 4)
    return truth, Neighbours.from_records(found)


@pytest.mark.parametrize("kind", ["vectors", "names"])
def test_the_prior_by_itself_gives_candidates_on_average_what_the_map_gives_them(kind):
    truth, near = (TRUTH, NEAR) if kind == "vectors" else near_names()
    found = round_of(Answers.none(len(truth)), near)
    wanted = expit(log_odds(near, found.pair_map)).mean()
    forest = forest_at(np.array(found.own))
    usual = found.prior._replace(h=size_weights(near.n, TREES.usual_resolution))
    mean = prior_same(usual, forest, 400, np.random.default_rng(1)).mean()
    assert mean == pytest.approx(wanted, abs=0.06)
    assert found.candidate_same.mean() == pytest.approx(wanted, abs=0.1)


def test_equal_random_numbers_give_equal_rounds_and_others_do_not():
    answers = some_answers(TRUTH, np.asarray(NEAR.pairs)[::9])
    one, two, other = round_of(answers), round_of(answers), round_of(answers, seed=1)
    np.testing.assert_array_equal(one.parents, two.parents)
    np.testing.assert_array_equal(one.candidate_same, two.candidate_same)
    assert one.scale == two.scale
    assert (one.candidate_same != other.candidate_same).any()


def test_p_same_of_candidates_is_about_the_share_of_samples_that_say_so():
    found = round_of(some_answers(TRUTH, np.asarray(NEAR.pairs)[::9], wrong=0.05))
    u, v = NEAR.pairs.u, NEAR.pairs.v
    share = (found.labels[:, u] == found.labels[:, v]).mean(axis=0)
    assert np.abs(found.candidate_same - share).mean() < 0.06
    assert abs((found.candidate_same - share).mean()) < 0.02
    assert np.corrcoef(found.candidate_same, share)[0, 1] > 0.9


def test_labels_are_the_trees_of_the_forests():
    found = round_of(some_answers(TRUTH, np.asarray(NEAR.pairs)[::9]))
    assert found.labels.shape == found.parents.shape == (FOREST.chains * FOREST.samples, len(TRUTH))
    for labels, parents in zip(found.labels, found.parents, strict=True):
        linked = np.flatnonzero(parents >= 0)
        assert (labels[linked] == labels[parents[linked]]).all()
        assert labels.max() + 1 == (parents < 0).sum()


def test_answers_move_the_posterior_and_the_map():
    pairs = np.asarray(NEAR.pairs)
    before = round_of(Answers.none(len(TRUTH)))
    for sign in (1, -1):
        asked = pairs[:: len(pairs) // 40]
        answers = Answers.none(len(TRUTH)).adding(asked, np.full(len(asked), float(sign)))
        after = round_of(answers, carried=CarriedForests.of(before))
        moved = after.same_probability(*asked.T) - before.same_probability(*asked.T)
        assert sign * moved.mean() > 0.1
        assert (
            sign * (after.pair_map.log_odds(NEAR.features) - before.pair_map.log_odds(NEAR.features)).mean()
            > 0
        )


def test_the_offset_of_a_candidate_is_what_was_expected_of_it_when_it_was_first_answered():
    pairs = np.asarray(NEAR.pairs)
    first, second = pairs[:20], pairs[10:40]
    before = round_of(Answers.none(len(TRUTH)))
    one = round_of(some_answers(TRUTH, first), carried=CarriedForests.of(before))
    answers = some_answers(TRUTH, first).adding(second, right(TRUTH, second))
    two = round_of(answers, carried=CarriedForests.of(one))
    assert len(two.surprises.u) == 40
    np.testing.assert_array_equal(two.surprises.offset[:20], one.surprises.offset)
    expected = np.clip(one.candidate_same[20:40], 0.01, 0.99)
    found = expit(two.surprises.offset[20:] + one.pair_map.log_odds(NEAR.features[20:40]))
    np.testing.assert_allclose(found, expected)


@pytest.mark.parametrize("beside", [False, True])
def test_a_steeper_slope_from_a_document_of_an_older_version_is_brought_back_where_a_judge_allows_less(
    beside,
):
    """Also in a round in which little is new, that does not look for the scale anew."""
    near = judged_graph(liar.SAID, near_vectors(2, 4)[1] if beside else None)
    before = CarriedForests.of(round_of(liar.ANSWERS, near))
    steep = replace(before, scale=Scale(before.scale.level, 2.2))
    after = round_of(liar.ANSWERS.adding([(1, 4)], [1.0]), near, carried=steep)
    assert after.renewed_at == len(liar.ANSWERS)  # little was new
    assert after.scale.slope == (1.2 if beside else 1.0)


def test_a_quick_round_draws_as_many_samples_and_finds_on_average_the_same(monkeypatch):
    """Each by twelve seeds, from the same round before; the whole round is the twin of the quick one."""
    before = CarriedForests.of(round_of(some_answers(TRUTH, np.asarray(NEAR.pairs)[::9])))
    answers = some_answers(TRUTH, np.asarray(NEAR.pairs)[::6])
    whole = [round_of(answers, carried=before, seed=seed) for seed in range(12)]
    monkeypatch.setattr(loop, "FOREST", replace(FOREST, quick_beyond=len(TRUTH) - 1))
    quick = [round_of(answers, carried=before, seed=seed) for seed in range(12)]
    assert {found.labels.shape for found in (*whole, *quick)} == {(48, len(TRUTH))}
    assert (whole[0].candidate_same != quick[0].candidate_same).any()
    gap = np.mean([each.candidate_same for each in quick], axis=0) - np.mean(
        [each.candidate_same for each in whole], axis=0
    )
    assert np.abs(gap).mean() < 0.03


def test_no_round_of_up_to_20000_nodes_is_a_quick_one():
    assert rules_for(20_000) is FOREST
    assert rules_for(20_001).samples == FOREST.samples
    assert rules_for(20_001).burn_in < FOREST.burn_in


@pytest.mark.parametrize("n", [0, 1, 5])
def test_without_candidates_a_round_is_sampled_from_the_background(n):
    near = Neighbours.from_scores(Pairs.empty(), [], n)
    found = round_of(Answers.none(n), near)
    assert found.labels.shape == (48, n)
    assert found.candidate_same.size == 0
    if n > 1:
        assert 0.01 < found.same_probability([0], [1])[0] < 0.9


@pytest.mark.parametrize("backend", ["threading", "loky"])
def test_a_round_is_the_same_wherever_its_chains_run(backend):
    truth, near = near_vectors(6, 8)
    answers = some_answers(truth, list(near.pairs)[::5], wrong=0.1)
    problem = replace(problem_of(answers, near), n_jobs=None)

    def drawn():
        found = one_round(problem, None, np.random.default_rng(3))
        return found.labels.tolist(), found.parents.tolist(), found.candidate_same.tolist()

    here = drawn()
    with joblib.parallel_config(backend=backend, n_jobs=2):
        assert drawn() == here
