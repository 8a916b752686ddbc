"""From TOML to cells: what is read, what is refused and how, and the key under which a result is kept."""

from dataclasses import fields, is_dataclass, replace
from pathlib import Path

import pytest

from ofakind.errors import InvalidInputError
from ofakind.registry import names_in_studies
from ofakind.study import spec
from ofakind.study.parts import check_parts
from ofakind.study.revision import REVISIONS
from ofakind.study.setting import Answerer, Data
from ofakind.study.spec import Cell, Method, PartSpec, Study, names

SMALL = """
title = "Small"
seeds = 2
budget = 300
methods = ["Uniform", { name = "few", use = "JEIG", options = { samples = 10, subset = 0.5 } }]
oracles = [{ gamma = 0.2 }, "model"]
datasets = ["iris", { name = "digits", objects = 90, budget = 50, seeds = [7], batch = 5 }]
"""


def parse(text=SMALL, **changes):
    """A study; each change replaces the line of that key, or adds one."""
    lines = [line for line in text.strip().splitlines() if line.partition(" = ")[0] not in changes]
    return Study.parse("\n".join([*lines, *(f"{k} = {v}" for k, v in changes.items() if v != "")]), "small")


# -- what is read ------------------------------------------------------------------------------------------


def test_every_dataset_meets_every_oracle_method_and_seed():
    study = parse()
    assert (study.name, study.title, study.folder) == ("small", "Small", None)
    shown = [str(cell) for cell in study.cells]
    assert len(shown) == len(set(shown)) == 2 * 2 * 2 + 1 * 2 * 2
    assert shown[0] == "iris, Oracle 1, gamma 0.2, Uniform, seed 0"
    assert shown[-1] == "digits (90 objects), Oracle 2, few, seed 7"
    assert study.cells[0].data == Data("iris", 300)
    assert study.cells[-1].data == Data("digits", 50, objects=90, batch=5)
    assert study.cells[-1].method == Method("few", PartSpec("ofakind:JEIG", {"samples": 10, "subset": 0.5}))
    assert {cell.settled for cell in study.cells} == {5}


def test_seeds_may_be_so_many_from_a_first_one_on():
    study = parse(datasets='["iris"]', oracles="[{ gamma = 0.2 }]", seeds="{ first = 1000, count = 3 }")
    assert sorted({cell.seed for cell in study.cells}) == [1000, 1001, 1002]
    for wrong in (
        "{ first = 1000 }",
        "{ first = -1, count = 3 }",
        "{ first = 0, count = 0 }",
        "{ last = 3 }",
    ):
        with pytest.raises(InvalidInputError, match="seed"):
            parse(seeds=wrong)


def test_random_problems_are_answered_by_the_random_oracle_alone():
    study = parse(datasets='[{ name = "random", variant = "flips" }]', oracles='["random"]')
    assert study.cells[0].data.title == "random (flips)"
    for datasets, oracles in (
        ('["iris"]', '["random"]'),
        ('[{ name = "random", variant = "flips" }]', '["model"]'),
    ):
        with pytest.raises(InvalidInputError, match="random"):
            parse(datasets=datasets, oracles=oracles)
    with pytest.raises(InvalidInputError, match="variant"):
        parse(datasets='["random"]', oracles='["random"]')


def test_a_dataset_says_which_part_of_it_is_meant():
    assert Data("ecoli", 9, variant="all").title == "ecoli (all)"
    assert Data("ecoli", 9, variant="all", objects=50).title == "ecoli (all, 50 objects)"
    study = parse(datasets='["ecoli", { name = "ecoli", variant = "all" }]')
    assert [data.title for data in {cell.data: 0 for cell in study.cells}] == ["ecoli", "ecoli (all)"]


def test_solver_and_belief_are_parts_too():
    method = '[{ name = "a", use = "Entropy", solver = { use = "Pivot" }, points = 3,'
    method += ' belief = { use = "MeanFieldBelief", options = { beta = 2.0 } } }]'
    made = parse(methods=method).cells[0].method
    assert made.solver == PartSpec("ofakind:Pivot")
    assert made.belief == PartSpec("ofakind:MeanFieldBelief", {"beta": 2.0})
    assert made.points == 3


