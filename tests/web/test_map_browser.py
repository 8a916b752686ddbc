"""The map in a real browser: points are drawn, can be moved, pointed at, searched and opened."""

import base64

import numpy as np
import pytest
from playwright.sync_api import expect

import ofakind as ok
from twins.pages import serving
from twins.tabs import settle, until

DRAWN = "canvas[data-drawn]"
WITH_GROUPS = f"{DRAWN}:not([data-as-of='0'])"
NEXT_FRAME = "() => new Promise((go) => requestAnimationFrame(() => requestAnimationFrame(go)))"
MORE_FRAMES = "many => Number(document.querySelector('canvas').dataset.frames) > many"
PLACES = """async () => { const found = await (await fetch("/api/map")).json();
  return [found.x, found.y, found.group]; }"""
# The share of pixels of the canvas that are not its background, and how many colours cover many pixels.
LOOK = """() => { const canvas = document.querySelector("canvas");
  const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
  const found = new Map(), pixels = new Uint32Array(data.buffer);
  for (const one of pixels) found.set(one, (found.get(one) ?? 0) + 1);
  const many = [...found.values()].sort((a, b) => b - a);
  return { inked: 1 - many[0] / pixels.length, colours: many.slice(1).filter((one) => one > 40).length,
           strong: [...found.keys()].filter((one) => found.get(one) > 40 && found.get(one) < many[0]),
           paper: [...data.slice(0, 3)] }; }"""
# How many pixels of the canvas have one of these colours.
PIXELS = """(colours) => { const canvas = document.querySelector("canvas"), wanted = new Set(colours);
  const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
  return new Uint32Array(data.buffer).reduce((found, one) => found + wanted.has(one), 0); }"""
# How long the painter takes for a frame on average, and how many points it looks at, for made-up points.
PAINT = """async (n) => { const { Points, Painter, View } = await import("/static/points.js");
  const text = (array) => { let found = ""; const bytes = new Uint8Array(array.buffer);
    for (const byte of bytes) found += String.fromCharCode(byte);
    return btoa(found); };
  const x = new Float32Array(n), y = new Float32Array(n), group = new Int32Array(n);
  for (let at = 0; at < n; at += 1) { const far = 0.8 * Math.sqrt(at), turn = at * 2.39996;
    x[at] = far * Math.cos(turn); y[at] = far * Math.sin(turn); group[at] = at / 6; }
  const colour = Uint8Array.from(group, (one) => one % 8);
  const doubt = Uint8Array.from(group, (one) => (one % 5 ? 0 : 255));
  const columns = Object.entries({ x, y, group, colour, doubt }).map(([name, array]) => [name, text(array)]);
  const points = new Points({ ...Object.fromEntries(columns), doubtful_from: 77, names: [] });
  const canvas = document.createElement("canvas"); [canvas.width, canvas.height] = [1200, 800];
  const context = canvas.getContext("2d"), painter = new Painter(), view = new View();
  const palette = Array.from({ length: 8 }, (_, at) => [30 * at, 200 - 20 * at, 120]);
  painter.dress({ paper: [255, 255, 255], ink: [0, 0, 0], focus: [0, 0, 255], palette });
  Object.assign(view, { width: 1200, height: 800 }); view.fit(points.box);
  const run = (times) => { let seen = 0; const start = performance.now();
    for (let at = 0; at < times; at += 1) { view.x += 0.1; seen = painter.draw(context, points, view, null); }
    return [(performance.now() - start) / times, seen]; };
  run(3);
  const whole = run(20); view.zoom(20, 600, 400, 0); const near = run(20);
  let looked = 0; const visit = points.within.bind(points);
  points.within = (box, act) => visit(box, (at) => { looked += 1; act(at); });
  points.near(3, 3, 1);
  return { whole, near, looked }; }"""


@pytest.fixture(scope="module")
def digits(tmp_path_factory):
    from sklearn.datasets import load_digits

    path = tmp_path_factory.mktemp("map") / "digits.ofk"
    data = load_digits()
    ok.new_project([f"d{row}" for row in range(200)], path=path, vectors=data.data[:200]).close()
    return path


@pytest.fixture
def served(digits, tmp_path):
    with ok.open_project(digits, read_only=True) as project:
        project.backup(tmp_path / "digits.ofk")
    with ok.open_project(tmp_path / "digits.ofk", ahead=True) as project, serving(project) as network:
        yield project, network


def opened(chromium, network, *, until=WITH_GROUPS, **options):
    context = chromium.new_context(
        **{"viewport": {"width": 1000, "height": 700}, "locale": "en-GB", **options}
    )
    page = context.new_page()
    page.set_default_timeout(120_000)
    page.on("pageerror", lambda error: pytest.fail(str(error)))
    page.goto(network.link())
    page.wait_for_selector("#top nav")
    page.goto(f"{network.url}/map")
    page.wait_for_selector(until, timeout=180_000)  # what is compiled first may take minutes
    page.evaluate(NEXT_FRAME)
    return page


