"""The chart: what is drawn where."""

import re
import xml.etree.ElementTree as ET
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ofakind.cli.demo.chart import BOTTOM, CHART_STYLE, LABEL_GAP, LEFT, RIGHT, TOP, chart, standalone, ticks
from twins.curves import curve

SVG = "{http://www.w3.org/2000/svg}"
agreements = st.lists(st.floats(-0.5, 1), min_size=1, max_size=8)


def drawn(*curves):
    return ET.fromstring(standalone(chart(curves, "A <title> & more", "a subtitle")))  # noqa: S314


def texts(root):
    return [element.text for element in root.iter(f"{SVG}text")]


def places(polyline):
    return np.array([place.split(",") for place in polyline.get("points").split()], float)


@given(st.integers(1, 10**7))
def test_ticks_are_few_evenly_spaced_from_zero_and_reach_near_the_end(end):
    marks = ticks(end)
    assert marks[0] == 0
    assert 2 <= len(marks) <= 6
    assert len(set(np.diff(marks))) == 1
    assert 0 <= end - marks[-1] < marks[1]


@given(agreements, agreements)
def test_whatever_the_curves_it_is_well_formed_and_stays_inside_the_frame(one, two):
    root = drawn(curve("JEIG", one), curve("Uniform", two))
    lines = [places(line) for line in root.findall(f"{SVG}polyline")]
    assert [len(line) for line in lines] == [len(one), len(two)]
    for x, y in np.concatenate(lines):
        assert LEFT <= x <= RIGHT
        assert TOP <= y <= BOTTOM
    assert len(root.findall(f"{SVG}circle")) == sum(max(line) >= 0.9 for line in (one, two))


@given(agreements, agreements, agreements)
def test_labels_never_overlap_and_stay_beside_the_plot(one, two, three):
    root = drawn(curve("ofakind", one), curve("JEIG", two), curve("Uniform", three))
    heights = sorted(float(t.get("y")) for t in root.iter(f"{SVG}text") if "name" in t.get("class"))
    assert len(heights) == 3
    assert min(np.diff(heights)) >= LABEL_GAP - 0.1
    assert min(heights) >= TOP
    assert max(heights) <= BOTTOM + 5


def test_a_point_is_drawn_where_its_numbers_say():
    root = drawn(curve("JEIG", [0.0, 0.5, 1.0, 1.0]))
    middle = (TOP + BOTTOM) / 2
    expected = [(0.25, BOTTOM), (0.5, middle), (0.75, TOP), (1.0, TOP)]
    np.testing.assert_allclose(
        places(root.find(f"{SVG}polyline")),
        [(LEFT + share * (RIGHT - LEFT), y) for share, y in expected],
        atol=0.1,
    )


def test_the_saving_is_said_when_both_reach_the_goal():
    words = texts(drawn(curve("JEIG", [0, 0, 0, 0, 0, 0.95, 1, 1]), curve("Uniform", [0] * 7 + [0.9])))
    assert "25% fewer answers" in words
    assert "to ARI 0.90 than Uniform" in words


def test_a_saving_early_on_is_said_between_the_two_quickest():
    curves = (curve("ofakind", [0.95] * 8), curve("JEIG", [0] * 4 + [1.0] * 4), curve("Uniform", [0.5] * 8))
    root = drawn(*curves)
    (said,) = (t for t in root.iter(f"{SVG}text") if t.text == "80% fewer answers")
    ours, theirs = (float(circle.get("cx")) for circle in root.findall(f"{SVG}circle"))
    assert ours < float(said.get("x")) < theirs - 150
    assert said.get("text-anchor") == "start"
    assert "to ARI 0.90 than JEIG" in texts(root)


def test_a_saving_that_has_no_room_is_not_said():
    words = texts(drawn(curve("ofakind", [0.95] * 8), curve("JEIG", [0] + [1.0] * 7)))
    assert not any("fewer" in word for word in words)


@pytest.mark.parametrize("other", [[0.0] * 8, [0] * 5 + [0.95] * 3])
def test_no_saving_is_said_when_there_is_none(other):
    words = texts(drawn(curve("JEIG", [0, 0, 0, 0, 0, 0.95, 1, 1]), curve("Uniform", other)))
    assert not any("fewer" in word for word in words)


def three_curves():
    return drawn(
        curve("ofakind", [0.95] * 8), curve("JEIG", [0] * 4 + [1.0] * 4), curve("Uniform", [0.5] * 8)
    )


def test_the_lines_differ_without_colour():
    dashes = [line.get("stroke-dasharray") for line in three_curves().findall(f"{SVG}polyline")]
    assert len(set(dashes)) == 3
    assert dashes[0] is None


@pytest.mark.parametrize("place", ["drawn", "docs"])
def test_a_program_that_ignores_style_sheets_draws_the_same_light_chart(place):
    docs = Path(__file__).parents[3] / "docs" / "images" / "demo.svg"
    root = three_curves() if place == "drawn" else ET.parse(docs).getroot()  # noqa: S314
    painted = {"rect": "fill", "text": "fill", "circle": "fill", "line": "stroke", "polyline": "stroke"}
    for element in root.iter():
        name = element.tag.removeprefix(SVG)
        if name in painted:
            assert re.fullmatch("#[0-9a-f]{6}", element.get(painted[name])), ET.tostring(element)
    assert all(line.get("fill") == "none" for line in root.iter(f"{SVG}polyline"))
    assert (root.get("font-size"), root.get("font-family").split(",")[0]) == ("13", "system-ui")
    # The one style sheet is for dark pages, and has no variables: some programs give up at them.
    style = root.find(f"{SVG}style").text
    assert re.fullmatch(r"\s*@media \(prefers-color-scheme: dark\) \{.*\}\s*", style, re.DOTALL)
    assert "var(" not in style


def test_everything_that_is_painted_has_a_colour_of_its_own_on_a_dark_page():
    style, root = CHART_STYLE, three_curves()
    for element in root.iter():
        name, kinds = element.tag.removeprefix(SVG), (element.get("class") or "").split()
        if name in ("rect", "text", "circle", "line", "polyline"):
            selectors = [f".chart {name}", *(f".chart .{kind}" for kind in kinds)]
            selectors += [f".chart {name}.{kind}" for kind in kinds]
            assert any(re.search(rf"{re.escape(one)}\b(?![.\w])", style) for one in selectors), selectors


def test_words_are_escaped():
    assert texts(drawn(curve("JEIG", [1.0])))[0] == "A <title> & more"
