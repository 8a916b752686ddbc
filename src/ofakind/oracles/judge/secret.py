"""A key that is never shown: wherever a server repeats it, however it is written there, it is taken out."""

import re
from dataclasses import dataclass, field

MASK = "[key]"
DEEP = 8  # backslashes before a character, at most: JSON within JSON within JSON has seven


@dataclass(frozen=True, slots=True)
class Secret:
    r"""A key, or none. Texts that may repeat it come through `hide` before they are cut or shown.

    >>> hide = Secret("sk-a/b").hide
    >>> hide(r"no sk-a/b, no sk-a\/b, no \u0073k-a\u002Fb, no sk-a%2Fb")
    'no [key], no [key], no [key], no [key]'
    """

    key: str = field(repr=False)

    def hide(self, text: str) -> str:
        """Return a text without the key: plain, with escapes as in JSON, or with percent signs."""
        return re.sub("".join(map(_written, self.key)), MASK, text) if self.key else text


NO_SECRET = Secret("")


def _written(one: str) -> str:
    """Return a pattern of all ways to write a character."""
    percent, number = f"%(?:25){{0,{DEEP}}}", f"(?i:{ord(one):02x})"
    backslash = rf"(?:\\|{percent}5[Cc])"
    plain = f"{backslash}{{0,{DEEP}}}(?:{re.escape(one)}|{percent}{number})"
    return f"(?:{plain}|{backslash}{{1,{DEEP}}}u00{number})"
