"""The figures: they hold the data they were given, agree with each other, and make equal files."""

import io
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from matplotlib import rc_context, rcParams
from matplotlib.colors import to_hex
from matplotlib.image import imread

from ofakind.errors import InvalidInputError, OfakindError
from ofakind.study.figures import draw_all, draw_areas, draw_curves, draw_seconds, png, save, svg
from ofakind.study.styles import KNOWN, OTHER_STYLES, Style, styles_of
from twins.summary import run

DRAWERS = [draw_curves, draw_areas, draw_seconds]


def study(methods=("Uniform", "JEIG"), *, datasets=("Ecoli",), noises=(0.4,), seeds=2):
    """Runs of different lengths; the curves of later methods are higher."""
    return [
        run(
            np.linspace(0, 0.5 + 0.1 * i, 4 + i) + 0.01 * s,
            method=m,
            dataset=d,
            oracle=f"Oracle 1, noise {g}",
            noise=g,
            seed=s,
            seconds=0.01 * 10**i,
        )
        for i, m in enumerate(methods)
        for d in datasets
        for g in noises
        for s in range(seeds)
    ]


def lines_of(axes):
    return {line.get_label(): line for line in axes.lines}


def pixels(figure):
    return imread(io.BytesIO(png(figure)))[:, :, :3]


def luminance(colour):
    """Perceived lightness of a colour, 0 to 1."""
    channels = np.array([int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)])
    return float(channels @ [0.299, 0.587, 0.114])


# -- what they show ----------------------------------------------------------------------------------------


@pytest.mark.slow
def test_each_dataset_has_a_panel_in_the_papers_order_and_each_method_a_line():
    figure = draw_curves(study(datasets=("Synthetic", "zoo", "MNIST", "CIFAR10", "Ecoli")))
    assert [a.get_title(loc="left") for a in figure.axes] == ["CIFAR10", "Ecoli", "MNIST", "Synthetic", "zoo"]
    assert all(list(lines_of(axes)) == ["JEIG", "Uniform"] for axes in figure.axes)
    (legend,) = figure.legends
    assert [words.get_text() for words in legend.get_texts()] == ["JEIG", "Uniform"]


def test_a_line_is_the_mean_over_seeds_and_goes_on_to_the_end_of_the_panel():
    curves = [
        run([0.2, 0.4], seed=0),
        run([0.4, 0.8], seed=1),
        run([0.1, 0.2, 0.3, 0.4], method="Uniform"),
    ]
    (axes,) = draw_curves(curves).axes
    jeig, uniform = lines_of(axes)["JEIG"], lines_of(axes)["Uniform"]
    assert jeig.get_xdata().tolist() == [100, 200, 400]
    assert jeig.get_ydata().tolist() == pytest.approx([0.3, 0.6, 0.6])
    assert uniform.get_xdata().tolist() == [100, 200, 300, 400]
    assert uniform.get_ydata().tolist() == pytest.approx([0.1, 0.2, 0.3, 0.4])
    assert axes.get_xlim() == (0, 400)


def test_the_band_is_the_interval_and_ends_at_1_and_a_single_seed_has_none():
    curves = [
        *(run([0.4, 0.99], seed=s) for s in (0,)),
        run([0.42, 1.0], seed=1),
        run([0.1], method="Uniform"),
    ]
    (axes,) = draw_curves(curves).axes
    (band,) = axes.collections
    corners = band.get_paths()[0].vertices
    at_100 = corners[corners[:, 0] == 100][:, 1]
    assert (at_100.min(), at_100.max()) == pytest.approx((0.41 - 0.127062, 0.41 + 0.127062), abs=1e-5)
    assert corners[:, 1].max() == 1


def test_long_curves_are_drawn_with_no_more_points_than_can_be_seen():
    (axes,) = draw_curves([run(np.linspace(0, 1, 5000))]).axes
    x = axes.lines[0].get_xdata()
    assert len(x) <= 160
    assert (x[0], x[-1]) == (100, 500_000)


def test_curves_of_several_oracles_are_not_drawn_as_one():
    with pytest.raises(InvalidInputError, match="expected one: draw each alone"):
        draw_curves(study(noises=(0.2, 0.4)))


