"""Screens over the interface: lent, answered as one event, taken back, skipped, and nobody else's."""

from threading import Event

import pytest

import ofakind as ok
from twins.pages import Page


def screen_for(client, size=8, held=()):
    found = client.post("/api/screen", json={"size": size, "held": list(held)})
    assert found.status_code == 200
    return found.json()["screen"]


def numbers_of(screen):
    return screen["object"]["number"], [one["number"] for one in screen["others"]]


def body_of(screen, value=-1, **more):
    return {"key": screen["key"], "values": [value] * len(screen["others"]), **more}


def wait_for_a_look(page):
    """Wait until all answers that are there now have been looked at."""
    looked, answers = Event(), page.project.n_answers
    page.parts.seen.seen = looked.set
    while page.parts.seen.newest is None or page.parts.seen.newest.status.n_answers < answers:
        assert looked.wait(300)
        looked.clear()


def test_a_screen_comes_with_what_people_see_of_each_object(page):
    screen = screen_for(page.of("Ada"), 4)
    one, others = numbers_of(screen)
    assert 1 <= len(others) <= 4
    assert len({one, *others}) == 1 + len(others)
    for thing in (screen["object"], *screen["others"]):
        assert {"name", "city"} <= {name for name, _ in thing["fields"]}


def test_the_answers_of_a_screen_are_one_event_and_on_the_disk(page, path):
    ada = page.of("Ada")
    screen = screen_for(ada)
    values = [1, *[-1] * (len(screen["others"]) - 1)]
    saved = ada.post("/api/screen/answer", json=body_of(screen) | {"values": values, "milliseconds": 4000})
    assert saved.status_code == 200
    with ok.open_project(path, read_only=True) as other:
        given = other.answers
    assert {one.event for one in given} == {saved.json()["event"]}
    assert [one.value for one in given] == values
    one, others = screen["object"]["id"], [thing["id"] for thing in screen["others"]]
    assert [{a.left_id, a.right_id} for a in given] == [{one, other} for other in others]


def test_the_same_answers_again_are_the_same_and_others_are_409(page):
    ada = page.of("Ada")
    screen = screen_for(ada)
    first, again = (ada.post("/api/screen/answer", json=body_of(screen)) for _ in range(2))
    assert first.json() == again.json()
    other = ada.post("/api/screen/answer", json=body_of(screen, 1))
    assert other.status_code == 409
    assert {one.value for one in page.project.answers} == {-1.0}


def test_an_undo_takes_the_whole_screen_back_and_shows_it_again(page):
    ada = page.of("Ada")
    screen = screen_for(ada)
    ada.post("/api/screen/answer", json=body_of(screen, 0))
    undone = ada.post("/api/undo", json={"key": screen["key"]}).json()
    assert not any(one.in_force for one in page.project.answers)
    assert numbers_of(undone["screen"]) == numbers_of(screen)
    assert undone["values"] == [0.0] * len(screen["others"])
    one, others = numbers_of(screen)
    again = body_of(screen, 1) | {"key": "made-by-the-page", "object": one, "others": others}
    assert ada.post("/api/screen/answer", json=again).status_code == 200
    assert {one.value for one in page.project.answers if one.in_force} == {1.0}
    assert numbers_of(ada.get("/api/last").json()["screen"]) == numbers_of(screen)


def test_a_page_that_was_reloaded_gets_its_screen_again_until_it_is_answered(page):
    ada = page.of("Ada")
    before = screen_for(ada, 3)
    assert screen_for(ada, 3, [before["key"]]) == before
    assert screen_for(page.of("Bob"), 3, [before["key"]])["key"] != before["key"]
    ada.post("/api/screen/answer", json=body_of(before))
    after = screen_for(ada, 3, [before["key"]])
    assert after is None or after["key"] != before["key"]


