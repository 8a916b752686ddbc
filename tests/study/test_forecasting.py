"""Forecasts against what it took: rounds on the way, limits that hold, runs that never got there."""

import numpy as np
import pytest

from ofakind.study.curves import Curve, Estimates, Forecasts
from ofakind.study.forecasting import FORECAST_LEGEND, forecast_sections, kept
from ofakind.study.table import as_text


def curve(rows, dataset="random (flips)"):
    """A run from rows of (answers, expected ARI, low, forecast, high)."""
    table = np.array(rows, np.float64)
    answers, expected, ones = table[:, 0].astype(np.int64), table[:, 1], np.ones(len(table))
    names = ("ami", "v_measure", "pair_f1", "seconds")
    return Curve(
        dataset,
        "Random noise",
        None,
        "ours",
        0,
        answers,
        k=answers,
        ari=expected,
        **dict.fromkeys(names, ones),
        estimates=Estimates(ones, ones, ones, ones, expected, ones, ones, 0 * ones),
        forecasts=Forecasts(*table[:, 2:].T),
    )


NAN = np.nan
RUN = curve(
    [
        (100, 0.1, 150, NAN, NAN),  # at least 150: 301 to 400 it took
        (200, 0.4, 250, 300, 350),  # 201 to 300
        (300, 0.6, 210, 220, 250),  # 101 to 200: too many
        (400, 0.8, 10, 20, 90),  # 1 to 100
        (500, 0.96, 0, 0, 0),
        (600, 0.94, 5, 10, 20),  # after the target: counts for nothing
    ]
)


def test_limits_hold_when_the_target_was_reached_by_an_answer_between_them():
    found = kept([RUN])
    assert (found.closed, found.lower_only) == (3, 1)
    assert found.held == pytest.approx(2 / 3)
    assert found.upper_held == 1.0
    assert found.lower_held == 1.0
    assert found.ratios == pytest.approx([300 / 250.5, 220 / 150.5, 20 / 50.5])


def test_rounds_are_those_on_this_part_of_the_way():
    assert kept([RUN], 0.5, 0.8).closed == 1  # 300 of 500
    assert kept([RUN], 0.8, 1.0).closed == 1
    assert kept([RUN], 0.0, 0.3).lower_only == 1


def test_a_lower_limit_that_is_too_high_does_not_hold():
    assert kept([curve([(100, 0.1, 350, NAN, NAN), (400, 0.97, 0, 0, 0)])]).lower_held == 0.0


def test_runs_that_never_got_there_count_for_nothing():
    found = kept([curve([(100, 0.1, 150, 200, 300), (200, 0.2, 150, 200, 300)])])
    assert (found.closed, found.held, found.lower_only, found.lower_held) == (0, None, 0, None)


def test_there_is_a_table_for_each_dataset_and_one_for_all():
    (section,) = forecast_sections([RUN, curve([(1, 0.1, 1, 2, 3), (2, 0.99, 0, 0, 0)], "random (gamma)")])
    assert [table.title for table in section.tables] == ["random (flips)", "random (gamma)", "all datasets"]
    assert section.tables[-1].rows[-1][:4] == ("all", "4", "75%", "100%")
    assert "forecast / real" in as_text([section], FORECAST_LEGEND)


def test_without_forecasts_there_are_no_tables():
    from dataclasses import replace

    assert forecast_sections([replace(RUN, forecasts=None)]) == []