def test_areas_stand_at_their_noise_level_and_go_up_to_one_budget():
    curves = [
        run([1.0], noise=0.0, oracle="0", seed=0),
        run([0.5, 0.6, 0.7, 0.8], noise=0.5, oracle="1", seed=0),
        run([0.1], noise=None, oracle="2"),
    ]
    (axes,) = draw_areas(curves).axes
    (line,) = (found for found in axes.lines if len(found.get_xdata()) == 2 and found.get_linestyle() == "-")
    assert line.get_xdata().tolist() == [0.0, 0.5]
    assert line.get_ydata().tolist() == pytest.approx([0.75, 0.45])
    assert [words.get_text() for words in axes.get_xticklabels()] == ["0", "0.5"]


def test_methods_stand_side_by_side_at_a_noise_level():
    (axes,) = draw_areas(study(noises=(0.2, 0.4))).axes
    places = sorted(float(container.lines[0].get_xdata()[0]) for container in axes.containers)
    assert len(set(places)) == 2
    assert places == pytest.approx([0.2, 0.2], abs=0.05)
    assert np.mean(places) == pytest.approx(0.2)


def test_areas_need_a_noise_level_and_each_level_once():
    with pytest.raises(InvalidInputError, match="no curve has a noise level"):
        draw_areas([run([0.5])])
    with pytest.raises(InvalidInputError, match="expected each level once"):
        draw_areas([run([0.5], noise=0.1, oracle="A"), run([0.5], noise=0.1, oracle="B")])


def test_bars_are_seconds_per_round_on_a_logarithmic_scale():
    (axes,) = draw_seconds(study()).axes
    assert axes.get_xscale() == "log"
    assert [bar.get_width() for bar in axes.patches] == pytest.approx([0.01, 0.1])
    assert [words.get_text() for words in axes.get_yticklabels()] == ["Uniform", "JEIG"]
    assert {words.get_text() for words in axes.texts} == {"0.010", "0.10"}
    assert [to_hex(bar.get_facecolor()) for bar in axes.patches] == [
        KNOWN[m].colour for m in ("Uniform", "JEIG")
    ]


def test_the_bars_say_of_how_many_runs_and_which_datasets_they_are():
    curves = [
        *study(datasets=("Synthetic", "Ecoli")),
        run([0.5], method="JEIG", dataset="Ecoli", oracle="Oracle 1, noise 0.4", noise=0.4, seed=9),
    ]
    counts = {method: sum(c.method == method for c in curves) for method in ("JEIG", "Uniform")}
    (axes,) = draw_seconds(curves).axes
    expected = f"n = {counts['Uniform']} to {counts['JEIG']} runs of each method: Ecoli, Synthetic"
    assert axes.get_title(loc="left") == expected
    assert f"n = {len(study()) // 2} runs of each" in draw_seconds(study()).axes[0].get_title(loc="left")


@pytest.mark.slow
def test_every_figure_of_a_study_has_a_title_and_says_how_many_runs_it_is_of():
    curves = [*study(noises=(0.2, 0.4)), run([0.3], oracle="Oracle 2")]
    seeds = len({c.seed for c in study()})
    *others, seconds = draw_all(curves)
    titles = [drawing.figure.get_suptitle() for drawing in others]
    assert titles == [
        f"Oracle 1, by noise level (n = {seeds} runs of each method on each dataset)",
        f"Oracle 1, noise 0.2 (n = {seeds} runs of each method on each dataset)",
        f"Oracle 1, noise 0.4 (n = {seeds} runs of each method on each dataset)",
        "Oracle 2 (n = 1 run of each method on each dataset)",
    ]
    assert seconds.figure.get_suptitle() == "Computing time of a round"


@pytest.mark.slow
def test_no_time_at_all_can_be_drawn():
    (axes,) = draw_seconds([run([0.5], seconds=0.0), run([0.5], seconds=0.2, method="Uniform")]).axes
    assert all(np.isfinite(bar.get_width()) and bar.get_width() > 0 for bar in axes.patches)
    assert pixels(draw_seconds([run([0.5], seconds=0.0)])).std() > 0


def test_methods_that_share_no_dataset_have_no_bars():
    with pytest.raises(InvalidInputError, match="no dataset on which all methods ran"):
        draw_seconds([run([0.5]), run([0.5], method="Uniform", dataset="Forest")])


