"""Running a study: in one process, in several and on a real cluster; stopped, killed, gone on with."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from importlib import import_module

import psutil
import pytest

from ofakind.errors import InvalidInputError, OfakindError
from ofakind.study import runner, workers
from ofakind.study.runner import pending, run_study
from ofakind.study.spec import Study
from ofakind.study.store import Store

PATIENCE = 900  # seconds until a test gives up: machines that run tests can be slow

REAL = """
seeds = 2
budget = 200
settled = 2
methods = ["Entropy", "JEIG", { name = "QECC", points = 3 }, { name = "KC-FB", points = 3 }]
oracles = [{ gamma = 0.2 }, "model"]
datasets = [{ name = "iris", first_batch = 60, batch = 40 }]
"""

# Each call of the method leaves a line. While the file "hold" is there, a call does not end once so many runs
# are finished as it says: so there is a middle to be stopped in, however slow the machine is.
SLOW = """
seeds = 6
budget = 100
settled = 1000
oracles = [{ gamma = 0.4 }]
methods = [{ name = "slow", use = "slow:Slow", options = { seconds = 0.01 } }]
datasets = [{ name = "iris", objects = 20, first_batch = 20, batch = 20 }]
"""
SLOW_METHOD = """
import os, time
from threading import get_ident
from dataclasses import dataclass
from pathlib import Path
from ofakind import Scores

HERE = Path(__file__).parent

def held():
    try:
        return len(list(HERE.glob("*/*.jsonl"))) >= int((HERE / "hold").read_text())
    except FileNotFoundError:
        return False

@dataclass(frozen=True)
class Slow:
    seconds: float

    def score(self, state, pairs, rng):
        with (HERE / "calls").open("a") as calls:
            calls.write(f"{os.getpid()} {get_ident()}\\n")
        time.sleep(self.seconds)
        while held():
            time.sleep(self.seconds)
        return Scores(pairs, rng.random(len(pairs)))
