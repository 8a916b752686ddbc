"""A command as a judge: real processes."""

import selectors
import sys
import time
from dataclasses import replace

import pytest

from ofakind.errors import InvalidInputError, JudgeRefusedError
from ofakind.oracles.judge.command import CommandJudge, CommandOptions, _ready
from ofakind.oracles.judge.spending import CallAllowance, SpendingCap

ECHO = """
import json, os, sys
for line in sys.stdin:
    tree = json.loads(line)
    score = 1 if tree["left"]["kind"] == tree["right"]["kind"] else -0.5
    print(json.dumps({"score": score, "pid": os.getpid()}), flush=True)
"""
PAIR = (({"kind": "é"}, {"kind": "é"}),)
OTHER = (({"kind": 1}, {"kind": 2}),)


def command(tmp_path, code, **options):
    script = tmp_path / "judge it.py"
    script.write_text(code)
    return CommandJudge(CommandOptions(f'{sys.executable} "{script}"', "Same?", **options))


def ask(judge, pairs=PAIR):
    return judge.ask(judge.request(pairs), CallAllowance(SpendingCap())).scores


def test_a_command_is_started_once_and_answers_line_by_line(tmp_path):
    judge = command(tmp_path, ECHO)
    assert [ask(judge), ask(judge, OTHER), ask(judge)] == [(1.0,), (-0.5,), (1.0,)]
    assert len(judge._running) == 1
    judge.close()
    assert judge._running[0]._process.returncode is not None


@pytest.mark.parametrize("line", ["no", "2", "true", '{"score": null}', "NaN", "[1]", ""])
def test_a_line_that_is_no_score_is_reported_with_what_was_sent(tmp_path, line):
    judge = command(tmp_path, f"import sys\nfor _ in sys.stdin: print({line!r}, flush=True)")
    with pytest.raises(JudgeRefusedError, match=r'sent \{"question": "Same\?"'):
        ask(judge)
    judge.close()


def test_a_crash_is_reported_with_what_was_sent(tmp_path):
    judge = command(tmp_path, "import sys\nsys.stdin.readline()\nsys.exit(7)")
    with pytest.raises(JudgeRefusedError, match=r"ended with code 7; it was sent \{"):
        ask(judge)
    judge.close()


@pytest.mark.slow
def test_the_timeout_holds_for_a_program_that_closes_its_output_and_lives_on(tmp_path):
    code = "import os, sys, time\nsys.stdin.readline()\nprint(1, flush=True)\nos.close(1)\ntime.sleep(1000)"
    judge = command(tmp_path, code)
    assert ask(judge) == (1.0,)
    until_it_says_more(judge._running[0])
    judge._running[0]._timeout = 0.5  # from now on, as it may take longer to start
    with pytest.raises(JudgeRefusedError, match=r"closed its output and goes on; it was sent \{"):
        ask(judge)
    judge.close()


@pytest.mark.slow
def test_a_late_answer_is_not_taken_for_that_to_another_question(tmp_path):
    judge = command(
        tmp_path, ECHO.replace("    tree", "    import time; time.sleep(1000)\n    tree"), timeout=0.3
    )
    hint = r"\(it must print each answer at once, in Python with print\(\.\.\., flush=True\)\); it was sent"
    with pytest.raises(JudgeRefusedError, match=rf"said nothing for 0\.3 seconds {hint}"):
        ask(judge)
    begun = time.monotonic()
    with pytest.raises(JudgeRefusedError, match="said nothing"):
        ask(judge, OTHER)
    assert time.monotonic() - begun >= 0.3
    judge.close()