@pytest.mark.slow
def test_all_figures_of_a_study_are_drawn_with_names_of_their_own():
    curves = [
        *study(datasets=("Synthetic", "Ecoli"), noises=(0.2, 0.4)),
        run([0.3], oracle="Oracle 2"),
        run([0.3], oracle="Oracle  2", seed=1),
    ]
    drawings = draw_all(curves)
    assert [drawing.stem for drawing in drawings] == [
        "noise-oracle-1",
        "curves-oracle-1-noise-0.2",
        "curves-oracle-1-noise-0.4",
        "curves-oracle-2",
        "curves-oracle-2-2",
        "seconds",
    ]
    assert drawings[0].caption.startswith("Oracle 1: area under the curve against the noise level")
    assert "Ecoli, Synthetic" in drawings[-1].caption
    assert len(draw_all([run([0.5]), run([0.5], method="B", dataset="Forest")])) == 1  # no times to compare


@pytest.mark.slow
@pytest.mark.parametrize(
    "form", ["Oracle 1, \N{GREEK SMALL LETTER GAMMA} = {}", "noisy({})", "{}", "noise {:.2f}!"]
)
def test_oracles_that_differ_in_their_noise_make_one_figure_of_areas(form):
    curves = [run([0.5], oracle=form.format(level), noise=level) for level in (0.0, 0.05, 1.0)]
    assert [drawing.stem.partition("-")[0] for drawing in draw_all(curves)] == [
        "noise",
        *["curves"] * 3,
        "seconds",
    ]


def test_a_greek_letter_is_spelled_in_the_name_of_a_file():
    (drawing, _) = draw_all([run([0.5], oracle="Oracle 1, \N{GREEK SMALL LETTER GAMMA} = 0.4", noise=0.4)])
    assert drawing.stem == "curves-oracle-1-gamma-0.4"


# -- styles ------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_method_has_the_same_colour_in_every_figure():
    curves = study(("Uniform", "mine", "JEIG", "other"), noises=(0.2, 0.4))
    styles = styles_of(c.method for c in curves)
    some = [c for c in curves if c.method in ("other", "JEIG")]
    one = draw_curves([c for c in some if c.noise == 0.4], styles=styles).axes[0]
    two = draw_areas(some, styles=styles).axes[0]
    three = draw_seconds(some, styles=styles).axes[0]
    for method, bar in zip(("JEIG", "other"), three.patches, strict=True):
        colours = {lines_of(one)[method].get_color(), to_hex(bar.get_facecolor())}
        colours |= {c.lines[0].get_color() for c in two.containers if c.get_label() == method}
        assert colours == {styles[method].colour}


def test_known_methods_keep_their_style_and_others_get_the_next_free():
    styles = styles_of(["jeig", "EIGO", "opt 10", "opt 9", "Uniform"])
    assert list(styles) == ["jeig", "EIGO", "Uniform", "opt 9", "opt 10"]
    assert styles["jeig"] == KNOWN["JEIG"]
    assert styles["EIGO"] == KNOWN["EIG-O"]
    assert [styles["opt 9"], styles["opt 10"]] == OTHER_STYLES[:2]
    assert len(styles_of(str(i) for i in range(100))) == 100


def test_no_two_methods_look_alike_even_in_grey():
    every = [*KNOWN.values(), *OTHER_STYLES]
    assert len({style.colour for style in KNOWN.values()}) == len(KNOWN)
    assert len({(s.dash, s.marker, round(luminance(s.colour), 2)) for s in every}) == len(every)
    assert len({s.marker for s in KNOWN.values()}) == len(KNOWN)
    by_dash = {}
    for style in KNOWN.values():
        by_dash.setdefault(style.dash, []).append(luminance(style.colour))
    for levels in by_dash.values():
        assert np.diff(sorted(levels)).min(initial=1) > 0.05


def test_our_reading_of_a_method_has_its_colour_and_another_dash():
    looks = styles_of(["Uniform, our reading", "JEIG, our reading", "JEIG", "ours", "Uniform"])
    assert list(looks) == ["ours", "JEIG", "Uniform", "JEIG, our reading", "Uniform, our reading"]
    for method in ("JEIG", "Uniform"):
        read = looks[f"{method}, our reading"]
        assert (read.colour, read.marker) == (looks[method].colour, looks[method].marker)
        assert read.dash not in {style.dash for style in (*KNOWN.values(), *OTHER_STYLES)}


def test_a_method_without_a_style_is_refused_and_not_left_out():
    with pytest.raises(InvalidInputError, match=r"no styles for \['Uniform'\]"):
        draw_curves(study(), styles={"JEIG": Style("#000000", (), "o")})


