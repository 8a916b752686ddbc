"""The curve of a report, as SVG written by hand: expected wrong pairs over answers, with what holds."""

from collections.abc import Sequence
from math import ceil, floor, log10

from ofakind.project.curve import CurvePoint
from ofakind.project.status import thin

CURVE_WIDTH, CURVE_HEIGHT = 860, 280
INNER = (64, 832, 16, 232)  # left, right, top and bottom of the plotting area
STEEP = 30.0  # times that the first number is larger than the last, from which on the axis is logarithmic
LOWEST = 0.5  # of a logarithmic axis, in pairs


class _Axes:
    """Where numbers are on the page."""

    def __init__(self, points: Sequence[CurvePoint]) -> None:
        expected = [point.expected for point in points]
        self.end = max(*(point.answers for point in points), 1)
        self.log = max(expected) > STEEP * max(expected[-1], 1.0)
        top = max(*expected, min(max(point.high for point in points), 1.6 * max(expected)), 1.0)
        self.top = 10 ** ceil(log10(top)) if self.log else top

    def x(self, answers: float) -> float:
        left, right, _, _ = INNER
        return left + (right - left) * answers / self.end

    def y(self, pairs: float) -> float:
        _, _, top, bottom = INNER
        share = min(max(pairs, 0.0), self.top) / self.top
        if self.log:
            share = log10(max(pairs, LOWEST) / LOWEST) / log10(self.top / LOWEST)
        return bottom - (bottom - top) * min(max(share, 0.0), 1.0)

    def across(self) -> list[int]:
        return round_steps(self.end)

    def upwards(self) -> list[int]:
        if not self.log:
            return round_steps(floor(self.top)) or [0]
        return [10**power for power in range(round(log10(self.top)) + 1)]


def round_steps(end: int) -> list[int]:
    """Return round numbers from 0 to at most ``end``, three to six of them where there are as many.

    >>> round_steps(120), round_steps(3)
    ([0, 50, 100], [0, 1, 2, 3])
    """
    unit = 10 ** floor(log10(max(end, 1)))
    step = next(s for s in (unit // 5, unit // 2, unit, 2 * unit) if s >= 1 and end / s < 6)
    return list(range(0, end + 1, step))


def is_steep(points: Sequence[CurvePoint]) -> bool:
    """Whether the curve falls so far that its axis is logarithmic."""
    return _Axes(points).log


def curve_chart(points: Sequence[CurvePoint]) -> str:
    """Draw the curve; with the limits of its intervals behind it, where they hold."""
    axes = _Axes(points)
    left, right, _, bottom = INNER
    size = f'viewBox="0 0 {CURVE_WIDTH} {CURVE_HEIGHT}"'
    parts = [f'<svg class="curve" {size} role="img" aria-label="expected wrong pairs">']
    for pairs in axes.upwards():
        y = axes.y(pairs)
        parts.append(f'<line class="grid" x1="{left}" x2="{right}" y1="{y:.1f}" y2="{y:.1f}"/>')
        parts.append(f'<text x="{left - 10}" y="{y + 4:.1f}" text-anchor="end">{thin(pairs)}</text>')
    for answers in axes.across():
        x = axes.x(answers)
        parts.append(f'<text x="{x:.1f}" y="{bottom + 20}" text-anchor="middle">{thin(answers)}</text>')
    middle = (left + right) / 2
    parts.append(f'<text x="{middle}" y="{bottom + 42}" text-anchor="middle">answers</text>')
    parts.append(_band(axes, [point for point in points if not point.open_ended]))
    line = " ".join(f"{axes.x(p.answers):.1f},{axes.y(p.expected):.1f}" for p in points)
    parts.append(f'<polyline class="line" points="{line}"/>')
    last = points[-1]
    parts.append(
        f'<circle class="dot" cx="{axes.x(last.answers):.1f}" cy="{axes.y(last.expected):.1f}" r="4.5"/>'
    )
    return "\n".join([*parts, "</svg>"])


def _band(axes: _Axes, points: Sequence[CurvePoint]) -> str:
    upper = [f"{axes.x(p.answers):.1f},{axes.y(p.high):.1f}" for p in points]
    lower = [f"{axes.x(p.answers):.1f},{axes.y(p.low):.1f}" for p in reversed(points)]
    return f'<polygon class="band" points="{" ".join(upper + lower)}"/>' if len(points) > 1 else ""
