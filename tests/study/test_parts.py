"""From names to objects: our parts, parts beside the study, and what is said when one cannot be made."""

import subprocess
import sys

import pytest

import ofakind as ok
from ofakind.errors import InvalidInputError
from ofakind.registry import names_in_studies
from ofakind.rivals import NCOBRAS, QECC, UncertaintySampling
from ofakind.study.parts import build, check_parts, find_class, is_acquisition
from ofakind.study.spec import PartSpec, Study, hash_beside


@pytest.fixture(autouse=True)
def as_before(monkeypatch):
    """What a test puts on Python's path, or imports from there, is forgotten after it."""
    monkeypatch.setattr(sys, "path", [*sys.path])
    yield
    for name in ("mine_beside", "mine_changing", "faulty_module"):
        sys.modules.pop(name, None)


@pytest.mark.parametrize("name", names_in_studies())
def test_every_known_name_is_a_class_that_can_be_made(name):
    made = build(PartSpec(names_in_studies()[name]))
    assert is_acquisition(made) or callable(made)


def test_options_reach_the_part():
    assert build(PartSpec("ofakind:JEIG", {"samples": 7})) == ok.JEIG(samples=7)


def test_a_rival_that_wants_to_know_the_noise_is_told_unless_it_has_its_own():
    assert build(PartSpec("ofakind.rivals:NCOBRAS"), noise=0.3).noise == 0.3
    assert build(PartSpec("ofakind.rivals:NCOBRAS", {"noise": 0.1}), noise=0.3).noise == 0.1
    assert build(PartSpec("ofakind.rivals:NCOBRAS")) == NCOBRAS()
    assert build(PartSpec("ofakind.rivals:QECC"), noise=0.3) == QECC()
    assert build(PartSpec("ofakind:Entropy"), noise=0.3) == ok.Entropy()  # its noise is another


def test_a_rival_that_asks_in_batches_asks_as_many_at_a_time_as_the_learners_unless_it_has_its_own():
    part = "ofakind.rivals:UncertaintySampling"
    assert build(PartSpec(part), batch_size=7) == UncertaintySampling(batch_size=7)
    assert build(PartSpec(part, {"batch_size": 3}), batch_size=7) == UncertaintySampling(batch_size=3)
    assert build(PartSpec("ofakind.rivals:QECC"), batch_size=7) == QECC()


def test_a_module_beside_the_study_is_found_first(tmp_path):
    (tmp_path / "mine_beside.py").write_text("class Mine:\n    def score(self): ...\n")
    assert is_acquisition(build(PartSpec("mine_beside:Mine"), str(tmp_path)))
    assert sys.path[0] == str(tmp_path)


@pytest.mark.parametrize(
    ("part", "message"),
    [
        (
            PartSpec("ofakind:JEIG", {"sampels": 3}),
            r"ofakind:JEIG does not take .*'sampels'.*\(it knows .*samples",
        ),
        (PartSpec("ofakind:JEIG", {"samples": -3}), "ofakind:JEIG does not take .*samples is -3; expected"),
        (PartSpec("ofakind:Uniform", {"a": 3}), "it knows no options"),
        (PartSpec("ofakind:Nothing"), "ofakind:Nothing: there is no Nothing in .*ofakind"),
        (
            PartSpec("no_such_module:A"),
            "no_such_module:A: No module named 'no_such_module'; expected the module",
        ),
        (PartSpec("ofakind.no:A"), "No module named 'ofakind.no'"),
        (PartSpec(":A"), "the class is ':A'; expected module:Class"),
        (PartSpec("a:"), "the class is 'a:'; expected module:Class"),
    ],
)
def test_what_cannot_be_made_is_refused_in_plain_words(part, message):
    with pytest.raises(InvalidInputError, match=message):
        build(part)


def test_a_fault_inside_a_module_is_not_taken_for_a_missing_class(tmp_path):
    (tmp_path / "faulty_module.py").write_text("import math\nmath.nothing\nclass A: ...\n")
    with pytest.raises(AttributeError, match="nothing"):
        find_class(PartSpec("faulty_module:A"), str(tmp_path))


def test_a_module_beside_the_study_is_always_the_one_that_the_study_began_with(tmp_path):
    """As in a Dask worker, which lives longer than a text."""
    folder, parts = str(tmp_path), []
    for number in (1, 22, 333):  # of other lengths: Python looks at no more than that within one second
        (tmp_path / "mine_changing.py").write_text(f"class Mine:\n    number = {number}\n")
        parts.append(PartSpec("mine_changing:Mine", {}, hash_beside("mine_changing:Mine", folder)))
        assert [build(parts[-1], folder).number for _ in range(2)] == [number, number]
    (tmp_path / "mine_changing.py").write_text("broken")
    assert build(parts[-1], folder).number == 333
    with pytest.raises(InvalidInputError, match="is not the one that the study began with"):
        build(parts[0], folder)


def test_a_study_with_a_part_that_cannot_be_made_is_refused_before_it_runs():
    head = 'budget = 9\noracles = ["model"]\ndatasets = ["iris"]\n'
    for method, message in [
        ('{ name = "a", use = "ofakind:Pairs", options = { u = [], v = [] } }', "neither score nor __call__"),
        ('{ name = "JEIG", options = { x = 1 } }', "does not take"),
        ('{ name = "JEIG", solver = { use = "Pivot", options = { x = 1 } } }', "ofakind:Pivot does not take"),
        ('{ name = "JEIG", belief = { use = "no_such_module:A" } }', "no_such_module"),
        ('{ name = "JEIG", reader = { use = "MeanFieldBelief" } }', "MeanFieldBelief, which has no samples"),
        ('{ name = "JEIG", reader = { use = "PartitionBelief", options = { x = 1 } } }', "does not take"),
        ('{ name = "QECC", one_run = true }', "QECC is to be looked at in one run; expected a rival that"),
        ('{ name = "JEIG", one_run = true }', "JEIG is to be looked at in one run"),
        ('{ name = "TransitiveJoin" }', "TransitiveJoin needs a candidate graph; expected features"),
        ('{ name = "QECC", reader = { use = "PartitionBelief" } }', "QECC has a reader; only an acquisition"),
    ]:
        with pytest.raises(InvalidInputError, match=message):
            check_parts(Study.parse(f"{head}methods = [{method}]", "a"))


@pytest.mark.slow
def test_listing_studies_loads_nothing_heavy():
    code = "import sys; from ofakind.study.spec import Study; Study.load('paper')\n"
    code += "assert not {'numba', 'sklearn', 'matplotlib', 'joblib', 'distributed'} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)
