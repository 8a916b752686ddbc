"""Small projects: their objects, somebody who knows the truth about them, and what is refused."""

import pytest

from ofakind.project.store import ProjectFile, back_up

IDS = [f"o{number}" for number in range(12)]


def right(question):
    """What somebody says who knows the truth: every third object is of a kind."""
    left, other = (int(one[1:]) for one in (question.left_id, question.right_id))
    return 1.0 if left % 3 == other % 3 else -1.0


def refused_untouched(path, error, match):
    """Make sure that a file is neither opened nor copied, and that nothing of it is changed."""
    before, beside = path.read_bytes(), sorted(path.parent.iterdir())
    with pytest.raises(error, match=match):
        ProjectFile.open(path)
    with pytest.raises(error, match=match):
        back_up(path, path.with_name("copy"))
    assert path.read_bytes() == before
    assert sorted(path.parent.iterdir()) == beside


PLACES = [
    {"id": "a7", "name": "Joe's Diner", "city": "Rome", "stars": 3},
    {"id": "b2", "name": "Joes Diner", "city": "Rome", "stars": 3},
    {"id": "c3", "name": "The Ritz", "city": "Paris", "stars": 5},
    {"id": "d4", "name": "Ritz Hotel", "city": "Paris", "stars": 5},
    {"id": "e5", "name": "Blue Note", "city": "New York", "stars": 4},
    {"id": "f6", "name": "Joe's Diner", "city": "Roma", "stars": 2},
]
KINDS_OF_PLACES = {"a7": 0, "b2": 0, "f6": 0, "c3": 1, "d4": 1, "e5": 2}

# Text that does something where it is not shown as text: in a page, in a terminal, in a spreadsheet.
HOSTILE = [
    "<script>alert(1)</script>",
    "</title></style></script><img src=x onerror=alert(1)>",
    "&lt;b&gt; &amp; {{7*7}} ${7*7}",
    "\u202eesrever\u202c \u200b\u2066x",
    "\x1b[2J\x1b]8;;http://evil.test\x07link\x1b]8;;\x07",
    "one\rtwo\nthree\tfour\x07",
    '=HYPERLINK("http://evil.test")',
    "@SUM(1+1)|cmd",
    "half \ud800 of a pair",
    "\0NUL",
    "x" * 1_000_000,
]
SENT_BY_TERMINALS = ("\x1b", "\x07", "\r", "\0", "\u202e", "\u2066", "\u200b")  # what must not reach one


def answer_places(project, who="Ada"):
    """Tell the truth about all pairs of places but the last."""
    ids = list(KINDS_OF_PLACES)
    pairs = [(one, other) for place, one in enumerate(ids) for other in ids[:place]][:-1]
    for left, right in pairs:
        project.tell((left, right), 1.0 if KINDS_OF_PLACES[left] == KINDS_OF_PLACES[right] else -1.0, who)
    return pairs


def hostile_records():
    """Records with a hostile text in every place: id, name of a column, content."""
    rows = [{"id": text[:200], "text": text, text[:60]: text} for text in HOSTILE]
    return [{**dict.fromkeys(key for one in rows for key in one), **row} for row in rows]
