"""Text from records and people in a page: escaped, cut, with what is invisible made visible."""

from html import escape

PICTURES_OF_CONTROLS = {code: 0x2400 + code for code in range(32) if code not in (9, 10)}
PICTURES_OF_CONTROLS |= {127: 0x2421, **dict.fromkeys(range(128, 160), 65533)}
PICTURES_OF_CONTROLS |= dict.fromkeys(range(55296, 57344), 65533)


def shown(value: object, width: int = 160) -> str:
    """Return a value as HTML that shows it and does nothing; what is missing is empty.

    It is set apart (``bdi``), so that text from right to left turns nothing else around.

    >>> shown("<b>"), shown(None), shown("a long text", 6)
    ('<bdi>&lt;b&gt;</bdi>', '', '<bdi>a lon…</bdi>')
    """
    return "" if value is None else f"<bdi>{plain(value, width)}</bdi>"


def plain(value: object, width: int = 160) -> str:
    r"""Return a value as escaped text, cut, with controls as the signs that stand for them.

    >>> plain("\x1b[2J & \0")
    '␛[2J &amp; ␀'
    """
    text = value if isinstance(value, str) else str(value)
    cut = text if len(text) <= width else text[: width - 1] + "…"
    return escape(cut.translate(PICTURES_OF_CONTROLS))
