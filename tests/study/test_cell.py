"""One cell: its rounds, when it ends, and that nothing but the cell decides them."""

from dataclasses import replace
from time import perf_counter, sleep

import numpy as np
import pytest
import threadpoolctl

from ofakind import JEIG, Entropy, PartitionBelief, adjusted_rand_index
from ofakind.datasets import load
from ofakind.engine.learner import ActiveClustering
from ofakind.engine.loop import run
from ofakind.oracles.noisy import NoisyOracle
from ofakind.study.cell import batches, run_cell, spread
from ofakind.study.measures import measure, wrong_pairs
from ofakind.study.reading import Reader
from ofakind.study.setting import BATCHES, Answerer, Data
from ofakind.study.spec import Cell, Method, PartSpec

IRIS = Data("iris", 450, first_batch=150, batch=60)


ENTROPY = PartSpec("ofakind:Entropy")


def cell(method=ENTROPY, *, data=IRIS, gamma=0.2, seed=3, settled=1000, **others):
    return Cell(data, Answerer(gamma=gamma), Method("m", method, **others), seed, settled)


def test_the_rows_are_those_of_the_loop_with_the_same_learner_and_oracle():
    rows, seconds, stopped = run_cell(cell())
    truth = load("iris").labels
    learner = ActiveClustering(150, acquisition=Entropy(), initial=150, batch_size=60, seed=3)
    steps = list(run(learner, NoisyOracle(truth, 0.2, 3), 450))
    assert rows == [
        {"answers": step.n_answers, "k": len(np.unique(step.labels)), **measure(step.labels, truth)}
        for step in steps
    ]
    assert [row["answers"] for row in rows] == [150, 210, 270, 330, 390, 450]
    assert len(seconds) == len(rows)
    assert min(seconds) >= 0
    assert stopped == ""


@pytest.mark.slow
@pytest.mark.parametrize(
    "method", ["ofakind:JEIG", "ofakind:MaxMin", "ofakind.rivals:QECC", "ofakind.rivals:KCFB"]
)
def test_the_rows_depend_on_the_cell_alone(method):
    first = run_cell(cell(PartSpec(method), points=3))
    run_cell(cell(seed=4))
    again = run_cell(cell(PartSpec(method), points=3))
    assert first[0] == again[0]
    assert first[2] == again[2]
    assert first[0] != run_cell(cell(PartSpec(method), points=3, seed=5))[0]


def test_a_rival_has_a_row_for_each_budget():
    rows, _, _ = run_cell(cell(PartSpec("ofakind.rivals:QECC"), points=4))
    assert [row["answers"] for row in rows] == spread(150, 60, 450, 4)


def test_the_time_of_the_oracle_is_not_a_rivals(monkeypatch):
    plain = NoisyOracle.__call__

    def slow(self, pairs):
        sleep(0.01)
        return plain(self, pairs)

    monkeypatch.setattr(NoisyOracle, "__call__", slow)
    start = perf_counter()
    _, seconds, _ = run_cell(cell(PartSpec("ofakind.rivals:QECC"), points=3))
    assert 0 < sum(seconds) < perf_counter() - start - 0.1  # QECC asks one pivot at a time


def test_a_run_ends_when_it_had_the_truth_for_so_many_rounds_running():
    easy = Data("iris", 3000, objects=40, first_batch=200, batch=50)
    for settled in (1, 3):
        rows, _, _ = run_cell(cell(data=easy, gamma=0.0, settled=settled))
        perfect = [row["ari"] == 1.0 for row in rows]
        assert perfect[-settled:] == [True] * settled
        assert not any(all(perfect[i : i + settled]) for i in range(len(rows) - settled))
        assert rows[-1]["answers"] < 3000


@pytest.mark.parametrize("budget", [1, 149, 150, 151])
@pytest.mark.parametrize("method", ["ofakind:JEIG", "ofakind.rivals:QECC"])
def test_a_tiny_budget_is_spent_to_the_letter(budget, method):
    rows, _, _ = run_cell(cell(PartSpec(method), data=Data("iris", budget)))
    assert rows[-1]["answers"] == budget
    assert [row["answers"] for row in rows] == sorted({min(budget, 150), budget})


def test_a_budget_beyond_all_pairs_ends_when_all_are_asked():
    rows, _, _ = run_cell(cell(data=Data("iris", 10**6, objects=20)))
    assert rows[-1]["answers"] == 190


@pytest.mark.slow
def test_solver_belief_and_options_reach_the_learner():
    plain = run_cell(cell())[0]
    assert run_cell(cell(solver=PartSpec("ofakind:Pivot")))[0] != plain
    assert run_cell(cell(belief=PartSpec("ofakind:MeanFieldBelief", {"beta": 0.3})))[0] != plain
    assert (
        run_cell(cell(PartSpec("ofakind:JEIG", {"samples": 2})))[0]
        != run_cell(cell(PartSpec("ofakind:JEIG")))[0]
    )
    assert (
        run_cell(cell(PartSpec("ofakind:JEIG", {"samples": JEIG().samples})))[0]
        == run_cell(cell(PartSpec("ofakind:JEIG")))[0]
    )


OURS = PartSpec("ofakind:PartitionBelief", {"chains": 2, "samples": 5})


