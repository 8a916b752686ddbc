"""What axe-core finds on every page, light and dark: nothing."""

import pytest

import ofakind as ok
from ofakind.project.budget import SittingBudget
from twins.judged_projects import by_kind, new_judged_project, tell_the_truth
from twins.pages import RECORDS, serving
from twins.tabs import enter, png, press

LONG = "one two three " * 120
SCHEMES = ("light", "dark")


@pytest.fixture(params=SCHEMES)
def page(chromium, request):
    context = chromium.new_context(color_scheme=request.param, reduced_motion="reduce", locale="en-GB")
    page = context.new_page()
    page.set_default_timeout(120_000)
    yield page
    context.close()


@pytest.fixture
def network(path):
    with ok.open_project(path, ahead=True) as project:
        for left, right in (("a7", "b2"), ("c3", "d4"), ("e5", "f6")):
            project.tell((left, right), 1.0, "Bob", milliseconds=3000)
        with serving(project, ["Ada", "Bob"]) as network:
            yield network


def found_by(axe, page):
    """What axe-core says against a page; it comes in past the page's policy, as tools do."""
    line = page.context.new_cdp_session(page)
    line.send("Runtime.evaluate", {"expression": axe})
    found = line.send(
        "Runtime.evaluate",
        {
            "expression": "axe.run(document).then(one => JSON.stringify(one.violations.map(v => "
            "[v.id, v.help, v.nodes.map(n => n.html.slice(0, 160))])))",
            "awaitPromise": True,
        },
    )
    assert "exceptionDetails" not in found, found
    return found["result"]["value"]


def test_a_pair_and_the_dialog_with_the_keys(axe, page, network):
    enter(page, network.link())
    assert found_by(axe, page) == "[]"
    press(page, "w")
    page.wait_for_selector(".reasons p")
    assert found_by(axe, page) == "[]"
    press(page, "?")
    page.wait_for_selector("dialog[open]")
    page.locator("[data-act=same]").click()
    assert found_by(axe, page) == "[]"


def test_a_screen(axe, page, network):
    enter(page, network.link())
    page.locator("button.mode").click()
    page.wait_for_selector(".screen")
    press(page, "1")
    page.locator(".option").nth(1).focus()
    page.keyboard.press(" ")
    assert found_by(axe, page) == "[]"


def test_groups_and_one_that_is_opened(axe, page, network):
    enter(page, network.link())
    enter(page, network.url + "/groups", ".card")
    page.locator(".card input").first.check()
    page.locator(".card input").nth(1).check()
    assert found_by(axe, page) == "[]"
    page.locator(".card a").first.click()
    page.wait_for_selector(".member")
    assert found_by(axe, page) == "[]"


def test_the_map(axe, page, network):
    enter(page, network.link())
    enter(page, network.url + "/map", "canvas")
    assert found_by(axe, page) == "[]"


def test_what_the_owner_sees(axe, page, network):
    enter(page, network.link())
    enter(page, network.url + "/owner", "tbody tr")
    page.get_by_role("button", name="link for Bob").click()
    page.wait_for_selector("input[readonly]")
    assert found_by(axe, page) == "[]"


def test_what_the_owner_sees_of_judges(axe, page, tmp_path):
    with new_judged_project(tmp_path / "a.ofk", 60) as project:
        project.judge(by_kind, 900)
        tell_the_truth(project, 60)
        with serving(project) as network:
            enter(page, network.link())
            enter(page, network.url + "/owner", "section:not([hidden]) tbody tr")
            assert found_by(axe, page) == "[]"


def test_pictures_long_texts_and_grades(axe, page, tmp_path):
    (tmp_path / "photos").mkdir()
    for number in range(4):
        (tmp_path / "photos" / f"{number}.png").write_bytes(png(30, 20, lambda x, y: (x + y) % 256))
    texts = [{"id": number, "text": LONG + str(number)} for number in range(4)]
    for objects, options in ((tmp_path / "photos", {}), (texts, {"id": "id", "grades": True})):
        path = tmp_path / f"{len(options)}.ofk"
        ok.new_project(objects, path=path, **options).close()
        with ok.open_project(path, ahead=True) as project, serving(project) as network:
            enter(page, network.link())
            assert found_by(axe, page) == "[]"


def test_the_end_of_a_budget_and_the_door(axe, page, tmp_path):
    ok.new_project(RECORDS, id="id", path=tmp_path / "a.ofk").close()
    budget = SittingBudget(questions=1)
    with ok.open_project(tmp_path / "a.ofk", ahead=True) as project, serving(project, budget=budget) as net:
        enter(page, net.url, "form")
        assert found_by(axe, page) == "[]"
        enter(page, net.link())
        press(page, "s")
        page.wait_for_selector(".none-left")
        assert found_by(axe, page) == "[]"
