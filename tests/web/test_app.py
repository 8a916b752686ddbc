"""The interface: what it answers, and that nothing which comes in breaks it."""

import json
import re
import threading
from dataclasses import replace

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings

import ofakind as ok
from ofakind.errors import StorageError
from ofakind.project.project import Project
from ofakind.web.progress import Seen, Watched, progress_for
from twins.pages import Page
from twins.prospects import ahead_of, said


def ask(client, n=1, held=()):
    found = client.post("/api/next", json={"n": n, "held": list(held)})
    assert found.status_code == 200
    return found.json()["questions"]


def body_of(question, value=1.0, **more):
    left, right = question["left"]["number"], question["right"]["number"]
    return {"key": question["key"], "left": left, "right": right, "value": value, **more}


def test_questions_come_with_what_people_see_of_both(page):
    (question,) = ask(page.of("Ada"))
    for side in ("left", "right"):
        names = [name for name, _ in question[side]["fields"]]
        assert {"name", "city"} <= set(names)
        assert question[side]["picture"] is False
    assert question["left"]["id"] != question["right"]["id"]


def test_the_side_that_somebody_saw_is_in_the_log(page):
    for question in ask(page.of("Ada"), 6):
        shown = page.project.asked(question["key"])
        assert (shown.left_id, shown.right_id) == (question["left"]["id"], question["right"]["id"])


def test_either_object_of_a_pair_may_be_the_left_one(tmp_path):
    with ok.new_project(list(range(40)), path=tmp_path / "a.ofk") as project:
        sides = [one.left_id < one.right_id for one in project.ask(60)]
    assert 5 < sum(sides) < 55  # it is less probable than one in a hundred million that this fails


def test_an_answer_is_kept_when_the_reply_comes(page, path):
    (question,) = ask(page.of("Ada"))
    saved = page.of("Ada").post("/api/answer", json=body_of(question, 1, milliseconds=900))
    assert saved.status_code == 200
    with ok.open_project(path, read_only=True) as other:
        (answer,) = other.answers
    assert (answer.event, answer.annotator, answer.value) == (saved.json()["event"], "Ada", 1.0)


def test_R6_the_same_answer_again_is_the_same_and_another_value_is_409(page):
    ada, (question,) = page.of("Ada"), ask(page.of("Ada"))
    first, again = (ada.post("/api/answer", json=body_of(question, -1)) for _ in range(2))
    assert first.json() == again.json()
    other = ada.post("/api/answer", json=body_of(question, 1))
    assert other.status_code == 409
    assert "the first one is kept" in other.json()["detail"]
    assert [one.value for one in page.project.answers] == [-1.0]


def test_a_skip_sent_twice_is_one_skip(page):
    ada, (question,) = page.of("Ada"), ask(page.of("Ada"))
    events = [ada.post("/api/skip", json={"key": question["key"]}).json()["event"] for _ in range(2)]
    assert events[0] == events[1]
    assert page.project.people()[0].n_skips == 1


def test_an_undo_sent_twice_takes_one_answer_back_and_asks_the_pair_again(page):
    ada = page.of("Ada")
    for question in ask(ada, 2):
        assert ada.post("/api/answer", json=body_of(question)).status_code == 200
    for _ in range(2):
        undone = ada.post("/api/undo", json={"key": question["key"]})
        assert undone.status_code == 200
    again = undone.json()["question"]
    assert {again["left"]["number"], again["right"]["number"]} == {
        question["left"]["number"],
        question["right"]["number"],
    }
    assert [one.in_force for one in page.project.answers] == [True, False]
    again["key"] = "made-by-the-page"
    assert ada.post("/api/answer", json=body_of(again, -1)).status_code == 200
    assert [one.value for one in page.project.answers if one.in_force] == [1.0, -1.0]


def test_what_somebody_could_take_back_next_is_their_own(page):
    ada, bob = page.of("Ada"), page.of("Bob")
    assert ada.get("/api/last").json() is None
    (question,) = ask(bob)
    event = bob.post("/api/answer", json=body_of(question)).json()["event"]
    assert ada.get("/api/last").json() is None
    assert bob.get("/api/last").json()["event"] == event


def test_a_page_that_was_reloaded_gets_its_questions_again(page):
    ada = page.of("Ada")
    before = ask(ada, 3)
    ada.post("/api/answer", json=body_of(before[0]))
    after = ask(ada, 2, [one["key"] for one in before])
    assert after == before[1:]
    assert ask(page.of("Bob"), 1, [before[1]["key"]])[0]["key"] != before[1]["key"]


