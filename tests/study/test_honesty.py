"""How honest the estimates were: shares, ratios and stages, against counting; tables and figures."""

from dataclasses import fields

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ofakind.errors import InvalidInputError
from ofakind.report.accuracy import accuracy
from ofakind.study.curves import Curve, Estimates
from ofakind.study.figures import svg
from ofakind.study.honesty import (
    HONESTY_LEGEND,
    STAGES,
    coverage_sections,
    estimated,
    honesty,
    honesty_sections,
)
from ofakind.study.honesty_figure import draw_all_honesty, draw_honesty
from ofakind.study.measures import compare
from ofakind.study.table import as_markdown, as_text


def curve(rows, *, dataset="iris", oracle="Oracle 1, gamma 0.4", method="ours", seed=0):
    """A run from rows of (ARI, wrong pairs, expected, low, high, expected ARI); 999 is no upper limit."""
    table = np.array(rows, np.float64).reshape(-1, 6)
    ones, ari = np.ones(len(table)), table[:, 0]
    columns = dict.fromkeys(("k", "ami", "v_measure", "pair_f1", "seconds"), ones)
    found = Estimates(*table[:, 1:].T, ones, ones, table[:, 4] == 999)
    answers = np.arange(1, len(table) + 1)
    return Curve(
        dataset, oracle, 0.4, method, seed, answers, ari=ari, **columns, estimates=found if rows else None
    )


ROWS = [
    (0.1, 500, 300, 200, 400, 0.3),  # above the interval
    (0.4, 300, 300, 200, 400, 0.4),
    (0.5, 100, 200, 150, 300, 0.4),  # below it
    (0.9, 40, 50, 40, 999, 0.9),
    (0.95, 10, 0, 0, 10, 1.0),
    (1.0, 0, 0, 0, 0, 1.0),
]


def test_shares_and_ratios_are_those_of_the_rounds_of_a_stage():
    runs = estimated([curve(ROWS)])
    early, middle, late, last, whole = (honesty(runs, least=a, below=b) for a, b in STAGES.values())
    assert (early.rounds, early.held, early.upper_held) == (2, 0.5, 0.5)
    assert early.ratio == pytest.approx(800 / 600)
    assert early.optimism == pytest.approx(0.1)
    assert (middle.rounds, middle.held, middle.upper_held) == (1, 0.0, 1.0)
    assert middle.ratio == pytest.approx(100 / 200)
    assert (late.rounds, late.held, late.upper_held) == (2, 1.0, 1.0)  # of the one with two sides
    assert late.ratio == pytest.approx(50 / 50)
    assert (last.rounds, last.held, last.upper_held, last.ratio) == (1, 1.0, 1.0, None)
    assert (whole.rounds, whole.held) == (6, 3 / 5)
    assert (early.open_ended, middle.open_ended, late.open_ended) == (0, 0, 0.5)


def test_coverage_is_that_of_all_rounds_after_the_first_a_row_for_each_dataset():
    (section,) = coverage_sections(
        [curve(ROWS), curve(ROWS[3:], dataset="zoo"), curve(ROWS[:1], dataset="x")]
    )
    (table,) = section.tables
    assert (table.title, table.note) == ("ours", "3 runs")
    assert table.rows == (
        ("iris", "5", "20%", "100%", "75%", "0.82"),
        ("zoo", "2", "0%", "100%", "100%", "—"),
        ("all datasets", "7", "14%", "100%", "83%", "0.84"),
    )


def test_where_every_interval_is_open_ended_none_is_said_to_hold():
    open_ended = honesty(estimated([curve([ROWS[3]] * 4)]))
    assert (open_ended.rounds, open_ended.open_ended) == (4, 1.0)
    assert (open_ended.held, open_ended.upper_held) == (None, None)
    (section,) = honesty_sections([curve([ROWS[3]] * 4)])
    assert section.tables[0].rows[-1][:5] == ("all rounds", "4", "100%", "—", "—")


@pytest.mark.slow
@given(
    st.lists(
        st.lists(st.tuples(*[st.integers(0, 10).map(lambda x: x / 10)] * 6), min_size=1, max_size=6),
        min_size=1,
        max_size=4,
    )
)
def test_every_round_counts_once(runs):
    found = estimated([curve(rows, seed=seed) for seed, rows in enumerate(runs)])
    stages = [honesty(found, least=a, below=b) for a, b in STAGES.values()]
    every = [row for rows in runs for row in rows]
    assert stages[-1].rounds == len(every) == sum(stage.rounds for stage in stages[:-1] if stage)
    assert stages[-1].held == pytest.approx(
        np.mean([low <= real <= high for _, real, _, low, high, _ in every])
    )
    assert stages[-1].upper_held == pytest.approx(np.mean([row[1] <= row[4] for row in every]))
    assert stages[-1].optimism == pytest.approx(np.mean([row[5] - row[0] for row in every]), abs=1e-12)


