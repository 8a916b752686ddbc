import io
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
from matplotlib.colors import to_hex
from matplotlib.figure import Figure

from ofakind.answers import Answers
from ofakind.errors import OfakindError
from ofakind.noise import calibration_views
from ofakind.noise.calibration import Calibration, learn
from ofakind.noise.evidence import Evidence


def learned(values, *, names=None, seed=0):
    """A calibration from answers of these values to random pairs, half of which are of a kind."""
    rng = np.random.default_rng(seed)
    many = 2000
    same = rng.random(many) < 0.5
    sign = np.where(same ^ (rng.random(many) < 0.15), 1.0, -1.0)
    pairs, said = [(0, i + 1) for i in range(many)], sign * rng.choice(values, many)
    who = rng.choice(names, many) if names else None
    return learn(Evidence.of(Answers.none(many + 1).adding(pairs, said, who)), same.astype(float))


GRADED = learned(np.r_[1.0, np.linspace(0.05, 0.95, 300)])
CROWD = learned([0.0, 1.0], names=["Ada", "$5", "_x", "Ben", "Cyd", "Dee"])
PLAIN = learned([1.0])
FIXED = Calibration.fixed(2.5)
EMPTY = learn(Evidence.of(Answers.none(3)))
EVERY = {"graded": GRADED, "crowd": CROWD, "plain": PLAIN, "fixed": FIXED, "empty": EMPTY}
every = pytest.mark.parametrize("calibration", EVERY.values(), ids=EVERY.keys())


def lines(axes):
    """Lines with a dot for each kind of answer, by their colour."""
    return {to_hex(line.get_color()): line for line in axes.lines if line.get_marker() == "o"}


def words(axes):
    legend = axes.get_legend()
    return [text.get_text() for text in [*axes.texts, *(legend.get_texts() if legend else [])]]


# -- the picture -------------------------------------------------------------------------------------------


@every
def test_the_dots_are_the_log_ratios_over_the_values(calibration):
    line = lines(calibration.plot())[calibration_views.INK]
    assert line.get_xdata().tolist() == sorted(calibration.centres)
    assert line.get_ydata().tolist() == calibration.log_ratio(line.get_xdata()).tolist()


def test_bars_are_as_high_as_the_shares_of_their_kinds_and_as_wide():
    bars = GRADED.plot().patches
    heights = np.array([bar.get_height() for bar in bars])
    np.testing.assert_allclose(heights / heights.max(), GRADED.shares / GRADED.shares.max())
    for bar, centre in zip(bars, GRADED.centres, strict=True):
        assert bar.get_x() <= centre <= bar.get_x() + bar.get_width()


def test_values_that_share_a_range_share_a_stroke():
    (strokes,) = GRADED.plot().collections
    segments = np.array(strokes.get_segments())  # (ranges, 2, 2)
    assert len(segments) == len(GRADED.bins) - len(GRADED.bins.atoms)
    for (left, height), (right, _) in segments:
        inside = np.linspace(left + 1e-9, right - 1e-9, 7)
        np.testing.assert_allclose(GRADED.log_ratio(inside[~np.isin(inside, GRADED.bins.atoms)]), height)
    assert not PLAIN.plot().collections


def test_the_shares_are_written_where_they_are_few():
    assert [f"{share:.0%}" for share in PLAIN.shares] == words(PLAIN.plot())[:2]
    many = learned(np.arange(1, 10) / 10)
    assert len(many.bins) > calibration_views.LABELLED
    assert len(words(many.plot())) == 1


def test_how_often_answers_are_wrong_is_written():
    missed, mistaken = PLAIN.error_rates()
    assert f"wrong if same, if different:\n{missed:.1%}, {mistaken:.1%}" in words(PLAIN.plot())


def test_those_annotators_that_differ_most_have_a_colour_and_all_others_are_grey():
    axes = CROWD.plot()
    ratios = CROWD.log_ratios()
    distance = np.abs(ratios[1:] - ratios[0]) @ CROWD.shares
    expected = [CROWD.annotators[row] for row in np.argsort(-distance)[:4]]
    for colour, name in zip(calibration_views.COLOURS, expected, strict=True):
        line = lines(axes)[colour]
        assert line.get_ydata().tolist() == CROWD.log_ratio(line.get_xdata(), name).tolist()
    grey = [
        line
        for line in axes.lines
        if to_hex(line.get_color()) == calibration_views.PALE and len(line.get_xdata())
    ]
    assert len(grey) == 2
    texts = words(axes)[-6:]
    assert texts[0].endswith("anybody")
    assert texts[-1] == "2 more"
    for name, text in zip(expected, texts[1:5], strict=True):
        missed, mistaken = CROWD.error_rates(name)
        escaped = name.replace("$", r"\$")
        assert text == f"{missed:.1%}, {mistaken:.1%}  {escaped}"


