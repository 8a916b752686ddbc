"""What the owner may do and see, and nobody else."""

import csv
import io
import json
import stat
from pathlib import Path

import pytest
from playwright.sync_api import expect

import ofakind as ok
from ofakind.cli.page import PageOptions, command_for, said_of
from ofakind.errors import InvalidInputError
from ofakind.web.people import access_from, new_access
from ofakind.web.serving import listen
from twins.judged_projects import by_kind, new_judged_project, tell_the_truth
from twins.pages import Page, serving
from twins.tabs import enter

ROUTES = [
    ("GET", "/api/owner", None),
    ("POST", "/api/people", {"name": "Cem"}),
    ("POST", "/api/people/revoke", {"name": "Bob"}),
    ("GET", "/api/export", None),
    ("GET", "/api/export?what=answers&format=jsonl", None),
]


@pytest.mark.parametrize(("method", "route", "body"), ROUTES)
def test_what_is_for_the_owner_is_403_for_others_and_changes_nothing(page, method, route, body):
    before = dict(page.access.tokens)
    found = page.of("Bob").request(method, route, json=body)
    assert found.status_code == 403
    assert found.json() == {"detail": "this is for the owner of the page alone"}
    assert page.access.tokens == before
    assert page.of("Ada").request(method, route, json=body).status_code in (200, 204)


def test_only_the_owner_is_told_to_be_one(page):
    assert page.of("Ada").get("/api/progress").json()["owner"] is True
    assert page.of("Bob").get("/api/progress").json()["owner"] is False


def test_the_owner_sees_who_answered_how_fast_and_how_well(tmp_path):
    names = ["Ada", "Bob", "Cem"]
    with ok.new_project(list(range(80)), path=tmp_path / "a.ofk") as project:
        for one in range(0, 78, 2):
            for name in names[:2]:
                same = one % 4 == 0
                project.tell((one, one + 1), 1.0 if same else -1.0, name, milliseconds=2000 + one)
        with Page(project, names) as page:
            page.parts.seen.get(60)
            found = page.of("Ada").get("/api/owner").json()
    people = {one["name"]: one for one in found["people"]}
    assert list(people) == names
    assert [people[name]["answers"] for name in names] == [39, 39, 0]
    assert people["Bob"]["seconds_per_pair"] == pytest.approx(2.038, abs=0.001)
    assert people["Cem"]["last_at"] is None
    assert people["Ada"]["last_at"].endswith("Z")
    assert found["agreement"] == 1.0
    assert found["compared"] == 39
    rate = people["Ada"]["errors_on_different"]
    assert 0 <= rate["low"] <= rate["rate"] <= rate["high"] <= 1


def judged_project(tmp_path, judge=by_kind):
    """A project of 60 records, a judge that looked at all that it may, and 100 right answers."""
    project = new_judged_project(tmp_path / "a.ofk", 60)
    project.judge(judge, 900, name="<i>rule</i>", swap_share=0.1)
    for _ in range(5):
        tell_the_truth(project, 20)
    return project


@pytest.mark.slow
def test_the_owner_sees_what_judges_cost_are_worth_and_saved(tmp_path):
    with judged_project(tmp_path) as project, Page(project, ["Ada", "Bob"]) as page:
        page.parts.seen.get(60)
        found = page.of("Ada").get("/api/owner").json()
        (known,) = project.judges()
        others = page.of("Bob").get("/api/progress").text
    (judge,) = found["judges"]
    assert judge["name"] == "<i>rule</i>"
    assert (judge["scores"], judge["calls"], judge["cost"]) == (900, known.n_calls, 0.0)
    assert judge["compared"] == known.n_compared > 10
    assert judge["errors_on_different"]["rate"] == 0
    assert judge["flips"]["rate"] == known.position.flips.rate == 0
    assert judge["in_use"] is True
    saved = found["saved"]
    assert saved["verdict"] == "estimated"
    assert saved["with_judges"]["wrong_expected"] == known.saved.with_judges.expected
    assert saved["without"]["wrong_expected"] == known.saved.without.expected
    assert saved["without"]["wrong_expected"] > 5 * saved["with_judges"]["wrong_expected"]
    assert saved["at_least"] == known.saved.at_least
    assert "rule" not in others