@pytest.fixture
def tab(chromium, served):
    page = opened(chromium, served[1])
    yield page
    page.context.close()


def frames(page):
    return int(page.locator("canvas").get_attribute("data-frames"))


def drawn_anew(page, act):
    before = frames(page)
    act()
    page.wait_for_function(MORE_FRAMES, arg=before)


def place_of(page, number):
    """Where an object is on the screen, from the map itself and what the page shows when it fits."""
    script = """async (number) => { const { Points, View } = await import("/static/points.js");
      const points = new Points(await (await fetch("/api/map")).json());
      const box = document.querySelector("canvas").getBoundingClientRect(), view = new View();
      Object.assign(view, { width: box.width, height: box.height });
      view.fit(points.box);
      const [x, y] = [view.toX(points.x[number]), view.toY(points.y[number])];
      return [box.left + x, box.top + y, points.group[number]]; }"""
    return page.evaluate(script, number)


def test_every_object_is_drawn_in_the_colours_of_groups(tab, served):
    found = tab.evaluate(LOOK)
    assert tab.locator("canvas").get_attribute("data-drawn") == "200"
    assert 0.02 < found["inked"] < 0.6
    assert found["colours"] >= 3
    expect(tab.locator(".map-summary")).to_contain_text("200 objects in")
    assert tab.locator("h1").inner_text() == "Map"
    assert tab.locator("nav a[aria-current]").inner_text() == "Map"


def test_who_points_at_an_object_sees_what_it_is_and_a_click_opens_its_group(tab, served):
    x, y, group = place_of(tab, 17)
    tab.mouse.move(x, y)
    expect(tab.locator(".map-card")).to_contain_text("d17")
    tab.mouse.move(5, 600)
    expect(tab.locator(".map-card")).to_be_hidden()
    tab.mouse.click(x, y)
    tab.wait_for_selector(".member")
    assert tab.url.endswith(f"/groups#{group}")
    expect(tab.locator("main")).to_contain_text("d17")


def test_a_drag_moves_the_map_and_opens_nothing_and_the_view_comes_back_after_a_visit(tab):
    before = tab.evaluate("sessionStorage.getItem('ofakind-map')")
    tab.mouse.move(500, 400)
    drawn_anew(tab, lambda: tab.mouse.wheel(0, -300))
    tab.mouse.down()
    tab.mouse.move(420, 350, steps=4)
    tab.mouse.up()
    assert tab.url.endswith("/map")
    until(tab, lambda: tab.evaluate("sessionStorage.getItem('ofakind-map')") != before)
    settle(tab)
    moved = tab.evaluate("sessionStorage.getItem('ofakind-map')")
    assert moved != before
    tab.get_by_role("link", name="Groups", exact=True).click()
    tab.wait_for_selector(".card")
    tab.go_back()
    tab.wait_for_selector(DRAWN)
    assert tab.evaluate("sessionStorage.getItem('ofakind-map')") == moved


def test_the_first_map_says_that_groups_are_still_being_computed_until_they_are(chromium, served):
    project, network = served
    with project._model.lock:  # the learner is busy
        page = opened(chromium, network, until=DRAWN)
        expect(page.locator(".map-summary")).to_contain_text("200 objects, near those like them")
        expect(page.locator(".map-summary")).to_contain_text("Groups are still being computed")
        x, y, _ = place_of(page, 17)
        page.mouse.move(x, y)
        expect(page.locator(".map-card")).to_contain_text("still being computed")
        page.mouse.click(x, y)
        assert page.url.endswith("/map")
        grey = page.evaluate(LOOK)["colours"]
    expect(page.locator(".map-summary")).to_contain_text("200 objects in")
    page.mouse.move(5, 600)
    until(page, lambda: page.evaluate(LOOK)["colours"] > grey)
    x, y, group = place_of(page, 17)  # all of it is in sight, as before
    page.mouse.click(x, y)
    page.wait_for_selector(".member")
    assert page.url.endswith(f"/groups#{group}")
    page.context.close()


def test_everything_on_the_map_can_be_done_with_the_keyboard(tab, served):
    canvas = tab.locator("canvas")
    canvas.focus()
    drawn_anew(tab, lambda: tab.keyboard.press("+"))
    drawn_anew(tab, lambda: tab.keyboard.press("+"))
    drawn_anew(tab, lambda: [tab.keyboard.press("+") for _ in range(4)])
    assert int(canvas.get_attribute("data-drawn")) < 200  # only what is in sight
    drawn_anew(tab, lambda: tab.keyboard.press("ArrowLeft"))
    drawn_anew(tab, lambda: tab.keyboard.press("0"))
    expect(canvas).to_have_attribute("data-drawn", "200")
    assert "Arrows move" in canvas.get_attribute("aria-label")
    tab.keyboard.press("n")
    expect(tab.locator(".map-card")).to_be_visible()
    expect(tab.locator("#said")).to_contain_text("belongs elsewhere")
    first = tab.locator(".map-card strong").inner_text()
    tab.keyboard.press("n")
    expect(tab.locator(".map-card strong")).not_to_have_text(first)
    tab.keyboard.press("Enter")
    tab.wait_for_selector(".member")


