"""A learner with a judge: cheap scores of a model beside people's answers."""

import numpy as np
import pytest

import ofakind as ok
from ofakind.clustering import adjusted_rand_index
from twins.featured import near_vectors


def learner_with_judge(n=40, groups=4, seed=0, sure=0.8, wrong=0.1):
    """Return a learner that a judge, wrong about some pairs, has told what it was asked, and the truth."""
    truth = np.arange(n) % groups
    learner = ok.ActiveClustering(n, seed=seed)
    pairs = learner.ask_judge(10 * n)
    learner.tell_judge(pairs, scores_of(pairs, truth, seed, sure=sure, wrong=wrong))
    return learner, truth


def scores_of(pairs, truth, seed, *, sure=0.8, wrong=0.1):
    right = np.random.default_rng(seed).random(len(pairs)) >= wrong
    return sure * np.where((truth[pairs.u] == truth[pairs.v]) == right, 1.0, -1.0)


def people(truth):
    return lambda pairs: np.where(truth[pairs.u] == truth[pairs.v], 1.0, -1.0)


def played(learner, answer, rounds, size=12):
    """Return the questions of some rounds."""
    asked = []
    for _ in range(rounds):
        pairs = learner.ask(size)
        learner.tell(pairs, answer(pairs))
        asked.append(pairs)
    return asked


@pytest.mark.slow
def test_equal_seeds_give_equal_questions_saved_and_loaded_in_between_or_not(tmp_path):
    one, truth = learner_with_judge()
    other, _ = learner_with_judge()
    asked = played(one, people(truth), 4)
    for expected in asked:
        other.save(tmp_path / "learner.npz")
        other = ok.ActiveClustering.load(tmp_path / "learner.npz")
        assert played(other, people(truth), 1) == [expected]
    assert other.judges == one.judges == ("judge",)
    assert other.reading == one.reading


@pytest.mark.parametrize(
    ("pairs", "scores", "judge"),
    [
        ([(0, 1)], [1.5], "model"),
        ([(0, 1)], [np.nan], "model"),
        ([(0, 0)], [1.0], "model"),
        ([(0, 40)], [1.0], "model"),
        ([(0, 1), (1, 2)], [1.0], "model"),
        ([(0, 1)], [1.0], ""),
        ([(0, 1)], [1.0], None),
    ],
)
def test_what_is_no_score_is_refused_and_nothing_changes(pairs, scores, judge):
    learner = ok.ActiveClustering(40)
    with pytest.raises(ok.InvalidInputError):
        learner.tell_judge(pairs, scores, judge)
    assert learner.judges == ()
    assert learner.to_document() == ok.ActiveClustering(40).to_document()


def test_the_papers_belief_refuses_a_judge():
    learner = ok.ActiveClustering(10, acquisition=ok.JEIG())
    with pytest.raises(ok.InvalidInputError, match="MeanFieldBelief knows nothing of judges"):
        learner.tell_judge([(0, 1)], [1.0])


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_a_batch_with_a_judge_has_as_many_distinct_questions_as_were_wanted_some_of_them_to_keep_it_awake():
    learner, truth = learner_with_judge(wrong=0.3)
    added = 0
    for _ in range(6):
        pairs = learner.ask(20)
        assert len(pairs) == len(np.unique(pairs.ranks(40))) == 20
        added += int(np.isnan(learner.last_batch.scores).sum())
        learner.tell(pairs, people(truth)(pairs))
    assert 2 <= added <= 40


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_two_judges_have_columns_of_their_own_and_the_better_one_is_worth_more():
    learner, truth = learner_with_judge(wrong=0.02)
    pairs = learner.ask_judge(10_000, "other")
    learner.tell_judge(pairs, scores_of(pairs, truth, 1, wrong=0.5), "other")
    played(learner, people(truth), 5)
    worth = dict(zip(learner.prior_map.names, learner.prior_map.coefficients, strict=True))
    assert learner.judges == ("judge", "other")
    one, other = (worth[f"judge: {name}"] + worth[f"judge yes: {name}"] for name in learner.judges)
    assert one > other


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_a_judge_that_comes_in_the_middle_is_taken_in_and_answers_stay_what_they_are():
    truth = np.arange(40) % 4
    learner = ok.ActiveClustering(40, seed=1, initial=30)
    played(learner, people(truth), 2)
    before = learner.answers.values.tolist()
    pairs = learner.ask_judge(10_000)
    learner.tell_judge(pairs, scores_of(pairs, truth, 0))
    again = ok.ActiveClustering.from_document(learner.to_document())
    assert again.ask(12) == learner.ask(12)
    assert learner.answers.values.tolist() == before
    assert learner.answers.annotators is None


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_with_features_a_judge_is_asked_about_candidates_and_an_unbelieved_one_changes_no_belief():
    truth, near = near_vectors(5, 8)
    learner = ok.ActiveClustering(40, prior=near)
    pairs = learner.ask_judge(30)
    assert np.isin(pairs.ranks(40), near.pairs.ranks(40)).all()
    learner.tell_judge(pairs, scores_of(pairs, truth, 0, wrong=0.5))
    assert learner.reading == "features"
    assert set(learner.ask_judge(1000)).isdisjoint(pairs)