ONE_MORE = """
import json, os, sys, time
at = sys.argv[1]
number = 0
if at == "start": print("1", flush=True)
for number, line in enumerate(sys.stdin):
    tree = json.loads(line)
    if at == "late start" and not number: print("1", flush=True)
    print(json.dumps({"score": 1 if tree["left"] == tree["right"] else -1}), flush=True)
    if at == "second" and number == 1: time.sleep(0.1); print("0.3", flush=True)
    if at == "slow": time.sleep(0.3); print("0.3", flush=True)
if at == "end": time.sleep(0.1); print("0.3", flush=True)
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("at", "counted"),
    [("start", 0), ("late start", 0), ("second", 2), ("slow", 1), ("end", 9), ("nowhere", 9)],
)
def test_a_line_that_nobody_asked_for_is_never_taken_for_the_next_answer(tmp_path, at, counted):
    judge = command(tmp_path, ONE_MORE)
    judge.options = replace(judge.options, command=f"{judge.options.command} '{at}'")
    said = []

    def run():
        for number in range(9):
            said.extend(ask(judge, PAIR if number % 2 else OTHER))
            if at == "slow" or (at, number) == ("second", 1):
                until_it_says_more(judge._running[0])
        judge.finish()

    if at == "nowhere":
        run()
    else:
        with pytest.raises(JudgeRefusedError, match=r"the command said '.*expected one line for each pair"):
            run()
    judge.close()
    assert said == [1.0 if number % 2 else -1.0 for number in range(9)][:counted]


def test_a_line_before_the_first_pair_is_sent_is_refused_by_its_words(tmp_path):
    judge = command(tmp_path, "print(1, flush=True)\ninput()")
    program = judge_program(judge)
    until_it_says_more(program)
    with pytest.raises(JudgeRefusedError, match="said '1' before it read anything"):
        program.ask("{}")
    judge.close()


def until_it_says_more(program):
    """Or closes its output."""
    assert _ready(program._out, selectors.EVENT_READ, time.monotonic() + 600)


def judge_program(judge):
    with judge._program() as program:
        return program


@pytest.mark.slow
def test_the_timeout_holds_for_a_program_that_does_not_read(tmp_path):
    judge = command(tmp_path, "import time\ntime.sleep(1000)", timeout=0.5)
    begun = time.monotonic()
    with pytest.raises(JudgeRefusedError, match=r"read nothing for 0\.5 seconds; it was sent \{"):
        ask(judge, (({"text": "x" * 300_000}, {}),))
    assert time.monotonic() - begun < 60
    judge.close()


def test_a_long_record_is_sent_whole(tmp_path):
    judge = command(tmp_path, ECHO)
    long = {"kind": "x" * 300_000}
    assert ask(judge, ((long, long),)) == (1.0,)
    judge.close()


def test_no_shell_reads_a_command(tmp_path):
    judge = CommandJudge(CommandOptions(f"echo 1 > {tmp_path / 'file'} ; true", "Same?"))
    with pytest.raises(JudgeRefusedError, match="said '1 > "):
        ask(judge)
    assert not (tmp_path / "file").exists()
    judge.close()


@pytest.mark.parametrize(
    ("command", "name"),
    [
        ("/opt/rules/same --fast a.py", "same"),
        ("python rule.py --fast", "rule.py"),
        ("/usr/bin/python3.12 -u -W ignore 'my rules/rule.py' other", "rule.py"),
        ("python -m rules.same x", "rules.same"),
        ("python3 -c 'print(1)' x", "python3"),
        ("bash -lc 'cat x'", "bash"),
        ("sh -e rule.sh", "rule.sh"),
        ("perl -ne 'print 1'", "perl"),
        ("perl -W rule.pl", "rule.pl"),
        ("Rscript --vanilla rule.R", "rule.R"),
        ("node", "node"),
        ("python .", "python"),
        ("pythonic rule.py", "pythonic"),
    ],
)
def test_a_command_is_called_like_its_program_or_the_script_that_an_interpreter_reads(command, name):
    assert CommandJudge(CommandOptions(command, "Same?")).name == name
    assert CommandJudge(CommandOptions(command, "Same?", "mine")).name == "mine"


def test_a_question_that_asks_nothing_is_refused():
    for question in ("", " \n"):
        with pytest.raises(InvalidInputError, match="expected --question with"):
            CommandOptions("cat", question)


def test_a_command_that_is_not_there_is_said():
    judge = CommandJudge(CommandOptions("no-such-program --x", "Same?"))
    with pytest.raises(JudgeRefusedError, match="cannot be started"):
        ask(judge)
    for wrong in ("", '"open'):
        with pytest.raises(InvalidInputError, match="--command"):
            CommandOptions(wrong, "Same?")
