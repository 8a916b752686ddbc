"""Judges at work on a project: what they say is kept, counts once, and is paid for once."""

import threading

import numpy as np
import pytest

import ofakind as ok
from ofakind.errors import (
    BudgetSpentError,
    InvalidInputError,
    JudgeFailedError,
    JudgeRefusedError,
    StorageError,
)
from ofakind.oracles.judge.base import CallPrice, JudgeReply, JudgeRequest
from ofakind.oracles.judge.model import ModelJudge, ModelOptions
from ofakind.oracles.judge.prices import TokenPrices
from ofakind.oracles.judge.prompt import PromptOptions
from ofakind.oracles.judge.server import ServerOptions
from ofakind.project.events import JudgeCalled, JudgeSent
from ofakind.project.judge_failures import FAILURES
from ofakind.project.judging import JudgeLimits
from ofakind.project.log import check_file
from ofakind.project.transfer import project_from_log, write_log
from twins.chat_server import KEY, Behaviour, chat_server
from twins.judged_projects import by_kind, new_judged_project, records, tell_the_truth


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    monkeypatch.setattr("ofakind.oracles.judge.model.delay_before", lambda *_: 0.01)


@pytest.fixture
def path(tmp_path):
    new_judged_project(tmp_path / "a.ofk").close()
    return tmp_path / "a.ofk"


def model_at(address, **options):
    chosen = ModelOptions("small", prices=TokenPrices(1.0, 4.0), **options)
    return ModelJudge(chosen, PromptOptions("Same?"), ServerOptions(address, KEY, 2.0))


def run_at(path, address, limits, **options):
    judge = model_at(address, **options)
    try:
        with ok.open_project(path) as project:
            return project.judging(judge, limits).run()
    finally:
        judge.close()


def events_of(path, kind):
    with ok.open_project(path, read_only=True) as project:
        return [one.event for one in project._books.file.events if one.kind == kind.KIND]


# -- functions ---------------------------------------------------------------------------------------------


def test_a_function_is_a_judge_and_its_scores_are_no_answers(path):
    with ok.open_project(path) as project:
        run = project.judge(by_kind, 100, name="rule")
        assert (run.scores, run.ended) == (100, "the budget is used")
        assert project.n_answers == 0
        assert project.answers == []
        found = project.judged()
        assert len(found) == 100
        kinds = {f"r{number}": number % 5 for number in range(30)}
        assert all((one.score > 0) == (kinds[one.left_id] == kinds[one.right_id]) for one in found)
        project.labels()
        assert project._model.learner.judges == ("rule",)


@pytest.mark.parametrize("wrong", [ConnectionError("gone"), None, float("nan"), 7.0])
def test_what_a_function_said_before_it_failed_is_kept_and_not_asked_again(path, wrong):
    seen = []

    def judge(left, right):
        seen.append((left["id"], right["id"]))
        if len(seen) == 150:
            if isinstance(wrong, Exception):
                raise wrong
            return wrong
        return by_kind(left, right)

    expected = ConnectionError if isinstance(wrong, Exception) else JudgeRefusedError
    with ok.open_project(path) as project:
        with pytest.raises(expected):
            project.judge(judge, 400)
        assert len(seen) == 150  # and nothing else was asked
        assert len(project.judged()) == 149
        assert project.judge(judge, 400).scores == 400 - 149
    assert len(set(seen)) == len(seen) - 1
    check_file(path)


def test_a_function_without_a_name_needs_one(path):
    with ok.open_project(path) as project:
        with pytest.raises(InvalidInputError, match=r"give one: judge\(function, name=\.\.\.\)"):
            project.judge(lambda *_: 0.5, 5)
        assert project.judge(lambda *_: 0.5, 5, name="half").scores == 5


