"""One against eight in a browser: marks, keys, undo, lost connections, and the way there and back."""

import pytest
from playwright.sync_api import expect

import ofakind as ok
from twins.pages import serving
from twins.tabs import enter, fetched, png, press, saved, settle, values

NAMES = ["Joe's Diner", "The Ritz", "Blue Note", "Adlon", "Noma", "El Bulli"]


@pytest.fixture
def path(tmp_path):
    rows = [
        {"id": f"{name[:3]}{copy}", "name": name + "s" * copy, "city": f"city {number}"}
        for number, name in enumerate(NAMES)
        for copy in range(3)
    ]
    ok.new_project(rows, id="id", path=tmp_path / "places.ofk", question="The same place?").close()
    return tmp_path / "places.ofk"


@pytest.fixture
def screen(tab):
    turn(tab)
    return tab


def turn(tab):
    tab.get_by_role("button", name="one against eight").click()
    tab.wait_for_selector(".screen")


def options(tab):
    return tab.locator(".option")


def test_digits_mark_enter_sends_all_as_one_and_undo_shows_it_again_as_it_was(screen, served):
    project, _ = served
    count = options(screen).count()
    assert 1 < count <= 8
    before = screen.locator(".screen").get_attribute("aria-label")
    press(screen, "1", "2", "1")
    assert options(screen).nth(1).get_attribute("aria-pressed") == "true"
    expect(screen.locator("button.send")).to_contain_text("send: 1 of its kind")
    press(screen, "Enter")
    saved(screen)
    wanted = [-1.0, 1.0] + [-1.0] * (count - 2)
    assert values(project) == wanted
    expect(screen.locator(".count")).to_have_text(f"{count} answers")
    press(screen, "z")
    expect(screen.locator(".asked .note")).to_have_text("Taken back. Answer again.")
    assert screen.locator(".screen").get_attribute("aria-label") == before
    assert options(screen).nth(1).get_attribute("aria-pressed") == "true"
    saved(screen)
    assert values(project) == []
    press(screen, "1", "Enter")
    saved(screen)
    assert values(project) == [1.0, *wanted[1:]]


def test_a_click_marks_space_on_a_card_is_unsure_and_escape_clears(screen, served):
    options(screen).nth(0).click()
    options(screen).nth(1).focus()
    screen.keyboard.press(" ")
    assert [options(screen).nth(at).get_attribute("aria-pressed") for at in (0, 1)] == ["true", "mixed"]
    press(screen, "Enter")  # with the focus on a card
    saved(screen)
    assert values(served[0])[:2] == [1.0, 0.0]
    press(screen, "1", "2")
    screen.keyboard.press("Escape")
    assert set(options(screen).evaluate_all("all => all.map(one => one.ariaPressed)")) == {"false"}


def test_enter_that_is_held_down_sends_one_screen(screen, served):
    count = options(screen).count()
    settle(screen)
    for _ in range(6):
        screen.keyboard.down("Enter")
        screen.wait_for_timeout(40)
    screen.keyboard.up("Enter")
    saved(screen)
    assert len(values(served[0])) == count


def test_a_reload_shows_the_same_screen_and_what_was_sent_earlier_can_be_taken_back(screen, served):
    project, _ = served
    press(screen, "1", "Enter")
    saved(screen)
    shown = screen.locator(".screen").inner_text()
    screen.reload()
    screen.wait_for_selector(".screen")
    assert screen.locator(".screen").inner_text() == shown
    press(screen, "z")
    expect(screen.locator(".asked .note")).to_have_text("Taken back. Answer again.")
    assert values(project) == []
    assert options(screen).nth(0).get_attribute("aria-pressed") == "true"


def test_what_is_sent_while_offline_is_kept_and_counted_once(screen, served):
    fetched(screen, 1, "-screens")
    count = options(screen).count()
    screen.context.set_offline(True)
    press(screen, "1", "Enter")
    expect(screen.locator(".unsaved")).to_contain_text("not saved yet: 1")
    screen.context.set_offline(False)
    saved(screen)
    assert values(served[0])[:count].count(1.0) == 1
    assert len(values(served[0])) == count


def test_somebody_would_rather_not_answer_a_screen(screen, served):
    shown = screen.locator(".screen").inner_text()
    press(screen, "k")
    saved(screen)
    screen.wait_for_selector(".screen")
    assert screen.locator(".screen").inner_text() != shown
    assert served[0].people()[0].n_skips > 0


def test_people_go_there_and_back_and_the_page_never_switches_by_itself(screen, served):
    press(screen, "1", "Enter")
    saved(screen)
    screen.get_by_role("button", name="two at a time").click()
    screen.wait_for_selector(".pair")
    press(screen, "s")
    saved(screen)
    screen.reload()
    screen.wait_for_selector(".pair")
    expect(screen.locator(".offer")).to_be_hidden()


def test_the_quicker_way_is_offered_as_a_sentence(chromium, path):
    with ok.open_project(path, ahead=True) as project:
        while min(project.speed("Ada").n_pairs, project.speed("Ada").n_screens) < 6:
            project.tell(project.ask(1, "Ada")[0], -1.0, milliseconds=60_000)
            screen = project.ask_screen(3, "Ada")
            several = len(screen.other_ids) > 1  # a screen of one is a pair
            took = 1_000 if several else 60_000
            project.tell_screen(screen, [-1.0] * len(screen.other_ids), "Ada", milliseconds=took)
        with serving(project) as network:
            page = chromium.new_context(locale="en-GB").new_page()
            enter(page, network.link())
            expect(page.locator(".offer")).to_contain_text("(1 s each) than with two at a time (60 s each)")
            assert page.locator(".pair").count() == 1
            page.locator(".offer button").click()
            page.wait_for_selector(".screen")
            expect(page.locator(".offer")).to_be_hidden()
            page.context.close()


def test_pictures_are_screens_too_and_they_fit_on_a_phone(chromium, tmp_path):
    folder = tmp_path / "photos"
    folder.mkdir()
    for number in range(10):
        content = png(40, 30, lambda x, y, number=number: (x * 3 + y * 2 + 40 * (number % 3)) % 256)
        (folder / f"<b>{number}.png").write_bytes(content)
    ok.new_project(folder, path=tmp_path / "photos.ofk").close()
    with ok.open_project(tmp_path / "photos.ofk", ahead=True) as project, serving(project) as network:
        context = chromium.new_context(
            viewport={"width": 390, "height": 800}, has_touch=True, is_mobile=True, locale="en-GB"
        )
        page = context.new_page()
        enter(page, network.link())
        turn(page)
        page.wait_for_function("() => [...document.images].every(one => one.complete && one.naturalWidth)")
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        options(page).first.tap()
        page.locator("button.send").tap()
        saved(page)
        assert values(project)[0] == 1.0
        context.close()
