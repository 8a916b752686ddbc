"""The demo's chart, as SVG written by hand: agreement with the truth over answers bought."""

from collections.abc import Mapping, Sequence
from html import escape
from math import floor, log10

from ofakind.cli.demo.race import RaceCurve

Look = Mapping[str, str]

WIDTH, HEIGHT = 780, 432
LEFT, RIGHT, TOP, BOTTOM = 60, 640, 106, 376  # the edges of the plotting area
LABEL_GAP = 38  # between the labels at the ends of the lines
GOAL = 0.9
ROOM = 180  # for words beside a line

# Each element says itself how it looks, in attributes that every program understands: many that draw an SVG
# ignore style sheets or their variables. The one style sheet is for dark pages. The chart brings its own
# background: as a picture in a page it cannot know what is behind it.
FONT = "system-ui, 'Segoe UI', Roboto, 'DejaVu Sans', sans-serif"
LIGHT = {"paper": "#ffffff", "ink": "#1f2328", "faint": "#656d76", "grid": "#e4e7eb"}
LIGHT |= {"one": "#0a58ca", "two": "#c2570c", "three": "#6b7280"}
DARK = {"paper": "#15191f", "ink": "#e6e9ed", "faint": "#9aa4b0", "grid": "#2b323b"}
DARK |= {"one": "#7db8ff", "two": "#f2a65e", "three": "#a3adb8"}
DASHES = {"two": "7 6", "three": "1 6"}  # solid, dashed and dotted: the lines differ without colour too

HEADLINE = {"font-size": "18", "font-weight": "600", "fill": LIGHT["ink"]}
CLAIM = {"font-size": "15", "font-weight": "600", "fill": LIGHT["ink"]}
STROKES = {
    "grid": {"stroke": LIGHT["grid"]},
    "axis": {"stroke": LIGHT["faint"]},
    "drop": {"stroke": LIGHT["faint"], "stroke-dasharray": "1 4"},
}
CLASSES = ("one", "two", "three")
CHART_STYLE = f"""
@media (prefers-color-scheme: dark) {{
  .chart .paper {{ fill: {DARK["paper"]}; }}
  .chart text {{ fill: {DARK["faint"]}; }}
  .chart .title, .chart .won {{ fill: {DARK["ink"]}; }}
  .chart .grid {{ stroke: {DARK["grid"]}; }}
  .chart .axis, .chart .drop {{ stroke: {DARK["faint"]}; }}
  .chart text.one, .chart circle.one {{ fill: {DARK["one"]}; }}
  .chart text.two, .chart circle.two {{ fill: {DARK["two"]}; }}
  .chart text.three, .chart circle.three {{ fill: {DARK["three"]}; }}
  .chart polyline.one {{ stroke: {DARK["one"]}; }}
  .chart polyline.two {{ stroke: {DARK["two"]}; }}
  .chart polyline.three {{ stroke: {DARK["three"]}; }}
}}
"""


def chart(curves: Sequence[RaceCurve], title: str, subtitle: str) -> str:
    """Draw the curves; for use inside a page. A picture on its own is made by `standalone`."""
    end = max(curve.last.answers for curve in curves)
    font = attributes({"font-family": FONT, "font-size": "13"})
    parts = [
        f'<svg class="chart" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{escape(title)}"{font}>',
        f"<title>{escape(title)}</title>",
        f"<style>{CHART_STYLE}</style>",
        f'<rect class="paper" width="{WIDTH}" height="{HEIGHT}" rx="8" fill="{LIGHT["paper"]}"/>',
        text(22, 36, title, "title", look=HEADLINE),
        text(22, 58, subtitle),
        *axes(end),
        *(line(curve, name, end) for curve, name in zip(curves, CLASSES, strict=False)),
        *savings(curves, end),
        *labels(curves),
        "</svg>",
    ]
    return "\n".join(parts)


def standalone(svg: str, metadata: str = "") -> str:
    """Return the chart as a file of its own, with the numbers that it shows for programs to read."""
    size = f'xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}"'
    kept = f"<metadata>{escape(metadata)}</metadata>\n" if metadata else ""
    return svg.replace("<svg ", f"<svg {size} ", 1).replace("<style>", f"{kept}<style>", 1) + "\n"


def axes(end: int) -> list[str]:
    """Grid lines and ticks: agreement from 0 to 1, answers from 0 to the last."""
    parts = [text(LEFT - 10, TOP - 18, "ARI", anchor="end")]
    for ari in (0.0, 0.25, 0.5, 0.75, 1.0):
        parts.append(stroke((LEFT, height(ari)), (RIGHT, height(ari)), "grid" if ari else "axis"))
        parts.append(text(LEFT - 10, height(ari) + 4.5, f"{ari:.2f}", anchor="end"))
    for answers in ticks(end):
        x = across(answers, end)
        parts.append(stroke((x, BOTTOM), (x, BOTTOM + 5), "axis"))
        parts.append(text(x, BOTTOM + 21, f"{answers:,}", anchor="middle"))
    return [*parts, text((LEFT + RIGHT) / 2, BOTTOM + 43, "answers bought", anchor="middle")]