def test_S18_nobody_answers_skips_or_undoes_as_somebody_else(page):
    ada, bob, (question,) = page.of("Ada"), page.of("Bob"), ask(page.of("Ada"))
    assert bob.post("/api/answer", json=body_of(question)).status_code == 403
    assert bob.post("/api/skip", json={"key": question["key"]}).status_code == 403
    event = ada.post("/api/answer", json=body_of(question)).json()["event"]
    assert bob.post("/api/undo", json={"key": question["key"]}).status_code == 403
    assert bob.post("/api/undo", json={"event": event}).status_code == 403
    assert bob.post("/api/answer", json=body_of(question, -1)).status_code == 403
    assert [(one.annotator, one.in_force) for one in page.project.answers] == [("Ada", True)]


def test_R3_a_full_disk_is_507_with_a_plain_sentence_and_works_again_when_there_is_room(page, monkeypatch):
    ada, (question,) = page.of("Ada"), ask(page.of("Ada"))
    limit = page.project._books.file._connection
    page.project._books.run(lambda: limit.execute("PRAGMA max_page_count = 1"))  # what it has, and no more
    codes = []
    for number in range(400):  # until the last page is full
        extra = {**body_of(question), "key": f"key-{number}", "left": 0, "right": 1}
        found = ada.post("/api/answer", json=extra)
        codes.append(found.status_code)
        if codes[-1] != 200:
            break
    assert codes[-1] == 507
    assert "nothing of this was kept" in found.json()["detail"]
    assert "/" not in found.json()["detail"]
    page.project._books.run(lambda: limit.execute("PRAGMA max_page_count = 100000"))
    assert ada.post("/api/answer", json=extra).status_code == 200
    assert len(page.project.answers) == len(codes)


def test_progress_says_how_far_it_is(page):
    ada = page.of("Ada")
    for question in ask(ada, 3):
        ada.post("/api/answer", json=body_of(question))
    found = ada.get("/api/progress").json()
    assert (found["answers"], found["own_answers"], found["objects"], found["person"]) == (3, 3, 8, "Ada")
    assert found["question"] == "Are these the same place?"
    assert page.of("Bob").get("/api/progress").json()["own_answers"] == 0


def test_wrong_pairs_that_cannot_be_ruled_out_are_told_once_the_target_is_expected_to_be_reached(page):
    """Before that, the page says how many questions are left; so both are never told."""
    for question in page.project.ask(8, "Ada"):
        page.project.tell(question, 1.0)
    whose = Watched("Ada", page.access, page.parts.sittings)
    status = replace(page.project.status(), lacking=0)
    on_the_way, expected, correlated = (
        progress_for(page.project, whose, Seen(status, ahead_of(found, index=index), ()))
        for found, index in ((said(414), 0.9), (said(414), 0.995), (said(414).without_worst_case(60), 0.995))
    )
    assert (on_the_way.doubtful, on_the_way.questions_at_least, on_the_way.reached) == (None, 7, False)
    assert (expected.doubtful, expected.questions_at_least, expected.reached) == (414, 0, False)
    assert (correlated.doubtful, correlated.open_ended, correlated.reached) == (None, True, False)
    assert not on_the_way.open_ended
    assert not expected.open_ended


def test_evidence_between_two_objects(page):
    page.project.tell(("a7", "b2"), 1.0, "Ada")
    found = page.of("Bob").get("/api/evidence", params={"left": 0, "right": 1}).json()
    assert (found["left"]["id"], found["right"]["id"]) == ("a7", "b2")
    assert found["together"] is True
    assert [one["annotator"] for one in found["answers"]] == ["Ada"]
    assert found["judges"] == []
    page.project.judge(lambda *_: 0.5, name="small")
    left, right = (page.project.ids.index(one) for one in page.project.judged()[0][:2])
    found = page.of("Bob").get("/api/evidence", params={"left": left, "right": right}).json()
    assert found["judges"] == [["small", 0.5]]
    assert page.of("Bob").get("/api/evidence", params={"left": 0, "right": 99}).status_code == 404


# -- what comes in ----------------------------------------------------------------------------------------


MALFORMED = [
    b"",
    b"{",
    b"[]",
    b"null",
    b'"text"',
    b"\xff\xfe",
    b"NaN",
    b'{"key":"a","left":0,"right":1,"value":NaN}',
    b'{"key":"a","left":0,"right":1,"value":Infinity}',
    b'{"key":"a","left":0,"right":1,"value":1e999}',
    b'{"key":"a","left":0,"right":1,"value":2}',
    b'{"key":"a","left":0,"right":1,"value":"1"}',
    b'{"key":"a","left":0,"right":0,"value":1}',
    b'{"key":"a","left":0,"right":99,"value":1}',
    b'{"key":"a","left":-1,"right":1,"value":1}',
    b'{"key":"a","left":1e400,"right":1,"value":1}',
    b'{"key":"a","left":99999999999999999999999999,"right":1,"value":1}',
    b'{"key":"\\ud800","left":0,"right":1,"value":1}',
    b'{"key":"","left":0,"right":1,"value":1}',
    b'{"key":"../../etc/passwd","left":0,"right":1,"value":1}',
    b'{"key":"a","left":0,"right":1,"value":1,"annotator":"Bob"}',
    b'{"key":"a","left":0,"right":1,"value":1,"__proto__":{}}',
    b"[" * 30_000,
    b'{"key":' + b"[" * 30_000,
    b'{"key":"' + b"a" * 60_000 + b'"}',
    b'{"value":' + b"9" * 50_000 + b"}",
]


