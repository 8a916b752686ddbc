"""Groups as cards: which come first, what is found, and what is said of several pairs at once."""

import pytest

import ofakind as ok
from ofakind.project.doubtful import DoubtfulPair
from ofakind.web.groups import doubts_of, texts_of


@pytest.fixture
def ada(page):
    for left, right, value in [("a7", "b2", 1), ("c3", "d4", 1), ("g7", "h8", 1), ("a7", "c3", -1)]:
        page.project.tell((left, right), value, "Ada")
    return page.of("Ada")


def ids(group):
    return {one["id"] for one in group["members"]}


def groups(client, **options):
    found = client.get("/api/groups", params=options)
    assert found.status_code == 200
    return found.json()


def test_all_groups_are_there_once_and_in_parts(ada, page):
    every = groups(ada, limit=100)
    assert every["found"] == len(every["groups"]) == len(page.project.groups())
    offsets = range(0, every["found"], 2)
    parts = [one for offset in offsets for one in groups(ada, offset=offset, limit=2)["groups"]]
    assert parts == every["groups"]


def test_groups_are_found_by_the_text_and_by_the_id_of_a_member(ada):
    for words in ("hotel ADLON", "g7", "berlin"):
        found = groups(ada, search=words)
        assert any({"g7", "h8"} & ids(one) for one in found["groups"]), words
    assert groups(ada, search="nowhere") == {"found": 0, "groups": []}
    assert groups(ada, search="<script>\\' OR 1=1 \U0001f600")["found"] == 0


def test_what_is_searched_is_what_people_are_shown(tmp_path):
    records = [{"id": "a", "name": "Ann", "secret": "x1"}, {"id": "b", "name": "Bob", "secret": "x2"}]
    with ok.new_project(records, id="id", path=tmp_path / "a.ofk", show=["name"]) as project:
        assert texts_of(project) == ["a\nann", "b\nbob"]


def test_the_greatest_doubt_of_a_group_is_the_one_that_is_told():
    labels = {"a": 0, "b": 0, "c": 1}
    small, large = DoubtfulPair("a", "b", 0.6, True, 1), DoubtfulPair("a", "c", 0.4, False, 9)
    found = doubts_of(labels, [small, large])
    assert (found[0].kind, found[0].other, found[1].kind, found[1].other) == ("merge", 1, "merge", 0)


def test_a_group_is_opened_by_its_number(ada, page):
    number = page.project.labels()["a7"]
    assert {"a7", "b2"} <= ids(ada.get(f"/api/groups/{number}").json())
    assert ada.get("/api/groups/12345").status_code == 404


def together(client, *members):
    """Whether these are in one group by what is shown, which is as new as can be."""
    return any(set(members) <= ids(one) for one in groups(client, limit=100)["groups"])


def decide(client, key, pairs, **more):
    return client.post("/api/decide", json={"key": key, "pairs": pairs, "same": True, **more})


def test_several_pairs_are_one_event_which_one_undo_takes_back(ada, page):
    before = len(page.project.answers)
    first, again = (decide(ada, "all-the-same", [[0, 1], [0, 2], [2, 0]]) for _ in range(2))
    assert first.json() == again.json()
    assert [one.value for one in page.project.answers[before:]] == [1.0, 1.0]
    assert decide(ada, "all-the-same", [[0, 1], [0, 2]], same=False).status_code == 409
    assert page.of("Bob").post("/api/undo", json=first.json()).status_code == 403
    assert ada.post("/api/undo", json=first.json()).json()["pairs"] == 2
    assert not any(one.in_force for one in page.project.answers[before:])


def test_who_is_certain_pins_and_can_take_that_back(ada, page):
    event = decide(ada, "certain", [[0, 2], [0, 4]], certain=True).json()
    assert together(ada, "a7", "c3", "e5")
    contradiction = decide(ada, "no", [[2, 4]], certain=True, same=False)
    assert contradiction.status_code == 409
    assert ada.post("/api/undo", json=event).status_code == 200
    assert page.project.why("a7", "c3").pinned is None


def test_an_object_that_does_not_belong_leaves_its_group(ada, page):
    decide(ada, "out", [[0, 1]], same=False, certain=True)
    assert not together(ada, "a7", "b2")