def ticks(end: int) -> list[int]:
    """Round numbers from 0 to at most ``end``, three to six of them where there are as many.

    >>> ticks(40_000), ticks(3)
    ([0, 10000, 20000, 30000, 40000], [0, 1, 2, 3])
    """
    unit = 10 ** floor(log10(max(end, 1)))
    step = next(s for s in (unit // 5, unit // 2, unit, 2 * unit) if s >= 1 and end / s < 6)
    return list(range(0, end + 1, step))


def line(curve: RaceCurve, name: str, end: int) -> str:
    """One method's curve; agreement below 0, which is chance, is drawn at 0."""
    places = " ".join(f"{across(p.answers, end):.1f},{height(max(p.ari, 0)):.1f}" for p in curve.points)
    look = {"fill": "none", "stroke": LIGHT[name], "stroke-width": "2.6", "stroke-linejoin": "round"}
    look |= {"stroke-linecap": "round"} | ({"stroke-dasharray": DASHES[name]} if name in DASHES else {})
    return f'<polyline class="{name}" points="{places}"{attributes(look)}/>'


def labels(curves: Sequence[RaceCurve]) -> list[str]:
    """Name each method and say where it ended, beside the end of its line, one above the other."""
    named = sorted(zip(curves, CLASSES, strict=False), key=lambda pair: -pair[0].last.ari)
    lowest, parts = -float(HEIGHT), []
    for place, (curve, name) in enumerate(named, start=1):
        room = BOTTOM - LABEL_GAP * (len(named) - place)  # for those that come below
        lowest = max(min(height(max(curve.last.ari, 0)), room), lowest + LABEL_GAP)
        look = {"font-size": "15", "font-weight": "600", "fill": LIGHT[name]}
        words = f"{curve.name} {curve.last.ari:.2f}"
        parts.append(text(RIGHT + 12, lowest + 4, words, f"name {name}", look=look))
        parts.append(text(RIGHT + 12, lowest + 20, curve.gloss))
    return parts


def savings(curves: Sequence[RaceCurve], end: int) -> list[str]:
    """Mark where each method first reaches the goal and, if there is room, say what the quickest saves."""
    firsts = [next((p for p in curve.points if p.ari >= GOAL), None) for curve in curves]
    parts = []
    for first, name in zip(firsts, CLASSES, strict=False):
        if first is not None:
            x, y = across(first.answers, end), height(first.ari)
            parts.append(stroke((x, y), (x, BOTTOM), "drop"))
            parts.append(f'<circle class="{name}" cx="{x:.1f}" cy="{y:.1f}" r="4.5" fill="{LIGHT[name]}"/>')
    reached = [(first.answers, c.name) for first, c in zip(firsts, curves, strict=True) if first is not None]
    return [*parts, *_saved(sorted(reached)[:2], end)]


def _saved(two: list[tuple[int, str]], end: int) -> list[str]:
    """Say what the quickest method saves against the next: to the left of its line, or between the two."""
    if len(two) < 2 or two[0][0] == two[1][0]:
        return []
    (few, _), (more, name) = two
    x, gap = across(few, end), across(more, end) - across(few, end)
    if x > LEFT + ROOM + 30:
        x, anchor = x - 30, "end"
    elif gap > ROOM:
        x, anchor = x + 18, "start"
    else:
        return []
    saved = text(x, height(GOAL) + 4, f"{1 - few / more:.0%} fewer answers", "won", anchor, look=CLAIM)
    return [saved, text(x, height(GOAL) + 21, f"to ARI {GOAL:.2f} than {name}", anchor=anchor)]


def across(answers: int, end: int) -> float:
    """Where a number of answers is on the page."""
    return LEFT + (RIGHT - LEFT) * answers / end


def height(ari: float) -> float:
    """Where an agreement is on the page."""
    return BOTTOM - (BOTTOM - TOP) * ari


def text(
    x: float, y: float, words: str, style: str = "", anchor: str = "start", *, look: Look | None = None
) -> str:
    """Words on the page; ``anchor`` says which part of them is at x, ``look`` how they differ from others."""
    place = f'class="{style}" x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"'
    return f"<text {place}{attributes(look or {'fill': LIGHT['faint']})}>{escape(words)}</text>"


def stroke(start: tuple[float, float], stop: tuple[float, float], style: str) -> str:
    """Draw a straight line."""
    (x1, y1), (x2, y2) = start, stop
    place = f'class="{style}" x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"'
    return f"<line {place}{attributes(STROKES[style])}/>"


def attributes(look: Look) -> str:
    """Write attributes as they stand in a tag.

    >>> attributes({"fill": "none", "stroke": "#000"})
    ' fill="none" stroke="#000"'
    """
    return "".join(f' {name}="{value}"' for name, value in look.items())