@pytest.mark.slow
def test_rows_say_how_wrong_the_clusters_were_thought_to_be_if_they_were_read_from_samples():
    truth = load("iris").labels
    rows = run_cell(cell(PartSpec("ofakind:InformationGain"), belief=OURS))[0]
    learner = ActiveClustering(
        150, belief=PartitionBelief(chains=2, samples=5), initial=150, batch_size=60, seed=3
    )
    for row, step in zip(rows, run(learner, NoisyOracle(truth, 0.2, 3), 450), strict=True):
        assert row["ari"] == step.ari(truth)
        assert row["wrong_pairs"] == wrong_pairs(step.labels, truth)
        found = learner.accuracy
        assert (row["wrong_low"], row["wrong_high"]) == found.wrong_pairs_interval
        assert (row["ari_low"], row["ari_high"]) == found.ari_interval
        assert row["expected_wrong_pairs"] == found.expected_wrong_pairs
        assert row["expected_ari"] == found.expected_ari


@pytest.mark.parametrize("method", ["ofakind:JEIG", "ofakind:Uniform", "ofakind.rivals:QECC"])
def test_other_rows_do_not(method):
    for row in run_cell(cell(PartSpec(method), points=2))[0]:
        assert list(row) == ["answers", "k", "ari", "ami", "v_measure", "pair_f1"]


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::ofakind.errors.ChainsDisagreeWarning")  # two chains of five samples
def test_a_reader_changes_the_clusters_and_not_the_questions():
    plain, reading = run_cell(cell())[0], run_cell(cell(reader=OURS))[0]
    assert [row["answers"] for row in reading] == [row["answers"] for row in plain]
    assert [row["ari"] for row in reading] != [row["ari"] for row in plain]
    assert all("wrong_pairs" in row for row in reading)
    learner = ActiveClustering(150, acquisition=Entropy(), initial=150, batch_size=60, seed=3)
    reader, truth = Reader(PartitionBelief(chains=2, samples=5), 3), load("iris").labels
    for row, _ in zip(reading, run(learner, NoisyOracle(truth, 0.2, 3), 450), strict=True):
        found, _, reader = reader.read(learner.answers)
        assert row["ari"] == adjusted_rand_index(found.labels, truth)


@pytest.mark.slow
def test_our_reading_of_our_own_questions_is_what_we_report():
    ours = PartSpec("ofakind:InformationGain")
    assert run_cell(cell(ours, belief=OURS, reader=OURS))[0] == run_cell(cell(ours, belief=OURS))[0]


def test_the_order_of_the_objects_is_part_of_the_cell():
    shuffled = cell(data=replace(IRIS, shuffle=True))
    assert run_cell(shuffled)[0] == run_cell(shuffled)[0] != run_cell(cell())[0]


def test_threads_of_linear_algebra_are_as_they_were_afterwards():
    before = [(pool["filepath"], pool["num_threads"]) for pool in threadpoolctl.threadpool_info()]
    run_cell(cell(data=Data("iris", 20, objects=20)))
    after = {pool["filepath"]: pool["num_threads"] for pool in threadpoolctl.threadpool_info()}
    assert before
    assert all(after[path] == threads for path, threads in before)


def test_batches_are_the_cells_own_else_the_papers_else_n_and_three_fifths():
    assert batches(cell(), 150) == (150, 60)
    assert batches(cell(data=Data("ecoli", 9)), 336) == BATCHES["ecoli"] == (280, 85)
    assert batches(cell(data=Data("ecoli", 9, batch=7)), 336) == (280, 7)
    assert batches(cell(data=Data("iris", 9)), 150) == (150, 90)
    assert batches(cell(data=Data("iris", 9)), 1) == (1, 1)


@pytest.mark.parametrize(
    ("first", "batch", "budget"), [(500, 300, 20000), (7, 3, 8), (10, 1, 11), (1, 1, 100)]
)
@pytest.mark.parametrize("points", [2, 3, 12, 500])
def test_budgets_of_a_rival_are_those_that_a_learner_passes_from_the_first_to_the_last(
    first, batch, budget, points
):
    found = spread(first, batch, budget, points)
    assert found[0] == first
    assert found[-1] == budget
    assert len(found) <= points
    assert found == sorted(set(found))
    assert set(found) <= {*range(first, budget, batch), budget}


def test_a_budget_within_the_first_batch_is_one_point():
    assert spread(500, 300, 500, 12) == [500]
    assert spread(500, 300, 3, 12) == [3]


@pytest.mark.slow
def test_real_workers_are_asked_again_and_their_names_are_heard(data_folder):
    restaurants = Data("crowd_restaurants", 2500, "no_qualification", first_batch=2004, batch=500, repeats=2)
    uniform = Method(
        "m", PartSpec("ofakind:Uniform"), reader=PartSpec("ofakind:PartitionBelief", {"blocked": True})
    )
    named, nameless = (
        run_cell(Cell(restaurants, Answerer("crowd", anonymous=a), uniform, 0, 5))[0] for a in (False, True)
    )
    assert [row["answers"] for row in named] == [2004, 2500]
    assert min(row["pair_f1"] for row in named) > 0.7
    assert [row["pair_f1"] for row in named] != [row["pair_f1"] for row in nameless]
    once = replace(restaurants, repeats=None)
    assert len(run_cell(Cell(once, Answerer("crowd"), uniform, 0, 5))[0]) == 1