def test_a_column_that_is_called_id_is_not_lost(tmp_path):
    rows, seen = [{"ticket": f"T{n}", "id": f"vendor {n % 2}"} for n in range(4)], []

    def judge(left, right):
        seen.extend([left, right])
        return 0.5

    with ok.new_project(rows, "ticket", path=tmp_path / "b.ofk", fields=()) as project:
        project.judge(judge, 6)
    assert {(one["ticket"], one["id"]) for one in seen} == {(f"T{n}", f"vendor {n % 2}") for n in range(4)}


def test_a_model_is_not_paid_to_compare_numbers_of_rows(tmp_path):
    vectors = np.random.default_rng(0).normal(size=(12, 3))
    with ok.new_project(range(12), vectors=vectors, path=tmp_path / "b.ofk") as project:
        with pytest.raises(InvalidInputError, match="nothing that a model could read: only numbers of rows"):
            project.judging(model_at("http://127.0.0.1:1"))
        assert (
            project.judge(lambda left, right: (left["id"] - right["id"]) % 2 - 0.5, 5, name="odd").scores == 5
        )


def test_a_function_may_take_many_pairs_at_a_time(path):
    sizes = []

    def rule(pairs):
        sizes.append(len(pairs))
        return [by_kind(left, right) for left, right in pairs]

    with ok.open_project(path) as project:
        project.judge(rule, 100, batch=True)
        with_one = {one[:2]: one.score for one in project.judged()}
    assert sum(sizes) == 100
    assert len(sizes) < 10
    assert len(with_one) == 100


@pytest.mark.slow
def test_what_a_project_with_features_says_is_said_with_a_judge_too(tmp_path):
    """A judge's columns are beside those of features, which are all that a pair is known by beforehand."""
    ok.new_project(records(), "id", path=tmp_path / "b.ofk", fields=["name"]).close()
    with ok.open_project(tmp_path / "b.ofk") as project:
        near = ok.Neighbours.from_records([one["name"] for one in records()]).pairs
        known = [f"r{one}" for one in (near.u[0], near.v[0])]
        before = project.why(*known).prior
        assert project.judge(by_kind, 300).scores > 20
        for _ in range(3):
            tell_the_truth(project, 10)
            evidence = project.why(*known)
            assert 0 < evidence.prior < 1
            assert "features alone" in str(evidence)
            assert project.plan(0.05).low is not None
            project._model.weigh_features(5)
            assert len(project._model.spare.likely) == 5
    assert 0 < before < 1


@pytest.mark.parametrize("wrong", [2.0, float("nan"), None, "yes", [1.0, 1.0]])
def test_what_is_no_score_is_refused_and_what_came_before_is_kept(path, wrong):
    with ok.open_project(path) as project:
        project.judge(by_kind, 10, name="rule")
        with pytest.raises(JudgeRefusedError, match="expected"):
            project.judge(lambda *_: wrong, 20, name="rule")
        assert len(project.judged()) == 10


@pytest.mark.parametrize("batch", [False, True])
def test_a_function_that_returns_nothing_is_told_so(path, batch):
    def nothing(*pairs):
        return [None] * len(pairs[0]) if batch else None

    with ok.open_project(path) as project, pytest.raises(JudgeRefusedError, match="gave None, as a function"):
        project.judge(nothing, 20, batch=batch)


def test_a_name_that_nobody_sees_is_refused(path):
    with ok.open_project(path) as project:
        for name in ("", "  ", "\udcff"):
            with pytest.raises(InvalidInputError, match=r"name of (a|the) judge"):
                project.judge(by_kind, 20, name=name)


def test_an_error_of_a_function_comes_through(path):
    def fails(left, right):
        raise ZeroDivisionError("mine")

    with ok.open_project(path) as project:
        with pytest.raises(ZeroDivisionError, match="mine"):
            project.judge(fails, 10)
        assert project.judged() == []