def test_a_skipped_screen_does_not_come_again_to_whoever_skipped_it(page):
    ada = page.of("Ada")
    screen = screen_for(ada, 3)
    events = [ada.post("/api/skip", json={"key": screen["key"]}).json()["event"] for _ in range(2)]
    assert events[0] == events[1]
    one, others = numbers_of(screen)
    skipped = {frozenset((one, other)) for other in others}
    while (found := screen_for(ada, 3)) is not None:
        one, others = numbers_of(found)
        assert skipped.isdisjoint(frozenset((one, other)) for other in others)
        ada.post("/api/screen/answer", json=body_of(found))


def test_no_pair_is_with_two_people_at_once(page):
    seen = set()
    for who in ("Ada", "Bob"):
        for _ in range(2):
            if (screen := screen_for(page.of(who), 3)) is None:
                continue
            one, others = numbers_of(screen)
            pairs = {frozenset((one, other)) for other in others}
            assert seen.isdisjoint(pairs)
            seen |= pairs
    questions = page.of("Bob").post("/api/next", json={"n": 5}).json()["questions"]
    assert seen.isdisjoint(frozenset((one["left"]["number"], one["right"]["number"])) for one in questions)


def test_nobody_answers_skips_or_undoes_a_screen_of_somebody_else(page):
    ada, bob = page.of("Ada"), page.of("Bob")
    screen = screen_for(ada)
    assert bob.post("/api/screen/answer", json=body_of(screen)).status_code == 403
    assert bob.post("/api/skip", json={"key": screen["key"]}).status_code == 403
    ada.post("/api/screen/answer", json=body_of(screen))
    assert bob.post("/api/undo", json={"key": screen["key"]}).status_code == 403
    assert all(one.annotator == "Ada" and one.in_force for one in page.project.answers)


def test_answers_that_do_not_fit_their_screen_are_refused_and_nothing_is_kept(page):
    ada = page.of("Ada")
    screen = screen_for(ada, 4)
    one, others = numbers_of(screen)
    whole = body_of(screen)
    for wrong, status in (
        (whole | {"values": []}, 422),
        (whole | {"values": [1] * 9}, 422),
        (whole | {"values": [2] * len(others)}, 422),
        (whole | {"values": [1] * (len(others) + 1)}, 422),
        (whole | {"key": "unknown"}, 404),
        (whole | {"object": one}, 422),
        (
            whole | {"object": one, "others": [(one + 1) % 8, (one + 2) % 8, (one + 3) % 8][: len(others)]},
            409,
        ),
        (whole | {"key": "unknown", "object": one, "others": [one]}, 422),
        (whole | {"key": "unknown", "object": one, "others": [99]}, 404),
        (whole | {"more": 1}, 422),
    ):
        assert ada.post("/api/screen/answer", json=wrong).status_code == status, wrong
    assert page.project.answers == []


@pytest.mark.slow
def test_progress_says_how_fast_somebody_is_and_what_tells_more_in_a_minute(tmp_path):
    path = tmp_path / "numbers.ofk"
    ok.new_project(list(range(30)), path=path).close()
    with ok.open_project(path, ahead=True) as project, Page(project) as page:
        ada = page.of("Ada")
        before = ada.get("/api/progress").json()
        assert [before[name] for name in ("pace_pairs", "pace_screens", "quicker")] == [None, None, None]
        for _ in range(6):
            screen = screen_for(ada)
            one, others = numbers_of(screen)
            values = [1 if one % 3 == other % 3 else -1 for other in others]
            ada.post(
                "/api/screen/answer", json={"key": screen["key"], "values": values, "milliseconds": 6000}
            )
            (question,) = ada.post("/api/next", json={"n": 1}).json()["questions"]
            left, right = question["left"]["number"], question["right"]["number"]
            body = {"left": left, "right": right, "value": 1 if left % 3 == right % 3 else -1}
            ada.post("/api/answer", json={"key": question["key"], "milliseconds": 5000, **body})
        wait_for_a_look(page)
        now = ada.get("/api/progress").json()
        assert (now["pace_pairs"], now["pace_screens"]) == (5.0, 6.0)
        assert now["quicker"] == "screens"
