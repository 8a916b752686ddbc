"""The report: everything is in it, and nothing in it does anything."""

import re
from dataclasses import replace
from datetime import UTC, datetime
from html.parser import HTMLParser

import pytest

import ofakind as ok
from ofakind.project.curve import CurvePoint
from ofakind.project.describe import GroupDescription
from ofakind.project.page.chart import curve_chart, is_steep
from ofakind.project.page.gathered import REPORT, gathered
from ofakind.project.page.report import report_page
from twins.projects import HOSTILE, IDS, hostile_records
from twins.prospects import ahead_of, said

NOW = datetime(2026, 1, 2, 3, 4, tzinfo=UTC)
EMPTY = {"meta", "img", "br", "line", "polyline", "polygon", "circle"}  # elements without an end
KNOWN = EMPTY | {
    "html",
    "head",
    "title",
    "style",
    "body",
    "h1",
    "h2",
    "h3",
    "p",
    "nav",
    "a",
    "div",
    "span",
    "b",
    "small",
}
KNOWN |= {"i", "u", "table", "tr", "th", "td", "bdi", "figure", "figcaption", "svg", "text", "footer"}


class Page(HTMLParser):
    """What a browser makes of a page: its elements with their attributes, and its text."""

    def __init__(self, page):
        super().__init__()
        self.tags, self.attributes, self.texts, self.open = [], [], [], []
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += [(tag, name, value) for name, value in attrs]
        if tag not in EMPTY:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        assert tag in EMPTY
        self.handle_starttag(tag, attrs)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open[-1:] != ["style"]:
            self.texts.append(data)


def page_of(project):
    return report_page(gathered(project, now=NOW))


def test_a_report_says_what_the_status_says_and_shows_groups_with_their_records(places):
    places.rename(places.labels()["a7"], "The diners")
    places.tell(("a7", "c3"), 1.0, "Bob")
    places.note("lunch")
    text = " ".join(Page(page_of(places)).texts)
    for words in ("places.ofk", "The same place?", "The diners", "Joes Diner", "Ritz Hotel", "Ada", "Bob"):
        assert words in text
    assert "Bob said the same" in re.sub(r"\s+", " ", text)
    assert "2026-01-02 03:04 UTC" in text
    assert "lunch" in text
    assert "6 objects came" in text


def test_a_report_says_why_it_is_not_sure_that_the_target_is_reached(places):
    found = gathered(places, now=NOW)
    found = replace(found, status=replace(found.status, lacking=0))
    correlated = said(414).without_worst_case(60)
    for limits, why in ((said(414), "not sure yet"), (correlated, "errors come together")):
        page = report_page(replace(found, prospect=ahead_of(limits, index=0.995)))
        (told,) = re.findall(r"<b>reached\?</b><small>(.*?)</small>", page)
        assert told.endswith(why)
    assert "<b>reached</b>" in report_page(replace(found, prospect=ahead_of(said(20), index=0.995)))


def test_a_page_is_whole_and_loads_nothing(places):
    page = page_of(places)
    found = Page(page)
    assert found.open == []
    assert set(found.tags) <= KNOWN
    assert "default-src 'none'" in page
    for _, name, value in found.attributes:
        assert name in ("src", "href", "alt", "class", "style", "id") or not name.startswith("on")
        assert not re.match(r"(https?:)?//", value or "")
    assert "http" not in re.sub(r'http-equiv="[^"]*"', "", page)


def test_S6_hostile_text_is_shown_as_text_and_does_nothing(tmp_path):
    with ok.new_project(
        hostile_records(), "id", path=tmp_path / "a.ofk", fields=(), question=HOSTILE[1]
    ) as project:
        ids = project.ids
        for place, text in enumerate(HOSTILE[1:], 1):
            project.tell((ids[0], ids[place]), 1.0 if place < 5 else -1.0, text[:150])
        project.note(HOSTILE[0] + HOSTILE[4])
        group = project.labels()[ids[0]]
        project.rename(group, HOSTILE[0])
        project.report(tmp_path / "a.html")
        page = (tmp_path / "a.html").read_text(encoding="utf-8")
    found = Page(page)
    assert found.open == []
    assert set(found.tags) <= KNOWN
    assert {name for _, name, _ in found.attributes if name.startswith("on")} == set()
    assert HOSTILE[0] in "".join(found.texts)
    assert HOSTILE[2] in "".join(found.texts)
    assert not any(sign in page for sign in ("\x1b", "\x07", "\0", "\r"))
    assert "x" * 200 not in page
    assert len(page) < 500_000
    assert all(page.count(f"<{tag}") == page.count(f"</{tag}>") for tag in ("bdi", "table", "td"))


def test_text_from_right_to_left_is_set_apart(tmp_path):
    with ok.new_project(
        [{"id": "a", "t": "\u202eabc"}, {"id": "b", "t": "x"}], "id", path=tmp_path / "a.ofk"
    ) as project:
        project.tell(("a", "b"), 1.0)
        page = page_of(project)
    assert "<bdi>\u202eabc</bdi>" in page
    assert page.count("\u202e") == page.count("<bdi>\u202e")


@pytest.mark.parametrize("n", [0, 1, 2])
def test_R10_a_report_of_hardly_any_objects(tmp_path, n):
    with ok.new_project(IDS[:n], path=tmp_path / "a.ofk") as project:
        page = Page(page_of(project))
    assert page.open == []
    assert "too early" in " ".join(page.texts)


def test_a_report_is_bounded_however_many_groups_there_are(places):
    data = gathered(places, now=NOW)
    large = GroupDescription(0, "many", False, "a7", ("a7",) * 5000, 0.5, 9.0)
    found = Page(report_page(replace(data, groups=[large] * 5000)))
    assert found.tags.count("h3") == REPORT.groups
    assert found.tags.count("tr") < 2000
    assert "4\u202f940 more groups" in "".join(found.texts)


def curve(*expected):
    return [CurvePoint(n, 10 * n, one, 0.0, 2 * one, 3, open_ended=False) for n, one in enumerate(expected)]


def test_a_steep_curve_has_a_logarithmic_scale_and_every_point_lies_inside():
    for points in (curve(1000.0, 100.0, 2.0), curve(9.0, 7.0, 5.0), curve(0.0, 0.0)):
        drawn = curve_chart(points)
        line = re.search(r'class="line" points="([^"]+)"', drawn)[1]
        for place in line.split():
            x, y = map(float, place.split(","))
            assert 60 <= x <= 840
            assert 10 <= y <= 240
    assert is_steep(curve(1000.0, 2.0))
    assert not is_steep(curve(9.0, 5.0))