@pytest.mark.parametrize("route", ["next", "answer", "skip", "undo", "decide"])
def test_S13_malformed_bodies_are_refused_with_a_sentence(page, route):
    ada = page.of("Ada")
    for body in MALFORMED:
        found = ada.post(f"/api/{route}", content=body, headers={"Content-Type": "application/json"})
        assert 400 <= found.status_code < 500, (route, body[:60], found.status_code)
        assert_plain(found)
    assert page.project.answers == []


def assert_plain(found):
    detail = found.json()["detail"]
    assert isinstance(detail, str)
    assert len(detail) < 2000
    assert not re.search(r"Traceback|File \"|\.py|/(home|root|tmp|usr|work|var)/", found.text)


def test_S13_whatever_a_handler_raises_is_one_sentence_without_a_traceback(page, monkeypatch):
    def fails(*_arguments, **_options):
        raise RuntimeError("secret at /root/secret.py")

    for name in ("ask", "tell", "skip", "undo", "why", "describe", "answer_counts", "asked", "action"):
        monkeypatch.setattr(Project, name, fails)
    monkeypatch.setattr(Project, "picture", fails)
    ada, good = page.of("Ada"), {"key": "a", "left": 0, "right": 1, "value": 1}
    for method, path, body in [
        ("POST", "/api/next", {"n": 1}),
        ("POST", "/api/answer", good),
        ("POST", "/api/skip", {"key": "a"}),
        ("POST", "/api/undo", {"key": "a"}),
        ("GET", "/api/progress", None),
        ("GET", "/api/groups", None),
        ("GET", "/api/evidence?left=0&right=1", None),
        ("GET", "/api/picture/0", None),
    ]:
        found = ada.request(method, path, json=body)
        assert found.status_code == 500, path
        assert "secret" not in found.text
        assert_plain(found)


def test_S13_errors_of_the_project_are_not_told_with_paths(page, monkeypatch):
    def full(*_arguments, **_options):
        raise StorageError("/root/places.ofk: database or disk is full")

    monkeypatch.setattr(Project, "tell", full)
    found = page.of("Ada").post("/api/answer", json={"key": "a", "left": 0, "right": 1, "value": 1})
    assert found.status_code == 507
    assert_plain(found)


def test_a_project_file_that_was_moved_is_called_so_and_not_a_full_disk(page, path):
    body = {"key": "a", "left": 0, "right": 1, "value": 1}
    aside = path.with_name("aside.ofk")
    path.rename(aside)
    found = page.of("Ada").post("/api/answer", json=body)
    assert found.status_code == 503
    assert found.json()["detail"].startswith(
        "the project file was moved, deleted or replaced; nothing of this"
    )
    assert "disk" not in found.text
    assert_plain(found)
    aside.rename(path)
    assert page.of("Ada").post("/api/answer", json=body).status_code == 200


@pytest.mark.slow
def test_S13_requests_made_from_the_openapi_document_never_give_5xx(path):
    with ok.open_project(path, ahead=True) as project, Page(project) as page:
        document = json.loads(page.of("Ada").get("/api/openapi.json").text)
        del document["paths"]["/api/session"]  # which takes the token itself
        schema = schemathesis.openapi.from_dict(document)
        schema.app = page.app
        headers = {"Authorization": f"Bearer {page.access.tokens['Ada']}", "Host": "127.0.0.1:8712"}
        few = settings(
            max_examples=12, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck)
        )
        seen = set()
        for found in schema.get_all_operations():
            operation = found.ok()

            @few
            @given(case=operation.as_strategy())
            def answered(case):
                reply = case.call(headers=headers)
                assert reply.status_code < 500, (case.method, case.path, reply.text[:200])
                seen.add((case.path, reply.status_code))

            answered()
    assert len({path for path, _ in seen}) == len(document["paths"])
    for route in ("/api/next", "/api/screen", "/api/owner", "/api/people", "/api/export", "/api/groups"):
        assert (route, 200) in seen, route


def test_an_answer_waits_for_the_thread_of_the_file_only_once(page, monkeypatch):
    """Whoever waits for another thread waits for the learner, too, each time."""
    ada, waited = page.of("Ada"), []
    (question,) = ask(ada)
    writer = page.project._books.file._writer
    submit = writer.submit

    def counted(job):
        if threading.current_thread().name.startswith("AnyIO"):
            waited.append(job)
        return submit(job)

    monkeypatch.setattr(writer, "submit", counted)
    assert ada.post("/api/answer", json=body_of(question)).status_code == 200
    assert len(waited) == 1
