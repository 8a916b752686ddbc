"""Processes that are killed: what was acknowledged is there, once, and nothing else is broken."""

import os
import subprocess
import sys

import pytest

import ofakind as ok
from ofakind.project.events import AnswerGiven, ProjectCreated, QuestionsShown
from ofakind.project.log import check_file
from ofakind.project.store import ProjectFile

KILLS = 500 if os.environ.get("OFAKIND_SOAK") else 20

# A process that forks another one again and again, which appends answers and says so, and kills it.
LOOP = """
import os, signal, sys, time
from pathlib import Path
import numpy as np
from ofakind.project.events import AnswerGiven
from ofakind.project.store import ProjectFile

path, kills, rng = Path(sys.argv[1]), int(sys.argv[2]), np.random.default_rng(int(sys.argv[3]))
for turn in range(kills):
    out, into = os.pipe()
    child = os.fork()
    if not child:
        file, number = ProjectFile.open(path), 0
        while True:
            file.append([AnswerGiven(f"{turn}-{number}", "", ((0, 1),), (1.0,))])
            os.write(into, b"%d-%d\\n" % (turn, number))  # the acknowledgement
            number += 1
    os.close(into)
    if turn % 4:  # else it may die while it opens the file
        acknowledged = os.read(out, 1)
    time.sleep(rng.exponential(0.01))
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    rest = b"1"
    acknowledged = acknowledged if turn % 4 else b""
    while rest:
        rest = os.read(out, 65536)
        acknowledged += rest
    os.close(out)
    sys.stdout.write(acknowledged.decode())
"""

# The same with whole projects: each process opens the one that the last left behind, asks, tells and says so.
PROJECT_LOOP = """
import os, signal, sys, time
import numpy as np
import ofakind as ok

path, kills, rng = sys.argv[1], int(sys.argv[2]), np.random.default_rng(int(sys.argv[3]))
with ok.open_project(path, read_only=True) as project:  # what is compiled here need not be by the others
    project.status()
for turn in range(kills):
    out, into = os.pipe()
    child = os.fork()
    if not child:
        project = ok.open_project(path)
        while True:
            for question in project.ask(2, "Ada"):
                os.write(into, b"asked %s\\n" % question.key.encode())
                project.tell(question, 1 if question.left_id % 3 == question.right_id % 3 else -1)
                os.write(into, b"told %s\\n" % question.key.encode())
    os.close(into)
    said = os.read(out, 1) if turn % 4 else b""  # else it may die while it opens the project
    time.sleep(rng.exponential(0.02))
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    while rest := os.read(out, 65536):
        said += rest
    os.close(out)
    sys.stdout.write(said.decode())
"""

# A process that appends two answers at a time and ends itself at a given statement of the last time.
STOP = """
import os, sys
from pathlib import Path
from ofakind.project.events import AnswerGiven
from ofakind.project.store import ProjectFile

file, statements = ProjectFile.open(Path(sys.argv[1])), []
def append(number):
    file.append([AnswerGiven(f"{number}-{part}", "", ((0, 1),), (1.0,)) for part in "ab"])
append(0)
def stop(statement):
    statements.append(statement)
    if len(statements) == int(sys.argv[2]):
        os._exit(9)
file.run(lambda: file._connection.set_trace_callback(stop))
append(1)
print(len(statements))
os._exit(8)
"""


@pytest.fixture
def path(tmp_path):
    ProjectFile.create(tmp_path / "a.ofk", [ProjectCreated(0, "Of a kind?", "0.1.0", {})], {})
    return tmp_path / "a.ofk"


def keys(path):
    with ProjectFile.open(path) as file:
        return [one.event.key for one in file.events[1:]]


@pytest.mark.slow
def test_R1_kill_9_at_any_moment_loses_no_acknowledged_answer_and_doubles_none(path):
    command = [sys.executable, "-c", LOOP, path, str(KILLS), str(os.getpid() if KILLS > 20 else 0)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    acknowledged, found = done.stdout.split(), keys(path)
    assert len(acknowledged) > KILLS
    assert set(acknowledged) <= set(found)
    assert len(found) == len(set(found))
    assert len(found) <= len(acknowledged) + KILLS  # of each process at most one was not acknowledged
    assert check_file(path)


@pytest.mark.slow
def test_R1_kill_9_of_a_whole_project_loses_no_answer_doubles_none_and_changes_no_question(tmp_path):
    path = tmp_path / "b.ofk"
    with ok.new_project(range(60), path=path) as project:
        for question in project.ask(8, "Ada"):
            project.tell(question, 1)
    command = [sys.executable, "-c", PROJECT_LOOP, path, str(KILLS), str(os.getpid() if KILLS > 20 else 0)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    lines = [line.split() for line in done.stdout.splitlines()]
    told = [line[1] for line in lines if line[0] == "told" and len(line[-1]) == 32]
    asked = {line[1] for line in lines if line[0] == "asked" and len(line[-1]) == 32}
    with ok.open_project(path) as project:
        events = [one.event for one in project._books.file.events]
        found = [one.key for one in events if isinstance(one, AnswerGiven)][8:]
        shown = {key for one in events if isinstance(one, QuestionsShown) for key in one.keys}
        assert len(told) > KILLS // 2
        assert set(told) <= set(found)
        assert len(found) == len(set(found)) <= len(told) + KILLS
        assert asked | set(found) <= shown
        assert len(project.answers) == project.status().n_answers == len(found) + 8
        assert project.check(replay=True)


@pytest.mark.slow
def test_R1_a_process_that_ends_at_any_statement_leaves_all_or_nothing(path):
    def ends_at(statement):
        command = [sys.executable, "-c", STOP, path, str(statement)]
        return subprocess.run(command, capture_output=True, text=True)

    whole = ends_at(10**6)
    assert whole.returncode == 8
    count = int(whole.stdout)
    assert count >= 5  # begin, two inserts, the head, commit
    for statement in range(1, count + 1):
        before = len(keys(path))
        assert ends_at(statement).returncode == 9
        assert len(keys(path)) == before + 2  # the first time, and nothing of the second
        assert check_file(path)
