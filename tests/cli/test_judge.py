"""``ofakind judge``: real processes against a real server, stopped and killed at any moment."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from contextlib import suppress

import numpy as np
import psutil
import pytest
from typer.testing import CliRunner

import ofakind as ok
from ofakind.cli.main import app
from ofakind.project.events import JudgeCalled
from ofakind.project.log import check_file
from twins.chat_server import KEY, Behaviour, all_escaped, chat_server
from twins.judged_projects import new_judged_project, tell_the_truth
from twins.projects import SENT_BY_TERMINALS

KILLS = 100 if os.environ.get("OFAKIND_SOAK") else 15
PRICES = ("--price-in", "1", "--price-out", "4")

# A process that forks another one again and again, which runs the command, and kills it.
KILLED = """
import os, signal, sys, time
import numpy as np
import ofakind as ok
from ofakind.cli.main import app
import ofakind.oracles.judge.model

path, kills, log, *arguments = sys.argv[1:]
rng = np.random.default_rng(0)
with ok.open_project(path, read_only=True) as project:  # what is compiled here need not be by the others
    project.labels()

def paid():
    with open(log) as file:
        return len(file.readlines())

for turn in range(int(kills) + 1):
    before, child = paid(), os.fork()
    if not child:
        try:
            app(["judge", path, *arguments], prog_name="ofakind")
        except SystemExit as end:
            os._exit(end.code or 0)
        os._exit(9)
    if turn < int(kills):
        while paid() <= before + rng.integers(0, 3) and os.waitpid(child, os.WNOHANG) == (0, 0):
            time.sleep(0.005)
        time.sleep(rng.exponential(0.02))
        try:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
        except (ProcessLookupError, ChildProcessError):
            pass
    else:
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


@pytest.fixture
def path(tmp_path):
    new_judged_project(tmp_path / "a.ofk").close()
    return tmp_path / "a.ofk"


