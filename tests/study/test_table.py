"""The tables: what their cells say, and that they can be read in a terminal and as Markdown."""

import re

import pytest

from ofakind.errors import InvalidInputError
from ofakind.study.summary import Estimate, Reach, compare
from ofakind.study.table import (
    HEADINGS,
    LEGEND,
    MOST_COLUMNS,
    TERMINAL_WIDTH,
    estimate_cell,
    markdown,
    ranking,
    reach_cell,
    sections,
    text,
)
from twins.summary import run

LONG = "a method with a very long name, |D| = 2% of all pairs and more"


def study(methods=("JEIG", "Entropy", "Uniform"), *, seeds=7, datasets=("Forest",), oracles=("Oracle 2",)):
    """Runs in which each method is better than those after it, by a little more with each seed."""
    return [
        run([0.9 - 0.02 * i - 0.001 * i * s], [0], method=m, seed=s, dataset=d, oracle=o)
        for i, m in enumerate(methods)
        for s in range(seeds)
        for d in datasets
        for o in oracles
    ]


def table(curves, title, oracle=0):
    return next(t for t in sections(curves)[oracle].tables if t.title == title)


@pytest.mark.parametrize(
    ("reach", "words"),
    [
        (Reach(0.9, 3, 3, Estimate(12345.0, 67.0, 3)), "12,345 ± 67"),
        (Reach(0.9, 1, 1, Estimate(12345.0, None, 1)), "12,345"),
        (Reach(0.9, 2, 5, Estimate(12345.0, 67.0, 2)), "12,345 (2 of 5)"),
        (Reach(0.9, 0, 5, None), "—"),
    ],
)
def test_a_mean_over_those_that_got_there_says_how_many_did(reach, words):
    assert reach_cell(reach) == words


def test_a_mean_stands_with_its_interval():
    assert estimate_cell(Estimate(0.5, 0.01234, 4), ".3f") == "0.500 ± 0.012"


def test_a_dataset_has_a_row_for_each_method_from_the_largest_area():
    curves = [
        run([0.5, 1.0], method="Uniform"),
        run([0.5, 1.0], method="Uniform", seed=1),
        run([1.0], method="JEIG"),
        run([0.2, 0.9, 1.0, 1.0], method="JEIG", seed=1),
    ]
    found = table(curves, "Ecoli")
    assert found.headings == HEADINGS
    assert found.note == "2 seeds, budget 400 answers"
    assert found.rows == (
        ("JEIG", "150 ± 635", "150 ± 635", "200 ± 1,271", "200 ± 1,271", "0.637 ± 1.429"),
        ("Uniform", "200 ± 0", "200 ± 0", "200 ± 0", "200 ± 0", "0.625 ± 0.000"),
    )


def test_a_single_seed_has_no_interval():
    assert table([run([0.5, 0.85])], "Ecoli").rows == (("JEIG", "200", "—", "—", "—", "0.250"),)
    assert table([run([0.5, 0.85])], "Ecoli").note == "1 seed, budget 200 answers"


def test_what_was_not_run_everywhere_is_said():
    curves = [
        c for c in study(datasets=("Forest", "Ecoli"), seeds=2) if (c.method, c.dataset) != ("JEIG", "Ecoli")
    ]
    curves = [c for c in curves if (c.method, c.dataset, c.seed) != ("Uniform", "Forest", 1)]
    assert table(curves, "Ecoli").note == "2 seeds, budget 1 answer; not run here: JEIG"
    assert [row[0] for row in table(curves, "Forest").rows] == ["JEIG", "Entropy", "Uniform (1 seed)"]
    assert "not run" not in table(curves, "Forest").note


def test_the_matrix_shows_who_beats_whom():
    matrix = table(study(), "Who beats whom")
    assert matrix.headings == ("by area", "1", "2", "3", "beats")
    assert matrix.rows == (
        ("1 JEIG", "", ">", ">", "2"),
        ("2 Entropy", "<", "", ">", "1"),
        ("3 Uniform", "<", "<", "", "0"),
    )
    assert "(7 for two methods), two-sided, 3 comparisons" in matrix.note
    assert "nothing can be significant" not in matrix.note


def test_too_few_runs_show_no_winner_and_that_is_said():
    matrix = table(study(seeds=6), "Who beats whom")
    assert {cell for row in matrix.rows for cell in row[1:-1]} == {"", "·"}
    assert "With fewer than 7 runs nothing can be significant here: run more seeds." in matrix.note
    assert "With fewer than 6 runs" in table(study(("A", "B"), seeds=5), "Who beats whom").note


def test_methods_that_never_met_are_marked():
    curves = [*study(("A", "B"), datasets=("Forest",)), *study(("A", "C"), datasets=("Ecoli",))]
    matrix = table(curves, "Who beats whom")
    assert matrix.rows == (("1 A", "", ">", ">", "2"), ("2 B", "<", "", "?", "0"), ("3 C", "<", "?", "", "0"))
    assert "?: no run in common." in matrix.note
    assert [row[0] for row in sections(curves)[0].contests.rows] == ["A vs B", "A vs C"]


