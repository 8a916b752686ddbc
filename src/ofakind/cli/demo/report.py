"""The demo's report: one HTML file that needs nothing else, with the chart, the numbers and the groups."""

import struct
import zlib
from base64 import b64encode
from dataclasses import dataclass
from datetime import UTC, datetime
from html import escape
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ofakind import __version__
from ofakind.arrays import Ints
from ofakind.cli.demo.chart import chart, standalone
from ofakind.cli.demo.numbers import numbers
from ofakind.cli.demo.race import Digits, RaceCurve, RaceSettings
from ofakind.errors import OfakindError
from ofakind.files import write_whole
from ofakind.html import WITH_IMAGES, whole_page
from ofakind.pairs import count_pairs

ARI_LEVELS = (0.5, 0.8, 0.9, 0.95)
RACE_HEADINGS = (
    "answers to ARI",
    *(f"{level:.2f}" for level in ARI_LEVELS),
    "final ARI",
    "clusters",
    "seconds",
)
SHOWN_GROUPS, SHOWN_DIGITS = 20, 20

REPORT_STYLE = """:root { --strange: #c2570c; }
body { max-width: 800px; margin: 2.5rem auto; padding: 0 1rem; color: var(--ink); background: var(--back);
  font: 16px/1.5 system-ui, "Segoe UI", Roboto, "DejaVu Sans", sans-serif; }
h1 { font-size: 1.7rem; line-height: 1.25; margin: 0 0 .6rem; }
h2 { font-size: 1.2rem; margin: 2.2rem 0 .4rem; }
p { margin: .4rem 0 1rem; }
.faint, footer { color: var(--faint); }
.chart { display: block; width: 100%; border: 1px solid var(--rule); border-radius: 8px; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
th, td { padding: .35rem .8rem .35rem 0; border-bottom: 1px solid var(--rule); }
th, td { text-align: right; white-space: nowrap; }
th { font-weight: 500; color: var(--faint); }
th:first-child, td:first-child, .groups th, .groups td { text-align: left; }
img { display: block; height: 27px; image-rendering: pixelated; mix-blend-mode: multiply; }
.strips { display: flex; gap: 9px; }
[alt=strangers] { border-bottom: 3px solid var(--strange); }
footer { margin-top: 2.5rem; font-size: .9rem; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e6e9ed; --faint: #9aa4b0; --rule: #2b323b; --back: #0d1014; }
  :root { --strange: #0d59a1; } /* before it is inverted with its image */
  img { filter: invert(1); mix-blend-mode: screen; }
}
"""


@dataclass(frozen=True, slots=True, eq=False)
class RaceOutcome:
    """What the demo was asked for and what came out, of a finished race or of one that was stopped."""

    settings: RaceSettings
    digits: Digits
    curves: list[RaceCurve]
    finished: bool


def cells(curve: RaceCurve) -> list[str]:
    """One row of the summary, under `RACE_HEADINGS`."""
    needed = [curve.needed(level) for level in ARI_LEVELS]
    reached = ["never" if answers is None else f"{answers:,}" for answers in needed]
    last = curve.last
    return [curve.name, *reached, f"{last.ari:.3f}", f"{last.k}", f"{last.seconds:.1f}"]


def verdict(outcome: RaceOutcome) -> str:
    """Say in one sentence who needed how many answers for the best agreement worth comparing."""
    chosen, others = outcome.curves[0], outcome.curves[1:]
    level = next((x for x in (0.9, 0.8, 0.5) if chosen.needed(x) is not None), None)
    mine = None if level is None else chosen.needed(level)
    if level is None or mine is None:
        return f"{chosen.name} did not reach ARI {min(ARI_LEVELS):.2f} with {chosen.last.answers:,} answers."
    first = f"It took {chosen.name} {mine:,} answers to ARI {level:.2f}"
    return ", ".join([first, *(f"{other.name} {_needed(other, level)}" for other in others)]) + "."


def _needed(curve: RaceCurve, level: float) -> str:
    answers = curve.needed(level)
    return f"over {curve.last.answers:,}" if answers is None else f"{answers:,}"


def report(outcome: RaceOutcome) -> str:
    """Return the page."""
    early = (
        "" if outcome.finished else "<p><strong>Stopped early: this is what there was by then.</strong></p>"
    )
    body = f"""<h1>Are these two of a kind?</h1>
<p>{escape(_story(outcome.settings))}</p>
{early}
<p><strong>{escape(verdict(outcome))}</strong></p>
{_drawing(outcome)}
<h2>Answers needed</h2>
<p class="faint">How many answers it took until the groups first agreed with the truth this well. The adjusted
Rand index (ARI) is 1 for perfect agreement and about 0 for chance.</p>
{_summary(outcome.curves)}
<h2>What {outcome.curves[0].name} grouped</h2>
<p class="faint">The groups it found, largest first, with some of their digits. Underlined are strangers,
which differ from most of their group.</p>
{_groups(outcome.digits, outcome.curves[0].last.labels)}
<footer>{escape(_settings(outcome.settings))}</footer>"""
    return whole_page(title="ofakind demo", style=REPORT_STYLE, body=body, policy=WITH_IMAGES)


