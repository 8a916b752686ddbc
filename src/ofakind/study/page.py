"""The report of a study: one HTML page that needs nothing else, with its figures, tables and origin."""

import re
from collections.abc import Iterable, Mapping, Sequence
from html import escape

from ofakind.html import whole_page
from ofakind.study.curves import Curve
from ofakind.study.figures import Drawing, draw_all, svg
from ofakind.study.summary import checked, dataset_order, natural
from ofakind.study.table import BETTER, LEGEND, WORSE, Section, Table, one_line, sections

PAGE_STYLE = """:root { --paper: #fff; --good: #1b6e3c; --bad: #b3261e; }
body { max-width: 1040px; margin: 2.5rem auto; padding: 0 1.2rem; color: var(--ink); background: var(--back);
  font: 16px/1.5 system-ui, "Segoe UI", Roboto, "DejaVu Sans", sans-serif; }
h1 { font-size: 1.8rem; line-height: 1.25; margin: 0 0 .6rem; }
h2 { font-size: 1.35rem; margin: 2.8rem 0 .6rem; }
h3 { font-size: 1.05rem; margin: 2rem 0 .1rem; }
p { margin: .3rem 0 .8rem; max-width: 46rem; }
.faint, figcaption, footer, ul { color: var(--faint); font-size: .92rem; }
figure { margin: 1.4rem 0; padding: 1rem; background: var(--paper); border: 1px solid var(--rule);
  border-radius: 8px; }
figure svg { display: block; width: 100%; height: auto; margin: 0 auto; }
figcaption { margin-top: .8rem; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: .3rem 0 .3rem 1.6rem; border-bottom: 1px solid var(--rule); text-align: right;
  white-space: nowrap; }
th { font-weight: 500; color: var(--faint); }
th:first-child, td:first-child { padding-left: 0; text-align: left; }
.matrix th, .matrix td { padding-left: .9rem; text-align: center; }
.matrix th:first-child, .matrix td:first-child { padding-left: 0; text-align: left; }
.numbers th:not(:first-child) { min-width: 7rem; }
.numbers th:first-child { min-width: 6rem; }
.entries td { white-space: normal; overflow-wrap: anywhere; text-align: left; vertical-align: top; }
.entries td:first-child { color: var(--faint); white-space: nowrap; }
summary { margin: 1.2rem 0; color: var(--faint); cursor: pointer; }
.good { color: var(--good); font-weight: 600; }
.bad { color: var(--bad); }
ul { padding-left: 1.2rem; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e6e9ed; --faint: #9aa4b0; --rule: #2b323b; --back: #0d1014; --paper: #15191f; }
  :root { --good: #7ccf96; --bad: #ff9a90; }
  figure svg { filter: invert(.9) hue-rotate(180deg); } /* dark becomes light, a hue stays what it was */
}
@media print { figure, table { break-inside: avoid; } }
"""


def page(
    curves: Iterable[Curve], *, title: str, about: str = "", manifest: Mapping[str, object] | None = None
) -> str:
    """Return the page; equal arguments give an equal page.

    ``about`` says in words what was run; ``manifest`` names versions, processor, commit and command. All
    text is shown as it is given: nothing in it is taken for HTML.
    """
    runs = checked(curves)
    drawings = "\n".join(_figure(drawing, place) for place, drawing in enumerate(draw_all(runs), start=1))
    tables = "\n".join(_section(section) for section in sections(runs))
    body = f"""<h1>{escape(one_line(title))}</h1>
{_paragraphs(about)}
{_entries("What was run", what_was_run(runs))}
{drawings}
{tables}
<h2>How to read the tables</h2>
<ul>
{_items(LEGEND)}
</ul>
{_entries("Where it comes from", manifest or {})}"""
    return whole_page(title=one_line(title), style=PAGE_STYLE, body=body)