def test_neighbours_are_given_in_numbers_from_the_better_to_the_worse():
    found = table(study(("Z", "B", "A")), "Each against the next")
    assert [row[0] for row in found.rows] == ["Z vs B", "B vs A"]
    assert found.rows[0] == ("Z vs B", "+0.0230", "7", "0", "0.047")
    everything = sections(study(("Z", "B", "A")))[0].contests
    assert [row[0] for row in everything.rows] == ["Z vs B", "Z vs A", "B vs A"]
    assert everything.rows[1][1:4] == ("+0.0460", "7", "0")


def test_methods_are_ranked_by_wins_minus_losses_in_the_median():
    assert ranking(compare(study(("Z", "B", "A")))) == ["Z", "B", "A"]
    equal = [run([0.5], method=m) for m in ("m 10", "m 9")]
    assert ranking(compare(equal)) == ["m 9", "m 10"]


def test_one_method_alone_has_nobody_to_beat():
    (section,) = sections([run([0.5])])
    assert [t.title for t in section.tables] == ["Ecoli"]
    assert section.contests is None


def test_each_oracle_has_its_own_section():
    curves = study(oracles=("Oracle 2", "Oracle 1, noise 0.4", "Oracle 1, noise 0.05"))
    assert [s.title for s in sections(curves)] == ["Oracle 1, noise 0.05", "Oracle 1, noise 0.4", "Oracle 2"]


def test_the_text_is_as_it_should_be():
    curves = [*(run([0.8, 0.95], seed=s) for s in range(2)), run([0.5, 0.7], method="Uniform")]
    head = """Oracle 2
════════

Ecoli
2 seeds, budget 200 answers

method            to ARI 0.80  to ARI 0.90  to ARI 0.95  to ARI 0.99           area
───────────────────────────────────────────────────────────────────────────────────
JEIG                  100 ± 0      200 ± 0      200 ± 0            —  0.400 ± 0.000
Uniform (1 seed)            —            —            —            —          0.250

Who beats whom
"""
    assert text(curves).startswith(head)
    assert text(curves).rstrip().endswith(LEGEND[-1])


@pytest.mark.slow
@pytest.mark.parametrize("methods", [("A",), (LONG, "B"), tuple(f"{LONG} {i}" for i in range(30))])
def test_no_line_is_wider_than_a_terminal(methods):
    curves = study(methods, seeds=2, oracles=("an oracle " * 20, "Oracle 2"))
    curves += [
        run([0.9], [123456 + 1000 * s], method=LONG, seed=s, dataset="a dataset " * 20) for s in range(3)
    ]
    lines = text(curves).splitlines()
    assert max(map(len, lines)) <= TERMINAL_WIDTH
    assert all(line == line.rstrip() for line in lines)
    assert not any("nan" in line for line in lines)


def test_a_long_name_is_wrapped_and_not_cut():
    shown = text([run([1.0], [123456 + 1000 * s], method=LONG, seed=s) for s in range(2)])
    assert LONG not in shown
    assert re.search(".*".join(map(re.escape, LONG.split())), shown, re.DOTALL)


@pytest.mark.slow
def test_very_many_methods_have_no_matrix_but_the_numbers():
    titles = [t.title for t in sections(study([f"m{i}" for i in range(MOST_COLUMNS + 1)], seeds=2))[0].tables]
    assert titles == ["Forest", "Each against the next"]
    titles = [t.title for t in sections(study([f"m{i}" for i in range(MOST_COLUMNS)], seeds=2))[0].tables]
    assert titles == ["Forest", "Who beats whom", "Each against the next"]


def test_markdown_has_a_heading_for_each_table_and_equally_many_cells_in_each_row():
    lines = markdown(study()).splitlines()
    assert [line for line in lines if line.startswith("#")] == [
        "## Oracle 2",
        "### Forest",
        "### Who beats whom",
        "### Each against the next",
    ]
    assert "| method | to ARI 0.80 | to ARI 0.90 | to ARI 0.95 | to ARI 0.99 | area |" in lines
    assert "| --- | --: | --: | --: | --: | --: |" in lines
    assert "| 1 JEIG |  | &gt; | &gt; | 2 |" in lines
    widths = [line.count("|") for line in lines if line.startswith("|")]
    assert widths == [7] * 5 + [6] * 5 + [6] * 4


def test_markdown_shows_names_as_they_are():
    shown = markdown([run([0.5], method="|D| *a*_b_ <script>&`x`[1](u)"), run([0.4], method="B")])
    assert r"| \|D\| \*a\*\_b\_ &lt;script&gt;&amp;\`x\`\[1\](u) |" in shown
    assert "<" not in shown


def test_names_stay_on_one_line():
    shown = text([run([0.5], method="a\nb\x1b[31m\tc", dataset=" d\r\n")])
    assert "a b [31m c" in shown
    assert "\nd\n1 seed" in shown


@pytest.mark.parametrize("write", [text, markdown, sections])
def test_no_curves_are_refused_with_words(write):
    with pytest.raises(InvalidInputError, match="there are no curves yet"):
        write([])


@pytest.mark.parametrize("write", [text, markdown])
def test_runs_without_a_round_and_with_a_budget_of_nothing_can_be_written(write):
    shown = write([run([]), run([], seed=1), run([0.0], [0], method="Uniform"), run([0.0], [0], seed=2)])
    assert "0.000 ± 0.000" in shown
    assert "nan" not in shown
