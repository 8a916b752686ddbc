"""How methods are drawn: one colour, dash and marker for each, the same in all figures.

Methods of a family share a hue and differ in lightness, so that lines can be told apart when printed in grey.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from ofakind.study.summary import natural, plain_name


@dataclass(frozen=True, slots=True)
class Style:
    """How a method is drawn; ``dash`` is a pattern of lengths on and off, empty for a solid line."""

    colour: str
    dash: tuple[float, ...]
    marker: str
    width: float = 1.3


SOLID: tuple[float, ...] = ()
DASHED, DOTTED, MIXED, LONG = (4.0, 1.6), (1.0, 1.4), (5.0, 1.5, 1.0, 1.5), (8.0, 2.0)
SHORT = (2.2, 1.2)

# In the order of the legend.
KNOWN = {
    "ours": Style("#111111", SOLID, "*", 2.0),
    "JEIG": Style("#0b4aa2", SOLID, "o", 1.7),
    "EIG-O": Style("#c81e3a", SOLID, "s", 1.7),
    "Entropy": Style("#f08c00", SOLID, "^", 1.7),
    "MaxExp": Style("#1b6e3c", DASHED, "D"),
    "MaxMin": Style("#74bb5a", DASHED, "v"),
    "Uniform": Style("#7a7f87", DOTTED, "x", 1.6),
    "QECC": Style("#6a2c91", MIXED, "P"),
    "KC-FB": Style("#c583d6", MIXED, "X"),
    "COBRAS": Style("#7f4a12", LONG, "<"),
    "nCOBRAS": Style("#cfa468", LONG, ">"),
}
# A method whose answers we read: as the method itself, but in short dashes.
READINGS = {f"{name}, our reading": replace(style, dash=SHORT) for name, style in KNOWN.items()}
# From dark to light, for values of an option and for methods that are not in the table.
OTHER_STYLES = [
    Style(colour, dash, marker)
    for dash in (SOLID, DASHED, MIXED, DOTTED)
    for colour, marker in zip(
        ("#440f54", "#3d4e8a", "#2a788e", "#22a884", "#7ad151", "#d9c400"), "osD^vP", strict=True
    )
]
MARKER_SIZES = {"*": 7.5, "P": 5.8, "X": 5.8, "D": 3.9, "s": 4.0, "^": 5.0, "v": 5.0, "<": 5.0, ">": 5.0}

Styles = Mapping[str, Style]


def styles_of(methods: Iterable[str]) -> dict[str, Style]:
    """Return the style of each method, in the order of the legend; those not known get the next free.

    Give all methods of a study at once, and hand the result to every figure: then they agree.

    >>> list(styles_of(["mine 10", "mine 2", "Uniform", "JEIG"]))
    ['JEIG', 'Uniform', 'mine 2', 'mine 10']
    """
    known = {
        plain_name(name): (place, style) for place, (name, style) in enumerate((KNOWN | READINGS).items())
    }
    names = sorted(set(methods), key=natural)
    ours = sorted((n for n in names if plain_name(n) in known), key=lambda n: known[plain_name(n)][0])
    others = [name for name in names if plain_name(name) not in known]
    styles = {name: known[plain_name(name)][1] for name in ours}
    return styles | {name: OTHER_STYLES[i % len(OTHER_STYLES)] for i, name in enumerate(others)}


def line_options(styles: Styles, method: str) -> dict[str, Any]:
    """Return matplotlib's options of a method's line; the first of the legend lies above the others."""
    style = styles[method]
    edge = style.marker == "x"  # this marker is nothing but edge
    return {
        "label": method,
        "color": style.colour,
        "linestyle": (0, style.dash) if style.dash else "-",
        "linewidth": style.width,
        "marker": style.marker,
        "markersize": MARKER_SIZES.get(style.marker, 4.4),
        "markeredgewidth": 1.2 if edge else 0.5,
        "markeredgecolor": style.colour if edge else "white",
        "zorder": 5 - list(styles).index(method) / 100,
    }