def test_oracles_have_a_level_of_their_own_kind_and_a_title():
    study = parse(oracles='[{ kind = "flip", share = 0.1 }, { kind = "graded", spread = 2 }, "model"]')
    found = {cell.oracle: 0 for cell in study.cells}
    assert [oracle.title for oracle in found] == [
        "Flipped answers, share 0.1",
        "Graded answers, spread 2.0",
        "Oracle 2",
    ]
    assert [oracle.level for oracle in found] == [0.1, 2.0, None]


def test_a_reader_is_a_part_too():
    method = '[{ name = "a", use = "JEIG", reader = { use = "PartitionBelief", options = { chains = 2 } } }]'
    assert parse(methods=method).cells[0].method.reader == PartSpec("ofakind:PartitionBelief", {"chains": 2})


def test_features_are_of_a_dataset_and_whose_they_are_of_a_method():
    study = parse(
        datasets='[{ name = "mnist", features = "pixels", prior = "vectors" }]',
        methods='["Uniform", { name = "a", use = "InformationGain", features = "half" }]',
        oracles="[{ gamma = 0.2 }]",
        measure='"pair_f1"',
    )
    assert study.measure == "pair_f1"
    assert parse().measure == "ari"
    assert {cell.data.title for cell in study.cells} == {"mnist (pixels)"}
    assert [cell.method.features for cell in study.cells[:2]] == [None, "half"]


def test_a_dataset_may_have_an_order_and_oracles_of_its_own_and_stand_there_again_with_others():
    datasets = '[{ name = "iris", oracles = [{ gamma = 0.6 }], budget = 9 }, "iris",'
    datasets += ' { name = "digits", shuffle = false }]'
    study = parse(datasets=datasets, shuffle="true", seeds=1)
    found = {(c.data.title, c.oracle.level, c.data.budget, c.data.shuffle): 0 for c in study.cells}
    assert list(found) == [
        ("iris", 0.6, 9, True),
        ("iris", 0.2, 300, True),
        ("iris", None, 300, True),
        ("digits", 0.2, 300, False),
        ("digits", None, 300, False),
    ]


@pytest.mark.parametrize("name", names())
def test_a_study_that_comes_with_the_package_can_be_run_and_its_runs_are_distinct(name):
    study = Study.load(name)
    check_parts(study)
    assert study.title
    assert (
        len({cell.key for cell in study.cells})
        == len({str(cell) for cell in study.cells})
        == len(study.cells)
    )


def test_the_studies_of_the_paper_are_there():
    assert set(names()) >= {"smoke", "paper", "noise", "candidates", "subset", "beta", "runtime"}


def test_every_key_and_every_study_is_in_the_documentation():
    page = (Path(__file__).parents[2] / "docs" / "study.md").read_text(encoding="utf-8")
    rows = "".join(line for line in page.splitlines() if line.startswith("|"))
    keys = {*spec.STUDY_KEYS, *spec.METHOD_KEYS, *(f.name for kind in (Data, Answerer) for f in fields(kind))}
    assert [key for key in keys if f"`{key}`" not in rows] == []
    assert [name for name in names() if f"| `{name}` | {len(Study.load(name).cells)} |" not in page] == []
    assert [name for name in names_in_studies() if f"`{name}`" not in page] == []


# -- the key -----------------------------------------------------------------------------------------------

CELL = Cell(
    Data(
        *("mnist", 500, "all", 100, 10, 20, True, True),
        features="cnn",
        whole_groups=True,
        prior="vectors",
        judge_features="cnn",
    ),
    Answerer("noisy", 0.3),
    Method(
        *(
            "name",
            PartSpec("a:B", {"x": 1, "y": [1, 2]}, "s"),
            PartSpec("c:D", {}, "s"),
            PartSpec("e:F", {}, "s"),
            4,
        ),
        reader=PartSpec("g:H", {}, "s"),
        features="half",
        one_run=True,
        judge="poor",
        judging="pooled",
    ),
    seed=1,
    settled=2,
)
OTHERS = {
    "name": "cifar10",
    "budget": 501,
    "variant": None,
    "objects": 101,
    "first_batch": None,
    "batch": 21,
    "standardise": False,
    "shuffle": False,
    "repeats": 2,
    "features": None,
    "whole_groups": False,
    "prior": "records",
    "judge_features": "pixels",
    "one_run": False,
    "judge": "good",
    "judging": None,
    "use": "a:C",
    "options": {"x": 1},
    "source": "",
    "points": 5,
    "seed": 2,
    "settled": 3,
}
ORACLES = {
    "kind": Answerer("model"),
    "gamma": Answerer(gamma=0.31),
    "share": Answerer("flip", share=0.3),
    "spread": Answerer("graded", spread=0.3),
    "anonymous": Answerer("crowd", anonymous=True),
}