@pytest.fixture(autouse=True)
def plain_environment(monkeypatch):
    for name in ("OPENAI_BASE_URL", "OPENAI_MODEL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("OPENAI_API_KEY", KEY)


def run(path, *arguments):
    return CliRunner().invoke(app, ["judge", str(path), *map(str, arguments)], prog_name="ofakind")


def calls_in(path):
    with ok.open_project(path, read_only=True) as project:
        return [one.event for one in project._books.file.events if one.kind == JudgeCalled.KIND]


def test_a_model_looks_at_pairs_and_a_second_run_has_nothing_to_do(path):
    with chat_server() as (address, log):
        arguments = ("--model", "small", "--base-url", address, "--budget", 60)
        first = run(path, *arguments)
        assert first.exit_code == 0, first.output
        calls = len(log.rows)
        assert 12 <= calls <= 20  # five pairs in a call, where they share an object
        assert f"small: 60 new scores in {calls} calls" in first.stdout.replace("\u202f", "")
        assert first.stdout.endswith(f"next: ofakind label {path}\n")
        again = run(path, *arguments)
        assert "0 new scores in 0 calls" in again.stdout
        assert len(log.rows) == calls
    assert "Are these two of a kind?" in str(log.rows[0]["payload"])


def test_a_dry_run_says_what_it_takes_and_sends_nothing(path):
    with chat_server() as (address, log):
        where = ("--model", "m", "--base-url", address)
        for most, limit in (
            (0.001, "is too little for a call: it may cost 0.00"),
            (0.006, "will stop it before"),
            (1, "should be"),
        ):
            result = run(path, *where, "--budget", 60, *PRICES, "--max-cost", most, "--dry-run")
            assert result.exit_code == 0, result.output
            words = result.stdout.replace("\u202f", "")
            assert "a plan, nothing is sent" in words
            assert re.search(r"calls    1\d, with 60 scores", words)
            assert "tokens   about " in words
            assert "cost     about 0.0" in words
            assert limit in words
            assert "then" not in words
        assert log.rows == []
    assert calls_in(path) == []


def test_a_dry_run_works_while_somebody_has_the_project(path):
    with ok.open_project(path):
        result = run(path, "--model", "m", "--base-url", "http://127.0.0.1:9", "--budget", 5, "--dry-run")
    assert result.exit_code == 0, result.output
    assert "not known; --price-in and --price-out" in result.stdout


def test_the_environment_names_the_server_and_the_model(path, monkeypatch):
    with chat_server() as (address, log):
        monkeypatch.setenv("OPENAI_BASE_URL", address)
        monkeypatch.setenv("OPENAI_MODEL", "from-outside")
        assert run(path, "--budget", 5, "--question", "Same root cause?").exit_code == 0
    assert log.rows[0]["payload"]["model"] == "from-outside"
    assert "Same root cause?" in log.rows[0]["payload"]["messages"][0]["content"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--model", "m", "--base-url", "http://127.0.0.1:9/v1"), "--budget or --max-cost"),
        (("--budget", 5, "--model", "m"), "no server is named"),
        (("--budget", 5, "--base-url", "http://127.0.0.1:9/v1"), "no model is named"),
        (("--budget", 5, "--base-url", "nowhere", "--model", "m"), "--base-url is 'nowhere'"),
        (("--max-cost", 1, "--base-url", "http://127.0.0.1:9/v1", "--model", "m"), "--price-in"),
        (("--budget", 5, "--command", "cat", "--model", "m"), "expected one judge"),
        (("--budget", 5, "--command", "no-such-program"), "cannot be started"),
        (("--budget", 5, "--model", "m", "--base-url", "http://a", "--key-file", "no"), "not there"),
        (("--budget", 5, "--model", "m", "--base-url", "http://a", "--price-in", 1), "without --price-out"),
        (("--budget", 5, "--model", "m", "--base-url", "http://a", "--price-out", 1), "without --price-in"),
        (("--budget", 5, "--model", "m", "--base-url", "http://a", "--question", ""), "the question is ''"),
        (("--budget", 5, "--command", "cat", "--question", " ", "--dry-run"), "the question is ' '"),
        (("--budget", 0,), "budget"),
        (("--budget", 5, "--command", "cat", "--name", ""), "the name of a judge is empty"),
        (("--budget", 5, "--command", "cat", "--name", " \t"), "the name of the judge is ' \\t'"),
        (("--budget", 5, "--model", "m\udcff", "--base-url", "http://a"), "--model is 'm\\udcff'"),
        (("--budget", 5, "--command", "cat", "--name", "m\udcff"), "is 'm\\udcff'; expected text"),
        (("--budget", 5, "--model", "m", "--base-url", "http://a\udcff"), "--base-url"),
    ],
)  # fmt: skip
def test_what_cannot_be_is_a_sentence_and_exit_code_2(path, arguments, words):
    result = run(path, *arguments)
    assert result.exit_code == 2
    assert words in result.stderr
    assert calls_in(path) == []


@pytest.fixture
def quick(monkeypatch):
    monkeypatch.setattr("ofakind.oracles.judge.model.delay_before", lambda *_: 0.01)


@pytest.mark.usefixtures("quick")
def test_money_that_is_spent_is_said_alike_each_time_with_what_was_only_set_aside(path):
    with chat_server(Behaviour(fault=lambda _: "drop")) as (address, _):
        arguments = ("--model", "m", "--base-url", address, "--budget", 60, *PRICES, "--max-cost", 0.01)
        first, again = run(path, *arguments), run(path, *arguments)
    for result in (first, again):
        assert result.exit_code == 0, result.output
        assert "the money is spent" in result.stdout
        assert "another call may cost" in result.stdout
        assert ": a higher --max-cost goes on" in result.stdout
        assert "the same command" not in result.output
    cost, aside = re.search(r"cost ([\d.]+) \(([\d.]+) of it only set aside", first.stdout).groups()
    assert cost == aside
    assert "only set aside" not in again.stdout


def refusing(*names):
    """A model that says nothing of use where one of these is in a call."""

    def same(item, other):
        if item["name"] in names or other["name"] in names:
            return "I cannot help with that"
        return 100 if item["kind"] == other["kind"] else 0

    return Behaviour(same=same)