def test_a_search_lights_up_what_it_finds(tab):
    strong = tab.evaluate(LOOK)["strong"]
    full, before = tab.evaluate(PIXELS, strong), frames(tab)
    tab.fill("input[type=search]", "d17")
    expect(tab.locator(".find [role=status]")).to_have_text("11 found")
    tab.wait_for_function(MORE_FRAMES, arg=before)
    # 11 of 200 keep their colours, the others are faded
    until(tab, lambda: 0 < tab.evaluate(PIXELS, strong) < full / 4)
    tab.fill("input[type=search]", "")
    until(tab, lambda: tab.evaluate(PIXELS, strong) == full)


def test_after_an_answer_the_map_changes_and_the_others_keep_their_places(tab, served):
    project, _ = served
    before = columns(tab.evaluate(PLACES))
    old = tab.locator("canvas").get_attribute("data-as-of")
    labels = project.labels()
    one = "d0"
    other = next(two for two in labels if labels[two] != labels[one])
    project.pin((one, other), same=True, annotator="Ada")
    tab.wait_for_function("old => document.querySelector('canvas').dataset.asOf !== old", arg=old)

    def places():
        return columns(tab.evaluate(PLACES))

    until(tab, lambda: (kinds := places()[2])[0] == kinds[int(other[1:])])
    after = places()
    kept = before[2] == after[2]
    kept &= ~np.isin(after[2], [after[2][0], before[2][0], before[2][int(other[1:])]])
    assert np.count_nonzero(kept) > 50
    moved = np.hypot(after[0] - before[0], after[1] - before[1])[kept]
    assert np.median(moved) < 0.05 * np.ptp(before[0])


def columns(texts):
    kinds = ("<f4", "<f4", "<i4")
    return [np.frombuffer(base64.b64decode(text), kind) for text, kind in zip(texts, kinds, strict=True)]


def test_the_map_is_dark_in_the_dark_and_german_in_german(chromium, served):
    page = opened(chromium, served[1], color_scheme="dark", locale="de-AT")
    assert max(page.evaluate(LOOK)["paper"]) < 60
    expect(page.locator(".map-summary")).to_contain_text("200 Objekte")
    page.emulate_media(color_scheme="light")
    until(page, lambda: min(page.evaluate(LOOK)["paper"]) > 200)
    page.context.close()


@pytest.mark.parametrize(("width", "height"), [(320, 640), (390, 800)])
def test_the_map_fits_on_a_phone_and_a_tap_shows_the_object_with_a_link_to_its_group(
    chromium, served, width, height
):
    size = {"width": width, "height": height}
    page = opened(chromium, served[1], viewport=size, has_touch=True, device_scale_factor=2)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    box = page.locator("canvas").bounding_box()
    assert box["height"] > 200
    x, y, group = place_of(page, 17)
    page.touchscreen.tap(x, y)
    expect(page.locator(".map-card a")).to_be_visible()
    page.locator(".map-card a").tap()
    page.wait_for_selector(".member")
    assert page.url.endswith(f"/groups#{group}")
    page.context.close()


def test_a_frame_looks_at_what_is_in_sight_and_a_pointer_at_what_is_near(tab, capsys):
    """Fifty thousand points: work is counted; the time of a frame is told, not judged."""
    found = tab.evaluate(PAINT, 50_000)
    with capsys.disabled():
        print(f"\na frame of 50,000 points: {found['whole'][0]:.1f} ms; zoomed in: {found['near'][0]:.1f} ms")
    assert found["whole"][1] == 50_000
    assert found["near"][1] < 2_000
    assert 0 < found["looked"] < 60


def test_S6_names_and_records_on_the_map_are_text(chromium, tmp_path):
    hostile = "<img src=x onerror=window.hit=1>"
    records = [{"id": f"{hostile}{row}", "name": f"{hostile} {row // 2}"} for row in range(8)]
    ok.new_project(records, id="id", path=tmp_path / "a.ofk").close()
    with ok.open_project(tmp_path / "a.ofk", ahead=True) as project, serving(project) as network:
        page = opened(chromium, network)
        x, y, _ = place_of(page, 3)
        page.mouse.move(x, y)
        expect(page.locator(".map-card strong")).to_have_text(f"{hostile} 1")
        assert page.evaluate("window.hit") is None
        page.context.close()
