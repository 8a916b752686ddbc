"""The command line as a whole: help, version, errors, Ctrl-C."""

import os
import re
import subprocess
import sys

import pytest
import typer
from typer.testing import CliRunner

import ofakind
from ofakind.cli import main
from ofakind.cli.main import Commands, app
from ofakind.errors import InvalidInputError

COMMANDS = [[], *([info.name or info.callback.__name__] for info in app.registered_commands)]


def run(*arguments):
    return CliRunner().invoke(app, arguments, prog_name="ofakind")


def failing(error):
    """A command line like ours, with a command that raises."""
    broken = typer.Typer(cls=Commands, rich_markup_mode=None)

    @broken.command()
    def fail():
        raise error

    @broken.callback()
    def group():
        pass

    return CliRunner().invoke(broken, ["fail"], color=True)


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_every_help_has_an_example_that_names_the_command(command):
    result = run(*command, "--help")
    assert result.exit_code == 0
    assert re.search(" ".join(["Example: ofakind", *command]), result.stdout)


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_every_option_is_explained(command):
    for line in run(*command, "-h").stdout.splitlines():
        if line.startswith("  -"):
            assert len(re.split(r"\s{2,}", line.strip())) >= 2, line


def test_the_examples_of_demo_are_valid_options():
    example = re.search(r"Example: ofakind demo (.*)", run("demo", "--help").stdout)[1]
    assert set(re.findall(r"--\w+", example)) <= set(re.findall(r"--\w+", run("demo", "--help").stdout))


def test_version_is_the_package_version():
    assert run("--version").stdout == f"ofakind {ofakind.__version__}\n"


def test_without_arguments_the_help_is_shown():
    assert "Commands:" in run().output


def test_an_unknown_command_is_refused_with_code_2():
    result = run("dmeo")
    assert result.exit_code == 2
    assert "dmeo" in result.stderr


def test_an_expected_error_is_one_red_sentence_on_stderr_and_code_2():
    result = failing(InvalidInputError("n is -1; expected 0 or more"))
    assert result.exit_code == 2
    assert result.stdout == ""
    assert result.stderr == "\x1b[31mofakind: n is -1; expected 0 or more\x1b[0m\n"


def test_an_unexpected_error_is_not_hidden():
    error = RuntimeError("a bug")
    assert failing(error).exception is error


def test_ctrl_c_says_so_and_gives_code_130():
    result = failing(KeyboardInterrupt())
    assert result.exit_code == 130
    assert result.stderr == "stopped\n"


@pytest.mark.parametrize(
    ("option", "value"),
    [("objects", "1798"), ("objects", "9"), ("budget", "0"), ("gamma", "1.5"), ("seed", "-1"), ("seed", "x")],
)
def test_an_option_out_of_range_is_refused_by_name(option, value):
    result = run("demo", f"--{option}", value)
    assert result.exit_code == 2
    assert f"--{option}" in result.stderr


def test_a_report_that_could_not_be_written_is_refused_before_any_work(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for place, reason in [(tmp_path / "no" / "r.html", "there is no folder"), (tmp_path, "it is a folder")]:
        for option in ("--report", "--picture"):
            result = run("demo", option, str(place))
            assert result.exit_code == 2
            assert result.stdout == ""
            assert result.stderr.startswith(f"ofakind: cannot write {place}: {reason}")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("option", ["--report", "--picture"])
def test_what_should_not_be_replaced_is_refused_before_any_work(tmp_path, monkeypatch, option):
    monkeypatch.chdir(tmp_path)
    pipe, protected = tmp_path / "pipe.html", tmp_path / "protected.html"
    os.mkfifo(pipe)
    protected.touch(mode=0o444)
    for place, reason in [(pipe, "it is no ordinary file"), (protected, "it is write-protected")]:
        result = run("demo", option, str(place))
        assert result.exit_code == 2
        assert result.stdout == ""
        assert result.stderr.startswith(f"ofakind: cannot write {place}: {reason}")
    assert set(tmp_path.iterdir()) == {pipe, protected}


@pytest.mark.parametrize("picture", ["a.html", "./a.html", "link.svg", "folder/../a.html"])
def test_the_report_and_the_picture_may_not_be_the_same_file(tmp_path, monkeypatch, picture):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder").mkdir()
    (tmp_path / "link.svg").symlink_to("a.html")
    result = run("demo", "--report", "a.html", "--picture", picture)
    assert result.exit_code == 2
    assert result.stdout == ""
    assert result.stderr == "ofakind: the report and the picture would both be a.html; give them two names\n"


# -- output that fails -------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("arguments", [["--version"], ["--help"], ["demo", "--objects", "10"]])
def test_output_that_cannot_be_written_is_one_sentence_and_code_2(tmp_path, arguments):
    (tmp_path / "in").touch()
    with (tmp_path / "in").open("rb") as readable:  # every write to it fails
        command = [sys.executable, "-m", "ofakind", *arguments]
        done = subprocess.run(command, cwd=tmp_path, stdout=readable, stderr=subprocess.PIPE, text=True)
    assert done.returncode == 2
    assert done.stderr == "ofakind: the system refused: Bad file descriptor\n"


@pytest.mark.slow
@pytest.mark.parametrize("arguments", [["--version"], ["--help"], ["demo", "--objects", "10"]])
def test_output_that_nobody_reads_ends_quietly(tmp_path, arguments):
    reading, writing = os.pipe()
    os.close(reading)
    command = [sys.executable, "-m", "ofakind", *arguments]
    done = subprocess.run(command, cwd=tmp_path, stdout=writing, stderr=subprocess.PIPE, text=True)
    os.close(writing)
    assert done.returncode == 1
    assert done.stderr == ""


@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        (OSError(28, "No space left on device"), "No space left on device"),
        (PermissionError(13, "Permission denied", "a.txt"), "a.txt: Permission denied"),
        (OSError("a device is missing"), "a device is missing"),
    ],
)
def test_what_the_system_refuses_is_one_sentence_and_code_2(error, sentence, monkeypatch, capsys):
    def fail(**_):
        print("what was said before")
        raise error

    monkeypatch.setattr(main, "app", fail)
    with pytest.raises(SystemExit, match="2"):
        main.main()
    assert capsys.readouterr() == ("what was said before\n", f"ofakind: the system refused: {sentence}\n")


def test_python_m_ofakind_is_the_same_command():
    done = subprocess.run([sys.executable, "-m", "ofakind", "--help"], capture_output=True, text=True)
    assert done.returncode == 0
    assert done.stdout == run("--help").stdout
    assert done.stderr == ""
