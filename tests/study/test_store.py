"""Results on disk: whole, found again, and plainly refused when damaged."""

import json
import re
import subprocess
import sys
from dataclasses import fields, replace
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest

from ofakind.errors import InvalidInputError
from ofakind.study.cell import Failure, Result
from ofakind.study.curves import Estimates
from ofakind.study.revision import REVISIONS
from ofakind.study.spec import Answerer, Cell, Data, Method, PartSpec
from ofakind.study.store import Store

CELL = Cell(Data("iris", 90, objects=50), Answerer(gamma=0.2), Method("β", PartSpec("ofakind:JEIG")), 4, 5)
ROWS = [
    {"answers": 10, "k": 3, "ari": 0.1 + 0.2, "ami": 0.5, "v_measure": 0.25, "pair_f1": 1 / 3},
    {"answers": 20, "k": 2, "ari": 1.0, "ami": 1.0, "v_measure": 1.0, "pair_f1": 1.0},
]
RESULT = Result(ROWS, [0.5, 0.25], "", {"ofakind": "1.0", "cores": 2, "finished": "now"})


@pytest.fixture
def store(tmp_path):
    made = Store(tmp_path / "deep" / "results")
    made.prepare()
    return made


def file(store, ending):
    return store.folder / f"{CELL.key}.{ending}"


def test_what_was_written_is_read_to_the_last_bit(store):
    assert not store.has(CELL)
    store.write(CELL, RESULT)
    assert store.has(CELL)
    curve = store.curve(CELL)
    assert (curve.dataset, curve.oracle, curve.noise) == ("iris (50 objects)", "Oracle 1, gamma 0.2", 0.2)
    assert (curve.method, curve.seed, curve.stopped) == ("β", 4, "")
    for name, values in {
        **{name: [row[name] for row in ROWS] for name in ROWS[0]},
        "seconds": [0.5, 0.25],
    }.items():
        assert np.array_equal(getattr(curve, name), values)


def test_estimates_are_read_where_a_run_has_them_and_only_there(store):
    store.write(CELL, RESULT)
    assert store.curve(CELL).estimates is None
    names = [field.name for field in fields(Estimates)]
    more = [{name: 10.0 * i + place for place, name in enumerate(names)} for i in range(2)]
    rows = [row | new for row, new in zip(ROWS, more, strict=True)]
    store.write(CELL, replace(RESULT, rows=rows))
    estimates = store.curve(CELL).estimates
    assert estimates.wrong_pairs.tolist() == [0.0, 10.0]
    assert estimates.ari_high.tolist() == [6.0, 16.0]
    assert estimates.open_ended.tolist() == [7.0, 17.0]
    for row in rows:
        del row["open_ended"]  # as older results
    store.write(CELL, replace(RESULT, rows=rows))
    assert store.curve(CELL).estimates.open_ended.tolist() == [0.0, 0.0]
    del rows[1]["ari_low"]
    store.write(CELL, replace(RESULT, rows=rows))
    with pytest.raises(InvalidInputError, match="is damaged"):
        store.curve(CELL)


def test_the_noise_of_a_curve_is_the_level_of_its_oracle(store):
    flips = replace(CELL, oracle=Answerer("flip", share=0.3))
    store.write(flips, RESULT)
    assert (store.curve(flips).oracle, store.curve(flips).noise) == ("Flipped answers, share 0.3", 0.3)


def test_nothing_but_the_two_files_of_a_result_is_left(store):
    store.write(CELL, RESULT)
    assert {path.name for path in store.folder.iterdir()} == {f"{CELL.key}.jsonl", f"{CELL.key}.run.json"}


def test_times_and_machines_do_not_change_the_file_of_the_rounds(store):
    store.write(CELL, RESULT)
    before = file(store, "jsonl").read_bytes()
    store.write(CELL, replace(RESULT, seconds=[9.0, 9.0], manifest={"ofakind": "1.0", "cores": 64}))
    assert file(store, "jsonl").read_bytes() == before
    head, *rows = map(json.loads, before.decode().splitlines())
    assert rows == ROWS
    assert (head["rounds"], head["cell"]["seed"]) == (2, 4)


def test_results_of_older_code_are_counted_and_do_not_stand_for_a_cell(store, monkeypatch):
    store.write(CELL, RESULT)
    other = replace(CELL, seed=5)
    store.write(other, RESULT)
    assert store.count_older([CELL]) == 0
    monkeypatch.setitem(REVISIONS, "paper", 99)
    renamed = replace(CELL, method=replace(CELL.method, name="other"))
    assert not store.has(renamed)
    assert (store.count_older([renamed]), store.count_older([CELL, other])) == (1, 2)
    store.write(CELL, RESULT)
    assert store.has(CELL)
    assert store.count_older([CELL]) == 1
    monkeypatch.setitem(REVISIONS, "rivals", 99)
    assert store.count_older([CELL]) == 1


@pytest.mark.parametrize("text", ["", "{", "[]\n", '{"rounds": 1}\n', '{"cell": {}}\n', '{"cell": null}\n'])
def test_a_file_that_is_no_result_is_none_of_older_code(store, text):
    (store.folder / "0123.jsonl").write_text(text)
    assert store.count_older([CELL]) == 0