def test_a_budget_holds_for_all_runs_together(path):
    calls = []

    def rule(left, right):
        calls.append((left["id"], right["id"]))
        return 0.5

    for budget, scores in ((30, 30), (30, 0), (50, 20)):
        with ok.open_project(path) as project:
            assert project.judge(rule, budget, swap_share=0.1).scores == scores
    assert len(calls) == 50
    assert len(set(calls)) == 50


def test_everything_that_is_worth_it_is_judged_once_and_then_it_ends(path):
    with ok.open_project(path) as project:
        run = project.judge(by_kind)
        assert run.ended == "nothing more is worth a look"
        assert len({one[:2] for one in project.judged()}) == run.scores == 30 * 29 // 2


def test_pairs_seen_in_both_orders_have_the_mean_of_both_scores(path):
    with ok.open_project(path) as project:
        project.judge(
            lambda left, right: 1.0 if left["id"] < right["id"] else 0.0, 90, name="x", swap_share=0.5
        )
        both = [one for one in project.judged() if one.swapped is not None]
        assert len(both) == 30
        assert all(one.score + one.swapped == 1.0 for one in both)
        project.labels()
        calls = [call for call in project._books.ledger.calls if type(call).__name__ == "JudgeCall"]
        told = {pair: score for call in calls for pair, score in zip(call.pairs, call.scores, strict=True)}
        ids = project.ids
        assert all(told[tuple(sorted((ids.index(a), ids.index(b))))] == 0.5 for a, b, *_ in both)


# -- the log -----------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_questions_are_the_same_after_a_replay_with_judges_and_people(path, tmp_path):
    with ok.open_project(path) as project:
        for budget in (40, 80, 120):
            project.judge(by_kind, budget, name="rule")
            tell_the_truth(project, 6)
        assert project.check(replay=True)
        expected = project.labels()
        project._books.file.empty_cache()
    with ok.open_project(path, read_only=True) as project:
        assert project.labels() == expected
        assert project.judges()[0].n_pairs == 120
    write_log(path, tmp_path / "log.jsonl")
    assert project_from_log(tmp_path / "log.jsonl", tmp_path / "b.ofk")
    with ok.open_project(tmp_path / "b.ofk") as project:
        assert project.labels() == expected
        assert project.check(replay=True)
        assert len(project.judged()) == 120


def test_a_call_that_names_what_did_not_announce_it_is_no_event_of_a_log(path):
    with ok.open_project(path) as project:
        digest = "ab" * 32
        wrong = JudgeCalled("j", "m", digest, ((0, 1),), (1.0,), False, 0, 0, 0.0, 0, sent=(1,))
        with pytest.raises(InvalidInputError, match="did not announce"):
            project._books.write([wrong])


# -- models ------------------------------------------------------------------------------------------------


def test_each_call_is_an_event_with_its_tokens_cost_and_pairs(path):
    with chat_server() as (address, log):
        run = run_at(path, address, JudgeLimits(40), per_call=4)
    calls = events_of(path, JudgeCalled)
    assert len(calls) == len(log.rows) == run.calls
    assert sum(len(one.pairs) for one in calls) == 40
    assert sum(one.cost for one in calls) == pytest.approx(log.cost)
    assert run.cost == pytest.approx(log.cost)
    assert run.tokens_in == sum(one.tokens_in for one in calls) > 0
    assert {one.model for one in calls} == {one.judge for one in calls} == {"small"}
    assert len({one.digest for one in calls}) == len(calls)
    assert sum(one.swapped for one in calls) == 1
    assert check_file(path)


FAULTS = (429, 500, "drop", "half", "huge", "no JSON", "broken", "schema", "no usage", None, None)


