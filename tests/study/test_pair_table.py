"""Tables of F1 over pairs: medians over seeds, what was never reached, one row for each dataset."""

import numpy as np
import pytest

from ofakind.study.curves import Curve
from ofakind.study.pair_table import PAIR_HEADINGS, PAIR_LEGEND, answers_cell, pair_glance, pair_sections
from ofakind.study.table import NEVER, as_markdown, as_text


def curve(values, *, method="ours", dataset="cora", oracle="Flipped answers, share 0.0", seed=0):
    """A run with these F1s (and ARIs 0.02 lower) after 0, 20, 40 answers and so on."""
    f1, answers = np.array(values, float), 20 * np.arange(len(values))
    ones = np.ones(len(f1))
    return Curve(dataset, oracle, 0.0, method, seed, answers, ones, f1 - 0.02, ones, ones, f1, ones)


SLOW, QUICK, NEVER_THERE = [0, 0.5, 0.9, 0.97], [0.1, 0.96, 0.99, 1.0], [0, 0.1, 0.2, 0.3]


@pytest.mark.parametrize(
    ("runs", "target", "expected"),
    [
        ([SLOW], 0.9, "40"),
        ([SLOW, QUICK, QUICK], 0.9, "20"),
        ([SLOW, QUICK, NEVER_THERE], 0.9, "40"),
        ([QUICK, NEVER_THERE, NEVER_THERE], 0.9, NEVER),
        ([QUICK, NEVER_THERE], 0.9, NEVER),
        ([SLOW, QUICK], 0.9, "30"),
        ([[0.99, 0.1]], 0.9, "0"),
        ([[0.5, 0.95, 0.2]], 0.9, "20"),
    ],
)
def test_a_cell_is_the_median_of_the_first_crossings_and_never_counts_as_more_than_any(
    runs, target, expected
):
    assert answers_cell([curve(run, seed=seed) for seed, run in enumerate(runs)], target) == expected


def test_a_table_has_a_row_for_each_method_with_the_last_f1_behind():
    runs = [curve(SLOW, seed=seed) for seed in range(3)] + [curve(QUICK, method="other")]
    (section,) = pair_sections(runs)
    (table,) = section.tables
    assert section.title == "Flipped answers, share 0.0"
    assert (table.title, table.note) == ("cora", "3 seeds, at most 60 answers")
    assert table.headings == PAIR_HEADINGS
    assert table.rows == (
        ("ours", "40", "60", NEVER, "60", "0.970"),
        ("other (1 seed)", "20", "20", "40", "40", "1.000"),
    )
    assert "to F1 0.95" in as_text([section], PAIR_LEGEND)
    assert "| ours | 40 |" in as_markdown([section], PAIR_LEGEND)


def test_the_short_form_has_a_row_for_each_dataset_and_the_times():
    runs = [curve(SLOW), curve(QUICK, dataset="digits"), curve(QUICK, method="other")]
    section, times = pair_glance([*runs, curve(QUICK, dataset="digits", method="other")])
    titles = [table.title for table in section.tables]
    assert titles == [
        *(f"Answers to pair F1 {x}" for x in (0.9, 0.95, 0.99)),
        "Answers to ARI 0.95",
        "Last pair F1",
    ]
    assert section.tables[1].headings == ("dataset", "ours", "other")
    assert section.tables[1].rows == (("cora", "60", "20"), ("digits", "20", "20"))
    assert section.tables[1].note == "Median over 1 seed."
    assert times.title == "Computing time"
