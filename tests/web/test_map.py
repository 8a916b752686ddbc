"""The map over HTTP: small, of all objects, and newer when something has happened."""

import base64
import time

import numpy as np
import pytest

import ofakind as ok
from ofakind.web.map import MAP_PAGE, DrawnMap, map_out
from twins.pages import RECORDS, Page


def column(text, kind):
    return np.frombuffer(base64.b64decode(text), kind)


def drawn(client, after=None):
    """The map, as soon as there is one that is newer than that."""
    for _ in range(600):
        found = client.get("/api/map", params={} if after is None else {"after": after})
        assert found.status_code == 200
        if found.json()["as_of"] not in (None, after):
            return found.json()
        time.sleep(0.05)
    raise AssertionError("no map came")


@pytest.mark.slow
def test_the_map_has_a_place_a_group_a_colour_and_a_doubt_for_each_object(page):
    found = drawn(page.of("Ada"))
    assert found["objects"] == len(RECORDS)
    x, y = column(found["x"], "<f4"), column(found["y"], "<f4")
    assert len(x) == len(y) == len(RECORDS)
    assert np.isfinite(x).all()
    assert np.isfinite(y).all()
    assert column(found["group"], "<i4").tolist() == list(page.project.labels().values())
    assert found["groups"] == len(page.project.groups())
    alone = [members for members in page.project.groups().values() if len(members) == 1]
    assert found["alone"] == len(alone) == np.count_nonzero(column(found["colour"], "u1") == 0)
    doubt = column(found["doubt"], "u1")
    assert found["doubtful"] == np.count_nonzero(doubt >= found["doubtful_from"])
    names = {one["group"]: one["name"] for one in found["names"]}
    assert names == {one.group: one.name for one in page.project.describe() if len(one) > 1}


@pytest.mark.slow
def test_whoever_has_the_map_gets_no_other_until_something_has_happened(page):
    ada = page.of("Ada")
    ada.post("/api/next", json={"n": 1})
    first = drawn(ada)
    while page.project.last_event != first["as_of"]:  # questions are still chosen ahead
        first = drawn(ada, first["as_of"])
    again = ada.get("/api/map", params={"after": first["as_of"]})
    assert again.json()["x"] == ""
    assert again.json()["as_of"] == first["as_of"]
    assert len(again.content) < 400
    decided = {"key": "a", "pairs": [[0, 7]], "same": True, "certain": True}
    event = ada.post("/api/decide", json=decided).json()["event"]
    newer = drawn(ada, first["as_of"])
    assert newer["as_of"] >= event
    group = column(newer["group"], "<i4")
    assert group[0] == group[7]


@pytest.mark.slow
def test_a_map_of_fifty_thousand_objects_is_under_a_megabyte(tmp_path):
    with ok.new_project(list(range(20)), path=tmp_path / "a.ofk") as project:
        small = project.map()
    n = 50_000
    many = {"groups": np.arange(n), "places": np.zeros((n, 2)), "colours": np.zeros(n, np.int64)}
    large = ok.ObjectMap(1, **many, doubt=np.ones(n), slots=many["groups"], drawn=many["groups"])
    size = len(map_out(DrawnMap(large, []), full=True).model_dump_json())
    assert 50 * len(small) < size < 1_000_000


def test_an_object_comes_by_its_number(page):
    found = page.of("Ada").get("/api/objects/2").json()
    assert (found["number"], found["id"], found["picture"]) == (2, "c3", False)
    assert ["name", "The Ritz"] in found["fields"]
    assert page.of("Ada").get("/api/objects/8").status_code == 404
    assert page.of("Ada").get("/api/objects/-1").status_code == 404
    assert page.of("Ada").get("/api/objects/x").status_code == 422


def test_a_search_finds_the_numbers_of_objects_that_hold_all_words(page, monkeypatch):
    def numbers(search):
        return page.of("Ada").get("/api/search", params={"search": search}).json()

    assert numbers("adlon") == {"found": 2, "numbers": [6, 7]}
    assert numbers("HOTEL adlon")["numbers"] == [7]
    assert numbers("a7")["numbers"] == [0]
    assert numbers("  ") == {"found": 0, "numbers": []}
    assert numbers("nowhere")["found"] == 0
    monkeypatch.setattr("ofakind.web.map.MAP_PAGE", type(MAP_PAGE)(found=1))
    assert numbers("adlon") == {"found": 2, "numbers": [6]}


def test_nothing_is_drawn_before_somebody_looks(page):
    page.of("Ada").get("/api/progress")
    assert page.parts.map._latest is None


@pytest.fixture
def impatient(monkeypatch):
    """A page that waits for no map."""
    monkeypatch.setattr("ofakind.web.map.MAP_PAGE", type(MAP_PAGE)(wait=0.05))


@pytest.mark.slow
def test_a_map_that_is_not_ready_says_so_and_nothing_waits_for_it(path, impatient, monkeypatch):
    monkeypatch.setattr(ok.Project, "early_map", lambda _: None)  # features are still being compared
    with ok.open_project(path, ahead=True) as project, Page(project) as page, project._model.lock:
        found = page.of("Ada").get("/api/map").json()  # the learner is busy: this thread has it
        assert found["as_of"] is None
        assert found["objects"] == len(RECORDS)
        body = {"key": "k", "left": 0, "right": 1, "value": 1}
        assert page.of("Ada").post("/api/answer", json=body).status_code == 200
    assert found["x"] == ""


@pytest.mark.slow
def test_before_anything_is_believed_there_is_a_map_of_what_features_say(path, impatient):
    with ok.open_project(path, ahead=True) as project, Page(project) as page:
        ada = page.of("Ada")
        with project._model.lock:  # the learner is busy
            early = drawn(ada)
            assert early["early"]
            assert early["as_of"] == 0
            assert len(column(early["x"], "<f4")) == len(RECORDS)
            assert not column(early["colour"], "u1").any()
            assert not column(early["doubt"], "u1").any()
            assert (early["groups"], early["alone"], early["names"]) == (0, 0, [])
            again = ada.get("/api/map", params={"after": 0}).json()
            assert (again["as_of"], again["early"], again["x"]) == (0, True, "")
        found = drawn(ada, 0)
        assert not found["early"]
        assert found["groups"] == len(project.groups())
        assert column(found["group"], "<i4").tolist() == list(project.labels().values())


@pytest.mark.slow
def test_the_map_of_groups_follows_the_early_one(path, impatient, monkeypatch):
    followed, draw = [], ok.Project.map
    monkeypatch.setattr(
        ok.Project, "map", lambda project, before: followed.append(before) or draw(project, before)
    )
    with ok.open_project(path, ahead=True) as project, Page(project) as page:
        with project._model.lock:
            assert drawn(page.of("Ada"))["early"]
        assert not drawn(page.of("Ada"), 0)["early"]
    assert followed[0].early