@pytest.mark.slow
def test_whatever_a_server_does_the_cap_is_kept_and_no_score_is_lost_or_doubled(path):
    behaviour = Behaviour(fault=lambda number: FAULTS[number * 7 % len(FAULTS)], delay=0.01)
    with chat_server(behaviour) as (address, log):
        for most in (0.02, 0.05, 0.2):
            run_at(path, address, JudgeLimits(300, most), concurrency=6)
            assert log.cost <= most
    assert log.faults == set(FAULTS) - {None}
    calls = [one for one in events_of(path, JudgeCalled) if one.pairs]
    assert len({one.digest for one in calls}) == len(calls)
    assert sum(one.cost for one in events_of(path, JudgeCalled)) >= log.cost - 1e-9
    with ok.open_project(path) as project:
        assert project._books.ledger.judges.n_scores("small") == sum(len(one.pairs) for one in calls)
        assert project._books.ledger.judges.announced == {}
        assert project.check(replay=True)


def test_a_cap_stops_calls_in_time_and_uses_most_of_what_it_allows(path):
    with chat_server() as (address, log):
        run = run_at(path, address, JudgeLimits(400, 0.012))
        worst = max(one.cost for one in events_of(path, JudgeSent))
        assert run.ended == "the money is spent"
        assert 0.012 - worst <= log.cost <= 0.012
        again = run_at(path, address, JudgeLimits(400, 0.012))
        assert again.calls <= 2  # a smaller call may still fit
        assert log.cost <= 0.012


def test_the_same_prompt_is_paid_once_whoever_asks_it(path):
    with chat_server() as (address, log), ok.open_project(path) as project:
        pairs = [(0, 1), (0, 2)]
        for name in ("one", "other", "one"):
            judge = model_at(address, name=name)
            session = project.judging(judge, JudgeLimits(2, swap_share=0))
            session.choose = lambda *_: pairs
            session.run()
            judge.close()
        found = {(one.judge, *one[:2]): one.score for one in project.judged()}
    assert len(log.rows) == 1
    assert len(found) == 4
    assert [one.copies is None for one in events_of(path, JudgeCalled)] == [True, False]


def test_pairs_of_equal_records_are_paid_once(tmp_path):
    rows = [{"id": number, "name": "twin", "kind": 1} for number in range(6)]
    with chat_server() as (address, log):
        ok.new_project(rows, "id", path=tmp_path / "b.ofk", fields=()).close()
        run = run_at(tmp_path / "b.ofk", address, JudgeLimits(15, swap_share=0), per_call=1)
    assert len(log.rows) == 1
    assert run.scores == 15


def test_whoever_watches_hears_that_calls_wait_for_a_busy_server(path):
    heard = []
    with chat_server(Behaviour(fault=lambda number: 429 if number < 3 else None)) as (address, _):
        judge = model_at(address)
        with ok.open_project(path) as project:
            run = project.judging(judge, JudgeLimits(10, swap_share=0)).run(heard.append)
        judge.close()
    assert run.scores == 10
    assert any(one.waits for one in heard)
    assert not heard[-1].waits


def test_a_dead_server_is_said_and_the_next_run_asks_only_what_is_left(path):
    with chat_server() as (address, log):
        run_at(path, address, JudgeLimits(50))
        first = {row["prompt"] for row in log.rows}
    with pytest.raises(JudgeRefusedError, match="nobody answers"):
        run_at(path, address, JudgeLimits(100))
    with chat_server() as (address, log):
        assert run_at(path, address, JudgeLimits(100)).scores == 50
        assert not first & {row["prompt"] for row in log.rows}


def test_groups_do_not_go_by_a_judge_that_has_said_nothing(path, monkeypatch):
    monkeypatch.setattr("ofakind.oracles.judge.model.RETRY", _few_attempts())
    with ok.open_project(path) as project:
        project.judge(by_kind, 400, name="rule")
    with chat_server(Behaviour(fault=lambda _: "schema")) as (address, _), pytest.raises(JudgeRefusedError):
        run_at(path, address, JudgeLimits(200), concurrency=1)
    with ok.open_project(path) as project:
        tell_the_truth(project, 20)
        found = {one.name: (one.n_scores > 0, one.in_use) for one in project.judges()}
    assert found == {"rule": (True, True), "small": (False, False)}


