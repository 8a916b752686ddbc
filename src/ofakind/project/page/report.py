"""The whole page of a report."""

from ofakind import __version__
from ofakind.html import WITH_IMAGES, whole_page
from ofakind.project.page import parts
from ofakind.project.page.chart import curve_chart, is_steep
from ofakind.project.page.gathered import Gathered
from ofakind.project.page.judges import judge_section
from ofakind.project.page.style import REPORT_LOOK
from ofakind.project.page.text import plain, shown

MENU = {
    "progress": "Progress",
    "check": "To check by hand",
    "groups": "Groups",
    "people": "People",
    "history": "History",
}


def report_page(data: Gathered) -> str:
    """Return the page: it loads nothing, runs nothing, and shows what records hold as text.

    Its size is bounded, however large the project.
    """
    body = "\n".join(
        [
            f"<h1>{shown(data.name, 120)}</h1>",
            f"<p class=faint>{shown(data.question, 200)}</p>",
            f"<nav>{''.join(f'<a href=#{anchor}>{word}</a>' for anchor, word in MENU.items())}</nav>",
            parts.tiles(data),
            parts.remarks(data),
            _progress(data),
            "<h2 id=check>To check by hand</h2>",
            parts.by_hand(data),
            "<h2 id=groups>Groups</h2>",
            "<p>The most doubtful first. What differs from most of a group is marked.</p>",
            parts.group_cards(data),
            parts.singles(data),
            "<h2 id=people>People</h2>",
            parts.people_table(data),
            judge_section(data),
            "<h2 id=history>History</h2>",
            parts.history_table(data),
            _footer(data),
        ]
    )
    return whole_page(title=plain_title(data.name), style=REPORT_LOOK, body=body, policy=WITH_IMAGES)


def plain_title(name: str) -> str:
    """Return the title of the page, in one line."""
    return f"{name[:120]} · ofakind"


def _progress(data: Gathered) -> str:
    head = "<h2 id=progress>Progress</h2>"
    if len(data.curve) < 2:
        return f"{head}<p>The curve of expected wrong pairs begins with the next answers.</p>"
    words = "How many pairs were expected to be wrong, over answers."
    words += " The area behind the line is where the number lay, nine times in ten."
    words += " The scale is logarithmic." if is_steep(data.curve) else ""
    return f'{head}<p>{words}</p><div class="card">{curve_chart(data.curve)}</div>'


def _footer(data: Gathered) -> str:
    left_out = data.picture.left_out
    pictures = f" {left_out} pictures are not shown: too large, too many, or changed." if left_out else ""
    when = data.at.strftime("%Y-%m-%d %H:%M UTC")
    made = f"Made by ofakind {plain(__version__)} on {when}, as of event {data.status.as_of}."
    return f"<footer>{made}{pictures}</footer>"
