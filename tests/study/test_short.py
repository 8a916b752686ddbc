"""The short tables: a row for each dataset, times, and what is gained over one method."""

import numpy as np
import pytest

from ofakind.errors import InvalidInputError
from ofakind.study.short import AGAINST, against, glance, mean_cell
from twins.summary import area, holm, run, signed_rank


def tables(sections):
    return {(section.title, table.title): table for section in sections for table in section.tables}


def random_study(rng, methods=("JEIG", "Entropy", "Uniform"), *, datasets=("Ecoli", "Forest"), seeds=5):
    """Curves of four rounds that rise to anything, most of them to 1."""
    return [
        run(np.minimum(1, np.sort(rng.random(4)) * 1.3), method=m, dataset=d, seed=s, oracle="Oracle 2")
        for m in methods
        for d in datasets
        for s in range(seeds)
    ]


# -- all datasets at a glance ------------------------------------------------------------------------------


def test_a_dataset_is_a_row_and_methods_stand_as_in_the_legends():
    curves = [
        run([0.5, 0.96], method="Uniform", dataset="synthetic"),
        run([0.95, 1.0], method="JEIG", dataset="synthetic"),
        run([0.2, 0.4], method="JEIG", dataset="ecoli"),
    ]
    found = tables(glance(curves))
    answers, areas = found["Oracle 2", "Answers to ARI 0.95"], found["Oracle 2", "Area"]
    assert answers.headings == areas.headings == ("dataset", "JEIG", "Uniform")
    assert answers.rows == (("ecoli", "—", ""), ("synthetic", "100", "200"))
    assert areas.rows == (("ecoli", "0.100", ""), ("synthetic", "0.475", "0.250"))
    assert found["Oracle 2", "Last ARI"].rows == (("ecoli", "0.40", ""), ("synthetic", "1.00", "0.96"))


def test_the_last_ari_is_the_mean_of_the_last_rounds_and_0_without_any():
    curves = [run([0.9, 0.5]), run([0.2], seed=1), run([], seed=2)]
    assert tables(glance(curves))["Oracle 2", "Last ARI"].rows == (("Ecoli", "0.23"),)


def test_a_mean_of_answers_stands_only_where_every_seed_got_there():
    curves = [run([0.95], seed=0), run([0.1, 0.99], seed=1)]
    assert tables(glance(curves))["Oracle 2", "Answers to ARI 0.95"].rows == (("Ecoli", "150"),)
    curves.append(run([0.1, 0.94], seed=2))
    assert tables(glance(curves))["Oracle 2", "Answers to ARI 0.95"].rows == (("Ecoli", "—"),)


def test_seeds_are_counted_and_those_that_are_missing_named():
    curves = [run([0.5], method=m, seed=s) for m in ("JEIG", "Uniform") for s in range(3)]
    assert tables(glance(curves))["Oracle 2", "Area"].note == "3 seeds: Ecoli."
    curves = [*curves[:-1], run([0.5], dataset="mnist")]
    note = tables(glance(curves))["Oracle 2", "Area"].note
    assert note == "1 seed: mnist; 3 seeds: Ecoli. Fewer: Uniform on Ecoli (2)."


def test_times_come_last_and_only_where_all_methods_ran():
    curves = [run([0.5], method="JEIG", seconds=0.25), run([0.5], method="Uniform", seconds=0.001)]
    *_, last = glance(curves)
    assert last.title == "Computing time"
    assert last.tables[0].rows == (("Uniform", "0.001"), ("JEIG", "0.250"))
    apart = [run([0.5], method="JEIG"), run([0.5], method="Uniform", dataset="Forest")]
    assert [section.title for section in glance(apart)] == ["Oracle 2"]


# -- against one method ------------------------------------------------------------------------------------


def slow_gains(curves, method, rival, datasets):
    """Differences of areas and shares of answers saved, cell by cell."""
    gaps, saved = [], []
    for mine in (c for c in curves if c.method == method and c.dataset in datasets):
        for other in (c for c in curves if c.method == rival):
            if (mine.dataset, mine.seed) == (other.dataset, other.seed):
                budget = max(c.answers[-1] for c in curves if c.dataset == mine.dataset)
                gaps.append(area(mine, budget) - area(other, budget))
                first = [
                    next((a for a, y in zip(c.answers, c.ari, strict=True) if y >= 0.95), None)
                    for c in (mine, other)
                ]
                if None not in first:
                    saved.append(100 * (1 - first[0] / first[1]))
    return gaps, saved


@pytest.mark.parametrize("seed", range(3))
def test_gains_are_those_of_plain_loops(seed):
    curves = random_study(np.random.default_rng(seed))
    found = tables(against(curves, "Uniform"))
    for title, datasets in (("Ecoli", ["Ecoli"]), ("all datasets", ["Ecoli", "Forest"])):
        table = found["Oracle 2", title]
        assert table.headings == AGAINST
        expected = {m: slow_gains(curves, m, "Uniform", datasets) for m in ("JEIG", "Entropy")}
        corrected = holm([signed_rank(gaps) for gaps, _ in expected.values()])
        for row, (method, (gaps, saved)), p in zip(table.rows, expected.items(), corrected, strict=True):
            wins, losses = sum(g > 0 for g in gaps), sum(g < 0 for g in gaps)
            numbers = (str(len(gaps)), mean_cell(gaps, "+z.3f"), str(wins), str(losses), f"{p:.3f}")
            assert row == (method, *numbers, mean_cell(saved, "z.0f", "%"), str(len(saved)))


def test_only_runs_that_both_made_are_compared():
    curves = [run([0.5], method="Uniform", seed=s) for s in range(3)] + [
        run([0.9], seed=2),
        run([1.0], seed=7),
    ]
    curves = [c if c.seed != 7 else run([0.0, 1.0], seed=7) for c in curves]
    (row,) = tables(against(curves, "Uniform"))["Oracle 2", "Ecoli"].rows
    assert row == ("JEIG", "1", "+0.200", "1", "0", "1.000", "—", "0")


def test_a_method_without_a_common_run_is_left_out_and_one_dataset_is_not_shown_twice():
    curves = [run([0.5], method="Uniform"), run([0.5], method="JEIG", seed=1)]
    found = tables(against(curves, "Uniform"))
    assert list(found) == [("Oracle 2", "Ecoli")]
    assert found["Oracle 2", "Ecoli"].rows == ()


def test_a_method_that_is_not_there_is_refused_with_those_that_are():
    with pytest.raises(InvalidInputError, match=r"no runs of 'Unifrom'; expected one of \['JEIG'\]"):
        against([run([0.5])], "Unifrom")


def test_equal_runs_neither_win_nor_lose():
    curves = [run([0.5], method=m, seed=s) for m in ("JEIG", "Uniform") for s in range(3)]
    (row,) = tables(against(curves, "Uniform"))["Oracle 2", "Ecoli"].rows
    assert row == ("JEIG", "3", "+0.000 ± 0.000", "0", "0", "1.000", "—", "0")
