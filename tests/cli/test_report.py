"""The command that writes a page about a project."""

from typer.testing import CliRunner

from ofakind.cli.main import app


def run(*arguments):
    return CliRunner().invoke(app, [str(one) for one in arguments], prog_name="ofakind")


def test_a_page_is_written_whole_and_replaced_only_by_force(places_path, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = run("report", places_path)
    assert (result.exit_code, result.stdout) == (0, "written: report.html\n")
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert page.startswith("<!DOCTYPE html>")
    assert "places.ofk" in page
    again = run("report", places_path)
    assert again.exit_code == 2
    assert "is there already" in again.stderr
    assert run("report", places_path, "--force", "--target", "0.1").exit_code == 0
    assert "left to 10 % of chance" in (tmp_path / "report.html").read_text(encoding="utf-8")


def test_a_page_that_cannot_be_written_is_refused_before_any_work(places_path, tmp_path):
    result = run("report", places_path, "-o", tmp_path / "no" / "r.html")
    assert result.exit_code == 2
    assert "there is no folder" in result.stderr