def asked_with_features(judge, groups=6, size=50, spread=0.5):
    """Return all pairs that such a judge is asked about beside features, in turn, and their graph."""
    truth, near = near_vectors(groups, size, spread=spread)
    learner, asked = ok.ActiveClustering(len(truth), prior=near), []
    while len(pairs := learner.ask_judge(700)):
        learner.tell_judge(pairs, judge(pairs, truth))
        asked.append(pairs)
    return asked, near


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_beyond_the_candidates_of_features_a_judge_looks_as_far_as_it_finds_many_of_a_kind():
    asked, near = asked_with_features(lambda pairs, truth: scores_of(pairs, truth, 0))
    n, order = near.n, np.concatenate([pairs.ranks(near.n) for pairs in asked])
    beyond = ~np.isin(order, near.pairs.ranks(n))
    assert len(np.unique(order)) == len(order)
    assert np.diff(beyond.astype(int)).min() >= 0  # candidates come first
    assert any(len(pairs) == 300 and beyond[order == pairs.ranks(n)[0]] for pairs in asked)  # a trial,
    degrees = np.bincount(
        np.concatenate([each.u for each in asked] + [each.v for each in asked]), minlength=n
    )
    assert degrees.min() >= 40  # and then others of each object, with the candidates some sixty


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_a_judge_that_finds_hardly_any_of_a_kind_beyond_the_candidates_is_asked_for_a_trial_only():
    asked, near = asked_with_features(
        lambda pairs, truth: scores_of(pairs, truth, 0, wrong=0.0), groups=100, size=3, spread=0.1
    )
    beyond = sum(int((~np.isin(each.ranks(near.n), near.pairs.ranks(near.n))).sum()) for each in asked)
    assert beyond == near.n


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_where_features_know_little_a_judge_that_knows_more_is_used_for_all_it_is_worth():
    """It finds groups that the candidates of features do not hold together."""
    truth = np.arange(120) % 6
    near = ok.Neighbours.from_vectors(np.random.default_rng(0).normal(size=(120, 8)))
    found = {}
    for judged in (False, True):
        learner = ok.ActiveClustering(120, prior=near, batch_size=20)
        while judged and len(pairs := learner.ask_judge(10_000)):
            learner.tell_judge(pairs, scores_of(pairs, truth, 0, wrong=0.05))
        played(learner, people(truth), 8, size=20)
        found[judged] = adjusted_rand_index(learner.labels, truth)
    assert found[True] > 0.95
    assert found[False] < 0.5


def dropped(learner, lead=-100.0):
    """Return the learner as it would be if its judges had been dropped."""
    document = {**learner.to_document(), "checksum": None}
    gone = {"dropped": True, "judged": False, "lead": lead, "judged_forests": None, "out": ["judge"]}
    document["memory"].update(gone)
    return ok.ActiveClustering.from_document(document)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_a_judge_that_was_dropped_is_not_asked_any_more_and_another_one_gets_a_chance():
    learner, truth = learner_with_judge(wrong=0.5)
    played(learner, people(truth), 3)
    again = dropped(learner)
    assert learner.ask_judge(10, "other")
    assert again.reading == "people"
    assert len(again.ask_judge(10)) == 0
    while len(pairs := again.ask_judge(100, "good")):
        again.tell_judge(pairs, scores_of(pairs, truth, 0, wrong=0.0), "good")
    played(again, people(truth), 3)
    assert again.reading == "judge"
    assert len(again.ask_judge(10)) == 0  # and the first one is not asked again
    assert len(ok.ActiveClustering.from_document(again.to_document()).ask_judge(10)) == 0