# Of the first run of each study, with version 0.1.0 and revision 1.
OLD_KEYS = {
    "paper": "751c7b7cb1a8281e2bb5",
    "noise": "7f5d5ba35a7a4f8e7c03",
    "beta": "308db7e9a77085244d42",
    "subset": "a7f1b30341af810eecde",
    "smoke": "50654ccf6bbf61ba4b41",
}


def changed(value):
    """The value with one field, at any depth, changed; once for each field."""
    for field in fields(value):
        inner = getattr(value, field.name)
        if isinstance(inner, Answerer):
            assert set(ORACLES) == {field.name for field in fields(Answerer)}
            yield from ((what, replace(value, oracle=other)) for what, other in ORACLES.items())
        elif is_dataclass(inner):
            for what, new in changed(inner):
                yield f"{field.name}.{what}", replace(value, **{field.name: new})
        elif (field.name, type(value)) == ("name", Data):
            yield "name", replace(value, name=OTHERS["name"], features=None, judge_features=None)
        elif (field.name, type(value)) != ("name", Method):
            yield field.name, replace(value, **{field.name: OTHERS[field.name]})


def test_the_key_changes_with_every_field():
    keys = {what: cell.key for what, cell in changed(CELL)}
    assert len(keys) == 13 + 5 + 4 * 3 + 5 + 2
    assert len({CELL.key, *keys.values()}) == len(keys) + 1


def test_the_key_changes_with_the_version(monkeypatch):
    before = CELL.key
    monkeypatch.setattr(spec, "__version__", "9.9.9")
    assert CELL.key != before


def test_the_key_changes_with_the_revision_of_the_family_and_of_no_other(monkeypatch):
    cells = {cell.method.name: cell for cell in Study.load("smoke").cells}
    before = {name: cell.key for name, cell in cells.items()}
    monkeypatch.setitem(REVISIONS, "paper", 99)
    changed = {name for name, cell in cells.items() if cell.key != before[name]}
    assert changed == {"Uniform", "MaxExp", "Entropy", "JEIG"}


def test_results_from_before_a_field_was_there_are_still_found(monkeypatch):
    monkeypatch.setattr(spec, "__version__", "0.1.0")
    monkeypatch.setitem(REVISIONS, "paper", 1)
    firsts = {name: Study.load(name).cells[0] for name in OLD_KEYS}
    assert {name: cell.key for name, cell in firsts.items()} == OLD_KEYS
    for cell in firsts.values():
        content = cell.content()
        later = {
            "shuffle",
            "share",
            "spread",
            "reader",
            "features",
            "whole_groups",
            "prior",
            "judge_features",
        }
        assert not later & {*content["data"], *content["oracle"]}
        assert not {"reader", "features", "one_run"} & {*content["method"]}


def test_a_level_of_zero_is_set():
    for oracle in (Answerer("flip", share=0), Answerer("graded", spread=0)):
        assert 0.0 in replace(CELL, oracle=oracle).content()["oracle"].values()


def test_the_key_depends_neither_on_the_name_of_a_method_nor_on_the_order_of_options():
    part = PartSpec("a:B", {"y": [1, 2], "x": 1}, "s")
    assert replace(CELL, method=replace(CELL.method, name="other", part=part)).key == CELL.key


def test_a_whole_gamma_is_the_same_as_one_with_a_point():
    assert replace(CELL, oracle=Answerer(gamma=1)).key == replace(CELL, oracle=Answerer(gamma=1.0)).key
    assert Answerer(gamma=1).title == "Oracle 1, gamma 1.0"


