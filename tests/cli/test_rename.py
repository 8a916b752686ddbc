"""The command that names a group."""

from typer.testing import CliRunner

import ofakind as ok
from ofakind.cli.main import app


def run(*arguments):
    return CliRunner().invoke(app, [str(one) for one in arguments], prog_name="ofakind")


def test_a_name_is_in_the_log_and_in_what_is_exported(places_path):
    with ok.open_project(places_path, read_only=True) as project:
        group = project.labels()["a7"]
    result = run("rename", places_path, group, "Joe's, all of them", "--by", "Ada")
    assert result.stdout.startswith(f"group {group} (3 objects) is called Joe's, all of them (event ")
    exported = run("export", places_path).stdout
    assert exported.count("Joe's, all of them") == 3
    with ok.open_project(places_path) as project:
        project.undo(annotator="Ada")
    assert "all of them" not in run("export", places_path).stdout


def test_a_group_that_is_not_there_is_refused(places_path):
    result = run("rename", places_path, 99, "x")
    assert result.exit_code == 2
    assert "there is no group 99" in result.stderr


def test_a_project_that_somebody_has_open_is_not_renamed_in(places_path):
    with ok.open_project(places_path):
        result = run("rename", places_path, 0, "x")
    assert result.exit_code == 2
    assert "is open in this process" in result.stderr