@pytest.mark.slow
@pytest.mark.parametrize("featured", [False, True])
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_pairs_that_a_judge_cannot_look_at_are_left_out_and_take_nothing_from_others(featured):
    near = ok.Neighbours.from_vectors(np.random.default_rng(0).normal(size=(100, 8)))
    truth, said = np.arange(100) % 5, []
    spoiled = [(0, other) for other in range(1, 100)] + [(7, other) for other in range(100) if other != 7]
    for without in ((), spoiled):
        learner, asked = ok.ActiveClustering(100, prior=near if featured else None), []
        while len(pairs := learner.ask_judge(400, without=without)):
            learner.tell_judge(pairs, scores_of(pairs, truth, 0))
            asked += list(pairs)
        said.append(asked)
    assert not any({0, 7} & set(pair) for pair in said[1])
    rest = [pair for pair in said[0] if not {0, 7} & set(pair)]
    assert len(said[1]) > 0.95 * len(rest) > 2000
    with pytest.raises(ok.InvalidInputError):
        learner.ask_judge(5, without=[(0, 100)])


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_a_learner_from_before_a_judge_looked_beyond_features_is_read_and_goes_on():
    truth, near = near_vectors(6, 20)
    learner = ok.ActiveClustering(120, prior=near)
    pairs = ok.Pairs.from_ranks(np.arange(0, 120 * 119 // 2, 3), 120)
    learner.tell_judge(pairs, scores_of(pairs, truth, 0))
    played(learner, people(truth), 2)
    document = {**learner.to_document(), "checksum": None}
    memory = document["memory"]
    del memory["out"]
    memory["judged_forests"]["candidate_same"] = memory["judged_forests"]["candidate_same"][: len(near.pairs)]
    again = ok.ActiveClustering.from_document(document)
    assert adjusted_rand_index(again.labels, truth) > 0.9
    assert len(played(again, people(truth), 1)[0]) == 12
    damaged = {**learner.to_document(), "checksum": None}
    damaged["memory"]["judged_forests"]["candidate_same"] = [0.5]
    with pytest.raises(ok.InvalidInputError, match="candidates"):
        ok.ActiveClustering.from_document(damaged)


def test_a_damaged_table_of_scores_is_refused():
    document = learner_with_judge(n=12)[0].to_document()
    document["judged"]["values"][0] = 7.0
    document["checksum"] = None
    with pytest.raises(ok.InvalidInputError, match='its "judged"'):
        ok.ActiveClustering.from_document(document)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_screens_are_asked_with_a_judge_too():
    learner, truth = learner_with_judge()
    for _ in range(3):
        screen = learner.ask_screen(5)
        learner.tell(screen.pairs, people(truth)(screen.pairs))
    again = ok.ActiveClustering.from_document(learner.to_document())
    assert again.ask_screen(5).pairs == learner.ask_screen(5).pairs


@pytest.mark.slow
@pytest.mark.parametrize("featured", [False, True])
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_a_learner_from_before_judges_were_known_to_differ_by_object_is_read_and_goes_on(featured):
    truth, near = near_vectors(4, 4)
    learner = ok.ActiveClustering(16, prior=near if featured else None)
    pairs = learner.ask_judge(1000)
    learner.tell_judge(pairs, scores_of(pairs, truth, 0))
    played(learner, people(truth), 2)
    document = {**learner.to_document(), "checksum": None}
    known = document["memory"]["judged_forests"]["map"]
    document["memory"]["judged_forests"]["map"] = {
        name: known[name] for name in ("names", "beta", "deviations")
    }
    again = ok.ActiveClustering.from_document(document)
    assert again.labels.tolist() == learner.labels.tolist()
    played(again, people(truth), 1)
    new = again.to_document()["memory"]["judged_forests"]["map"]
    assert new["names"] == known["names"]
    assert set(new) == set(known)  # now it is known of the objects, too
