"""A command as a judge: real processes."""

import sys
import time

import pytest

from ofakind.errors import InvalidInputError, JudgeRefusedError
from ofakind.oracles.judge.command import CommandJudge, CommandOptions
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
def test_a_late_answer_is_not_taken_for_that_to_another_question(tmp_path):
    judge = command(
        tmp_path, ECHO.replace("    tree", "    import time; time.sleep(1)\n    tree"), timeout=0.3
    )
    with pytest.raises(JudgeRefusedError, match=r"said nothing for 0\.3 seconds"):
        ask(judge)
    begun = time.monotonic()
    with pytest.raises(JudgeRefusedError, match="said nothing"):
        ask(judge, OTHER)
    assert time.monotonic() - begun >= 0.3
    judge.close()


def test_no_shell_reads_a_command(tmp_path):
    judge = CommandJudge(CommandOptions(f"echo 1 > {tmp_path / 'file'} ; true", "Same?"))
    with pytest.raises(JudgeRefusedError, match="said '1 > "):
        ask(judge)
    assert not (tmp_path / "file").exists()
    judge.close()


def test_a_command_that_is_not_there_is_said():
    judge = CommandJudge(CommandOptions("no-such-program --x", "Same?"))
    with pytest.raises(JudgeRefusedError, match="cannot be started"):
        ask(judge)
    for wrong in ("", '"open'):
        with pytest.raises(InvalidInputError, match="--command"):
            CommandOptions(wrong, "Same?")
