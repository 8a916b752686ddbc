"""Pictures that a model is sent: what leaves the machine, what it may cost, and what is asked once."""

import json
import re
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter

import numpy as np
import pytest
from PIL import Image
from typer.testing import CliRunner

import ofakind as ok
from ofakind.cli.judge_words import plan_lines
from ofakind.cli.main import app
from ofakind.errors import InvalidInputError, JudgeRefusedError
from ofakind.oracles.judge.model import ModelJudge, ModelOptions
from ofakind.oracles.judge.prices import TokenPrices
from ofakind.oracles.judge.prompt import PromptOptions
from ofakind.oracles.judge.server import ServerOptions
from ofakind.project.events import JudgeCalled
from ofakind.project.judging import JudgeLimits
from ofakind.project.status import thin
from twins.chat_server import KEY, PICTURE, Behaviour, chat_server

FORMATS = ("png", "jpeg", "webp", "gif")
KINDS, OBJECTS = 4, 16
PRICES = TokenPrices(1.0, 4.0)


@pytest.fixture
def photos(tmp_path):
    """A folder of pictures of all formats; the kind of each is its grey."""
    folder = tmp_path / "photos"
    folder.mkdir()
    for number in range(OBJECTS):
        ending = FORMATS[number // KINDS % len(FORMATS)]
        grey = Image.new("L", (24, 16 + number), 40 * (number % KINDS) + 40)
        grey.convert("RGB").save(folder / f"secret-{number:02}.{ending}", ending.upper())
    return folder


@pytest.fixture
def path(tmp_path, photos):
    vectors = np.random.default_rng(0).normal(size=(OBJECTS, 3))  # so that many pairs are in doubt
    ok.new_project(photos, path=tmp_path / "a.ofk", vectors=vectors).close()
    return tmp_path / "a.ofk"


def kind_of(one):
    return int(str(one).partition("-")[2][:2]) % KINDS


def model_at(address, **options):
    options = {"prices": PRICES, "per_call": 3, "picture_tokens": PICTURE, **options}
    return ModelJudge(
        ModelOptions("eyes", **options), PromptOptions("Same grey?"), ServerOptions(address, KEY)
    )


def run_at(path, address, limits, **options):
    judge = model_at(address, **options)
    try:
        with ok.open_project(path) as project:
            return project.judging(judge, limits).run()
    finally:
        judge.close()


def calls_of(path):
    with ok.open_project(path, read_only=True) as project:
        return [one.event for one in project._books.file.events if one.kind == JudgeCalled.KIND]


def test_a_model_sees_the_pictures_themselves_and_no_name_of_a_file(path):
    with chat_server() as (address, log):
        run = run_at(path, address, JudgeLimits(60))
    assert run.scores == 60
    with ok.open_project(path) as project:
        judged = project.judged()
    assert len(judged) > 50
    assert all((one.score > 0) == (kind_of(one.left_id) == kind_of(one.right_id)) for one in judged)
    sent = [json.dumps(row["payload"]) for row in log.rows]
    assert not [one for one in sent if "secret" in one or ".png" in one]
    types = {one.partition(";base64")[0] for text in sent for one in text.split("data:image/")[1:]}
    assert types == set(FORMATS)
    assert run.cost == pytest.approx(log.cost)


def test_the_cap_holds_where_each_picture_counts_as_many_tokens_as_were_set_aside(path):
    with chat_server() as (address, log):
        run = run_at(path, address, JudgeLimits(max_cost=0.1))
        assert run.ended == "the money is spent"
        assert 0.07 < log.cost <= 0.1
        assert run_at(path, address, JudgeLimits(max_cost=0.1)).calls <= 2  # a smaller call may still fit
        assert log.cost <= 0.1


def test_what_is_set_aside_is_every_byte_of_text_and_so_many_tokens_for_each_picture(path):
    with ok.open_project(path) as project:
        requests = [
            next(
                project.judging(model_at("http://127.0.0.1:1", picture_tokens=each)).planner.calls(
                    [(0, 1)], 9
                )
            )
            for each in (1_000, 3_000)
        ]
    few, many = (one.request.worst for one in requests)
    assert many.tokens_in - few.tokens_in == 2 * 2_000
    assert many.cost > few.cost
    assert few.tokens_in > 2_000


def test_a_plan_says_how_many_pictures_and_bytes_are_sent_in_a_call_and_sends_nothing(path):
    with chat_server() as (address, log), ok.open_project(path) as project:
        limits = JudgeLimits(30, swap_share=0)
        plan = project.judging(model_at(address), limits).plan()
        lines = plan_lines(plan, limits, "here", priced=True)
        largest = max(one.size for one in project._books.ledger.pictures.values())
    assert log.rows == []
    assert plan.pictures == plan.scores + plan.calls
    assert plan.most_pictures == 4
    assert 0 < plan.most_bytes <= 4 * largest
    assert (
        f"  pictures {plan.pictures} are sent, at most 4 with {thin(plan.most_bytes)} bytes in a call"
        in lines
    )


@pytest.mark.slow
def test_an_interrupted_run_goes_on_and_no_picture_is_paid_for_twice(path):
    with chat_server(Behaviour(fault=lambda number: 400 if number > 5 else None)) as (address, log):
        with pytest.raises(JudgeRefusedError, match="everything before is kept"):
            run_at(path, address, JudgeLimits(60), concurrency=1)
        first = [row["prompt"] for row in log.paid]
        known = {json.dumps(row["payload"]["messages"]) for row in log.paid}
    assert 0 < len(first) < 10
    with chat_server() as (address, log):
        run_at(path, address, JudgeLimits(60))
        again = {json.dumps(row["payload"]["messages"]) for row in log.paid}
    assert not known & again
    assert sum(len(one.scores) for one in calls_of(path)) == 60


@pytest.mark.slow
def test_a_run_that_was_killed_goes_on_within_the_cap_and_pays_only_what_was_under_way_again(path):
    options = [
        "--budget",
        "60",
        "--max-cost",
        "1",
        "--price-in",
        "1",
        "--price-out",
        "4",
        "--concurrency",
        "2",
        "--per-call",
        "3",
    ]
    options += ["--picture-tokens", str(PICTURE), "--model", "eyes"]
    with chat_server(Behaviour(delay=0.05, wants_key=False)) as (address, log):
        command = [sys.executable, "-m", "ofakind", "judge", str(path), "--base-url", address, *options]
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while len(log.paid) < 4 and process.poll() is None:
            time.sleep(0.01)
        process.kill()
        assert process.wait() == -signal.SIGKILL
        assert subprocess.run(command, capture_output=True).returncode == 0
        asked = Counter(json.dumps(row["payload"]["messages"]) for row in log.paid)
        assert sum(asked.values()) - len(asked) <= 2
        assert log.cost <= 1
    assert sum(len(one.scores) for one in calls_of(path)) == 60


def test_other_pictures_are_another_prompt_and_the_same_ones_are_not(path):
    with ok.open_project(path) as project:
        planner = project.judging(model_at("http://127.0.0.1:1")).planner
        digests = [
            one.request.digest for pair in ((0, 1), (0, 2), (0, 1)) for one in planner.calls([pair], 1)
        ]
    assert digests[0] == digests[2] != digests[1]


def test_a_picture_that_was_changed_stops_the_run_before_anything_is_paid(path, photos):
    (photos / "secret-00.png").write_bytes((photos / "secret-04.jpeg").read_bytes())
    with chat_server() as (address, log):
        with pytest.raises(InvalidInputError, match="changed since it was added"):
            run_at(path, address, JudgeLimits(200), concurrency=1)
        paid = log.cost
    assert sum(one.cost for one in calls_of(path)) == pytest.approx(paid)


def test_a_picture_that_is_too_large_is_refused_with_what_to_do(path, monkeypatch):
    with ok.open_project(path) as project:
        sizes = sorted(one.size for one in project._books.ledger.pictures.values())
    assert sizes[-2] < sizes[-1]
    monkeypatch.setattr("ofakind.project.judge_pictures.LARGEST_SENT", sizes[-2])
    with chat_server() as (address, log), pytest.raises(InvalidInputError) as refused:
        run_at(path, address, JudgeLimits(5))  # the large one need not be among the first
    assert "1 picture of more than" in str(refused.value)
    assert "smaller copies" in str(refused.value)
    assert "--command" in str(refused.value)
    assert log.rows == []
    with ok.open_project(path) as project:
        assert project.judge(lambda *_: 0.5, 5, name="half").scores == 5


def test_a_function_gets_what_it_got_before_and_where_the_file_lies(path, photos):
    seen = []

    def looks(left, right):
        seen.append((left, right))
        return 0.5

    with ok.open_project(path) as project:
        project.judge(looks, 5)
    assert len(seen) == 5
    for one in (record for pair in seen for record in pair):
        assert one["file"].endswith(one["id"])
        assert (photos / one["id"]).samefile(one["file"])


def test_a_judge_that_does_not_say_that_it_sees_pictures_is_not_sent_any(path, monkeypatch):
    monkeypatch.setattr(ModelJudge, "sees_pictures", False)
    with ok.open_project(path) as project, pytest.raises(InvalidInputError, match="reads text only"):
        project.judging(model_at("http://127.0.0.1:1"))


def test_pictures_that_were_copied_into_the_project_are_sent_without_their_folder(tmp_path, photos):
    np.save(tmp_path / "a.npy", np.random.default_rng(0).normal(size=(OBJECTS, 3)))
    arguments = ["-o", str(tmp_path / "b.ofk"), "--copy", "--vectors", str(tmp_path / "a.npy")]
    made = CliRunner().invoke(app, ["new", str(photos), *arguments])
    assert made.exit_code == 0, made.output
    shutil.rmtree(photos)
    with chat_server() as (address, log):
        assert run_at(tmp_path / "b.ofk", address, JudgeLimits(20)).scores == 20
    assert "data:image/" in json.dumps(log.rows[0]["payload"])


def test_what_the_page_would_not_show_is_not_sent(path, photos, monkeypatch):
    monkeypatch.setattr("ofakind.project.picture_types.MOST_PIXELS", 10)
    refused = pytest.raises(InvalidInputError, match=r"'secret-\d\d.* is not sent: .* too large")
    with chat_server() as (address, log), refused:
        run_at(path, address, JudgeLimits(20))
    assert log.rows == []


def test_the_command_line_plans_pictures_with_2000_tokens_each_and_sends_nothing(path):
    with chat_server() as (address, log):
        arguments = f"--model m --base-url {address} --budget 1 --price-in 1 --price-out 0 --dry-run".split()
        runs = [
            CliRunner().invoke(app, ["judge", str(path), *arguments, *more], prog_name="ofakind")
            for more in ((), ("--picture-tokens", "9000"))
        ]
    assert log.rows == []
    plain, more = (one.stdout.replace("\u202f", "") for one in runs)
    assert "  pictures 2 are sent, at most 2 with " in plain
    about = [int(re.search(r"tokens   about (\d+) in", one)[1]) for one in (plain, more)]
    assert about[1] - about[0] == 2 * (9000 - 2000)
