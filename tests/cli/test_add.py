"""``ofakind add``: more objects for a project that is there."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

import ofakind as ok
from ofakind.cli.main import app

FIRST = "key,name,city\na7,Joe's Diner,Rome\nb2,Joes Diner,Rome\nc3,The Ritz,Paris\n"
MORE = "city,key,name\nParis,d4,Ritz\nNew York,e5,Blue Note\n"


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("first.csv").write_text(FIRST, encoding="utf-8")
    Path("more.csv").write_text(MORE, encoding="utf-8")
    return tmp_path


def run(*arguments):
    return CliRunner().invoke(app, [*map(str, arguments)], prog_name="ofakind")


def refused(*arguments):
    with ok.open_project(arguments[1], read_only=True) as project:
        before = project.check().n_events
    result = run(*arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    with ok.open_project(arguments[1], read_only=True) as project:
        assert project.check().n_events == before
    return result.stderr


def test_records_are_added_under_the_ids_of_the_same_column(here):
    assert run("new", "first.csv", "--id", "key").exit_code == 0
    with ok.open_project("first.ofk") as project:
        project.tell(("a7", "b2"), 1.0)
        groups = project.labels()
    result = run("add", "first.ofk", "more.csv")
    assert result.stdout == "2 records added · 5 in all → first.ofk\nnext: ofakind label first.ofk\n"
    with ok.open_project("first.ofk") as project:
        assert project.ids == ("a7", "b2", "c3", "d4", "e5")
        assert project.contents("d4") == {"name": "Ritz", "city": "Paris"}
        assert {one: project.labels()[one] for one in groups} == groups
        assert (2, 3) in set(project._model.learner.prior.pairs)
        assert bool(project.check(replay=True))


def test_an_id_that_is_there_is_refused_with_its_line(here):
    run("new", "first.csv", "--id", "key")
    Path("more.csv").write_text("key,name\nd4,Ritz\nb2,Joe\n", encoding="utf-8")
    assert "more.csv, line 3: the id 'b2' is in the project already" in refused(
        "add", "first.ofk", "more.csv"
    )


def test_numbered_rows_are_numbered_on(here):
    run("new", "first.csv", "--ignore", "key")
    assert run("add", "first.ofk", "more.csv").exit_code == 0
    with ok.open_project("first.ofk") as project:
        assert project.ids == (0, 1, 2, 3, 4)


def test_ids_of_text_are_whole_numbers_where_all_were(here):
    ok.new_project(pd.DataFrame({"key": [1, 2], "name": ["a b", "a c"]}), "key", path="n.ofk").close()
    Path("more.csv").write_text("key,name\n3,a d\n", encoding="utf-8")
    assert run("add", "n.ofk", "more.csv").exit_code == 0
    with ok.open_project("n.ofk") as project:
        assert project.ids == (1, 2, 3)
    assert "line 2: the id 3 is in the project already" in refused("add", "n.ofk", "more.csv")


def test_vectors_are_needed_where_there_were_some(here):
    np.save("v.npy", np.random.default_rng(0).normal(size=(6, 3)))
    np.save("w.npy", np.random.default_rng(1).normal(size=(2, 3)))
    run("new", "v.npy")
    run("new", "first.csv", "--id", "key", "--vectors", "w.npy")  # refused: there are three records
    assert not Path("first.ofk").exists()
    assert run("add", "v.ofk", "w.npy").stdout.startswith("2 objects added · 8 in all")
    Path("ids.txt").write_text("x\ny\n", encoding="utf-8")
    assert "expected vectors" in refused("add", "v.ofk", "ids.txt")
    assert run("add", "v.ofk", "ids.txt", "--vectors", "w.npy").exit_code == 0


def test_records_of_another_form_are_refused_and_missing_columns_are_named(here):
    run("new", "first.csv", "--id", "key")
    Path("more.csv").write_text("key,colour\nd4,red\n", encoding="utf-8")
    assert "none of the columns that are compared (name, city)" in refused("add", "first.ofk", "more.csv")
    Path("more.csv").write_text("key,name\nd4,Ritz\n", encoding="utf-8")
    assert "not there, and so not compared: city" in run("add", "first.ofk", "more.csv").stderr


def test_scores_may_name_old_and_new_objects(here):
    Path("s.csv").write_text("x,y,p\na7,b2,0.9\n", encoding="utf-8")
    run("new", "first.csv", "--id", "key", "--scores", "s.csv")
    Path("s.csv").write_text("x,y,p\nc3,d4,0.8\n", encoding="utf-8")
    assert run("add", "first.ofk", "more.csv", "--scores", "s.csv").exit_code == 0


def test_what_is_no_project_is_refused(here):
    result = run("add", "first.csv", "more.csv")
    assert result.exit_code == 2
    assert "first.csv" in result.stderr