def test_without_judges_the_owner_sees_none(page):
    page.parts.seen.get(60)
    found = page.of("Ada").get("/api/owner").json()
    assert (found["judges"], found["saved"]) == ([], None)


def test_somebody_is_invited_while_it_runs_and_let_out_again(page):
    ada = page.of("Ada")
    link = ada.post("/api/people", json={"name": " Cem "}).json()
    assert link["name"] == "Cem"
    token = link["link"].partition("#")[2]
    assert page.client(token).get("/api/progress").json()["person"] == "Cem"
    assert ada.post("/api/people", json={"name": "Cem"}).json() == link
    assert ada.post("/api/people/revoke", json={"name": "Cem"}).status_code == 204
    assert page.client(token).get("/api/progress").status_code == 401
    assert ada.post("/api/people/revoke", json={"name": "Cem"}).status_code == 204
    other = ada.post("/api/people", json={"name": "Cem"}).json()["link"]
    assert token not in other


def test_a_cookie_of_somebody_who_was_let_out_is_worth_nothing(page):
    bob = page.browser("Bob")
    assert bob.get("/api/progress").status_code == 200
    page.of("Ada").post("/api/people/revoke", json={"name": "Bob"})
    assert bob.get("/api/progress").status_code == 401
    assert bob.post("/api/next", json={"n": 1}).status_code == 401


@pytest.mark.parametrize("name", ["", " ", "x" * 201, "a\nb", "\x1b[2J"])
def test_S18_a_name_that_cannot_be_shown_is_refused(page, name):
    found = page.of("Ada").post("/api/people", json={"name": name})
    assert found.status_code == 422
    assert len(page.access.tokens) == 2


def test_the_owner_cannot_be_let_out(page):
    found = page.of("Ada").post("/api/people/revoke", json={"name": "Ada"})
    assert found.status_code == 422
    assert "Ada" in page.access.tokens


def test_S16_the_file_of_tokens_follows_who_is_in(tmp_path):
    file = tmp_path / "tokens"
    access_from(file, ["Old"])
    access = access_from(file, ["Ada", "Bob"], owner="")
    assert list(access.tokens) == ["", "Ada", "Bob"]
    token = access.invite("Cem")
    access.revoke("Bob")
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert {line.partition(" ")[2] for line in file.read_text().splitlines()} == {"Old", "", "Ada", "Cem"}
    again = access_from(file, ["Ada", "Cem"], owner="")
    assert again.tokens["Cem"] == token
    assert again.tokens[""] == access.tokens[""]


def test_a_file_of_tokens_that_cannot_be_written_changes_nobody(tmp_path):
    file = tmp_path / "tokens"
    access = access_from(file, ["Ada"])
    file.chmod(0o644)
    with pytest.raises(InvalidInputError, match="chmod 600"):
        access.invite("Bob")
    assert list(access.tokens) == ["Ada"]


def test_with_several_people_the_owner_has_a_link_besides_theirs():
    access, address = new_access(["Ada", "Bob"], owner=""), listen(port=0)
    try:
        said = said_of(access, address)
    finally:
        address.socket.close()
    assert [line.split("  ")[0].strip() for line in said[:3]] == ["you (owner)", "Ada", "Bob"]


@pytest.mark.parametrize(
    ("people", "owner", "invited", "wanted"),
    [
        (("",), None, None, "ofakind label a.ofk"),
        (("Ada",), None, None, "ofakind label a.ofk --annotator Ada"),
        (("Ada", "Bob"), "", "Cem D", "ofakind label a.ofk --people 'Ada,Bob,Cem D'"),
    ],
)
def test_the_last_line_goes_on_with_everybody_who_is_in(people, owner, invited, wanted):
    access = new_access(people, owner)
    if invited:
        access.invite(invited)
    assert command_for(Path("a.ofk"), PageOptions(people, owner=owner), access) == wanted


# -- results -----------------------------------------------------------------------------------------------