def test_the_key_changes_with_the_file_of_a_method_beside_the_study(tmp_path):
    text = 'budget = 9\noracles = ["model"]\ndatasets = ["iris"]\n'
    text += 'methods = [{ name = "m", use = "mine:M" }, "JEIG"]'
    (tmp_path / "study.toml").write_text(text)
    keys = []
    for code in (None, "class M: ...", "class M: pass", "class M: ..."):
        if code:
            (tmp_path / "mine.py").write_text(code)
        keys.append([cell.key for cell in Study.load(str(tmp_path / "study.toml")).cells])
    assert len({key for key, _ in keys}) == 3
    assert keys[1] == keys[3]
    assert len({key for _, key in keys}) == 1


# -- what is refused ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"seeds": "2\nseeds = 3"}, "Cannot overwrite a value (at end of document"),
        ({"budgte": 5}, "the study has an unknown entry 'budgte'; did you mean 'budget'?"),
        ({"zzz": 5}, "unknown entry 'zzz'; expected one of title, seeds, budget, shuffle, settled, measure"),
        ({"datasets": '["irs"]'}, "no dataset 'irs' with true clusters; did you mean 'iris'?"),
        ({"datasets": '["bitcoin_otc"]'}, "no dataset 'bitcoin_otc' with true clusters; expected one of"),
        (
            {"datasets": '[{ name = "iris", bach = 3 }]'},
            "a dataset has an unknown entry 'bach'; did you mean 'batch'?",
        ),
        ({"datasets": "[{ batch = 3 }]"}, "a dataset has no name"),
        (
            {"datasets": '[{ name = "iris", batch = 0 }]'},
            "batch of iris is 0; expected a whole number, 1 or more",
        ),
        (
            {"datasets": '[{ name = "iris", objects = "5" }]'},
            "objects of iris is '5'; expected a whole number",
        ),
        (
            {"datasets": '[{ name = "iris", budget = 2.5 }]'},
            "the budget of iris is 2.5; expected a whole number",
        ),
        ({"datasets": '[{ name = "iris", variant = "al" }]'}, "the variant of iris is 'al'; expected 'all'"),
        (
            {"datasets": '[{ name = "iris", standardise = 1 }]'},
            "standardise of iris is 1; expected True or False",
        ),
        (
            {"datasets": '[{ name = "iris", prior = "rows" }]'},
            "the prior of iris is 'rows'; expected 'records' or 'vectors'",
        ),
        ({"datasets": '[{ name = "iris", features = "x" }]'}, "features of iris is 'x'; expected 'table'"),
        (
            {"datasets": '[{ name = "iris", whole_groups = true }]'},
            "iris has whole_groups; expected objects too",
        ),
        (
            {"datasets": '[{ name = "iris", prior = "vectors" }]'},
            "iris has a prior, and model answers; expected no prior, or",
        ),
        (
            {"methods": '[{ name = "JEIG", features = "own" }]', "oracles": "[{ gamma = 0.2 }]"},
            "JEIG uses features, and iris has no prior; expected 'records' or 'vectors'",
        ),
        ({"methods": '[{ name = "JEIG", features = "good" }]'}, "features of JEIG is 'good'; expected 'own'"),
        ({"methods": '[{ name = "JEIG", one_run = 1 }]'}, "one_run of JEIG is 1; expected True or False"),
        ({"measure": '"f1"'}, "measure is 'f1'; expected 'ari' or 'pair_f1'"),
        ({"datasets": '["iris", { name = "iris", batch = 9 }]'}, "two of the datasets are 'iris'"),
        ({"datasets": "[]"}, "datasets is []; expected a list with at least one entry"),
        ({"datasets": '"iris"'}, "datasets is 'iris'; expected a list"),
        ({"datasets": "[3]"}, "an entry of datasets is 3; expected a name or a table"),
        ({"datasets": ""}, "it has no datasets; expected a list"),
        ({"budget": ""}, "a dataset has no budget: {'name': 'iris'}"),
        ({"budget": 0}, "the budget of iris is 0; expected a whole number, 1 or more"),
        ({"seeds": 0}, "seeds is 0; expected a whole number, 1 or more"),
        ({"seeds": "[]"}, "seeds is an empty list"),
        ({"seeds": "[1, 1]"}, "two of the seeds are 1"),
        ({"seeds": "[-1]"}, "a seed is -1; expected a whole number, 0 or more"),
        ({"settled": 0}, "settled is 0; expected a whole number, 1 or more"),
        ({"title": 7}, "the title is 7; expected a text"),
        (
            {"oracles": '["noisi"]'},
            "the kind of an oracle is 'noisi'; expected 'noisy' or 'flip' or 'graded' or 'model' or 'crowd'",
        ),
        ({"oracles": '["noisy"]'}, "the noisy oracle has no gamma"),
        ({"oracles": '[{ kind = "model", gamma = 0.4 }]'}, "the model oracle has gamma 0.4"),
        ({"oracles": '["flip"]'}, "the flip oracle has no share; it goes with flip, and only with it"),
        ({"oracles": "[{ gamma = 0.4, spread = 1 }]"}, "the noisy oracle has spread 1; it goes with graded"),
        (
            {"oracles": '[{ kind = "flip", share = 1.5 }]'},
            "share is 1.5; expected a finite number, at least 0",
        ),
        (
            {"oracles": '[{ kind = "graded", spread = -1 }]'},
            "spread is -1; expected a finite number, at least 0",
        ),
        ({"shuffle": 1}, "shuffle of iris is 1; expected True or False"),
        ({"datasets": '[{ name = "iris", oracles = [] }]'}, "oracles is []; expected a list with at least"),
        ({"oracles": ""}, "it has no oracles; expected a list with at least one entry"),
        ({"methods": '[{ name = "JEIG", reader = true }]'}, "the reader of JEIG is True; expected a table"),
        (
            {"oracles": "[{ gamma = 1.5 }]"},
            "gamma is 1.5; expected a finite number, at least 0 and at most 1",
        ),
        ({"oracles": '[{ gamma = "0.4" }]'}, "gamma is '0.4'; expected a finite number"),
        ({"oracles": "[{ gamma = 0 }, { gamma = 0.0 }]"}, "two of the oracles are 'Oracle 1, gamma 0.0'"),
        (
            {"methods": '["JEIGG"]'},
            "there is no method 'JEIGG'; did you mean 'JEIG'? (one of your own: module:Class)",
        ),
        ({"methods": '["JEIG", { name = "JEIG", use = "Uniform" }]'}, "two of the methods are 'JEIG'"),
        ({"methods": '[{ use = "JEIG" }]'}, "a method has no name"),
        ({"methods": '[{ name = 3, use = "JEIG" }]'}, "the name of a method is 3; expected a text"),
        ({"methods": '[{ name = "a", part = {} }]'}, "a method has an unknown entry 'part'"),
        (
            {"methods": '[{ name = "JEIG", points = 1 }]'},
            "points of JEIG is 1; expected a whole number, 2 or more",
        ),
        ({"methods": '[{ name = "JEIG", options = 3 }]'}, "the options of JEIG are 3; expected a table"),
        (
            {"methods": '[{ name = "JEIG", options = { a = 2020-01-01 } }]'},
            "the options of JEIG are {'a': datetime",
        ),
        ({"methods": '[{ name = "JEIG", belief = "x" }]'}, "the belief of JEIG is 'x'; expected a table"),
        (
            {"methods": '[{ name = "JEIG", solver = { us = "x" } }]'},
            "the solver of JEIG has an unknown entry 'us'",
        ),
        ({"methods": '[{ name = "JEIG", solver = {} }]'}, "the solver of JEIG has no use"),
    ],
)
def test_what_cannot_be_is_refused_in_plain_words(changes, message):
    with pytest.raises(InvalidInputError) as refused:
        parse(**changes)
    assert str(refused.value).startswith("study small: ")
    assert message in str(refused.value)


def test_broken_toml_is_refused_with_its_line():
    with pytest.raises(InvalidInputError, match=r"study small: .*line 3"):
        Study.parse('title = "a"\nseeds = 1\nbudget = \n', "small")


def test_an_unknown_study_is_refused_with_those_that_are_known(tmp_path):
    for name in ("smoek", str(tmp_path), str(tmp_path / "none.toml")):
        with pytest.raises(
            InvalidInputError, match=r"there is no study .*expected a TOML file or one of: .*smoke"
        ):
            Study.load(name)


def test_a_file_that_is_no_text_is_refused_by_name(tmp_path):
    (tmp_path / "a.toml").write_bytes(b"title = '\xff'")
    with pytest.raises(InvalidInputError, match=r"a\.toml is not a text in UTF-8"):
        Study.load(str(tmp_path / "a.toml"))
