"""The revision of the methods: whose it is, and that it is raised when results change."""

import json

import pytest

from ofakind.registry import PARTS, names_in_studies
from ofakind.study.revision import ON_A_GRAPH, REVISIONS, family, revision
from twins import fixed_runs
from twins.fixed_runs import RUNS, found_now, read, updated

CHANGED = """
{family} gives other results than revision {revision} did: {names}.
If that is not meant, find out why. If it is, raise REVISIONS[{family!r}] in src/ofakind/study/revision.py
(ours in src/ofakind/engine/revision.py), so that studies run these methods again, and then record the new
results:
    PYTHONPATH=tests .venv/bin/python -m twins.fixed_runs
"""


@pytest.mark.slow
@pytest.mark.parametrize("name", RUNS)
def test_the_results_of_a_revision_stay_the_same_to_the_last_bit(name):
    record, found = read()[name], found_now(name)
    assert record["revision"] == found["revision"], "record it: PYTHONPATH=tests python -m twins.fixed_runs"
    wrong = [run for run in RUNS[name] if found["digests"][run] != record["digests"].get(run)]
    assert not wrong, CHANGED.format(family=name, revision=record["revision"], names=", ".join(wrong))


def test_every_family_has_runs_and_a_record_of_each():
    assert RUNS.keys() == REVISIONS.keys() == read().keys()
    assert all(record["digests"].keys() == RUNS[name].keys() for name, record in read().items())


# -- the record --------------------------------------------------------------------------------------------

FOUND = {"revision": 3, "digests": {"x": {"labels": "abc"}}}
OTHERS = {"x": {"labels": "def"}}


def test_a_record_is_made_added_to_and_replaced_by_the_next_revision():
    first = updated(None, FOUND)
    assert updated(first, FOUND) == first == FOUND
    more = FOUND | {"digests": FOUND["digests"] | {"y": {"labels": "new"}}}
    assert updated(first, more) == more
    raised = {"revision": 4, "digests": OTHERS}
    assert updated(first, raised) == raised


def test_other_results_are_not_recorded_under_the_same_revision(tmp_path, monkeypatch):
    with pytest.raises(ValueError, match="same revision, 3: raise it first"):
        updated(FOUND, FOUND | {"digests": OTHERS})
    kept = tmp_path / "revisions.json"
    kept.write_text(json.dumps({"ours": FOUND}))
    before = kept.read_bytes()
    monkeypatch.setattr(fixed_runs, "RECORDS", kept)
    monkeypatch.setattr(fixed_runs, "RUNS", {"ours": {}})
    monkeypatch.setattr(fixed_runs, "found_now", lambda _: FOUND | {"digests": OTHERS})
    with pytest.raises(SystemExit, match="stays as it is"):
        fixed_runs.main()
    assert kept.read_bytes() == before


# -- whose it is -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("uses", "expected"),
    [
        (["ofakind:JEIG"], "paper"),
        (["ofakind:JEIG", "ofakind:Multilevel", "ofakind:MeanFieldBelief"], "paper"),
        (["mine:Nearest"], "paper"),
        (["ofakind:InformationGain"], "ours"),
        (["ofakind:Uniform", "ofakind:PartitionBelief"], "ours"),
        (["mine:Nearest", "ofakind:PartitionBelief"], "ours"),
        (["ofakind.rivals:QECC"], "rivals"),
        (["ofakind.rivals:TransitiveJoin"], "graph rivals"),
    ],
)
def test_a_method_is_of_the_family_that_its_parts_come_from(uses, expected):
    assert family(uses) == expected
    assert revision(uses) == f"{expected} {REVISIONS[expected]}"


def test_every_part_that_a_study_can_name_has_a_family():
    families = {use: family([use]) for use in names_in_studies().values()}
    rivals = {part.name for part in PARTS if part.role == "rival"}
    found = {use.partition(":")[2] for use, name in families.items() if name in ("rivals", "graph rivals")}
    assert found == rivals
    on_a_graph = {part.name for part in PARTS if part.role == "rival" and part.load().needs_prior}
    assert on_a_graph == ON_A_GRAPH
    assert [use for use, found in families.items() if found == "ours"] == [
        "ofakind:InformationGain",
        "ofakind:Consensus",
        "ofakind:PartitionBelief",
    ]