def test_a_method_is_shown_under_the_name_that_it_has_now(store):
    store.write(CELL, RESULT)
    renamed = replace(CELL, method=replace(CELL.method, name="other"))
    assert store.curve(renamed).method == "other"


def test_a_failure_is_kept_until_there_is_a_result(store):
    assert store.failure(CELL) is None
    store.write_failure(CELL, Failure("ValueError: no", "Traceback ..."))
    assert store.failure(CELL) == "ValueError: no"
    assert "Traceback" in file(store, "failed.json").read_text()
    assert not store.has(CELL)
    store.write(CELL, RESULT)
    assert store.failure(CELL) is None
    assert not file(store, "failed.json").exists()


def test_a_draft_or_half_of_a_result_is_no_result(store):
    file(store, "run.json").write_text("{}")  # written first
    (store.folder / ".0123456789abcdef.tmp").write_text("{")
    assert not store.has(CELL)
    assert store.manifests([CELL]) == {}


@pytest.mark.parametrize(
    "damage", [b"", b"{", b"[]\n", b"\xff", b"null\n", b'{"rounds": 1, "stopped": ""}\n', b'{"rounds": 0}\n']
)
def test_a_damaged_result_is_refused_by_the_name_of_its_file(store, damage):
    store.write(CELL, RESULT)
    file(store, "jsonl").write_bytes(damage)
    message = f"{re.escape(str(file(store, 'jsonl')))} is damaged .*; run the study again, which replaces it"
    with pytest.raises(InvalidInputError, match=message):
        store.curve(CELL)


@pytest.mark.parametrize("ending", ["jsonl", "run.json"])
def test_a_damaged_result_is_none_until_it_is_written_again(store, ending):
    store.write(CELL, RESULT)
    assert store.damage(CELL) is None
    whole = file(store, ending).read_bytes()
    file(store, ending).write_bytes(whole[: len(whole) // 2])
    assert store.kept(CELL)
    assert not store.has(CELL)
    assert f"{CELL.key}.{ending} is damaged (" in store.damage(CELL)
    assert store.failure(CELL) is None
    assert store.manifests([CELL]) == {}
    store.write(CELL, RESULT)
    assert store.has(CELL)
    assert store.damage(CELL) is None


def test_where_nothing_was_written_nothing_is_damaged(store):
    assert not store.kept(CELL)
    assert store.damage(CELL) is None
    store.write_failure(CELL, Failure("ValueError: no", "Traceback ..."))
    assert store.damage(CELL) is None


def test_a_result_that_was_cut_off_anywhere_is_refused(store):
    store.write(CELL, RESULT)
    whole = file(store, "jsonl").read_bytes()
    for end in range(0, len(whole) - 1, 7):
        file(store, "jsonl").write_bytes(whole[:end])
        with pytest.raises(InvalidInputError, match="is damaged"):
            store.curve(CELL)


@pytest.mark.parametrize("damage", [None, b"", b"{", b"[1]", b"\xff"])
def test_damaged_times_are_refused_by_the_name_of_their_file_and_damaged_failures_are_none(store, damage):
    store.write(CELL, RESULT)
    file(store, "run.json").unlink()
    other = replace(CELL, seed=5)
    if damage is not None:
        file(store, "run.json").write_bytes(damage)
        (store.folder / f"{other.key}.failed.json").write_bytes(damage)
        assert store.failure(other) is None
        assert f"{other.key}.failed.json is damaged (" in store.damage(other)
    with pytest.raises(InvalidInputError, match=rf"{CELL.key}\.run\.json is damaged"):
        store.curve(CELL)


def test_manifests_list_all_that_results_were_made_with(store):
    others = [replace(CELL, seed=seed) for seed in (5, 6)]
    store.write(CELL, RESULT)
    store.write(others[0], replace(RESULT, manifest={"ofakind": "1.0", "cores": 64, "commit": None}))
    found = store.manifests([CELL, *others])
    assert found == {"ofakind": ["1.0"], "cores": ["2", "64"], "commit": ["None"]}


def test_a_folder_that_cannot_be_made_is_refused(tmp_path):
    (tmp_path / "file").touch()
    for folder in (tmp_path / "file", tmp_path / "file" / "inside"):
        with pytest.raises(InvalidInputError, match=f"cannot write to {re.escape(str(folder))}: "):
            Store(folder).prepare()


@pytest.fixture
def closed():
    """A folder that anybody may reach, which pytest's own are not."""
    with TemporaryDirectory() as name:
        yield Path(name)
        Path(name).chmod(0o755)


@pytest.mark.slow
@pytest.mark.parametrize("mode", [0o555, 0o000])
def test_a_folder_that_cannot_be_written_is_refused_before_any_work(closed, tmp_path, mode):
    closed.chmod(mode)
    code = (
        "import os, sys\n"
        "from ofakind.study.store import Store\n"
        "Store(sys.argv[2]).prepare()\n"  # nobody else need be able to read what is imported late
        "if os.getuid() == 0:\n"  # who may write everywhere
        "    os.setuid(65534)\n"
        "Store(sys.argv[1]).prepare()\n"
    )
    command = [sys.executable, "-c", code, str(closed), str(tmp_path / "open")]
    done = subprocess.run(command, capture_output=True, text=True)
    assert f"cannot write to {closed}: Permission denied" in done.stderr
