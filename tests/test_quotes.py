"""What the pages quote from commands is what these wrote; docs/quotes.toml says which number from where."""

import json
import re
import string
import tomllib
import xml.etree.ElementTree as ET
from collections import defaultdict
from html.parser import HTMLParser
from pathlib import Path

import pytest

from ofakind.cli.demo.numbers import numbers
from ofakind.cli.demo.race import Digits, RaceSettings, contestants, race

ROOT = Path(__file__).resolve().parents[1]
QUOTES = tomllib.loads((ROOT / "docs" / "quotes.toml").read_text(encoding="utf-8"))
SENTENCES = [(quote, text) for quote in QUOTES["sentences"] for text in quote["says"]]
DEMO = "docs/images/demo.svg"
METADATA = "{http://www.w3.org/2000/svg}metadata"


def read(path):
    return (ROOT / path).read_text(encoding="utf-8")


def results(path):
    """What a command wrote: a JSON file, or a picture that holds its numbers."""
    return json.loads(ET.fromstring(read(path)).findtext(METADATA) if path.endswith(".svg") else read(path))  # noqa: S314


def one_line(text):
    return " ".join(text.split())


class AsWritten(string.Formatter):
    """Writes numbers as the pages do, and nothing where there is none."""

    def format_field(self, value, spec):
        if value is None:
            return ""
        if spec in ("2", "3"):
            return f"{value:.{spec}g}" if value < 100 else f"{value:.0f}"
        if spec == "gb":
            return f"{value / 1000:.1f}"
        if spec.startswith("ms"):
            return f"{1000 * value:.{spec[2:] or 1}f}"
        return super().format_field(value, spec)


@pytest.mark.parametrize(("quote", "text"), SENTENCES, ids=[text[:40] for _, text in SENTENCES])
def test_a_sentence_has_the_numbers_of_its_result_file(quote, text):
    assert one_line(AsWritten().vformat(text, (), results(quote["from"]))) in one_line(read(quote["page"]))


@pytest.mark.parametrize("quote", QUOTES["tables"], ids=lambda quote: f"{quote['page']}, {quote['having']}")
def test_a_table_has_the_rows_of_its_result_files(quote):
    files = [results(f"benchmarks/results/{name}.json") for name in quote["from"]]
    rows = [row for file in files for row in file["rows"] if row.get(quote["having"]) is not None]
    written = [AsWritten().vformat(quote["row"], (), defaultdict(lambda: None, row, row=row)) for row in rows]
    lines = read(quote["page"]).splitlines()
    assert [row for row in written if not any(line.startswith(row) for line in lines)] == []
    assert len(written) > 1


def test_the_tables_of_the_peers_are_those_that_their_benchmark_prints(monkeypatch):
    monkeypatch.syspath_prepend(ROOT)
    from benchmarks.peers import markdown

    found, page = results("benchmarks/results/peers.json"), read("docs/benchmarks.md").splitlines()
    printed = markdown.solvers(found["solvers"]) + "\n" + markdown.strategies(found["strategies"])
    rows = [line for line in printed.splitlines() if re.match(r"\| [^-]", line)]
    assert len(rows) > 25
    assert [row for row in rows if row not in page] == []


def test_the_table_of_dedupes_questions_is_the_one_that_its_benchmark_prints(monkeypatch):
    monkeypatch.syspath_prepend(ROOT)
    from benchmarks.peers import markdown

    rows = results("benchmarks/results/dedupe_questions.json")["rows"]
    page = read("docs/benchmarks.md").splitlines()
    printed = [line for line in markdown.questions(rows).splitlines() if re.match(r"\| [^-]", line)]
    assert len(printed) > 3
    assert [row for row in printed if row not in page] == []


def test_the_tables_of_screens_are_those_that_their_benchmark_prints(monkeypatch):
    monkeypatch.syspath_prepend(ROOT)
    from benchmarks import screens

    rows = results("benchmarks/results/screens.json")["rows"]
    page = read("docs/results/screens.md").splitlines()
    printed = [line for line in screens.tables(rows).splitlines() if re.match(r"\| [^-]", line)]
    assert len(printed) > 6
    assert [row for row in printed if row not in page] == []


