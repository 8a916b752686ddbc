"""The revision of the methods: whose it is, and that it is raised when results change."""

import json

import pytest

from ofakind.registry import PARTS, names_in_studies
from ofakind.study.manifest import manifest
from ofakind.study.revision import ON_A_GRAPH, REVISIONS, family, revision
from twins import fixed_runs
from twins.fixed_runs import RUNS, digests_here, found_now, read, updated

NEARLY = 0.15  # on other machines ties fall the other way, and a run of few rounds ends elsewhere
CHANGED = """
{family} gives other results than revision {revision} did: {names}.
If that is not meant, find out why. If it is, raise REVISIONS[{family!r}] in src/ofakind/study/revision.py,
so that studies run these methods again, and then record the new results:
    PYTHONPATH=tests .venv/bin/python -m twins.fixed_runs
"""


@pytest.mark.parametrize("name", RUNS)
def test_the_results_of_a_revision_stay_the_same(name):
    """To the last bit where the machine rounds as one that recorded them, else about as good."""
    record, found = read()[name], found_now(name)
    assert record["revision"] == found["revision"], "record it: PYTHONPATH=tests python -m twins.fixed_runs"
    known = digests_here(record, manifest())
    if known is None:
        wrong = [
            run for run in RUNS[name] if found["ari"][run] != pytest.approx(record["ari"][run], abs=NEARLY)
        ]
    else:
        wrong = [run for run in RUNS[name] if found["digests"][run] != known.get(run)]
    assert not wrong, CHANGED.format(family=name, revision=record["revision"], names=", ".join(wrong))


def test_every_family_has_runs_and_a_record_of_each():
    assert RUNS.keys() == REVISIONS.keys() == read().keys()
    for name, record in read().items():
        assert record["ari"].keys() == RUNS[name].keys()
        assert record["machines"]
        assert all(entry["digests"].keys() == RUNS[name].keys() for entry in record["machines"])


def test_a_machine_that_rounds_otherwise_is_not_compared_bit_by_bit():
    record = read()["ours"]
    machine = record["machines"][0]["rounding"]
    assert digests_here(record, {**machine, "cores": 1000, "commit": "x"}) is not None
    for name in ("numpy", "numba", "cpu", "simd"):
        assert digests_here(record, {**machine, name: "another"}) is None


# -- the record --------------------------------------------------------------------------------------------

HERE, ELSEWHERE = {"numpy": "1", "cpu": "a"}, {"numpy": "1", "cpu": "b"}
FOUND = {"revision": 3, "ari": {"x": 0.5}, "digests": {"x": "abc"}}


def test_a_record_is_made_added_to_and_replaced_by_the_next_revision():
    first = updated(None, FOUND, HERE)
    assert updated(first, FOUND, HERE) == first
    both = updated(first, FOUND | {"digests": {"x": "def"}}, ELSEWHERE)
    assert [digests_here(both, machine)["x"] for machine in (HERE, ELSEWHERE)] == ["abc", "def"]
    raised = updated(both, {"revision": 4, "ari": {"x": 0.6}, "digests": {"x": "ghi"}}, HERE)
    assert (raised["revision"], raised["ari"], len(raised["machines"])) == (4, {"x": 0.6}, 1)
    more = updated(both, FOUND | {"digests": {"x": "abc", "y": "new"}}, HERE)
    assert [entry["digests"] for entry in more["machines"]] == [{"x": "abc", "y": "new"}]


def test_other_results_are_not_recorded_under_the_same_revision(tmp_path, monkeypatch):
    with pytest.raises(ValueError, match="same revision, 3: raise it first"):
        updated(updated(None, FOUND, HERE), FOUND | {"digests": {"x": "def"}}, HERE)
    kept = tmp_path / "revisions.json"
    kept.write_text(json.dumps({"ours": updated(None, FOUND, manifest())}))
    before = kept.read_bytes()
    monkeypatch.setattr(fixed_runs, "RECORDS", kept)
    monkeypatch.setattr(fixed_runs, "RUNS", {"ours": {}})
    monkeypatch.setattr(fixed_runs, "found_now", lambda _: FOUND | {"digests": {"x": "def"}})
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
