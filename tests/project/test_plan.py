"""The plan before the first question: what is said, what is played, and that it is about right."""

import numpy as np
import pytest

import ofakind as ok
from ofakind.cli.demo.people import misspelt_people
from ofakind.errors import InvalidInputError
from ofakind.priors.pair_map import PairMap
from ofakind.project.evidence import prior_probability
from ofakind.project.plan import (
    PLAN,
    Game,
    QuestionPlan,
    neighbourhoods,
    plan_of,
    planned,
    restricted,
    scenarios,
    summary,
)


@pytest.fixture(scope="module")
def near():
    return ok.Neighbours.from_records([{**one, "id": None} for one in misspelt_people(80, 200).records])


@pytest.mark.parametrize(
    ("plan", "said"),
    [
        (QuestionPlan(0.01), "nothing known yet: a plan after the first 50 answers"),
        (QuestionPlan(0.02, 80), "at least 80 questions to 2 % wrong pairs, maybe many more"),
        (QuestionPlan(0.01, 0, 0), "features alone may do: 1 % wrong pairs or fewer before any question"),
        (QuestionPlan(0.01, 0, 60), "at most about 60 questions to 1 % wrong pairs (2 min at 4 s each)"),
        (
            QuestionPlan(0.01, 1000, 9000, more=True),
            "about 1,000–9,000 questions to 1 % wrong pairs, maybe more (6 h at 4 s each)",  # noqa: RUF001
        ),
    ],
)
def test_a_plan_says_what_is_known_and_no_more(plan, said):
    assert str(plan) == said


def test_of_many_objects_whole_neighbourhoods_are_played(near):
    part = neighbourhoods(near, 90, np.random.default_rng(0))
    assert len(part) == len(set(part.tolist())) == 90
    small = restricted(near, part)
    share = len(small.pairs) / len(near.pairs)
    assert share > 1.5 * (90 / near.n) ** 2  # of objects at random it would be that
    for u, v in list(small.pairs)[:20]:
        assert (int(part[u]), int(part[v])) in set(near.pairs)


def test_of_few_objects_all_are_played(near):
    assert neighbourhoods(near, 10**6, np.random.default_rng(0)).tolist() == list(range(near.n))


def test_games_that_are_not_over_make_a_lower_limit_or_a_perhaps():
    over, not_over = Game([0, 40], [0.5, 0.0], ended=True), Game([0, 300], [0.5, 0.2], ended=False)
    found = summary([not_over, not_over, over], 0.01, times=4.0)
    assert (found.low, found.high) == (300, None)
    found = summary([over, over, not_over], 0.01, times=4.0)
    assert (found.low, found.high, found.more) == (32, 200, True)
    assert not summary([over, over, over], 0.01, times=1.0).more


@pytest.mark.parametrize("times", [1.0, 4.0, 100.0])
def test_of_more_objects_than_are_played_as_many_questions_may_do_or_so_many_times_as_many(times):
    games = [Game([0, asked], [0.5, 0.0], ended=True) for asked in (45, 60, 101)]
    found = summary(games, 0.01, times)
    assert found.low == 36  # 45, and some luck
    assert found.high == pytest.approx(times * 101 * PLAN.luck, rel=0.1)


@pytest.mark.slow
def test_a_plan_is_about_right_where_records_are_misspelt(near):
    """The questions that it really takes are within the plan, or near it, for several made-up lists."""
    for seed in range(3):
        listed = misspelt_people(80, 200, seed)
        graph = ok.Neighbours.from_records([{**one, "id": None} for one in listed.records])
        plan = planned(graph, 0.05, seconds=60)
        needed = really_needed(graph, listed.truth, 0.05)
        assert plan.low is not None
        assert plan.low / 3 <= needed + 20
        assert plan.high is None or needed <= 3 * plan.high + 20