@pytest.mark.slow
@every
def test_everything_can_be_painted_and_fits(calibration):
    axes = calibration.plot()
    axes.figure.savefig(io.BytesIO(), format="png")
    low, high = axes.get_ylim()
    for line in lines(axes).values():
        assert low < line.get_ydata().min() <= line.get_ydata().max() < high


def test_given_axes_are_drawn_on():
    first, second = Figure().subplots(1, 2)
    assert PLAIN.plot(second) is second
    assert PLAIN.plot(ax=first).figure is second.figure


def test_without_matplotlib_it_is_said_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(OfakindError, match=r"pip install ofakind\[plot\]"):
        PLAIN.plot()


@pytest.mark.slow
def test_matplotlib_is_loaded_on_first_use_and_its_state_never():
    code = """
import sys
import ofakind
calibration = ofakind.Calibration.fixed(3)
print(calibration)
assert "matplotlib" not in sys.modules
calibration.plot()
assert "matplotlib" in sys.modules
assert "matplotlib.pyplot" not in sys.modules
"""
    subprocess.run([sys.executable, "-c", code], check=True)


# -- the table ---------------------------------------------------------------------------------------------


def test_the_table_says_how_often_everybody_is_wrong():
    text = str(CROWD).splitlines()
    assert len([line for line in text if "wrong about" in line]) == 1 + len(CROWD.annotators)
    missed, mistaken = CROWD.error_rates("Ada")
    assert f"Ada: wrong about {missed:.1%} of the same, {mistaken:.1%} of the others" in text


def test_of_many_annotators_the_table_names_those_who_differ_most_and_counts_the_others():
    rng, many, people = np.random.default_rng(0), 20_000, 1000
    same, who = rng.random(many) < 0.5, np.arange(many) % people
    wrong = rng.random(many) < np.where(who == 7, 0.9, 0.1)  # number 7 lies
    pairs = np.stack([np.zeros(many, int), np.arange(many) + 1], axis=1)
    answers = Answers.none(many + 1).adding(
        pairs, np.where(same ^ wrong, 1.0, -1.0), [f"p{one}" for one in who]
    )
    calibration = learn(Evidence.of(answers), same.astype(float))
    text = str(calibration).splitlines()
    assert len(text) < 15
    anybody, first, *_, last = [line for line in text if "wrong about" in line]
    assert anybody.startswith("anybody: ")
    assert first.startswith("p7: ")
    assert sum("wrong about" in line for line in text) == 1 + len(calibration_views.COLOURS) + 1
    others = [
        name for name in calibration.annotators if not any(line.startswith(f"{name}:") for line in text)
    ]
    rates = np.array([calibration.error_rates(name) for name in others])
    (low, other_low), (high, other_high) = rates.min(axis=0), rates.max(axis=0)
    more = people - len(calibration_views.COLOURS)
    assert last == (
        f"and {more} more, who differ less: wrong about {low:.1%} to {high:.1%} of "
        f"the same, {other_low:.1%} to {other_high:.1%} of the others"
    )


@pytest.mark.parametrize(
    ("people", "lines"),
    [(calibration_views.LISTED, calibration_views.LISTED), (calibration_views.LISTED + 1, 5)],
)
def test_up_to_ten_annotators_have_a_line_each(people, lines):
    text = str(learned([1.0], names=[f"p{one}" for one in range(people)])).splitlines()
    assert sum("wrong about" in line for line in text) == 1 + lines


def test_errors_are_counted_apart_for_the_two_kinds_of_pairs():
    table = np.array([[0.1, 0.2, 0.7]])
    other = np.array([[0.6, 0.35, 0.05]])
    calibration = Calibration(learned([0.0, 1.0]).bins, np.full(3, 1 / 3), table, other)
    assert calibration.error_rates() == pytest.approx((0.1, 0.05))
    assert calibration.error_rates("nobody that is known") == calibration.error_rates()
    misled = replace(calibration, misleading=(0.2, 0.0))
    assert misled.error_rates() == pytest.approx((0.8 * 0.1 + 0.2 * 0.6, 0.05))


def test_an_annotator_called_anybody_is_told_from_everybody():
    text = str(learned([1.0], names=["anybody", "Ada"])).splitlines()
    assert [line.split(":")[0] for line in text if "wrong about" in line] == ["anybody", "Ada", '"anybody"']


LONG = "https://people.example.org/annotators/" + "x" * 300 + "/0123"


def test_of_a_long_name_the_middle_is_left_out():
    calibration = learned([1.0], names=[LONG, "two\nlines"])
    assert "\nhttps://peop…xxxxxx/0123: wrong about" in str(calibration)
    assert "\ntwo lines: wrong about" in str(calibration)


@pytest.mark.slow
def test_a_long_name_leaves_room_for_the_picture():
    short, long = (learned([1.0], names=[name, "Ada"]).plot() for name in ("Ben", LONG))
    for axes in (short, long):
        axes.figure.draw_without_rendering()
    assert long.get_position().width > 0.6 * short.get_position().width
