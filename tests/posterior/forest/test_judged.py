"""The guard of judges: which reading counts with a good judge, and with one that says nothing or lies."""

from dataclasses import replace

import numpy as np
import pytest

import ofakind as ok
from ofakind.answers import Answers
from ofakind.clustering import adjusted_rand_index
from ofakind.posterior.forest.belief import FeatureBelief
from ofakind.posterior.forest.candidate_graph import CandidateGraph
from ofakind.posterior.forest.guard import log_predicted
from ofakind.posterior.forest.judged import JudgedBelief
from ofakind.posterior.forest.judged_carried import JUDGE_GUARD, JudgedReadings
from ofakind.posterior.forest.loop import ForestProblem, one_round
from ofakind.posterior.forest.trees import TREES, tree_prior_of
from ofakind.posterior.partition.answer_graph import AnswerGraph
from ofakind.posterior.partition.belief import PartitionBelief
from ofakind.priors.judged import judged_graph, unseen_share
from twins.featured import near_vectors, right, some_answers

BELIEF = JudgedBelief(PartitionBelief(n_jobs=1))
N, GROUPS = 60, 5


def truth_of(seed):
    return np.random.default_rng(seed).permutation(np.arange(N) % GROUPS)


def judge(kind, truth, seed):
    """Return a judge that is right about most pairs; that says anything; that speaks of other objects."""
    rng = np.random.default_rng([seed, 1])
    about = truth[rng.permutation(N)] if kind == "shuffled" else truth
    noise = rng.normal(size=(N, N))

    def score(pairs):
        same = np.where(about[pairs.u] == about[pairs.v], 1.5, -1.5)
        if kind == "random":
            same = 0.0
        return np.tanh({"flipped": -1.0}.get(kind, 1.0) * same + 0.8 * noise[pairs.u, pairs.v])

    return score


def played(kind, seed, answers=180, size=20):
    truth = truth_of(seed)
    learner = ok.ActiveClustering(N, seed=seed)
    pairs = learner.ask_judge(N * N)
    learner.tell_judge(pairs, judge(kind, truth, seed)(pairs))
    while learner.n_answers < answers:
        asked = learner.ask(size)
        learner.tell(asked, right(truth, list(asked)))
    return learner, truth


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("kind", ["good", "flipped"])
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_a_good_judge_counts_and_so_does_one_that_always_says_the_opposite(kind, seed):
    learner, truth = played(kind, seed, answers=100)
    assert learner.reading == "judge"
    assert adjusted_rand_index(learner.labels, truth) > 0.9
    slope = learner.prior_map.coefficients[1:].sum()
    assert slope < 0 if kind == "flipped" else slope > 0


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["random", "shuffled"])
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_judges_that_say_nothing_are_not_believed_after_the_trial(kind):
    """In three of four runs, at least: with so few objects, now and then a judge is right by chance."""
    learners = [played(kind, seed)[0] for seed in range(4)]
    assert sum(learner.reading == "people" for learner in learners) >= 3


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_the_upper_limit_holds_with_judges_that_lie_too():
    held = []
    for kind in ("good", "shuffled", "random"):
        for seed in range(3):
            learner, truth = played(kind, seed, answers=60)
            together = np.triu(learner.labels[:, None] == learner.labels, 1)
            wrong = np.sum(together != np.triu(truth[:, None] == truth, 1))
            held.append(wrong <= learner.accuracy.wrong_pairs_interval[1])
    assert np.mean(held) >= 0.85


@pytest.mark.slow
def test_a_judge_in_use_is_warned_of():
    learner, _ = played("good", 0, answers=60)
    with pytest.warns(ok.DependentErrorsWarning, match="what a judge says is believed"):
        assert learner.accuracy.wrong_pairs_interval[1] > 0


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_nobody_is_said_to_agree_with_a_judge_before_answers_show_it():
    learner, _ = played("good", 0, answers=0)
    with pytest.warns(ok.DependentErrorsWarning, match="as people's answers do not decide yet"):
        assert learner.accuracy.wrong_pairs_interval[1] > 0
    learner, _ = played("good", 0, answers=100)
    with pytest.warns(ok.DependentErrorsWarning, match="for people's answers agree with it"):
        assert learner.accuracy.wrong_pairs_interval[1] > 0


# -- both readings -----------------------------------------------------------------------------------------


