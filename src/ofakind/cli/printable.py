"""Text from files and people, made safe for a terminal: what moves the cursor or hides is escaped."""

import unicodedata

HIDDEN = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}  # categories of Unicode that show nothing by themselves


def printable(text: object, *, width: int | None = None) -> str:
    r"""Return text in one line, with what is invisible escaped, cut to a width if one is given.

    >>> printable("Ann\x1b[2JLee"), printable("two\nlines"), printable("a long name", width=6)
    ('Ann\\x1b[2JLee', 'two\\nlines', 'a lon…')
    """
    shown = "".join(_shown(one) for one in str(text))
    return shown if width is None or len(shown) <= width else shown[: max(width - 1, 0)] + "…"


def _shown(one: str) -> str:
    hidden = unicodedata.category(one) in HIDDEN
    return ascii(one)[1:-1] if hidden else one