def really_needed(graph, truth, target):
    learner = ok.ActiveClustering(graph.n, prior=graph)
    asked = 0
    while asked < 400 and ok.adjusted_rand_index(truth, learner.labels) < 1 - target:
        pairs = learner.ask(PLAN.batch)
        learner.tell(pairs, np.where(truth[pairs.u] == truth[pairs.v], 1.0, -1.0))
        asked += len(pairs)
    return asked


@pytest.mark.slow
def test_with_a_judge_the_games_are_of_what_is_learned_of_features_as_without(near, monkeypatch):
    def starts(judged, answers):
        learner, played = ok.ActiveClustering(near.n, prior=near), []
        if judged:
            learner.tell_judge(near.pairs, np.tanh(near.features[:, 1] - 0.5), "model")
        some = np.asarray(near.pairs)[:: len(near.pairs) // answers][:answers]
        for part in np.array_split(some, 3):
            learner.tell(part, np.where(np.arange(len(part)) % 3, 1.0, -1.0))
            learner.posterior  # noqa: B018

        def play(part, goal, *, known, **_):
            played.extend(start.mean for start in scenarios(part, known))
            return QuestionPlan(goal)

        monkeypatch.setattr("ofakind.project.plan.planned", play)
        plan_of(learner, 0.05, seconds=1.0)
        return played

    shipped = [start.mean for start in scenarios(near, None)]
    learned = starts(judged=False, answers=PLAN.learned)
    assert np.abs(np.subtract(learned, shipped)).max() > 0.1
    np.testing.assert_array_equal(starts(judged=True, answers=PLAN.learned), learned)
    np.testing.assert_array_equal(starts(judged=True, answers=PLAN.learned - 2), shipped)


def test_neither_a_plan_nor_what_features_say_of_one_pair_looks_at_all_candidates(near, monkeypatch):
    learner, rows, log_odds = ok.ActiveClustering(near.n, prior=near), [], PairMap.log_odds
    expected = 1 / (1 + np.exp(-learner.prior_odds[5]))

    def counted(self, features, pairs=None):
        rows.append(len(features))
        return log_odds(self, features, pairs)

    monkeypatch.setattr(PairMap, "log_odds", counted)
    monkeypatch.setattr("ofakind.project.plan.planned", lambda _, goal, **__: QuestionPlan(goal))
    plan_of(learner, 0.05, seconds=1.0)
    assert rows == []
    found = prior_probability(learner, (int(near.pairs.u[5]), int(near.pairs.v[5])))
    assert found == pytest.approx(expected)
    assert rows == [1]


@pytest.mark.slow
def test_a_plan_is_the_same_twice_and_changes_nothing(tmp_path):
    records = misspelt_people(40, 90).records
    with ok.new_project(records, id="id", path=tmp_path / "a.ofk") as project:
        before = project.ask(3)
        found = project.plan(0.05, seconds=30)
        assert found == project.plan(0.05, seconds=30)
        project.undo()
        assert project.n_answers == 0
    with ok.new_project(records, id="id", path=tmp_path / "b.ofk") as project:
        again = project.ask(3)
    assert [(q.left_id, q.right_id) for q in before] == [(q.left_id, q.right_id) for q in again]


@pytest.mark.slow
def test_without_features_nothing_is_known_before_some_answers(tmp_path):
    ids = [f"s{number}" for number in range(20)]
    with ok.new_project(ids, path=tmp_path / "a.ofk") as project:
        assert project.plan() == QuestionPlan(0.01)
        for place, one in enumerate(ids):
            for other in ids[place + 1 : place + 4]:
                project.tell((one, other), -1.0)
        assert project.n_answers >= PLAN.answers
        found = project.plan()
        assert found.low is not None
        assert found.low >= project.n_answers


def test_a_target_that_is_none_is_refused(tmp_path):
    with ok.new_project(["a", "b"], path=tmp_path / "a.ofk") as project:
        for target in (0, 1.0, -1, float("nan"), "one"):
            with pytest.raises(InvalidInputError, match="target"):
                project.plan(target)