def test_there_is_a_table_for_each_oracle_method_and_dataset_and_one_for_all():
    curves = [
        *(curve(ROWS, dataset=dataset, seed=seed) for dataset in ("iris", "ecoli") for seed in (0, 1)),
        curve(ROWS[:1], dataset="iris", method="JEIG, our reading"),
        curve(ROWS, oracle="Oracle 2"),
        curve([], method="JEIG"),
    ]
    first, second = honesty_sections(curves)
    assert (first.title, second.title) == ("Oracle 1, gamma 0.4", "Oracle 2")
    titles = ["ours: ecoli", "ours: iris", "ours: all datasets"]
    readings = ["JEIG, our reading: iris", "JEIG, our reading: all datasets"]
    assert [table.title for table in first.tables] == titles + readings
    assert [table.note for table in first.tables] == ["2 runs", "2 runs", "4 runs", "1 run", "1 run"]
    assert first.tables[0].rows[0] == ("ARI below 0.5", "4", "0%", "50%", "50%", "1.33", "+0.100")
    assert first.tables[0].rows[3] == ("ARI 0.99 and more", "2", "0%", "100%", "100%", "—", "+0.000")
    assert [row[0] for row in first.tables[3].rows] == ["ARI below 0.5", "all rounds"]
    assert [table.title for table in second.tables] == ["ours: iris"]
    short, alone = honesty_sections(curves, short=True)
    assert short.tables == (first.tables[2], first.tables[4])
    assert alone.tables == second.tables
    for write in (as_text, as_markdown):
        assert "upper side holds" in write([first, second], HONESTY_LEGEND)
    assert max(map(len, as_text([first, second], HONESTY_LEGEND).splitlines())) <= 100


def test_runs_without_estimates_alone_are_refused():
    for look in (estimated, honesty_sections, draw_all_honesty):
        with pytest.raises(InvalidInputError, match="no run says how wrong it may be"):
            look([curve([])])


def test_estimates_have_the_columns_that_are_written():
    labels = np.array([0, 0, 1])
    written = compare(accuracy([labels], [0], labels), labels, labels)
    assert [field.name for field in fields(Estimates)] == list(written)


# -- figures -----------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_there_is_a_figure_for_each_oracle_and_method():
    curves = [
        *(curve(ROWS, dataset=dataset) for dataset in ("iris", "ecoli")),
        curve(ROWS, method="JEIG, our reading"),
        curve(ROWS, oracle="Oracle 2"),
    ]
    drawings = draw_all_honesty(curves)
    assert [drawing.stem for drawing in drawings] == [
        "honesty-oracle-1-gamma-0.4-ours",
        "honesty-oracle-1-gamma-0.4-jeig-our-reading",
        "honesty-oracle-2-ours",
    ]
    assert "Left: of the rounds whose interval has two sides, the share" in drawings[0].caption
    assert "hatched, the share of all rounds that are open-ended" in drawings[0].caption


@pytest.mark.slow
def test_a_figure_shows_the_shares_and_every_round():
    figure = draw_honesty([curve(ROWS, seed=0), curve(ROWS, seed=1), curve(ROWS[3:], dataset="ecoli")])
    shares, pairs = figure.axes
    assert [label.get_text() for label in shares.get_yticklabels()] == ["ecoli (3)", "iris (12)"]
    dots = {line.get_ydata()[0]: line.get_xdata()[0] for line in shares.lines if line.get_marker() == "o"}
    assert dots == {0: 1.0, 1: pytest.approx(3 / 5)}
    bars = {bar.get_y() + bar.get_height() / 2: bar for bar in shares.patches if bar.get_hatch()}
    assert {place: bar.get_width() for place, bar in bars.items()} == {
        0: pytest.approx(1 / 3),
        1: pytest.approx(1 / 6),
    }
    rounds = [line for line in pairs.lines if line.get_marker() == "."]
    assert [len(line.get_xdata()) for line in rounds] == [3, 12]
    assert rounds[1].get_ydata()[:2].tolist() == [500, 300]
    assert svg(figure) == svg(figure)


def test_open_ended_intervals_alone_have_a_bar_and_no_dot():
    shares, _ = draw_honesty([curve([ROWS[3]] * 4)]).axes
    assert [line for line in shares.lines if line.get_marker() in ("o", "|")] == []
    assert [bar.get_width() for bar in shares.patches if bar.get_hatch()] == [1.0]


@pytest.mark.slow
@pytest.mark.parametrize("rows", [ROWS[:1], ROWS[-1:]])
def test_a_single_round_can_be_drawn(rows):
    assert "<svg" in svg(draw_honesty([curve(rows)], title="One $"))