@pytest.mark.slow
def test_a_record_that_a_model_refuses_costs_its_own_pairs_only_and_the_run_leaves_with_1(path):
    with chat_server(refusing("thing 3")) as (address, log):
        arguments = ("--model", "m", "--base-url", address, "--budget", 999, "--per-call", 3)
        arguments += ("--concurrency", 1, "--swap-share", 0)
        first = run(path, *arguments)
        assert first.exit_code == 1, first.output
        with ok.open_project(path) as project:
            found = [{one.left_id, one.right_id} for one in project.judged()]
        assert not any("r3" in pair for pair in found)
        assert len(found) == 30 * 29 // 2 - 29  # of thirty records all pairs are worth a look
        assert "what is left has failed" in first.stdout
        assert "the last with: the reply could not be used twice" in first.stdout
        assert re.search(r"nothing was said of .*: the same command tries again", first.stdout)
        log.rows.clear()
    with chat_server() as (address, _):
        again = run(path, *(address if one.startswith("http") else one for one in map(str, arguments)))
        assert again.exit_code == 0, again.output
        assert "29 new scores" in again.stdout
        assert "failed" not in again.output


@pytest.mark.slow
@pytest.mark.parametrize("featured", [False, True])
def test_records_that_a_model_refuses_keep_no_others_from_being_asked_about(tmp_path, featured):
    """Run again and again, it says of all others what it would say without them."""
    rows = [{"id": f"r{n}", "name": f"thing {n}", "kind": n % 5} for n in range(120)]
    vectors = np.random.default_rng(0).normal(size=(120, 8))  # that say nothing, so that it looks beyond them
    given = {"vectors": vectors, "fields": ()} if featured else {"fields": ()}
    said = {}
    for refused in ((), ("thing 3", "thing 9")):
        place = tmp_path / f"{len(refused)}.ofk"
        ok.new_project(rows, "id", path=place, **given).close()
        with chat_server(refusing(*refused)) as (address, _):
            arguments = ("--model", "m", "--base-url", address, "--swap-share", 0, "--per-call", 20)
            for budget in (2000, 9999):
                found = run(place, *arguments, "--budget", budget)
                assert found.exit_code == (1 if refused and budget > 2000 else 0), found.output
        with ok.open_project(place) as project:
            said[refused] = [{one.left_id, one.right_id} for one in project.judged()]
    bad = {"r3", "r9"}
    without = [pair for pair in said[()] if not pair & bad]
    assert not any(pair & bad for pair in said["thing 3", "thing 9"])
    assert len(said["thing 3", "thing 9"]) > 0.9 * len(without) > 2000


def test_a_call_that_failed_once_is_made_up_for_in_the_same_run(path):
    with chat_server(Behaviour(fault=lambda number: "schema" if number < 2 else None)) as (address, _):
        arguments = ("--budget", 999, "--per-call", 50, "--concurrency", 1, "--swap-share", 0)
        found = run(path, "--model", "m", "--base-url", address, *arguments)
    assert found.exit_code == 0, found.output
    assert "435 new scores" in found.stdout
    assert "1 call failed, the last with: the reply could not be used twice" in found.stdout


def test_where_nothing_was_said_the_reason_is_the_error_also_when_the_money_is_spent(path):
    with chat_server(Behaviour(same=lambda *_: "no")) as (address, log):
        arguments = ("--model", "m", "--base-url", address, *PRICES, "--max-cost", 0.01, "--budget", 60)
        found = run(path, *arguments, "--concurrency", 1)
    assert found.exit_code == 2, found.output
    assert log.cost <= 0.01
    assert "the money is spent" in found.output
    assert "nothing was said: the reply could not be used twice" in found.stderr


@pytest.mark.slow
def test_scores_that_are_left_after_a_plan_are_said(tmp_path):
    """With features, what else is worth a look shows as it goes."""
    rows = [{"id": n, "name": f"{'abcdef'[n % 6] * 9} {n // 6}"} for n in range(36)]
    ok.new_project(rows, "id", path=tmp_path / "b.ofk").close()
    with chat_server() as (address, _):
        where = ("--model", "m", "--base-url", address, *PRICES, "--budget", 600, "--max-cost", 5)
        plan = run(tmp_path / "b.ofk", *where, "--dry-run").stdout.replace("\u202f", "")
        scores, more = map(
            int, re.search(r"with (\d+) scores.*then     up to (\d+) scores more", plan, re.S).groups()
        )
        assert scores + more == 600
        cost, rest = map(
            float, re.search(r"cost     about ([\d.]+);.*more, about ([\d.]+),", plan, re.S).groups()
        )
        assert rest == pytest.approx(cost / scores * more, rel=0.05)
        made = run(tmp_path / "b.ofk", *where)
        assert made.exit_code == 0, made.output