def test_results_are_taken_away_as_csv_with_inert_cells_and_as_lines_of_json(tmp_path):
    records = [
        {"id": "=1+1", "name": "+cmd|' /C calc'!A0"},
        {"id": "b", "name": "@SUM(1)"},
        {"id": "c", "name": "x"},
    ]
    with ok.new_project(records, id="id", path=tmp_path / "a.ofk") as project:
        project.tell(("=1+1", "b"), 1.0, "=evil()")
        with Page(project) as page:
            ada = page.of("Ada")
            table = ada.get("/api/export")
            answers = ada.get("/api/export?what=answers&format=csv").text
            lines = ada.get("/api/export?what=groups&format=jsonl")
            refused = ada.get("/api/export?what=secrets")
    assert table.headers["content-type"] == "text/csv; charset=utf-8"
    assert table.headers["content-disposition"] == 'attachment; filename="groups.csv"'
    rows = list(csv.DictReader(io.StringIO(table.text.lstrip("\ufeff"))))
    assert len(rows) == 3
    for text in (table.text, answers):
        cells = [cell for row in csv.reader(io.StringIO(text.lstrip("\ufeff"))) for cell in row]
        assert not [cell for cell in cells if cell[:1] in ("=", "+", "@")]
    assert [json.loads(line)["id"] for line in lines.text.splitlines()] == ["=1+1", "b", "c"]
    assert refused.status_code == 422


# -- in a browser ------------------------------------------------------------------------------------------


def test_the_owner_invites_and_lets_out_on_the_page_and_others_do_not_see_it(chromium, path):
    with ok.open_project(path, ahead=True) as project, serving(project, ["Ada", "Bob"]) as network:
        project.tell(("a7", "b2"), 1.0, "Bob", milliseconds=4000)
        page = chromium.new_context(locale="en-GB", accept_downloads=True).new_page()
        enter(page, network.link("Ada"))
        page.get_by_role("link", name="People").click()
        expect(page.locator("tbody tr")).to_have_count(2)
        expect(page.locator("tbody tr").nth(1)).to_contain_text("4 s a pair")
        page.fill("form input", "<b>Cem</b>")
        page.keyboard.press("Enter")
        expect(page.locator("tbody tr")).to_have_count(3)
        link = page.get_by_label("link for <b>Cem</b>").input_value()
        other = chromium.new_context(locale="en-GB").new_page()
        enter(other, link)
        expect(other.locator(".person")).to_have_text("<b>Cem</b>")
        assert other.get_by_role("link", name="People").count() == 0
        other.goto(network.url + "/owner")
        expect(other.locator(".note")).to_have_text("this is for the owner of the page alone")
        page.get_by_role("button", name="revoke link of <b>Cem</b>").click()
        expect(page.locator("tbody tr")).to_have_count(2)
        other.reload()
        expect(other.locator("h1")).to_have_text("ofakind")  # the door
        with page.expect_download() as taken:
            page.get_by_role("link", name="Groups CSV").click()
        assert taken.value.suggested_filename == "groups.csv"
        page.context.close()
        other.context.close()


@pytest.mark.parametrize(
    ("locale", "words"),
    [
        ("en-GB", ("Judges", "go by it", "expected)", "an estimate by the model", "more")),
        ("de-DE", ("Gutachter", "richten sich danach", "erwartet)", "eine Schätzung des Modells", "mehr")),
    ],
)
def test_the_owner_alone_reads_of_judges_on_the_page_in_their_language(chromium, tmp_path, locale, words):
    with judged_project(tmp_path) as project, serving(project, ["Ada", "Bob"]) as network:
        context = chromium.new_context(locale=locale)
        page = context.new_page()
        enter(page, network.link("Ada"))
        enter(page, network.url + "/owner", "section:not([hidden]) tbody tr")
        section = page.locator("main section")
        expect(section.locator("th[scope=row]")).to_have_text("<i>rule</i>")
        for word in words:
            expect(section).to_contain_text(word)
        expect(section.locator(".saved-by-judges li")).to_have_count(4)
        page.set_viewport_size({"width": 360, "height": 700})
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        context.close()
        other = chromium.new_context(locale=locale).new_page()
        enter(other, network.link("Bob"))
        other.goto(network.url + "/owner")
        other.wait_for_selector(".note:not(:empty)")
        assert "rule" not in other.locator("body").inner_text()
        other.context.close()


def test_where_there_are_no_judges_the_page_does_not_speak_of_them(chromium, path):
    with ok.open_project(path, ahead=True) as project, serving(project, ["Ada"]) as network:
        page = chromium.new_context(locale="en-GB").new_page()
        enter(page, network.link("Ada"))
        enter(page, network.url + "/owner", "tbody tr")
        expect(page.get_by_role("heading", name="Judges")).to_be_hidden()
        page.context.close()
