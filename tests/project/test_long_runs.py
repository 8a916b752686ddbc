"""Long and interrupted work: the same questions after every kill, nothing lost, nothing that grows."""

import json
import os
import signal
import subprocess
import sys
import threading

import pytest

import ofakind as ok
from ofakind.project.events import AnswerGiven, QuestionsAsked
from ofakind.project.log import check_file
from ofakind.project.store import ProjectFile
from twins.projects import right

SOAK = bool(os.environ.get("OFAKIND_SOAK"))
ROUNDS = 30 if SOAK else 8
MANY = 100_000 if SOAK else 2_000

# A process that lets others do a round each, which are killed after it; every third keeps no checkpoint.
ROUND_AFTER_ROUND = """
import os, signal, sys
import ofakind as ok
path, rounds = sys.argv[1], int(sys.argv[2])
with ok.open_project(path, read_only=True) as project:  # what is compiled here need not be by the others
    project.status()
for turn in range(rounds):
    child = os.fork()
    if not child:
        project = ok.open_project(path)
        for question in project.ask(3, "Ada"):
            same = int(question.left_id[1:]) % 3 == int(question.right_id[1:]) % 3
            project.tell(question, 1.0 if same else -1.0)
        if turn % 3:
            project.checkpoint()
        os.kill(os.getpid(), signal.SIGKILL)
    assert os.waitpid(child, 0)[1] == signal.SIGKILL
"""


def asked_in(path):
    with ProjectFile.open(path) as file:
        return [one.event.pairs for one in file.events if isinstance(one.event, QuestionsAsked)]


@pytest.mark.slow
def test_R9_a_kill_after_every_round_changes_no_question(tmp_path):
    ids = [f"o{number}" for number in range(24)]
    killed, whole = tmp_path / "killed.ofk", tmp_path / "whole.ofk"
    for path in (killed, whole):
        ok.new_project(ids, path=path, seed=4).close()
    subprocess.run([sys.executable, "-c", ROUND_AFTER_ROUND, killed, str(ROUNDS)], check=True)
    with ok.open_project(whole) as project:
        for _ in range(ROUNDS):
            for question in project.ask(3, "Ada"):
                project.tell(question, right(question))
    assert len(asked_in(whole)) == ROUNDS
    assert asked_in(killed) == asked_in(whole)


# -- R18: nothing grows ------------------------------------------------------------------------------------

ANSWERING = """
import json, os, sys
import psutil
import ofakind as ok
path, many, itself = sys.argv[1], int(sys.argv[2]), psutil.Process()
seen = []
with ok.open_project(path) as project:
    for number in range(many):
        u, v = number % 40, 40 + number % 37
        project.tell((u, v), 1.0 if number % 2 else -1.0, "Ada")
        if number % (many // 10) == 0:
            wal = os.stat(path + "-wal").st_size
            seen.append((number, itself.memory_info().rss, itself.num_fds(), wal))
print(json.dumps(seen))
"""


@pytest.mark.slow
def test_R18_many_answers_leave_memory_open_files_and_the_log_of_sqlite_as_they_are(tmp_path):
    """Memory holds each answer once, and nothing else that grows."""
    path = tmp_path / "a.ofk"
    ok.new_project(range(80), path=path).close()
    done = subprocess.run(
        [sys.executable, "-c", ANSWERING, path, str(MANY)], capture_output=True, text=True, check=True
    )
    seen = json.loads(done.stdout)
    numbers, memory, files, logs = zip(*seen[1:], strict=True)
    assert len(set(files)) == 1
    assert max(logs) < 16 * 2**20
    assert memory[-1] - memory[0] < 4096 * (numbers[-1] - numbers[0]) + 2**23
    assert check_file(path).n_events == MANY + 2


# -- R19: asked to end -------------------------------------------------------------------------------------

SERVING = """
import os, signal, sys, threading
import ofakind as ok

def person(name):
    while True:
        for question in project.ask(1, name):
            same = int(question.left_id[1:]) % 3 == int(question.right_id[1:]) % 3
            project.tell(question, 1.0 if same else -1.0)
            os.write(1, b"%s\\n" % question.key.encode())

def end(number, frame):
    raise SystemExit(3)

if sys.argv[3] == "handled":
    signal.signal(signal.SIGTERM, end)
with ok.open_project(sys.argv[1], ahead=True) as project:
    for number in range(int(sys.argv[2])):
        threading.Thread(target=person, args=(f"person {number}",), daemon=True).start()
    threading.Event().wait()
"""


@pytest.mark.slow
@pytest.mark.parametrize("how", ["handled", "not handled"])
def test_R19_a_process_that_is_asked_to_end_does_so_and_loses_no_acknowledged_answer(tmp_path, how):
    """People answer, and the learner computes beside, when it is asked."""
    path, people = tmp_path / "a.ofk", 50 if SOAK else 8
    ok.new_project([f"o{number}" for number in range(120)], path=path).close()
    command = [sys.executable, "-c", SERVING, path, str(people), how]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        acknowledged = [process.stdout.readline().strip() for _ in range(40)]
        process.send_signal(signal.SIGTERM)
        acknowledged += process.stdout.read().split("\n")[:-1]
        assert process.wait(300) == (3 if how == "handled" else -signal.SIGTERM)
    with ProjectFile.open(path) as file:
        found = [one.event.key for one in file.events if isinstance(one.event, AnswerGiven)]
    assert {key for key in acknowledged if len(key) == 32} <= set(found)
    assert len(found) == len(set(found))
    assert check_file(path)


# -- R4: many at once --------------------------------------------------------------------------------------


@pytest.mark.slow
def test_R4_fifty_people_at_once_lose_nothing_and_double_nothing(tmp_path):
    """Each sends every answer twice, as one does who is not sure that it arrived."""
    failed, told = [], []
    ok.new_project([f"o{number}" for number in range(60)], path=tmp_path / "a.ofk").close()
    with ok.open_project(tmp_path / "a.ofk", ahead=True) as project:

        def person(name):
            try:
                for _ in range(10 if SOAK else 3):
                    for question in project.ask(1, name):
                        events = {project.tell(question, right(question)) for _ in range(2)}
                        told.append((question.key, *events))
            except Exception as error:
                failed.append(error)
                raise

        threads = [threading.Thread(target=person, args=(f"person {number}",)) for number in range(50)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        given = project.answers
    assert failed == []
    assert len(told) >= 100
    assert {len(one) for one in told} == {2}
    assert len({key for key, _ in told}) == len(told) == len(given)
    assert {event for _, event in told} == {one.event for one in given}
    assert check_file(tmp_path / "a.ofk")