"""
CALLS = 4  # of one run: the first batch of five is drawn without the method


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "real.toml").write_text(REAL)
    (tmp_path / "slow.toml").write_text(SLOW)
    (tmp_path / "slow.py").write_text(SLOW_METHOD)
    yield tmp_path
    sys.modules.pop("slow", None)  # which the next test has in a folder of its own
    sys.path[:] = [place for place in sys.path if place != str(tmp_path)]


@pytest.fixture
def started():
    """Start a program in a session of its own; whatever of it is left at the end is killed."""
    processes = []

    def start(*command, **options):
        process = subprocess.Popen(
            [sys.executable, "-m", *command],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
            **options,
        )
        processes.append(process)
        return process

    yield start
    for process in processes:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()


def study_run(folder, name, results, *options):
    return (
        "ofakind",
        "study",
        "run",
        str(folder / f"{name}.toml"),
        "--results",
        str(folder / results),
        *options,
    )


def hold(folder, finished):
    """Let runs of the slow method wait in the middle once so many are finished, until `let_go`."""
    (folder / "hold").write_text(str(finished))


def let_go(folder):
    (folder / "hold").unlink()


def finish(process):
    out, err = process.communicate(timeout=PATIENCE)
    return process.returncode, out, err


def until(condition, *processes):
    """Wait until something is so, or a process that should bring it about has ended."""
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end
        assert all(process.poll() is None for process in processes)
        time.sleep(0.01)


def finished(results):
    """Content and time of writing of every finished cell."""
    return {path.name: (path.read_bytes(), path.stat().st_mtime_ns) for path in results.glob("*.jsonl")}


def contents(results):
    return {name: content for name, (content, _) in finished(results).items()}


def lines(folder):
    """Process and thread of each call of the slow method."""
    file = folder / "calls"
    return [tuple(map(int, line.split())) for line in file.read_text().splitlines()] if file.exists() else []


def calls(folder):
    return [pid for pid, _ in lines(folder)]


def is_running(pid):
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def run_here(folder, name, results):
    """Run in this process, with one worker: what all others are compared with."""
    study, store = Study.load(str(folder / f"{name}.toml")), Store(folder / results)
    assert [item.failure for item in run_study(study, store)] == [None] * len(study.cells)
    assert {f"{cell.key}.jsonl" for cell in study.cells} == set(contents(store.folder))
    return contents(store.folder)


# -- in this process ---------------------------------------------------------------------------------------


@pytest.mark.slow
def test_finished_cells_are_not_run_again(folder):
    study, store = Study.load(str(folder / "slow.toml")), Store(folder / "results")
    first = run_study(study, store)
    done = [next(first).cell for _ in range(2)]
    first.close()
    assert len(calls(folder)) == 2 * CALLS
    before = finished(store.folder)
    assert set(before) == {f"{cell.key}.jsonl" for cell in done}
    assert len(pending(study, store)) == 4
    assert len(list(run_study(study, store))) == 4
    assert len(calls(folder)) == 6 * CALLS
    assert before.items() <= finished(store.folder).items()
    assert list(run_study(study, store)) == []


@pytest.mark.slow
def test_equal_cells_of_two_studies_are_run_once(folder):
    run_here(folder, "slow", "results")
    (folder / "other.toml").write_text(
        SLOW.replace('"slow", use', '"renamed", use').replace("seeds = 6", "seeds = 7")
    )
    other, store = Study.load(str(folder / "other.toml")), Store(folder / "results")
    assert [item.cell.seed for item in run_study(other, store)] == [6]
    assert {store.curve(cell).method for cell in other.cells} == {"renamed"}


def test_a_study_is_refused_before_anything_is_run_or_written(folder):
    study = Study.load(str(folder / "slow.toml"))
    for jobs in (0, True, 1.5):
        with pytest.raises(InvalidInputError, match="jobs"):
            run_study(study, Store(folder / "results"), jobs=jobs)
    (folder / "wrong.toml").write_text(SLOW.replace("seconds = 0.01", "second = 1"))
    with pytest.raises(InvalidInputError, match="slow:Slow does not take"):
        run_study(Study.load(str(folder / "wrong.toml")), Store(folder / "results"))
    assert not (folder / "results").exists()


def test_the_result_of_another_version_is_not_kept(folder, monkeypatch):
    monkeypatch.setattr(runner, "__version__", "9.9.9")
    store = Store(folder / "results")
    with pytest.raises(OfakindError, match=r"a worker has ofakind .* and this is 9\.9\.9"):
        next(run_study(Study.load(str(folder / "slow.toml")), store))
    assert contents(store.folder) == {}


def test_the_result_of_another_revision_is_not_kept(folder, monkeypatch):
    study = Study.load(str(folder / "slow.toml"))
    attempt = workers.attempt
    monkeypatch.setattr(workers, "attempt", lambda *given: with_origin(attempt(*given), revision="paper 0"))
    store = Store(folder / "results")
    with pytest.raises(OfakindError, match=r"a worker has revision paper 0 and this is paper \d+;"):
        next(run_study(study, store))
    assert contents(store.folder) == {}


def with_origin(attempt, **changes):
    outcome = replace(attempt.outcome, manifest={**attempt.outcome.manifest, **changes})
    return replace(attempt, outcome=outcome)


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (ValueError("two\n  lines"), "ValueError: two lines"),
        (KeyError(), "KeyError"),
        (InvalidInputError("n is -1"), "n is -1"),
    ],
)
def test_a_reason_is_one_line(error, reason):
    assert workers._reason(error) == reason


def test_threads_of_one_process_take_turns(folder):
    """Limits on threads, and on warnings, hold for a whole process; a Dask worker may have many threads."""
    study = Study.load(str(folder / "slow.toml"))
    with ThreadPoolExecutor(2) as pool:
        cells = study.cells[:2]
        made = list(pool.map(workers.attempt, range(2), cells, [study.folder] * 2))
    assert [one.index for one in made] == [0, 1]
    threads = [thread for _, thread in lines(folder)]
    assert len(threads) == 2 * CALLS
    assert [len(set(threads[:CALLS])), len(set(threads[CALLS:]))] == [1, 1]


# -- several processes -------------------------------------------------------------------------------------


@pytest.mark.slow
def test_one_worker_and_two_give_the_same_files(folder, started):
    code, out, err = finish(started(*study_run(folder, "real", "two", "--jobs", "2")))
    assert (code, err) == (0, "")
    assert "16 of 16 runs done, 0 failed" in out
    assert contents(folder / "two") == run_here(folder, "real", "one")


@pytest.mark.slow
def test_a_killed_run_is_gone_on_with_and_nothing_is_lost_or_doubled(folder, started):
    results = folder / "results"
    hold(folder, 2)
    process = started(*study_run(folder, "slow", "results", "--jobs", "2"))
    until(lambda: len(finished(results)) >= 2, process)
    process.kill()
    process.wait(PATIENCE)
    until(lambda: not any(map(is_running, set(calls(folder)))))  # no worker goes on alone
    let_go(folder)
    before, spent = finished(results), len(calls(folder))
    assert 2 <= len(before) < 6
    (results / ".0123456789abcdef.tmp").write_text(
        "half of a res"
    )  # as a kill in the middle of a write leaves it

    code, out, err = finish(started(*study_run(folder, "slow", "results", "--jobs", "2")))
    assert (code, err) == (0, "")
    assert f"{len(before)} of 6 runs are done, {6 - len(before)} to go" in out
    assert "6 of 6 runs done, 0 failed" in out
    assert len(calls(folder)) - spent == (6 - len(before)) * CALLS
    assert before.items() <= finished(results).items()
    assert contents(results) == run_here(folder, "slow", "one")


@pytest.mark.slow
@pytest.mark.parametrize("jobs", ["1", "2"])
def test_ctrl_c_is_one_plain_line_and_finished_cells_are_kept(folder, started, jobs):
    results = folder / "results"
    hold(folder, 2)
    process = started(*study_run(folder, "slow", "results", "--jobs", jobs))
    until(lambda: len(finished(results)) >= 2, process)
    os.killpg(process.pid, signal.SIGINT)  # to all, as a terminal does
    code, out, err = finish(process)
    assert (code, err) == (130, "stopped\n")
    assert "Traceback" not in out
    until(lambda: not any(map(is_running, set(calls(folder)))))
    let_go(folder)
    before = finished(results)
    assert 2 <= len(before) < 6
    assert not list(results.glob(".*"))

    code, _, err = finish(started(*study_run(folder, "slow", "results", "--jobs", jobs)))
    assert (code, err) == (0, "")
    assert before.items() <= finished(results).items()
    assert len(finished(results)) == 6


@pytest.mark.slow
def test_a_worker_that_is_killed_is_told_in_one_line_and_what_is_done_is_kept(folder, started):
    hold(folder, 1)
    process = started(*study_run(folder, "slow", "results", "--jobs", "2"))
    until(lambda: len(finished(folder / "results")) >= 1, process)
    os.kill(calls(folder)[-1], signal.SIGKILL)
    code, _, err = finish(process)
    assert code == 2
    assert err.startswith("ofakind: a process was killed from outside")
    assert len(err.splitlines()) == 1
    assert len(finished(folder / "results")) >= 1


# -- a cluster ---------------------------------------------------------------------------------------------


@pytest.fixture
def scheduler(tmp_path, started):
    """A Dask scheduler on loopback: its process and its address."""
    file = tmp_path / "scheduler.json"
    ports = ("--port", "0", "--dashboard-address", "127.0.0.1:0", "--no-dashboard")
    options = ("--host", "127.0.0.1", *ports, "--scheduler-file", str(file))
    process = started("distributed.cli.dask_scheduler", *options)
    until(lambda: file.exists() and file.read_text().endswith("}"), process)
    return process, json.loads(file.read_text())["address"]


@pytest.fixture
def cluster(scheduler, started):
    """Two workers, each a process that is not restarted when it is killed; and the address."""
    options = ("--nthreads", "1", "--no-nanny", "--no-dashboard", "--death-timeout", str(PATIENCE))
    return [started("distributed.cli.dask_worker", scheduler[1], *options) for _ in range(2)], scheduler[1]


@pytest.mark.slow
def test_a_cluster_gives_the_same_files_as_one_process(folder, started, cluster):
    code, out, err = finish(started(*study_run(folder, "real", "many", "--dask", cluster[1])))
    assert (code, err) == (0, "")
    assert "16 of 16 runs done, 0 failed" in out
    assert contents(folder / "many") == run_here(folder, "real", "one")


@pytest.mark.slow
def test_a_cluster_that_loses_a_worker_in_the_middle_still_finishes_everything(folder, started, cluster):
    both, address = cluster
    hold(folder, 0)
    process = started(*study_run(folder, "slow", "many", "--dask", address))
    until(lambda: set(calls(folder)) == {worker.pid for worker in both}, process)
    both[0].kill()
    let_go(folder)
    code, out, err = finish(process)
    assert (code, err) == (0, "")
    assert "6 of 6 runs done, 0 failed" in out
    assert both[1].poll() is None
    assert contents(folder / "many") == run_here(folder, "slow", "one")


@pytest.mark.slow
def test_ctrl_c_leaves_a_cluster_as_it_was(folder, started, cluster):
    both, address = cluster
    hold(folder, 1)
    process = started(*study_run(folder, "slow", "many", "--dask", address))
    until(lambda: len(finished(folder / "many")) >= 1, process)
    os.killpg(process.pid, signal.SIGINT)
    code, out, err = finish(process)
    assert (code, err) == (130, "stopped\n")
    assert "Traceback" not in out
    let_go(folder)
    code, _, err = finish(started(*study_run(folder, "slow", "many", "--dask", address)))
    assert (code, err) == (0, "")
    assert len(finished(folder / "many")) == 6
    assert [worker.poll() for worker in both] == [None, None]


def lost(address):
    return f"the Dask scheduler at {address} was lost; what is done is kept: run the study again"


@pytest.mark.slow
@pytest.mark.parametrize("end", [signal.SIGKILL, signal.SIGTERM])
def test_a_lost_scheduler_is_told_in_one_line(folder, started, scheduler, cluster, end):
    hold(folder, 1)
    process = started(*study_run(folder, "slow", "many", "--dask", cluster[1]))
    until(lambda: len(finished(folder / "many")) >= 1, process)
    scheduler[0].send_signal(end)
    code, _, err = finish(process)
    assert code == 2
    assert err == f"ofakind: {lost(cluster[1])}\n"


@pytest.fixture
def lose(scheduler, monkeypatch):
    """Kill the scheduler before a method is called for the first time, and wait until the client says so."""

    def lose(name, method, client_is):
        owner = getattr(import_module("distributed"), name)
        original = getattr(owner, method)

        def when_it_is_lost(self, *args, **options):
            if scheduler[0].poll() is None:
                client = getattr(self, "client", self)
                client._timeout = 0.0 if client_is == "closed" else 2.0  # seconds to connect again in
                scheduler[0].kill()
                scheduler[0].wait(PATIENCE)
                until(lambda: client.status in (client_is, "closed"))
            return original(self, *args, **options)

        monkeypatch.setattr(owner, method, when_it_is_lost)

    return lose


def run_until_lost(folder, address):
    with pytest.raises(OfakindError, match=f"^{re.escape(lost(address))}$"):
        list(run_study(Study.load(str(folder / "slow.toml")), Store(folder / "many"), dask=address))


@pytest.mark.slow
def test_a_scheduler_that_is_lost_before_there_are_workers_is_told(folder, scheduler, lose):
    lose("Client", "wait_for_workers", "connecting")
    run_until_lost(folder, scheduler[1])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "method", "client_is"),
    [
        ("Client", "map", "closed"),
        ("Client", "map", "connecting"),
        ("Future", "exception", "connecting"),
        ("Future", "result", "connecting"),
    ],
)
def test_whenever_a_scheduler_is_lost_it_is_told(folder, cluster, lose, name, method, client_is):
    lose(name, method, client_is)
    run_until_lost(folder, cluster[1])


@pytest.mark.slow
def test_a_scheduler_that_is_lost_while_a_result_is_fetched_is_told(folder, scheduler, cluster, monkeypatch):
    client = import_module("distributed.client")
    ask = client.retry_operation

    async def ask_when_it_is_lost(*args, **options):
        scheduler[0].kill()
        scheduler[0].wait(PATIENCE)
        return await ask(*args, **options)

    monkeypatch.setattr(client, "retry_operation", ask_when_it_is_lost)
    run_until_lost(folder, cluster[1])


def quick_to_give_up(folder, address):
    """Run a study whose patience with a cluster is short."""
    code = (
        "from dataclasses import replace; from ofakind.study import workers; "
        "workers.WORKERS = replace(workers.WORKERS, wait=1); from ofakind.cli.main import main; main()"
    )
    command = [sys.executable, "-c", code, *study_run(folder, "slow", "many", "--dask", address)[1:]]
    return subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE)


@pytest.mark.slow
def test_where_no_scheduler_answers_it_is_said(folder):
    done = quick_to_give_up(folder, "tcp://127.0.0.1:9")
    assert done.returncode == 2
    assert done.stderr.startswith("ofakind: no Dask scheduler answers at tcp://127.0.0.1:9: ")
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.slow
@pytest.mark.parametrize("address", ["nonsense://127.0.0.1:9", "127.0.0.1", "tcp://host", "host:port", ""])
def test_what_is_no_address_is_refused(folder, address):
    with pytest.raises(
        InvalidInputError, match=r"the address of the scheduler is .*; expected tcp://host:8786"
    ):
        next(run_study(Study.load(str(folder / "slow.toml")), Store(folder / "many"), dask=address))


@pytest.mark.slow
def test_a_scheduler_without_workers_is_told_with_what_to_do(folder, scheduler):
    done = quick_to_give_up(folder, scheduler[1])
    assert done.returncode == 2
    assert done.stderr == (
        f"ofakind: the scheduler at {scheduler[1]} has no workers; "
        f"start some: dask worker {scheduler[1]} --nthreads 1\n"
    )