# -- files -------------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("draw", DRAWERS)
def test_a_figure_is_not_empty(draw):
    seen = pixels(draw(study()))
    assert seen.std() > 0.02
    blue = np.array([int(KNOWN["JEIG"].colour[i : i + 2], 16) / 255 for i in (1, 3, 5)])
    assert np.sum(np.abs(seen - blue).max(axis=2) < 0.02) > 100
    assert (seen[0, 0] == 1).all(), "the ground is white"


@pytest.mark.slow
@pytest.mark.parametrize("draw", DRAWERS)
def test_two_draws_make_equal_files(draw, tmp_path):
    save(draw(study()), tmp_path / "one")
    save(draw(study()[::-1]), tmp_path / "two")
    for suffix in (".svg", ".png"):
        assert (tmp_path / f"one{suffix}").read_bytes() == (tmp_path / f"two{suffix}").read_bytes()


@pytest.mark.slow
def test_writing_a_figure_again_gives_the_same():
    figure = draw_curves(study())
    first = svg(figure), png(figure)
    assert (svg(figure), png(figure)) == first


def test_files_keep_the_dots_of_their_name_and_tell_no_date(tmp_path):
    written = save(draw_curves(study()), tmp_path / "noise-0.4")
    assert [path.name for path in written] == ["noise-0.4.svg", "noise-0.4.png"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["noise-0.4.png", "noise-0.4.svg"]
    text = written[0].read_text(encoding="utf-8")
    assert "<svg" in text
    assert not any(word in text for word in ("dc:date", "dc:creator", "Matplotlib v"))


@pytest.mark.slow
def test_the_users_settings_change_nothing_and_are_not_changed():
    plain = svg(draw_curves(study()))
    with rc_context({"font.size": 30, "svg.hashsalt": "x", "axes.facecolor": "red"}):
        before = dict(rcParams)
        assert svg(draw_curves(study())) == plain
        assert dict(rcParams) == before


def test_places_are_rounded_and_nothing_else_is():
    text = svg(draw_curves(study()))
    path = next(part for part in text.split('<path d="')[1:] if "\nL " in part).partition('"')[0]
    numbers = [number for line in path.splitlines() for number in line.split()[1:]]
    assert numbers
    assert all(len(number.partition(".")[2]) <= 2 for number in numbers)
    assert "scale(0.085 -0.085)" in text  # of the letters


@pytest.mark.slow
def test_signs_of_mathematics_are_written_as_they_are():
    curves = [run([0.5], method=name, dataset="a $b$ c") for name in ("$x^2$", "_hidden", "$", "<script>")]
    figure = draw_curves(curves, title="1 $ + 1 $")
    assert len(figure.legends[0].get_texts()) == 4
    assert "<script>" not in svg(figure)
    assert pixels(draw_seconds(curves)).std() > 0


@pytest.mark.parametrize("draw", [*DRAWERS, draw_all])
def test_no_curves_are_refused_with_words(draw):
    with pytest.raises(InvalidInputError, match="there are no curves yet"):
        draw([])


@pytest.mark.slow
@pytest.mark.parametrize("draw", DRAWERS)
def test_runs_without_a_round_beside_others_can_be_drawn(draw):
    curves = [run([], noise=0.1), run([0.5], noise=0.1, seed=1), run([0.0], [0], noise=0.1, method="Uniform")]
    assert pixels(draw(curves)).std() > 0


def test_a_study_of_nothing_but_empty_runs_is_drawn_flat():
    (axes,) = draw_curves([run([]), run([], seed=1)]).axes
    assert axes.lines[0].get_ydata().tolist() == [0.0]


def test_without_matplotlib_it_is_said_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    for draw in DRAWERS:
        with pytest.raises(OfakindError, match=r"pip install ofakind\[plot\]"):
            draw(study())


@pytest.mark.slow
def test_matplotlib_is_loaded_on_first_use_and_its_state_never():
    code = """
import sys
import ofakind.study.figures as figures
assert "matplotlib" not in sys.modules
from twins.summary import run
figures.svg(figures.draw_curves([run([0.5])]))
assert "matplotlib" in sys.modules
assert "matplotlib.pyplot" not in sys.modules
"""
    subprocess.run([sys.executable, "-c", code], check=True, cwd=Path(__file__).parents[1])
