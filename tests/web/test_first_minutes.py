"""The first five minutes of two people: an engineer with duplicate records, and somebody who sorts photos."""

import csv
import signal

import numpy as np
import pytest
from playwright.sync_api import expect
from typer.testing import CliRunner

import ofakind as ok
from ofakind.cli.demo.people import misspelt_people
from ofakind.cli.main import app
from twins.pages import Command, serving
from twins.tabs import Fingers, enter, png, press, saved, settle, two_ids, values

WATCH_SHIFTS = """() => { window.shifted = 0; new PerformanceObserver(list => {
    for (const one of list.getEntries()) window.shifted += one.hadRecentInput ? 0 : one.value;
}).observe({type: "layout-shift", buffered: true}); }"""


def run(*words):
    done = CliRunner().invoke(app, [str(word) for word in words])
    assert done.exit_code == 0, done.output
    return done.output


def test_the_data_engineer_from_a_list_to_groups(chromium, tmp_path):
    """New, label on the page by keys alone, look at doubtful groups, stop, status, export."""
    made = misspelt_people(30, 70, 3)
    source, path = tmp_path / "people.csv", tmp_path / "people.ofk"
    with source.open("w", newline="") as file:
        writer = csv.DictWriter(file, list(made.records[0]))
        writer.writeheader()
        writer.writerows(made.records)
    first = next(iter(made.records[0]))
    run("new", source, "--id", first, "-o", path, "--question", "Are these the same person?")
    truth = {str(row[first]): person for row, person in zip(made.records, made.truth, strict=True)}
    with Command(path, "--annotator", "Ada") as server:
        page = chromium.new_context(locale="en-GB").new_page()
        enter(page, server.link)
        for _ in range(12):
            left, _, right = two_ids(page).partition(" · ")
            press(page, "s" if truth[left] == truth[right] else "d")
        saved(page)
        expect(page.locator(".count")).to_have_text("12 answers")
        expect(page.locator(".standing")).to_contain_text("your pace")
        page.get_by_role("link", name="Groups").click()
        page.wait_for_selector(".card")
        page.get_by_role("link", name="Label").click()
        page.wait_for_selector(".pair")
        page.context.close()
        code, rest = server.stop()
    assert code == 128 + signal.SIGTERM
    assert "12 answers more than before; go on with: ofakind label" in rest
    assert "answers        12" in run("status", path)
    run("export", path, "-o", tmp_path / "groups.csv")
    with (tmp_path / "groups.csv").open(newline="") as file:
        assert len(list(csv.DictReader(file))) == 70