def picture(outcome: RaceOutcome) -> str:
    """Return the chart as an SVG file that also holds its numbers."""
    return standalone(_drawing(outcome), numbers(outcome.settings, outcome.curves, ARI_LEVELS))


def write(path: Path, content: str) -> None:
    """Write a file whole or not at all."""
    try:
        write_whole(path, content.encode("utf-8"))
    except OSError as error:
        raise OfakindError(f"cannot write {path}: {error.strerror}; choose another place") from error


def _story(settings: RaceSettings) -> str:
    return (
        f"{settings.objects:,} handwritten digits are sorted without looking at them: all that is known are "
        f"answers to “are these two the same digit?”, and {settings.gamma:.0%} of the answers are random. "
        f"Of the {count_pairs(settings.objects):,} pairs each method may ask {settings.budget:,}. "
        "ofakind asks what tells it most about the groups, JEIG is the choice of the paper that ofakind "
        "implements, and Uniform asks at random. A random answer is never exactly 1 or -1: ofakind learns "
        "that from the answers, and JEIG is not told."
    )


def _settings(settings: RaceSettings) -> str:
    now = datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC")
    return (
        f"ofakind {__version__}, {now}. Again: ofakind demo --objects {settings.objects} "
        f"--budget {settings.budget} --gamma {settings.gamma:g} --seed {settings.seed}. "
        f"A round is {settings.objects:,} questions, the first at random for all methods. "
        "The digits are those of scikit-learn (UCI, 8 by 8 pixels)."
    )


def _drawing(outcome: RaceOutcome) -> str:
    title = f"Sorting {outcome.settings.objects:,} handwritten digits by asking about pairs"
    noise = f"{outcome.settings.gamma:.0%} of the answers are random"
    return chart(outcome.curves, title, f"Agreement with the truth (ARI: 1 perfect, 0 chance); {noise}")


def _summary(curves: list[RaceCurve]) -> str:
    rows = [_row("td", cells(curve)) for curve in curves]
    return _table("", _row("th", RACE_HEADINGS), rows)


def _groups(digits: Digits, labels: Ints) -> str:
    by_size = np.argsort(-np.bincount(labels), kind="stable")
    rows = [_group(digits, np.flatnonzero(labels == group)) for group in by_size[:SHOWN_GROUPS]]
    hidden = len(by_size) - len(rows)
    more = f'<p class="faint">and {hidden} smaller groups</p>' if hidden else ""
    return _table("groups", _row("th", ("objects", "mostly", "examples")), rows) + more


def _group(digits: Digits, members: Ints) -> str:
    """One row: the usual digit of a group and examples, strangers last and as frequent as in the group."""
    usual = int(np.bincount(digits.truth[members]).argmax())
    stranger = digits.truth[members] != usual
    members = members[np.argsort(stranger, kind="stable")]
    spread = np.linspace(0, len(members) - 1, min(SHOWN_DIGITS, len(members))).astype(np.int64)
    shown = members[spread]
    strange = digits.truth[shown] != usual
    strips = _strip(digits.images[shown[~strange]], f"examples of {usual}")
    if strange.any():
        strips += _strip(digits.images[shown[strange]], "strangers")
    mostly = f"{usual} ({1 - stranger.mean():.0%})"
    return _row("td", (f"{len(members):,}", mostly, f'<div class="strips">{strips}</div>'))


def _row(tag: str, values: tuple[str, ...] | list[str]) -> str:
    return "<tr>" + "".join(f"<{tag}>{value}</{tag}>" for value in values) + "</tr>"


def _table(style: str, head: str, rows: list[str]) -> str:
    return f'<div class="wide"><table class="{style}">\n' + "\n".join([head, *rows]) + "\n</table></div>"


def _strip(images: NDArray[np.float64], words: str) -> str:
    """Small images side by side, as one image inside the page."""
    framed = np.pad(images, ((0, 0), (0, 0), (0, 1)))  # (m, 8, 9): a column of paper between two digits
    ink = np.hstack(list(framed))  # (8, 9 m)
    data = b64encode(png(np.round(255 - ink * (255 / 16)).astype(np.uint8))).decode()
    return f'<img alt="{words}" src="data:image/png;base64,{data}">'


def png(grey: NDArray[np.uint8]) -> bytes:
    """Encode an image, 0 black to 255 white, as PNG."""

    def chunk(name: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))

    height, width = grey.shape
    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    rows = b"".join(b"\0" + row.tobytes() for row in grey)
    body = chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows, 9)) + chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + body
