"""Budgets of people on the page: kept to the letter, each person's own."""

import pytest
from playwright.sync_api import expect

import ofakind as ok
from ofakind.errors import ConflictingAnswerError
from ofakind.project.budget import SittingBudget
from ofakind.web.sittings import Sittings
from twins.pages import RECORDS, Page, serving
from twins.tabs import enter, press, saved, settle, two_ids, values


def ask(client, n):
    return client.post("/api/next", json={"n": n}).json()["questions"]


def body_of(question, value=1):
    sides = {side: question[side]["number"] for side in ("left", "right")}
    return {"key": question["key"], "value": value, **sides}


@pytest.fixture
def page(path):
    with ok.open_project(path) as project, Page(project, budget=SittingBudget(questions=3)) as page:
        yield page


def test_no_more_questions_are_lent_than_the_budget_allows(page):
    ada = page.of("Ada")
    questions = ask(ada, 5)
    assert len(questions) == 3
    for question in questions:
        assert ada.post("/api/answer", json=body_of(question)).status_code == 200
    assert ask(ada, 5) == []
    assert ada.post("/api/screen", json={}).json() == {"screen": None}
    told = ada.get("/api/progress").json()["budget"]
    assert told == {"questions": 3, "given": 3, "seconds": None, "seconds_left": None, "spent": True}


def test_an_answer_beyond_the_budget_is_refused_and_a_repeat_is_not(page):
    ada = page.of("Ada")
    bodies = [body_of(one) for one in ask(ada, 3)]
    for body in bodies:
        ada.post("/api/answer", json=body)
    assert ada.post("/api/answer", json=bodies[0]).status_code == 200
    beyond = ada.post("/api/answer", json={"key": "own", "left": 0, "right": 5, "value": 1})
    assert beyond.status_code == 409
    assert "the budget of 3 answers is spent" in beyond.json()["detail"]
    assert len(values(page.project)) == 3


def test_what_was_taken_back_is_not_spent(page):
    ada = page.of("Ada")
    first, *rest = [body_of(one) for one in ask(ada, 3)]
    for body in (first, *rest):
        ada.post("/api/answer", json=body)
    ada.post("/api/undo", json={"key": first["key"]})
    assert ada.post("/api/answer", json={**first, "key": "again"}).status_code == 200
    assert ada.post("/api/answer", json={**first, "key": "once-more"}).status_code == 409


def test_everybody_has_a_budget_of_their_own(page):
    for name in ("Ada", "Bob"):
        assert len(ask(page.of(name), 5)) == 3


def test_a_screen_has_as_many_others_as_the_budget_allows_and_spends_as_many(page):
    ada = page.of("Ada")
    screen = ada.post("/api/screen", json={"size": 8}).json()["screen"]
    assert len(screen["others"]) <= 3
    given = {"key": screen["key"], "values": [-1.0] * len(screen["others"])}
    assert ada.post("/api/screen/answer", json=given).status_code == 200
    assert ada.get("/api/progress").json()["budget"]["given"] == len(screen["others"])


def test_time_runs_from_the_first_question_on_and_late_answers_are_kept(path):
    now = [100.0]
    with ok.open_project(path) as project:
        sittings = Sittings(project, SittingBudget(seconds=60), lambda: now[0])
        assert sittings.left("Ada", 5) == 5
        now[0] += 1000
        assert sittings.left("Ada", 5) == 5
        sittings.begin("Ada")
        now[0] += 59
        sittings.begin("Ada")
        assert sittings.left("Ada", 5) == 5
        now[0] += 2
        assert sittings.left("Ada", 5) == 0
        assert sittings.told("Ada").spent
        assert not sittings.told("Bob").spent
        event = sittings.keep("Ada", "k", 1, lambda: project.tell(("a7", "b2"), 1.0, "Ada", key="k"))
        assert event == project.last_event


def test_a_refused_answer_calls_nothing(path):
    with ok.open_project(path) as project:
        sittings = Sittings(project, SittingBudget(questions=1))
        with pytest.raises(ConflictingAnswerError, match="was not kept"):
            sittings.keep("Ada", "k", 2, lambda: pytest.fail("called"))


# -- in a browser ------------------------------------------------------------------------------------------


@pytest.fixture
def limited(chromium, tmp_path):
    """A tab with a budget of three answers."""
    ok.new_project(RECORDS, id="id", path=tmp_path / "a.ofk").close()
    budget = SittingBudget(questions=3)
    with ok.open_project(tmp_path / "a.ofk", ahead=True) as project, serving(project, budget=budget) as net:
        page = chromium.new_context(locale="en-GB").new_page()
        enter(page, net.link())
        yield page, project
        page.context.close()


def test_the_page_stops_at_the_budget_says_what_was_reached_and_undo_gives_one_back(limited):
    page, project = limited
    expect(page.locator(".standing")).to_contain_text("3 of 3 answers left")
    press(page, "s", "d", "s", "s", "d")
    expect(page.locator(".none-left h2")).to_have_text("Your budget is spent.")
    expect(page.locator(".none-left")).to_contain_text("You have given 3 answers, and all are kept.")
    saved(page)
    assert values(project) == [1.0, -1.0, 1.0]
    press(page, "z")
    page.wait_for_selector(".pair")
    press(page, " ")
    expect(page.locator(".none-left h2")).to_have_text("Your budget is spent.")
    saved(page)
    assert values(project) == [1.0, -1.0, 0.0]
    page.reload()
    expect(page.locator(".none-left h2")).to_have_text("Your budget is spent.")
    expect(page.get_by_role("link", name="Export the groups")).to_be_visible()


def test_the_page_stops_when_the_time_is_over(chromium, tmp_path):
    ok.new_project(RECORDS, id="id", path=tmp_path / "a.ofk").close()
    budget = SittingBudget(seconds=6)
    with ok.open_project(tmp_path / "a.ofk", ahead=True) as project, serving(project, budget=budget) as net:
        page = chromium.new_context(locale="en-GB").new_page()
        enter(page, net.link())
        asked = two_ids(page)
        settle(page)
        expect(page.locator(".none-left h2")).to_have_text("Your budget is spent.")
        press(page, "s")
        assert asked
        assert values(project) == []
        page.context.close()