def some_rounds(rounds=2, *, seed=0):
    truth = truth_of(seed)
    pairs = ok.Pairs.from_ranks(np.arange(0, N * (N - 1) // 2, 3), N)
    said = Answers.none(N).adding(pairs, judge("good", truth, seed)(pairs), "model")
    answers, carried, rng = Answers.none(N), None, np.random.default_rng(seed)
    for row in range(rounds):
        asked = np.asarray(pairs)[rng.permutation(len(pairs))[:20]]
        answers = answers.adding(asked, right(truth, asked))
        posterior = BELIEF.update(answers, judged=said, carried=carried, rng=np.random.default_rng(row))
        carried = BELIEF.carry(posterior)
    return posterior, answers, said


@pytest.mark.slow
def test_the_reading_with_judges_is_the_feature_prior_on_their_graph_and_no_score_is_an_answer():
    posterior, answers, said = some_rounds(1)
    graph = AnswerGraph.of(answers)
    candidates = CandidateGraph.of(judged_graph(said, None), None, unseen=unseen_share(said))
    problem = ForestProblem.of(graph, candidates, 1)
    expected = one_round(problem, None, others_numbers(0, answers))
    assert np.array_equal(posterior.forests.labels, expected.labels)
    assert np.array_equal(posterior.forests.pair_map.coefficients, expected.pair_map.coefficients)
    assert posterior.forests.n_answers == posterior.base.n_answers == len(answers)


def others_numbers(seed, answers):
    """Return the random numbers that are left when the reading without judges has had its own."""
    rng = np.random.default_rng(seed)
    BELIEF.base.update(answers, rng=rng)
    return rng.spawn(1)[0]


@pytest.mark.slow
def test_the_reading_without_judges_is_what_the_learner_would_believe_without_them():
    posterior, answers, _said = some_rounds(2)
    first = BELIEF.base.update(answers.first(20), rng=np.random.default_rng(0))
    expected = BELIEF.base.update(answers, carried=BELIEF.base.carry(first), rng=np.random.default_rng(1))
    assert np.array_equal(posterior.base.labels, expected.labels)


@pytest.mark.slow
def test_the_lead_is_by_how_much_better_the_newest_answers_were_predicted():
    before, answers, said = some_rounds(1)
    asked = np.asarray(ok.Pairs.from_ranks(np.arange(1, 400, 20), N))
    more = answers.adding(asked, right(truth_of(0), asked))
    after = BELIEF.update(more, judged=said, carried=BELIEF.carry(before), rng=np.random.default_rng(1))
    u, v = np.sort(asked, axis=1).T
    most = np.log(1 / JUDGE_GUARD.wrong - 1)
    ratios = np.where(right(truth_of(0), asked) > 0, most, -most)
    found = [
        log_predicted(each.same_probability(u, v), ratios, JUDGE_GUARD.shift)
        for each in (before.forests, before.base)
    ]
    assert after.carried.lead == pytest.approx(
        found[0] - found[1], abs=0.3
    )  # an answer counts for a bit less


@pytest.mark.slow
def test_more_scores_of_a_judge_do_not_keep_the_guard_from_seeing_new_answers():
    before, answers, said = some_rounds(1)
    asked = np.asarray(ok.Pairs.from_ranks(np.arange(1, 400, 20), N))
    more, further = answers.adding(asked, right(truth_of(0), asked)), said.adding([(0, 1)], [0.5], "model")
    given = {"carried": BELIEF.carry(before)}
    one = BELIEF.update(more, judged=said, rng=np.random.default_rng(1), **given)
    other = BELIEF.update(more, judged=further, rng=np.random.default_rng(1), **given)
    assert one.carried.lead == other.carried.lead != 0
    assert other.carried.n_scores == len(said) + 1


@pytest.mark.slow
def test_what_was_carried_over_is_saved_and_read_as_it_was_and_gives_the_same_posterior():
    posterior, answers, said = some_rounds(2)
    entry = BELIEF.carry(posterior).to_entry()
    again = BELIEF.recall(BELIEF.restore(entry, N), answers, judged=said)
    u, v = np.triu_indices(N, 1)
    assert np.array_equal(again.same_probability(u, v), posterior.same_probability(u, v))
    assert again.judged == posterior.judged
    with pytest.raises(ok.InvalidInputError, match="judged"):
        BELIEF.restore({**entry, "judged": "yes"}, N)


@pytest.mark.slow
def test_a_dropped_judge_is_not_read_any_more_and_the_learner_goes_on_without():
    posterior, answers, said = some_rounds(2)
    many = answers
    for _ in range(JUDGE_GUARD.patience // len(answers)):
        many = many.adding(np.stack([answers.u, answers.v], axis=1), answers.values)
    far = replace(BELIEF.carry(posterior), lead=-10 * JUDGE_GUARD.lost, judged=False)
    after = BELIEF.update(many, judged=said, carried=far, rng=np.random.default_rng(0))
    assert after.forests is None
    assert after.carried.dropped
    assert after.reading is after.base
    again = BELIEF.update(many, judged=said, carried=after.carried, rng=np.random.default_rng(0))
    assert again.forests is None


@pytest.mark.parametrize(
    ("reading", "answers", "lead", "counts"),
    [
        ({}, 60, 0.0, True),
        ({}, 60, -3.5, False),
        ({}, 150, 0.0, False),
        ({}, 150, 1.0, True),
        ({"trusted": True}, 150, -2.5, True),
        ({"trusted": True}, 150, -3.5, False),
        ({"judged": False}, 60, 2.5, False),
        ({"judged": False}, 60, 3.5, True),
    ],
)
def test_a_judge_is_on_trial_at_first_then_must_lead_and_once_trusted_must_not_fall_behind(
    reading, answers, lead, counts
):
    assert JudgedReadings(None, None, **reading).believes(lead, answers) == counts


@pytest.mark.parametrize(
    ("trusted", "explained", "counts"), [(True, 0.2, True), (True, 0.05, False), (False, 0.2, False)]
)
def test_a_trusted_judge_stays_while_it_explains_all_answers_far_better(trusted, explained, counts):
    assert JudgedReadings(None, None, trusted=trusted).believes(-5.0, 300, explained) == counts


@pytest.mark.slow
@pytest.mark.parametrize("featured", [False, True])
def test_how_well_all_answers_are_explained_is_compared_with_the_reading_without_judges(
    featured, monkeypatch
):
    heard = []

    def believes(self, lead, answers, explained):
        heard.append(explained)
        return True

    monkeypatch.setattr(JudgedReadings, "believes", believes)
    truth, near = near_vectors(4, 8)
    pairs = ok.Pairs.from_ranks(np.arange(0, 32 * 31 // 2, 4), 32)
    said = Answers.none(32).adding(pairs, 0.8 * right(truth, list(pairs)), "model")
    answers = some_answers(truth, np.asarray(pairs), wrong=0.05)
    belief = JudgedBelief(FeatureBelief(n_jobs=1) if featured else PartitionBelief(n_jobs=1))
    given = {"prior": near} if featured else {}
    found = belief.update(answers, judged=said, rng=np.random.default_rng(0), **given)
    other = found.base.reading if featured else found.base
    expected = (found.forests.fit.gain - other.fit.gain) / found.forests.fit.surprise
    assert heard == [pytest.approx(expected)]
    assert expected != 0


def test_a_judge_is_trusted_after_a_clear_lead_and_needs_another_one_once_left():
    new, trusted = JudgedReadings(None, None), JudgedReadings(None, None, trusted=True)
    assert not new.trusts(2.0, counts=True)
    assert new.trusts(6.0, counts=True)
    assert trusted.trusts(-2.0, counts=True)
    assert not trusted.trusts(-4.0, counts=False)
    left = JudgedReadings(None, None, judged=False)
    assert left.trusts(6.0, counts=True)


@pytest.mark.slow
def test_what_was_saved_before_judges_could_be_trusted_is_read():
    posterior, _, _ = some_rounds(1)
    entry = replace(BELIEF.carry(posterior), trusted=True).to_entry()
    assert BELIEF.restore(entry, N).trusted
    entry.pop("trusted")
    assert not BELIEF.restore(entry, N).trusted


def test_a_judge_beside_features_begins_as_one_that_is_not_believed():
    assert JudgedReadings.around(None).judged
    assert not JudgedReadings.around(None, featured=True).judged


# -- what the belief is given ------------------------------------------------------------------------------


def few_scores(pairs, n):
    """Return a judge's scores of some pairs, and answers of people to half as many."""
    rng, truth = np.random.default_rng(0), np.arange(n) % 3
    said = Answers.none(n).adding(np.asarray(pairs), rng.uniform(-1, 1, len(pairs)), "model")
    return said, some_answers(truth, np.asarray(pairs)[::2])


@pytest.mark.slow
def test_where_only_listed_pairs_may_be_of_a_kind_the_background_counts_no_others():
    n = 12
    seen = ok.Pairs.from_ranks(np.arange(0, n * (n - 1) // 2, 3), n)
    said, answers = few_scores(seen, n)
    found = [
        BELIEF.update(answers, judged=said, candidates=allowed, rng=np.random.default_rng(0))
        for allowed in (None, seen)
    ]
    every, listed = (each.forests.prior.f_bg for each in found)
    assert every - listed == pytest.approx(TREES.unseen * unseen_share(said) / n)
    again = BELIEF.recall(BELIEF.carry(found[1]), answers, judged=said, candidates=seen)
    assert again.forests.prior.f_bg == listed


def test_beside_features_pairs_that_no_judge_has_looked_at_are_no_reason_for_a_background():
    _, near = near_vectors(3, 4)
    said, answers = few_scores(near.pairs[::3], near.n)
    belief = JudgedBelief(FeatureBelief(n_jobs=1))
    found = belief.update(answers, judged=said, prior=near, rng=np.random.default_rng(0)).forests
    candidates = CandidateGraph.of(judged_graph(said, near), None)
    expected = tree_prior_of(candidates, found.pair_map, found.scale).f_bg
    assert found.prior.f_bg == pytest.approx(expected)


@pytest.mark.slow
def test_a_judge_that_has_led_clearly_goes_on_counting_when_it_falls_behind_a_little():
    posterior, answers, said = some_rounds(1)
    many = answers
    for _ in range(JUDGE_GUARD.trial // len(answers)):
        many = many.adding(np.stack([answers.u, answers.v], axis=1), answers.values)
    reading = BELIEF.carry(posterior)
    for lead in (2 * JUDGE_GUARD.ahead, -JUDGE_GUARD.behind / 2):
        carried = replace(reading, lead=lead, seen_at=0)  # so that it has this lead still
        after = BELIEF.update(many, judged=said, carried=carried, rng=np.random.default_rng(0))
        reading = BELIEF.carry(after)
    assert after.judged
    assert after.base is not None
