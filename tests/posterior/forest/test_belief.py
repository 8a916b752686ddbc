"""The belief of a learner with features: two readings, and the better one counts."""

from dataclasses import replace

import numpy as np
import pytest

from ofakind import Answers, Clustering, InvalidInputError, Neighbours, Similarity
from ofakind.posterior.forest import belief
from ofakind.posterior.forest.belief import FeatureBelief, FeaturePosterior
from ofakind.posterior.forest.guard import GUARD
from twins.featured import right, vectors

BELIEF = FeatureBelief(n_jobs=1)
TRUTH, VECTORS = vectors(5, 8, spread=0.2)
N = len(TRUTH)


def after_rounds(near, rounds=7, size=30):
    """The posterior after questions about random candidates, answered rightly."""
    every = np.asarray(near.pairs)[np.random.default_rng(0).permutation(len(near.pairs))]
    answers, carried = Answers.none(N), None
    for row in range(rounds):
        asked = every[row * size : (row + 1) * size]
        answers = answers.adding(asked, right(TRUTH, asked))
        posterior = BELIEF.update(answers, prior=near, carried=carried, rng=np.random.default_rng(row))
        carried = BELIEF.carry(posterior)
    return posterior, answers


@pytest.mark.slow
def test_good_features_lead_by_far_and_those_that_lie_fall_behind():
    """Of three shuffles, by little: a map that learns that features say nothing is nearly as good as none."""
    good, _ = after_rounds(Neighbours.from_vectors(VECTORS))
    assert good.lead > 2 * GUARD.behind
    assert good.reading is good.forests
    shuffles = [VECTORS[np.random.default_rng(seed).permutation(N)] for seed in (1, 2, 3)]
    lying = [after_rounds(Neighbours.from_vectors(each))[0] for each in shuffles]
    assert np.mean([each.lead for each in lying]) < 0
    assert max(each.lead for each in lying) < good.lead - 2 * GUARD.behind


@pytest.mark.slow
def test_everything_comes_from_the_reading_that_counts():
    posterior, answers = after_rounds(Neighbours.from_vectors(VECTORS), rounds=1)
    u, v = np.triu_indices(N, 1)
    for featured, name in ((True, "forests"), (False, "plain")):
        found = FeaturePosterior(posterior.forests, posterior.plain, 0.0, len(answers), featured)
        reading = getattr(found, name)
        assert found.reading is reading
        np.testing.assert_array_equal(found.same_probability(u, v), reading.same_probability(u, v))
        np.testing.assert_array_equal(found.pair_entropy(u, v), reading.pair_entropy(u, v))
        assert found.abilities.samples is reading
        assert found.labels is reading.labels
        assert found.chain is reading.chain
        assert (found.abilities.likely is None) == (name == "plain")


@pytest.fixture
def explains_less(monkeypatch):
    """Features explain all answers worse than the reading without."""
    monkeypatch.setattr(belief, "explained_better", lambda *_: -1.0)


@pytest.mark.slow
@pytest.mark.usefixtures("explains_less")
@pytest.mark.parametrize("featured", [True, False])
def test_the_reading_that_counts_goes_on_until_it_is_clearly_behind(featured):
    """Questions are about what that reading doubts, so a small lead of the other one says little."""
    posterior, answers = after_rounds(Neighbours.from_vectors(VECTORS), rounds=1)
    side = 1.0 if featured else -1.0
    for margins, expected in ((0.9, featured), (1.1, not featured)):
        lead = -side * margins * (GUARD.behind if featured else GUARD.ahead)
        before = replace(BELIEF.carry(posterior), lead=lead, featured=featured)
        found = BELIEF.update(
            answers, prior=Neighbours.from_vectors(VECTORS), carried=before, rng=np.random.default_rng(0)
        )
        assert found.featured is expected
        assert found.switched is (expected != featured)


@pytest.mark.slow
def test_features_that_explain_all_answers_better_count_even_where_the_newest_were_a_surprise():
    near = Neighbours.from_vectors(VECTORS)
    posterior, answers = after_rounds(near, rounds=3)
    assert belief.explained_better(posterior.forests, posterior.plain) > GUARD.explains
    behind = replace(BELIEF.carry(posterior), lead=-2 * GUARD.behind)
    assert BELIEF.update(answers, prior=near, carried=behind, rng=np.random.default_rng(0)).featured


@pytest.mark.slow
@pytest.mark.usefixtures("explains_less")
def test_when_another_reading_counts_everything_is_read_anew():
    near = Neighbours.from_vectors(VECTORS)
    posterior, answers = after_rounds(near, rounds=2)
    more = answers.adding(new := np.asarray(near.pairs)[-1:], right(TRUTH, new))
    stale, own = [], []
    for before, now in ((True, 9.0), (True, -99.0), (False, -99.0), (False, 99.0)):
        carried = replace(BELIEF.carry(posterior), lead=now, featured=before)
        found = BELIEF.update(more, prior=near, carried=carried, rng=np.random.default_rng(3))
        assert found.featured == (now > 0)
        stale.append(found.abilities.stale is None)
        own.append(found.reading.abilities.stale is None)
    assert stale == [own[0], True, own[2], True]
    assert not own[0]
    behind = replace(BELIEF.carry(posterior), lead=-99.0, featured=False)
    assert not BELIEF.update(more, prior=near, carried=behind, rng=np.random.default_rng(3)).switched
    leading = replace(BELIEF.carry(posterior), lead=0.01, plain=None)
    assert not BELIEF.update(more, prior=near, carried=leading, rng=np.random.default_rng(3)).switched


@pytest.mark.slow
def test_a_posterior_is_recalled_as_it_was():
    near = Neighbours.from_vectors(VECTORS)
    posterior, answers = after_rounds(near, rounds=2)
    again = BELIEF.recall(BELIEF.carry(posterior), answers, prior=near)
    u, v = np.triu_indices(N, 1)
    for name in ("forests", "plain"):
        one, two = getattr(posterior, name), getattr(again, name)
        np.testing.assert_array_equal(one.same_probability(u, v), two.same_probability(u, v))
    assert (again.lead, again.seen_at, again.featured) == (
        posterior.lead,
        posterior.seen_at,
        posterior.featured,
    )


@pytest.mark.slow
def test_before_the_first_answer_and_without_a_guard_there_is_only_the_reading_with_features():
    near, rng = Neighbours.from_vectors(VECTORS), np.random.default_rng(0)
    first = BELIEF.update(Answers.none(N), prior=near, rng=rng)
    assert (first.plain, first.lead, first.seen_at) == (None, 0.0, 0)
    answers = Answers.none(N).adding([(0, 1), (1, 2)], [1, -1])
    assert BELIEF.update(answers, prior=near, rng=rng).plain is not None
    assert FeatureBelief(guard=False, n_jobs=1).update(answers, prior=near, rng=rng).plain is None


def test_without_features_there_is_nothing_to_believe():
    answers, rng = Answers.none(3), np.random.default_rng(0)
    with pytest.raises(InvalidInputError, match="prior="):
        BELIEF.update(answers, rng=rng)
    similarity = Similarity.from_answers(answers)
    with pytest.raises(InvalidInputError, match="prior="):
        BELIEF(similarity, Clustering.of(similarity, [0, 0, 0]), rng=rng)
    for wrong in ({"guard": 1}, {"n_jobs": 0}):
        with pytest.raises(InvalidInputError):
            FeatureBelief(**wrong)