def test_a_server_that_only_fails_is_given_up(path, monkeypatch):
    monkeypatch.setattr("ofakind.oracles.judge.model.RETRY", _few_attempts())
    given_up = pytest.raises(JudgeRefusedError, match=f"{FAILURES.hopeless} calls failed")
    with chat_server(Behaviour(fault=lambda _: "schema")) as (address, log), given_up:
        run_at(path, address, JudgeLimits(200), concurrency=1)
    assert 0 <= len(log.rows) - 2 * FAILURES.hopeless <= 2  # the next one may have begun
    failed = events_of(path, JudgeCalled)
    assert all(one.problem for one in failed)
    assert sum(one.cost for one in failed) == pytest.approx(log.cost)  # they were paid


def _few_attempts():
    from ofakind.oracles.judge.pacing import RetryRules

    return RetryRules(attempts=2)


# -- stopping ----------------------------------------------------------------------------------------------


class Gate:
    """A judge whose calls wait until they are let through."""

    name = model = "gate"
    per_call, one_against_several, concurrency, runs_here = 1, False, 2, True

    def __init__(self):
        self.inside, self.open = threading.Semaphore(0), threading.Event()

    def request(self, pairs):
        (left, right), = pairs  # fmt: skip
        digest = f"{left['id']:0>3}{right['id']:0>3}".encode().hex().zfill(64)
        return JudgeRequest(digest, pairs, None, worst=CallPrice(1, 1, 0.5))

    def ask(self, request, allowance):
        allowance.reserve(0.5)
        self.inside.release()
        self.open.wait(300)
        allowance.settle(0.25)
        return JudgeReply((0.5,), 1, 1)

    def close(self):
        pass


def test_money_is_set_aside_on_the_disk_before_a_call_is_made(path):
    judge = Gate()
    with ok.open_project(path) as project:
        session = project.judging(judge, JudgeLimits(3, 10.0, swap_share=0))
        thread = threading.Thread(target=session.run)
        thread.start()
        judge.inside.acquire()
        judge.inside.acquire()
        with ok.open_project(path, read_only=True) as other:
            book = other._books.ledger.judges
            assert len(book.announced) == 2
            assert book.spent == book.uncertain == 1.0
        judge.open.set()
        thread.join()
        assert project._books.ledger.judges.spent == 0.75


def test_a_call_is_not_counted_when_it_cannot_be_written(path, monkeypatch):
    with ok.open_project(path) as project:
        session = project.judging(_free("free"), JudgeLimits(5, swap_share=0))

        def full(events, blobs):
            raise StorageError("the disk is full")

        monkeypatch.setattr(project._books.file, "_append", full)
        with pytest.raises(StorageError):
            session.run()
        assert session.so_far.scores == 0


def _free(name):
    judge = Gate()
    judge.open.set()
    return judge


def test_a_plan_sends_nothing_and_says_what_a_run_takes(path):
    with chat_server() as (address, log):
        judge = model_at(address)
        with ok.open_project(path, read_only=True) as project:
            plan = project.judging(judge, JudgeLimits(100)).plan()
        judge.close()
        assert log.rows == []
        run = run_at(path, address, JudgeLimits(100))
    assert (plan.calls, plan.scores) == (run.calls, run.scores)
    assert plan.tokens_in == pytest.approx(run.tokens_in, rel=0.5)
    assert run.cost <= plan.worst
    assert plan.cost == pytest.approx(run.cost, rel=0.5)


def test_limits_that_cannot_be_are_refused():
    for wrong in ({"budget": 0}, {"max_cost": -1}, {"swap_share": 2}):
        with pytest.raises(InvalidInputError):
            JudgeLimits(**wrong)
    assert issubclass(JudgeRefusedError, JudgeFailedError)
    assert not issubclass(BudgetSpentError, JudgeFailedError)