def test_another_question_under_the_same_name_is_warned_about(path):
    with chat_server() as (address, _):
        said = []
        for budget, question in ((10, "One?"), (20, "One?"), (30, "Other?"), (40, "Other?")):
            arguments = ("--model", "m", "--base-url", address, "--budget", budget, "--question", question)
            plan, result = run(path, *arguments, "--dry-run"), run(path, *arguments, "--swap-share", 0.5)
            assert ("warning" in plan.stderr) == ("warning" in result.stderr)
            said.append("warning: m was asked something else before" in result.stderr)
    assert said == [False, False, True, False]


def test_another_server_is_asked_itself_and_under_the_same_name_that_is_warned_about(path):
    other = Behaviour(same=lambda *_: 10)
    with chat_server() as (address, _), chat_server(other) as (another, _):
        assert run(path, "--model", "m", "--base-url", address, "--budget", 15).exit_code == 0
        arguments = ("--model", "m", "--base-url", another, "--budget", 30)
        named, same = run(path, *arguments, "--name", "b"), run(path, *arguments)
    assert "warning" not in named.stderr
    assert "known already" not in named.stdout
    assert {score for one in calls_in(path) if one.judge == "b" for score in one.scores} == {-0.8}
    assert "warning: m was asked something else before" in same.stderr


def by_kind(left, right):
    return 0.9 if left == right else -0.9


@pytest.mark.parametrize("last", ["model", "command", "function"])
@pytest.mark.parametrize("now", ["model", "command"])
def test_another_kind_of_judge_under_the_same_name_is_warned_about(path, tmp_path, last, now):
    script = tmp_path / "same.py"
    script.write_text("import sys\nfor _ in sys.stdin: print(0.5, flush=True)")
    with chat_server() as (address, _):
        kinds = {
            "model": ("--model", "m", "--base-url", address),
            "command": ("--command", f"{sys.executable} {script}"),
        }
        if last == "function":
            with ok.open_project(path) as project:
                project.judge(by_kind, 15, name="j")
        else:
            first = run(path, *kinds[last], "--name", "j", "--budget", 15, "--swap-share", 0)
            assert first.exit_code == 0, first.output
        for more in (("--dry-run",), (), ("--per-call", 2)):
            if more[:1] == ("--per-call",) and now == "command":
                continue
            result = run(path, *kinds[now], "--name", "j", "--budget", 30, *more)
            assert result.exit_code == 0, result.output
            # once it has been asked itself, it is no other any more; how many at a time makes no difference
            other = last != now and more != ("--per-call", 2)
            assert ("warning: j was asked something else before" in result.stderr) == other


@pytest.mark.parametrize("content", [None, "", " \n"])
def test_a_key_file_without_a_key_is_said(path, tmp_path, content):
    file = tmp_path / "key"
    file.mkdir() if content is None else file.write_text(content)
    result = run(path, "--budget", 5, "--model", "m", "--base-url", "http://a", "--key-file", file)
    assert result.exit_code == 2
    problem = "cannot be read (Is a directory)" if content is None else "is empty"
    assert f"--key-file {file} {problem}; expected a file with the key in it" in result.stderr


def test_a_command_is_a_judge_and_what_it_does_wrong_is_said_with_what_was_sent(path, tmp_path):
    script = tmp_path / "rule.py"
    script.write_text(
        "import json, sys\n"
        "for number, line in enumerate(sys.stdin):\n"
        "    pair = json.loads(line)\n"
        "    if number == 20: print('\\x1b[2J oops', flush=True)\n"
        "    same = pair['left']['kind'] == pair['right']['kind']\n"
        "    print(json.dumps({'score': 1 if same else -1}), flush=True)\n"
    )
    command = f"{sys.executable} {script}"
    assert run(path, "--command", command, "--name", "rule", "--budget", 15).exit_code == 0
    result = run(path, "--command", command, "--name", "rule", "--budget", 60)
    assert result.exit_code == 2
    assert "oops" in result.stderr
    assert '"question"' in result.stderr
    assert not any(sign in result.stderr for sign in SENT_BY_TERMINALS)
    assert len([one for one in calls_in(path) if one.pairs]) == 15 + 20
    assert run(path, "--command", command, "--name", "rule", "--budget", 50).exit_code == 0