def test_the_table_of_ncobras_has_the_cells_of_its_result_file():
    rows = results("benchmarks/results/ncobras.json")["rows"]
    page, cells = read("docs/benchmarks.md"), [row for row in rows if row["what"] == "nCOBRAS, per question"]
    assert len(cells) == 18
    for row in cells:
        line = re.search(rf"^\| {row['answers']} \| (.+) \|$", page, re.MULTILINE)[1].split(" | ")
        gamma, ari = re.findall(r"[\d.]+", row["note"])
        cell = line[["0.0", "0.2", "0.4"].index(gamma)]
        assert cell == f"{1000 * row['ours_s']:.1f} ({ari})", (row["answers"], gamma)


# -- the report of the paper's study -----------------------------------------------------------------------


class Report(HTMLParser):
    """Reads the cells of a study's report, by the headings above: oracle, dataset, method, column."""

    def __init__(self, page):
        super().__init__()
        self.oracle = self.dataset = self.tag = ""
        self.columns, self.row, self.cells = [], [], {}
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.tag = tag
        if tag == "tr":
            self.row = []
        if tag in ("td", "th"):
            self.row.append("")

    def handle_data(self, data):
        if self.tag == "h2":
            self.oracle = data
        elif self.tag == "h3":
            self.dataset = data
        elif self.tag in ("td", "th"):
            self.row[-1] += data

    def handle_endtag(self, tag):
        if tag == "tr" and self.row[0] == "method":
            self.columns = self.row
        elif tag == "tr":
            named = zip(self.columns[1:], self.row[1:], strict=False)
            self.cells |= {(self.oracle, self.dataset, self.row[0], name): cell for name, cell in named}
        self.tag = ""


def tables(text):
    """Tables of a page, each a list of rows, with the paragraph above it."""
    for above, table in re.findall(r"([^\n]+)\n\n((?:\|.*\n)+)", text):
        yield above, [[cell.strip() for cell in line.strip("| ").split(" | ")] for line in table.splitlines()]


@pytest.mark.parametrize(
    ("oracle", "title", "column"),
    [
        ("Oracle 1, gamma 0.4", "Answers to ARI 0.95", "to ARI 0.95"),
        ("Oracle 1, gamma 0.4", "Area:", "area"),
        ("Oracle 2", "Area:", "area"),
    ],
)
def test_answers_and_areas_of_the_paper_are_those_of_its_report(oracle, title, column):
    report, page = Report(read("docs/results/paper.html")).cells, read("docs/results/README.md")
    section = next(part for part in page.split("\n## ") if part.startswith(oracle[:8]))
    (head, _, *rows) = next(rows for above, rows in tables(section) if title in above)
    assert len(rows) == 8
    for dataset, *cells in rows:
        told = [report[oracle, dataset.replace("\\", ""), method, column] for method in head[1:]]
        means = [
            "—" if "of" in cell else cell.split(" ")[0] for cell in told
        ]  # "of": not all seeds got there
        assert cells == means, dataset


# -- the demo again ----------------------------------------------------------------------------------------


@pytest.mark.slow
def test_the_demo_still_gives_the_numbers_that_the_pages_quote():
    """Ours up to ARI 0.95."""
    committed = results(DEMO)
    settings = RaceSettings(**committed["settings"])
    curves = contestants()[:1]
    for curve in race(curves, Digits.load(settings.objects, settings.seed).truth, settings):
        if curve.last.ari >= 0.95:
            break
    found = json.loads(numbers(settings, curves, (0.5, 0.8, 0.9, 0.95)))
    assert found["methods"]["ofakind"]["answers"] == committed["methods"]["ofakind"]["answers"]


def test_the_default_demo_is_the_one_that_is_quoted():
    assert RaceSettings(**results(DEMO)["settings"]) == RaceSettings.of(600, None, 0.4, 0)
