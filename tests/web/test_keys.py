"""Other ways to answer than the usual keys: grades, keys of one's own, a finger."""

import pytest
from playwright.sync_api import expect

import ofakind as ok
from twins.pages import RECORDS, serving
from twins.tabs import Fingers, enter, press, saved, settle, two_ids, values


@pytest.fixture
def graded(chromium, tmp_path):
    """A tab of a project that asks for grades."""
    path = tmp_path / "a.ofk"
    ok.new_project(RECORDS, id="id", path=path, grades=True).close()
    with ok.open_project(path, ahead=True) as project, serving(project) as network:
        page = chromium.new_context(locale="en-GB").new_page()
        enter(page, network.link())
        yield page, project
        page.context.close()


def test_grades_are_five_buttons_and_the_keys_1_to_5(graded):
    page, project = graded
    names = page.locator(".buttons button").all_inner_texts()
    assert [name.split("\n")[-1].split(" ", 1)[-1] for name in names] == [
        "different",
        "rather different",
        "unsure",
        "rather the same",
        "the same",
    ]
    press(page, "1", "2", "3", "4", "5", "s", "6")
    settle(page, 400)
    page.get_by_role("button", name="rather different").click()
    saved(page)
    assert values(project) == [-1.0, -0.5, 0.0, 0.5, 1.0, 1.0, -0.5]


def test_digits_do_nothing_where_the_project_asks_for_no_grades(tab, served):
    press(tab, "1", "5", "s")
    saved(tab)
    assert values(served[0]) == [1.0]


# -- keys of one's own -------------------------------------------------------------------------------------


def change(tab, act, key):
    tab.get_by_role("button", name=f"change the key for “{act}”").click()
    tab.keyboard.press(key)


def test_a_key_can_be_changed_by_keyboard_alone_and_stays_so_after_a_reload(tab, served):
    press(tab, "?")
    expect(tab.locator("dialog")).to_be_visible()
    tab.locator("[data-act=same]").focus()
    tab.keyboard.press("Enter")
    tab.keyboard.press("j")
    expect(tab.locator("dialog .note")).to_have_text("J is now “same”.")
    tab.keyboard.press("Escape")
    expect(tab.locator("dialog")).to_be_hidden()
    tab.reload()
    tab.wait_for_selector(".pair")
    expect(tab.locator("button.same kbd")).to_have_text("J")
    press(tab, "s", "j", "d")
    saved(tab)
    assert values(served[0]) == [1.0, -1.0]


def test_a_key_that_is_taken_is_refused_and_escape_leaves_it_as_it_was(tab, served):
    press(tab, "?")
    change(tab, "same", "d")
    expect(tab.locator("dialog .note")).to_have_text("D is taken by “different”. Press another one, or Esc.")
    for key, words in (("3", "Digits are for grades"), ("Enter", "has a meaning already")):
        tab.keyboard.press(key)
        expect(tab.locator("dialog .note")).to_contain_text(words)
    tab.keyboard.press("Escape")
    expect(tab.locator("dialog .note")).to_have_text("Left as it was.")
    expect(tab.locator("dialog")).to_be_visible()
    tab.keyboard.press("Escape")
    press(tab, "s")
    saved(tab)
    assert values(served[0]) == [1.0]


def test_keys_can_be_put_back_and_what_a_browser_kept_wrongly_does_no_harm(tab, served):
    press(tab, "?")
    change(tab, "different", "ArrowLeft")
    expect(tab.locator("button.different kbd")).to_have_text("←")
    tab.get_by_role("button", name="restore the usual keys").click()
    expect(tab.locator("button.different kbd")).to_have_text("D")
    for kept in ('{"same":"d"}', "[1", '{"same":7,"evil":"x"}', "null"):
        tab.evaluate("kept => localStorage.setItem('ofakind-keys', kept)", kept)
        tab.reload()
        tab.wait_for_selector(".pair")
        assert tab.locator(".buttons kbd").all_inner_texts() == ["S", "Space", "D"]


# -- a finger ----------------------------------------------------------------------------------------------


@pytest.fixture
def phone(chromium, served):
    context = chromium.new_context(
        viewport={"width": 390, "height": 800}, has_touch=True, is_mobile=True, locale="en-GB"
    )
    page = context.new_page()
    enter(page, served[1].link())
    yield page
    context.close()


def test_a_finger_answers_right_left_and_up(phone, served):
    fingers = Fingers(phone)
    expect(phone.locator(".swipes")).to_have_text("← different · ↑ unsure · same →")
    for end in ((330, 300), (60, 300), (200, 150)):
        settle(phone)
        fingers.swipe((200, 300), end)
    saved(phone)
    assert values(served[0]) == [1.0, -1.0, 0.0]


def test_a_short_way_a_crooked_one_and_two_fingers_answer_nothing(phone, served):
    fingers, asked = Fingers(phone), two_ids(phone)
    for end in ((240, 300), (300, 220), (200, 420)):
        settle(phone)
        fingers.swipe((200, 300), end)
    fingers.pinch((200, 300), 30, 120)
    settle(phone)
    assert two_ids(phone) == asked
    assert values(served[0]) == []


def test_what_a_finger_would_say_is_shown_on_the_way(phone):
    fingers = Fingers(phone)
    fingers.touch("Start", (150, 300))
    fingers.touch("Move", (200, 300))
    fingers.touch("Move", (290, 300))
    expect(phone.locator(".swipe")).to_have_class("swipe right enough")
    expect(phone.locator(".swipe")).to_have_text("same")
    fingers.touch("Cancel")
    expect(phone.locator(".swipe")).to_have_class("swipe")


def test_a_page_that_must_be_scrolled_is_scrolled_by_a_finger_that_goes_up(phone, served):
    phone.set_viewport_size({"width": 390, "height": 330})
    settle(phone)
    Fingers(phone).swipe((200, 180), (200, 40))
    settle(phone)
    assert phone.evaluate("scrollY") > 20
    assert values(served[0]) == []


def test_nothing_moves_for_whoever_wants_less_motion(chromium, served):
    page = chromium.new_context(reduced_motion="reduce", has_touch=True).new_page()
    enter(page, served[1].link())
    assert page.locator(".pair").evaluate("one => getComputedStyle(one).animationName") == "none"
    fingers = Fingers(page)
    fingers.touch("Start", (150, 300))
    fingers.touch("Move", (200, 300))
    fingers.touch("Move", (290, 300))
    expect(page.locator(".swipe")).to_have_class("swipe right enough")
    assert page.locator(".place").evaluate("one => getComputedStyle(one).transform") == "none"
    page.context.close()