def test_a_key_that_is_refused_is_said_at_once_and_shown_nowhere(path, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-wrong-4711")
    with chat_server() as (address, _):
        result = run(path, "--model", "m", "--base-url", address, "--budget", 5)
    assert result.exit_code == 2
    assert "refuses the key" in result.stderr
    assert "sk-wrong-4711" not in result.output


@pytest.mark.slow
def test_S17_the_key_is_in_no_file_no_message_and_no_list_of_processes(path, tmp_path):
    """The server repeats the key in what goes wrong, and wherever it can."""
    key_file = tmp_path.parent / f"{tmp_path.name}-key"
    key_file.write_text(f"{KEY}\n")
    faults = (418, 500, "schema", "schema", "no JSON", None)
    behaviour = Behaviour(fault=lambda number: faults[number % len(faults)], delay=0.2, encode=all_escaped)
    environment = {name: value for name, value in os.environ.items() if name != "OPENAI_API_KEY"}
    with chat_server(behaviour) as (address, log):
        command = [sys.executable, "-m", "ofakind", "judge", path, "--model", "m", "--base-url", address]
        process = subprocess.Popen(
            [*command, "--budget", "40", "--key-file", key_file, *PRICES, "--max-cost", "1"],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment,
        )  # fmt: skip
        while not log.rows and process.poll() is None:
            time.sleep(0.05)
        running = psutil.Process(process.pid)
        listed = repr((running.cmdline(), running.environ()))
        printed = "".join(process.communicate(timeout=300))
    assert log.paid
    assert KEY not in listed
    assert KEY not in printed
    problems = [one.problem for one in calls_in(path) if one.problem]
    assert problems
    for file in tmp_path.rglob("*"):
        assert KEY.encode() not in file.read_bytes()
    with ok.open_project(path) as project:
        project.report(tmp_path / "report.html")
    assert KEY not in (tmp_path / "report.html").read_text()


@pytest.mark.slow
def test_ctrl_c_keeps_what_is_under_way_and_leaves_with_130(path):
    with chat_server(Behaviour(delay=0.3)) as (address, log):
        command = [sys.executable, "-m", "ofakind", "judge", path, "--model", "m", "--base-url", address]
        process = subprocess.Popen([*command, "--budget", "300"], stderr=subprocess.PIPE, text=True)
        while len(log.rows) < 6 and process.poll() is None:
            time.sleep(0.02)
        process.send_signal(signal.SIGINT)
        _, printed = process.communicate(timeout=300)
        assert process.returncode == 130, printed
        assert "kept" in printed
        assert len(calls_in(path)) == len(log.paid) < 60


HANGING = """
import os, sys, time
sys.stdin.readline()
open(sys.argv[1], "w").write(str(os.getpid()))
time.sleep(1000)
"""


@pytest.mark.slow
def test_SIGTERM_ends_a_program_that_hangs(path, tmp_path):
    script, written = tmp_path / "hang.py", tmp_path / "pid"
    script.write_text(HANGING)
    hanging = f"{sys.executable} {script} {written}"
    command = [sys.executable, "-m", "ofakind", "judge", path, "--command", hanging, "--budget", "5"]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    while not (written.exists() and written.read_text()) and process.poll() is None:
        time.sleep(0.02)
    process.terminate()
    _, printed = process.communicate(timeout=300)
    assert process.returncode == -signal.SIGTERM
    assert "1 call was under way\n" in printed  # and a program charges nothing
    end = time.monotonic() + 120
    while _runs(int(written.read_text())):
        assert time.monotonic() < end
        time.sleep(0.02)


def _runs(number):
    """Whether a process is there and has not ended."""
    try:
        return psutil.Process(number).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


@pytest.mark.slow
def test_calls_that_wait_for_a_busy_server_when_ctrl_c_comes_have_not_failed(path):
    with chat_server(Behaviour(fault=lambda _: 503)) as (address, log):
        command = [sys.executable, "-m", "ofakind", "judge", path, "--model", "m", "--base-url", address]
        command += [*PRICES, "--max-cost", "1"]
        process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        while len(log.rows) < 12 and process.poll() is None:
            time.sleep(0.02)
        process.send_signal(signal.SIGINT)
        _, printed = process.communicate(timeout=300)
    assert process.returncode == 130, printed
    assert "failed" not in printed
    assert {one.problem for one in calls_in(path)} == {"stopped"}
    with ok.open_project(path) as project:
        assert project.judges()[0].n_failed == 0


@pytest.mark.slow
def test_a_second_ctrl_c_does_not_wait_and_says_what_may_have_been_charged(path):
    with chat_server(Behaviour(delay=1000)) as (address, log):
        command = [sys.executable, "-m", "ofakind", "judge", path, "--model", "m", "--base-url", address]
        process = subprocess.Popen([*command, "--budget", "300"], stderr=subprocess.PIPE, text=True)
        while len(log.rows) < 4 and process.poll() is None:
            time.sleep(0.02)
        for patience in (1, 100, 100):  # two that come before the first is noticed are one
            process.send_signal(signal.SIGINT)
            with suppress(subprocess.TimeoutExpired):
                process.wait(patience)
                break
        _, printed = process.communicate(timeout=300)
        assert process.returncode == 130, printed
        assert "4 calls were under way and may have been charged" in printed


@pytest.mark.slow
def test_kill_9_at_any_moment_keeps_the_cap_asks_nothing_known_again_and_loses_nothing(path, tmp_path):
    """Counted by the server: what it has worked on is paid, whether or not anybody was left to hear it."""
    most, concurrency, paid_file = 0.5, 3, tmp_path / "paid"
    paid_file.write_text("")

    def fault(number):
        with paid_file.open("a") as file:
            file.write("x\n")
        return ("drop", 429, "broken", None, None, None)[number % 6]

    with chat_server(Behaviour(delay=0.02, fault=fault)) as (address, log):
        arguments = ["--model", "m", "--base-url", address, "--budget", "250", *PRICES]
        arguments += ["--concurrency", str(concurrency), "--max-cost", str(most)]
        command = [sys.executable, "-c", KILLED, path, str(KILLS), paid_file, *arguments]
        done = subprocess.run(command, capture_output=True, text=True, timeout=500)
        assert done.stdout.split()[-1] == "0", done.stdout + done.stderr
    assert log.cost <= most
    calls = calls_in(path)
    answered = [one for one in calls if one.pairs]
    assert sum(len(one.pairs) for one in answered) == 250
    assert len({one.digest for one in answered}) == len(answered)
    with ok.open_project(path, read_only=True) as project:
        book = project._books.ledger.judges
        assert len(book.announced) <= KILLS * concurrency
        assert book.spent >= log.cost - 1e-9  # whatever was paid is counted
    good = [row["headers"]["Idempotency-Key"] for row in log.paid if row["fault"] is None]
    assert len(good) - len(set(good)) <= KILLS * concurrency  # only what was under way when it was killed
    assert check_file(path)


@pytest.mark.slow
def test_nothing_is_asked_twice_between_kills(path):
    """Every prompt whose score is in the log was sent before, and never after it was written."""
    with chat_server() as (address, log):
        for budget in (40, 80, 120):
            arguments = ("--model", "m", "--base-url", address, "--budget", budget)
            assert run(path, *arguments).exit_code == 0
    prompts = [row["prompt"] for row in log.rows]
    assert len(prompts) == len(set(prompts)) == len(calls_in(path))


@pytest.mark.slow
def test_status_says_what_a_judge_is_worth(path):
    with chat_server(
        Behaviour(same=lambda item, other: 90 if item["kind"] % 4 == other["kind"] % 4 else 10)
    ) as (
        address,
        _,
    ):
        assert run(path, "--model", "m", "--base-url", address, "--budget", 400, *PRICES).exit_code == 0
    with ok.open_project(path) as project:
        tell_the_truth(project, 40)
    tree = json.loads(CliRunner().invoke(app, ["status", str(path), "--json"]).stdout)
    (judge,) = tree["judges"]
    assert judge["name"] == "m"
    assert judge["scores"] == 400
    assert judge["cost"] > 0
    assert judge["compared"] > 20
    assert judge["errors_on_different"]["rate"] >= 0
    words = CliRunner().invoke(app, ["status", str(path)]).stdout
    assert "  judge          m: 400 scores" in words.replace("\u202f", "")