@pytest.fixture
def photos(tmp_path):
    """Pictures of stripes that are as wide or as narrow as their kind; one has a hostile name."""
    folder = tmp_path / "photos"
    folder.mkdir()
    for number in range(9):
        width = 4 + 6 * (number % 3)
        content = png(90, 60, lambda x, y, w=width, n=number: 40 * (x // w % 2) + (y + n) % 30 + 90)
        name = "<img src=x onerror=window.hit=1>.png" if number == 0 else f"{number}.png"
        (folder / name).write_bytes(content)
    return folder


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_photo_sorter_on_a_phone_answers_zooms_and_opens_a_group(chromium, photos, scheme):
    path = photos.with_name("photos.ofk")
    run("new", photos, "-o", path, "--question", "The same stripes?")
    with ok.open_project(path, ahead=True) as project, serving(project) as network:
        sort_photos(chromium, project, network, scheme)


def test_the_photo_sorter_with_real_faces(chromium, data_folder, tmp_path):
    """Some of the faces of the ORL set, in a folder as a camera leaves them."""
    folder = tmp_path / "faces"
    folder.mkdir()
    faces = np.load(data_folder / "orl_faces" / "faces.npz")["images"][:40]
    for number, face in enumerate(faces):
        content = png(*face.shape[::-1], lambda x, y, face=face: int(face[y, x]))
        (folder / f"{number:03d}.png").write_bytes(content)
    path = tmp_path / "faces.ofk"
    run("new", folder, "-o", path, "--question", "The same person?")
    with ok.open_project(path, ahead=True) as project, serving(project) as network:
        sort_photos(chromium, project, network, "light")


def rest(page):
    """Wait as long as a browser takes a tap for the end of a swipe, or for half of two taps."""
    page.wait_for_timeout(700)


def sort_photos(chromium, project, network, scheme):
    context = chromium.new_context(
        viewport={"width": 390, "height": 800},
        has_touch=True,
        is_mobile=True,
        color_scheme=scheme,
        locale="en-GB",
    )
    page = context.new_page()
    page.set_default_timeout(120_000)
    enter(page, network.link())
    page.wait_for_function("() => [...document.images].every(one => one.complete && one.naturalWidth)")
    fingers = Fingers(page)
    settle(page)
    fingers.swipe((195, 300), (330, 300))
    saved(page)
    rest(page)
    page.touchscreen.tap(100, 300)
    expect(page.locator(".pictures")).to_have_class("pictures zoomed")
    settle(page)
    fingers.swipe((80, 300), (300, 300))  # moves the picture, and answers nothing
    scales = page.locator(".frame img").evaluate_all("all => all.map(one => getComputedStyle(one).transform)")
    assert scales == [scales[0]] * 2  # both, and alike
    assert scales[0] != "none"
    rest(page)
    page.touchscreen.tap(100, 300)
    expect(page.locator(".pictures")).to_have_class("pictures")
    rest(page)
    fingers.pinch((100, 300), 20, 60)
    expect(page.locator(".pictures"), "two fingers").to_have_class("pictures zoomed")
    assert values(project) == [1.0]
    page.locator("button.different").tap()
    saved(page)
    assert values(project) == [1.0, -1.0]
    page.get_by_role("link", name="Groups").tap()
    page.wait_for_selector(".card img")
    page.locator(".card a").first.tap()
    page.wait_for_selector(".member img")
    assert page.evaluate("window.hit") is None
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    context.close()


def test_long_texts_are_folded_after_twelve_lines_and_words_that_differ_are_marked(chromium, tmp_path):
    lines = [f"line {number} of a ticket about a printer that jams" for number in range(30)]
    other = [line.replace("printer", "scanner") if "line 2 " in line else line for line in lines]
    texts = [{"id": "a", "body": "\n".join(lines)}, {"id": "b", "body": "\n".join(other)}]
    ok.new_project(texts, id="id", path=tmp_path / "a.ofk", fields=()).close()
    with ok.open_project(tmp_path / "a.ofk", ahead=True) as project, serving(project) as network:
        page = chromium.new_context(locale="en-GB").new_page()
        enter(page, network.link())
        assert sorted(page.locator("mark").all_inner_texts()) == ["printer", "scanner"]
        heights = [one.bounding_box()["height"] for one in page.locator(".value").all()]
        line = page.locator(".value").first.evaluate("one => parseFloat(getComputedStyle(one).lineHeight)")
        assert heights == pytest.approx([12 * line] * 2, abs=2)
        page.get_by_role("button", name="show all").first.click()
        heights = [one.bounding_box()["height"] for one in page.locator(".value").all()]
        assert heights == pytest.approx([30 * line] * 2, abs=2)
        page.get_by_role("button", name="show less").last.click()
        assert page.locator(".folded").count() == 2
        page.context.close()


def test_nothing_shifts_while_somebody_answers(chromium, path):
    with ok.open_project(path, ahead=True) as project, serving(project) as network:
        page = chromium.new_context(viewport={"width": 1000, "height": 700}, locale="en-GB").new_page()
        page.add_init_script(f"({WATCH_SHIFTS})()")
        enter(page, network.link())
        press(page, "s", "d", " ", "z", "d")
        saved(page)
        page.wait_for_timeout(2500)  # until progress was looked at again
        assert page.evaluate("window.shifted") < 0.1  # what is called good
        page.context.close()


def test_at_twice_the_size_everything_can_be_reached(chromium, served):
    """Half the window in pixels of the page is what 200 % leaves."""
    page = chromium.new_context(
        viewport={"width": 640, "height": 400}, device_scale_factor=2, locale="en-GB"
    ).new_page()
    for path, wanted in (("/", ".pair"), ("/groups", ".card"), ("/owner", "tbody tr")):
        enter(page, served[1].link() if path == "/" else served[1].url + path, wanted)
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.goto(served[1].url)
    page.wait_for_selector(".pair")
    for name in ("same", "unsure", "different", "undo", "keys"):
        page.get_by_role("button", name=name, exact=False).first.scroll_into_view_if_needed()
        assert page.get_by_role("button", name=name, exact=False).first.is_visible()
    page.context.close()
