"""Text from files and people, made safe for a terminal: what moves the cursor or hides is escaped."""

import unicodedata
from shlex import quote

HIDDEN = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}  # categories of Unicode that show nothing by themselves


def printable(text: object, *, width: int | None = None) -> str:
    r"""Return text in one line, with what is invisible escaped, cut to a width if one is given.

    >>> printable("Ann\x1b[2JLee"), printable("two\nlines"), printable("a long name", width=6)
    ('Ann\\x1b[2JLee', 'two\\nlines', 'a lon…')
    """
    shown = "".join(_shown(one) for one in str(text))
    return shown if width is None or len(shown) <= width else shown[: max(width - 1, 0)] + "…"


def as_typed(path: object) -> str:
    """Return a path as somebody would type it in a command, safe to print.

    >>> as_typed("my places.ofk"), as_typed("-x.ofk")
    ("'my places.ofk'", './-x.ofk')
    """
    name = str(path)
    return printable(quote(f"./{name}" if name.startswith("-") else name))


def _shown(one: str) -> str:
    hidden = unicodedata.category(one) in HIDDEN
    return ascii(one)[1:-1] if hidden else one
