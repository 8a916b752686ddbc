"""The report: it shows everything that was run, needs nothing else, and takes no text for HTML."""

import re
from html.parser import HTMLParser

import numpy as np
import pytest

from ofakind.errors import InvalidInputError
from ofakind.study.page import page, what_was_run
from twins.summary import run

VOID = {"meta", "br", "hr", "img", "link", "input"}
EVIL = "--><script>alert(1)</script>"


def study(methods=("JEIG", "Uniform"), *, oracles=("Oracle 1", "Oracle 2"), seeds=2):
    return [
        run(np.linspace(0, 0.9 - 0.1 * i, 5), method=m, oracle=o, seed=s)
        for i, m in enumerate(methods)
        for o in oracles
        for s in range(seeds)
    ]


class Reader(HTMLParser):
    """Reads a page strictly: every element is closed in its turn."""

    def __init__(self, html):
        super().__init__()
        self.open, self.seen, self.ids, self.words = [], [], [], []
        self.feed(html)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.seen.append(tag)
        self.ids += [value for name, value in attrs if name == "id"]
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.words.append(data)


@pytest.fixture(scope="module")
def html():
    manifest = {
        "ofakind": "0.1.0",
        "versions": {"numpy": "2.4"},
        "commit": None,
        "command": "ofakind study run",
    }
    return page(study(), title="A study", about="First.\n\nSecond & last.", manifest=manifest)


@pytest.mark.slow
def test_the_page_is_whole_and_has_every_part(html):
    reader = Reader(html)
    assert html.startswith("<!DOCTYPE html>")
    assert reader.seen.count("svg") == 3  # the curves with each oracle, and the seconds
    assert reader.seen.count("figcaption") == 3
    words = "".join(reader.words)
    for part in ("A study", "Second & last.", "What was run", "Who beats whom", "0.1.0", "numpy 2.4"):
        assert part in words
    assert "<p>First.</p>\n<p>Second &amp; last.</p>" in html
    assert "commit" not in words  # which is not known


def test_the_tables_are_those_of_the_terminal(html):
    assert "<th>to ARI 0.80</th>" in html
    assert re.search(
        r"<tr><td>JEIG</td><td>500 ± 0</td><td>500 ± 0</td><td>—</td><td>—</td><td>0\.\d+ ± 0\.000", html
    )
    assert html.count("<h2>Oracle 1</h2>") == html.count("<h2>Oracle 2</h2>") == 1
    assert html.count("<td>JEIG vs Uniform</td><td>+") == 4  # of each oracle, as neighbours and among all


def test_the_page_refers_to_nothing_outside(html):
    assert "://" not in html
    assert not re.search(r"\ssrc\s*=|@import|<link|<script|<iframe|<object", html)
    targets = re.findall(r'href="([^"]*)"|url\(([^)]*)\)', html)
    assert targets
    assert all((href or url).startswith("#") for href, url in targets)
    assert "default-src 'none'" in html


def test_what_a_figure_refers_to_is_in_that_figure_and_no_name_is_given_twice(html):
    ids = Reader(html).ids
    assert len(ids) == len(set(ids))
    figures = re.findall(r"<svg.*?</svg>", html, re.DOTALL)
    assert len(figures) == 3
    for figure in figures:
        wanted = set(re.findall(r'(?:href="|url\()#([^")]*)', figure))
        assert wanted
        assert wanted <= set(re.findall(r'\sid="([^"]*)"', figure))


@pytest.mark.slow
def test_no_text_is_taken_for_html():
    curves = [
        run([0.5, 0.9], method=m, dataset=f"d{EVIL}", oracle=f'o{EVIL}"', noise=0.1, seed=s)
        for m in (f"m{EVIL}", 'x" onload="alert(2)')
        for s in range(2)
    ]
    html = page(curves, title=f"t{EVIL}", about=f"a{EVIL}", manifest={f"k{EVIL}": f"v{EVIL}"})
    reader = Reader(html)
    assert "script" not in reader.seen
    assert "<script" not in html
    assert 'onload="alert' not in html
    words = "".join(reader.words)
    assert all(f"{part}{EVIL}" in words for part in "tadomkv")


@pytest.mark.slow
def test_equal_arguments_give_an_equal_page():
    assert page(study(), title="A") == page(study()[::-1], title="A")


def test_light_and_dark_are_both_provided_for(html):
    assert "color-scheme: light dark" in html
    assert "prefers-color-scheme: dark" in html


def test_what_was_run_is_counted():
    curves = [*study(), run([], dataset="zoo"), run([0.5], dataset="CIFAR10")]
    assert what_was_run(curves) == {
        "methods": "JEIG · Uniform",
        "datasets": "CIFAR10 · Ecoli · zoo",
        "oracles": "Oracle 1 · Oracle 2",
        "seeds": "2",
        "runs": "10",
        "answers": "4,100",
    }


@pytest.mark.slow
def test_a_single_run_makes_a_page_without_contests():
    html = page([run([0.5])], title="One")
    reader = Reader(html)
    assert reader.seen.count("figure") == 2
    assert "Who beats whom" not in html
    assert "Where it comes from" not in html  # nothing is known
    assert "nan" not in "".join(reader.words)


def test_no_curves_are_refused_with_words():
    with pytest.raises(InvalidInputError, match="there are no curves yet"):
        page([], title="Nothing")