def what_was_run(curves: Sequence[Curve]) -> dict[str, str]:
    """Say how many runs there are, and of what."""
    answers = sum(int(curve.answers[-1]) for curve in curves if len(curve.answers))
    names = {
        "methods": sorted({curve.method for curve in curves}, key=natural),
        "datasets": sorted({curve.dataset for curve in curves}, key=dataset_order),
        "oracles": sorted({curve.oracle for curve in curves}, key=natural),
    }
    return {
        **{kind: " · ".join(map(one_line, found)) for kind, found in names.items()},
        "seeds": f"{len({curve.seed for curve in curves}):,}",
        "runs": f"{len(curves):,}",
        "answers": f"{answers:,}",
    }


def _figure(drawing: Drawing, place: int) -> str:
    caption = escape(drawing.caption)
    return f"<figure>\n{_inline(drawing, place)}<figcaption>Figure {place}. {caption}</figcaption>\n</figure>"


def _inline(drawing: Drawing, place: int) -> str:
    """Return the figure as an element of a page: without a head of its own, its names made its own."""
    text = svg(drawing.figure, background="none")
    text = re.sub(
        r"(<metadata>.*?</metadata>|<!--.*?-->)\s*", "", text[text.index("<svg") :], flags=re.DOTALL
    )
    text = re.sub(r'\sxmlns(:\w+)?="[^"]*"', "", text)  # HTML knows what an svg element is
    text = re.sub(r'(\sid="|href="#|url\(#)', rf"\g<1>f{place}-", text)
    width = float(re.search(r'width="([\d.]+)pt"', text)[1])  # type: ignore[index]
    label = f'role="img" aria-label="{escape(drawing.caption)}" style="max-width: {width * 1.4:.0f}px"'
    return text.replace("<svg ", f"<svg {label} ", 1)


def _section(section: Section) -> str:
    parts = [f"<h2>{escape(section.title)}</h2>", *map(_table, section.tables)]
    if section.contests is not None:
        summary = "<summary>Every two methods, in numbers</summary>"
        parts.append(f"<details>{summary}\n{_table(section.contests)}\n</details>")
    return "\n".join(parts)


def _table(table: Table) -> str:
    kind = "matrix" if any(heading.strip().isdigit() for heading in table.headings) else "numbers"
    rows = [_row("th", table.headings), *(_row("td", row) for row in table.rows)]
    words = f'<h3>{escape(table.title)}</h3>\n<p class="faint">{escape(table.note)}</p>'
    return f'{words}\n<div class="wide"><table class="{kind}">\n' + "\n".join(rows) + "\n</table></div>"


def _row(tag: str, cells: Sequence[str]) -> str:
    signs = {BETTER: ' class="good"', WORSE: ' class="bad"'}
    return "<tr>" + "".join(f"<{tag}{signs.get(c, '')}>{escape(c)}</{tag}>" for c in cells) + "</tr>"


def _entries(title: str, entries: Mapping[str, object]) -> str:
    """Names and what belongs to them, a row for each; what is not known is left out."""
    rows = [_row("td", (name, _words(value))) for name, value in entries.items() if value is not None]
    if not rows:
        return ""
    return f'<h2>{title}</h2>\n<table class="entries">\n' + "\n".join(rows) + "\n</table>"


def _words(value: object) -> str:
    """Write an entry of the manifest on one line.

    >>> _words({"numpy": "2.4", "scipy": "1.17"}), _words([1, 2])
    ('numpy 2.4, scipy 1.17', '1, 2')
    """
    if isinstance(value, Mapping):
        return ", ".join(f"{key} {_words(entry)}" for key, entry in value.items())
    if isinstance(value, list | tuple):
        return ", ".join(map(_words, value))
    return str(value)


def _paragraphs(words: str) -> str:
    return "\n".join(f"<p>{escape(part.strip())}</p>" for part in re.split(r"\n\s*\n", words) if part.strip())


def _items(lines: Iterable[str]) -> str:
    return "\n".join(f"<li>{escape(line)}</li>" for line in lines)
