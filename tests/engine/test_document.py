"""A learner as a document: what is written, what is read, what is refused."""

import json
import math
import os
import re
import socket
import stat
from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ofakind.acquire.eig import EIGO
from ofakind.acquire.entropy import Entropy
from ofakind.acquire.jeig import JEIG
from ofakind.acquire.triangles import MaxExp, MaxMin
from ofakind.acquire.uniform import Uniform
from ofakind.engine.document import plain, unpacked, write
from ofakind.engine.learner import ActiveClustering
from ofakind.errors import InvalidInputError, MissingFileError
from ofakind.files import write_whole
from ofakind.posterior.mean_field.belief import MeanFieldBelief
from ofakind.solve.exact import Exact
from ofakind.solve.local_search import LocalSearch
from ofakind.solve.pivot import Pivot
from twins.parts import OwnAcquisition, OwnBelief, OwnSolver

# Parts of ofakind with an option away from its default where there is one; more are added as they are built.
ACQUISITIONS = [Uniform(), Entropy(noise=0.5), EIGO(), JEIG(samples=5), MaxMin(explore=0.1), MaxExp(beta=2.0)]
ACQUISITIONS += [MaxExp(beta=math.inf)]
SOLVERS = [LocalSearch(restarts=2, new_cluster="no_gain"), Pivot(repeats=3), Exact(limit=9)]
BELIEFS = [MeanFieldBelief(beta=2.0, tol=1e-5)]


def started(**options: Any) -> ActiveClustering:
    """Make a learner with two rounds behind it and questions out."""
    parts = {"acquisition": Entropy(), "solver": LocalSearch(), "belief": MeanFieldBelief(tol=1e-3)}
    learner = ActiveClustering(9, **{**parts, "candidates": None, "initial": 8, "batch_size": 4, **options})
    for annotator in (None, "Ada", "Müller"):
        pairs = learner.ask()
        learner.tell(pairs[:3], [1, -1, 0.1], annotator)
    return learner


DOCUMENT = started().to_document()


def changed(path: str, value: Any) -> dict[str, Any]:
    """Return the document, on purpose, with one entry replaced, or removed where the value is `...`."""
    document = {**deepcopy(DOCUMENT), "checksum": None}
    *folders, name = path.split(".")
    place: Any = document
    for folder in folders:
        place = place[folder]
    if value is ...:
        del place[name]
    else:
        place[name] = value
    return document


# -- what is written and read ----------------------------------------------------------------------------


def test_a_document_is_strict_json_and_survives_it() -> None:
    text = json.dumps(DOCUMENT, allow_nan=False)
    assert json.loads(text) == DOCUMENT
    assert ActiveClustering.from_document(json.loads(text)).to_document() == DOCUMENT


def test_scores_that_json_cannot_write_survive_it() -> None:
    learner = started(acquisition=MaxMin())  # no bad triangle: the batch is filled up, with NaN for scores
    assert learner.last_batch is not None
    assert np.isnan(learner.last_batch.scores).any()
    twin = ActiveClustering.from_document(json.loads(json.dumps(learner.to_document(), allow_nan=False)))
    assert twin.last_batch is not None
    assert np.array_equal(twin.last_batch.scores, learner.last_batch.scores, equal_nan=True)


@pytest.mark.parametrize("part", ACQUISITIONS, ids=repr)
def test_every_acquisition_is_rebuilt_with_its_options(part: Any) -> None:
    document = started(acquisition=part, solver=LocalSearch()).to_document()
    assert ActiveClustering.from_document(document).acquisition == part


@pytest.mark.parametrize("name", ["learner.json", "learner.npz"])
def test_an_infinite_option_survives_a_file(name: str, tmp_path: Path) -> None:
    learner = started(acquisition=MaxExp(beta=math.inf))
    learner.save(tmp_path / name)
    twin = ActiveClustering.load(tmp_path / name)
    assert twin.acquisition == MaxExp(beta=math.inf)
    assert twin.ask() == learner.ask()


@pytest.mark.parametrize("part", SOLVERS, ids=repr)
def test_every_solver_is_rebuilt_with_its_options(part: Any) -> None:
    assert ActiveClustering.from_document(started(solver=part).to_document()).solver == part


@pytest.mark.parametrize("part", BELIEFS, ids=repr)
def test_every_belief_is_rebuilt_with_its_options(part: Any) -> None:
    assert ActiveClustering.from_document(started(belief=part).to_document()).belief == part


@pytest.mark.parametrize("role", ["acquisition", "solver", "belief"])
def test_a_part_of_ones_own_must_be_handed_in_again(role: str, tmp_path: Path) -> None:
    own = {"acquisition": OwnAcquisition(2.5), "solver": OwnSolver(), "belief": OwnBelief()}[role]
    learner = started(**{role: own})
    learner.save(tmp_path / "mine.json")
    with pytest.raises(InvalidInputError, match=rf"saved {role} .*{type(own).__name__}.*{role}=\.\.\."):
        ActiveClustering.load(tmp_path / "mine.json")
    twin = ActiveClustering.load(tmp_path / "mine.json", **{role: own})
    assert twin.ask() == learner.ask()


def test_a_namesake_of_a_part_counts_as_ones_own() -> None:
    class Pivot(OwnSolver):
        pass

    document = started(solver=Pivot()).to_document()
    with pytest.raises(InvalidInputError, match="saved solver is not one of ofakind's"):
        ActiveClustering.from_document(document)


def test_a_part_that_is_handed_in_takes_the_place_of_the_saved_one() -> None:
    assert ActiveClustering.from_document(DOCUMENT, solver=Pivot()).solver == Pivot()


@pytest.mark.parametrize("name", ["learner.json", "learner.npz", "LEARNER.NPZ"])
def test_a_file_brings_everything_back(name: str, tmp_path: Path) -> None:
    learner = started(
        candidates=[(u, v) for v in range(9) for u in range(v) if u + v != 8], repeats=2, seed=2**70
    )
    learner.save(tmp_path / name)
    twin = ActiveClustering.load(tmp_path / name)
    assert twin.to_document() == learner.to_document()
    assert twin.answers.annotators == learner.answers.annotators
    assert twin.ask() == learner.ask()


def test_an_npz_file_is_arrays_and_one_text_without_pickle(tmp_path: Path) -> None:
    started().save(tmp_path / "learner.npz")
    with np.load(tmp_path / "learner.npz", allow_pickle=False) as archive:
        assert json.loads(str(archive["document"]))["format"] == "ofakind-learner"
        assert archive["answers.values"].tolist() == [1, -1, 0.1] * 3


def test_what_is_read_cannot_be_written_through(tmp_path: Path) -> None:
    learner = started()
    learner.save(tmp_path / "learner.npz")
    twin = ActiveClustering.load(tmp_path / "learner.npz")
    for array in (twin.answers.u, twin.answers.values, twin.pending.u, twin.labels):
        assert not array.flags.writeable


# -- files are written whole -----------------------------------------------------------------------------


@pytest.mark.parametrize(("place", "name"), [(os, "fsync"), (Path, "replace")])
def test_a_failed_save_leaves_the_old_file_and_no_other(
    place: Any, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "learner.json"
    path.write_text("old", encoding="utf-8")

    def full(*_: Any) -> None:
        raise OSError(28, "no space left on device")

    monkeypatch.setattr(place, name, full)
    with pytest.raises(OSError, match="no space"):
        started().save(path)
    assert path.read_text(encoding="utf-8") == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_save_replaces_the_old_file_and_leaves_no_other(tmp_path: Path) -> None:
    for learner in (started(seed=1), started(seed=2)):
        learner.save(tmp_path / "learner.npz")
    assert ActiveClustering.load(tmp_path / "learner.npz").seed == 2
    assert [path.name for path in tmp_path.iterdir()] == ["learner.npz"]


@pytest.mark.parametrize("dangling", [False, True])
def test_a_link_stays_and_the_file_it_leads_to_is_written(dangling: bool, tmp_path: Path) -> None:
    (tmp_path / "store").mkdir()
    real, link, first = tmp_path / "store" / "real.json", tmp_path / "learner.json", tmp_path / "first.json"
    if not dangling:
        real.write_text("old", encoding="utf-8")
    first.symlink_to(real)
    link.symlink_to("first.json")
    started().save(link)
    assert link.is_symlink()
    assert first.is_symlink()
    assert not real.is_symlink()
    assert ActiveClustering.load(real).to_document() == DOCUMENT
    assert [path.name for path in real.parent.iterdir()] == ["real.json"]


def make_odd(kind: str, path: Path) -> None:
    """Make, in the working folder, something that is no ordinary file."""
    if kind == "folder":
        path.mkdir()
    elif kind == "pipe":
        os.mkfifo(path)
    elif kind == "socket":
        with socket.socket(socket.AF_UNIX) as made:
            made.bind(path.name)  # a whole path may be too long for it
    elif kind == "circle":
        path.symlink_to(path.name)
    else:
        os.mkfifo(path.with_suffix(".pipe"))
        path.symlink_to(path.with_suffix(".pipe"))


@pytest.mark.parametrize("kind", ["folder", "pipe", "socket", "circle", "link to a pipe"])
def test_what_is_no_ordinary_file_is_refused_and_stays(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "learner.json"
    make_odd(kind, path)
    before = {(each, each.lstat().st_ino, each.lstat().st_mode) for each in tmp_path.iterdir()}
    expected = "it is a folder" if kind == "folder" else "it is no ordinary file"
    with pytest.raises(InvalidInputError, match=rf"^cannot write .*learner\.json: {expected}"):
        started().save(path)
    assert {(each, each.lstat().st_ino, each.lstat().st_mode) for each in tmp_path.iterdir()} == before


@pytest.mark.parametrize("mode", [0o444, 0o400, 0o000])
def test_a_write_protected_file_is_refused_and_stays(mode: int, tmp_path: Path) -> None:
    path = tmp_path / "learner.json"
    path.write_text("old", encoding="utf-8")
    path.chmod(mode)
    with pytest.raises(InvalidInputError, match="it is write-protected"):
        started().save(path)
    assert stat.S_IMODE(path.stat().st_mode) == mode
    path.chmod(0o600)
    assert path.read_text(encoding="utf-8") == "old"


def test_a_file_of_somebody_else_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "learner.json"
    path.touch()
    monkeypatch.setattr(os, "access", lambda place, _: Path(place) != path)  # the tests may run as root
    with pytest.raises(InvalidInputError, match="it is write-protected"):
        started().save(path)


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o644, 0o666, 0o755])
@pytest.mark.parametrize("umask", [0o022, 0o077])
def test_a_file_keeps_its_mode(mode: int, umask: int, tmp_path: Path) -> None:
    path = tmp_path / "learner.json"
    path.touch()
    path.chmod(mode)
    before = os.umask(umask)
    try:
        started().save(path)
    finally:
        os.umask(before)
    assert stat.S_IMODE(path.stat().st_mode) == mode
    assert path.stat().st_size


def test_a_new_file_gets_the_usual_mode(tmp_path: Path) -> None:
    write_whole(tmp_path / "new", b"x")
    (tmp_path / "usual").touch()
    assert (tmp_path / "new").stat().st_mode == (tmp_path / "usual").stat().st_mode


def test_the_draft_of_a_private_file_is_never_open_to_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "learner.json"
    path.touch()
    path.chmod(0o600)
    modes = []
    chmod = Path.chmod
    monkeypatch.setattr(
        Path, "chmod", lambda self, mode: modes.append(self.stat().st_mode) or chmod(self, mode)
    )
    write_whole(path, b"secret")
    assert [stat.S_IMODE(mode) for mode in modes] == [0o600]


@pytest.mark.parametrize("missing", ["no", "file.txt"])
def test_a_missing_folder_is_named_and_no_draft_is(missing: str, tmp_path: Path) -> None:
    (tmp_path / "file.txt").touch()
    path = tmp_path / missing / "learner.json"
    with pytest.raises(InvalidInputError) as caught:
        started().save(path)
    expected = f"cannot write {path}: there is no folder {path.parent}; create it or choose another"
    assert str(caught.value) == expected


def test_a_link_into_a_missing_folder_is_refused_by_that_folder(tmp_path: Path) -> None:
    (tmp_path / "learner.json").symlink_to(tmp_path / "gone" / "real.json")
    with pytest.raises(InvalidInputError, match=r"learner\.json: there is no folder .*gone"):
        started().save(tmp_path / "learner.json")


def test_an_error_of_the_system_names_the_path_that_was_given(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)

    def refuse(self: Path, _: Path) -> None:
        raise PermissionError(13, "Permission denied", str(self))

    monkeypatch.setattr(Path, "replace", refuse)
    with pytest.raises(PermissionError) as caught:
        started().save("learner.json")
    assert caught.value.filename == "learner.json"
    assert not any(tmp_path.iterdir())


def test_a_name_may_be_as_long_as_the_system_lets_it(tmp_path: Path) -> None:
    path = tmp_path / ("x" * 250 + ".json")
    started().save(path)
    assert [each.name for each in tmp_path.iterdir()] == [path.name]


@pytest.mark.parametrize("name", ["learner.pkl", "learner"])
def test_another_suffix_is_refused_on_both_ways(name: str, tmp_path: Path) -> None:
    with pytest.raises(InvalidInputError, match=r"expected \.json or \.npz"):
        started().save(tmp_path / name)
    assert not any(tmp_path.iterdir())
    with pytest.raises(InvalidInputError, match=r"expected \.json or \.npz"):
        ActiveClustering.load(tmp_path / name)


def test_a_missing_file_is_named_and_is_missing_to_python_too(tmp_path: Path) -> None:
    path = tmp_path / "nothing.json"
    for kind in (FileNotFoundError, InvalidInputError, MissingFileError):
        with pytest.raises(
            kind, match=rf"^there is no file {re.escape(str(path))}; expected one that `save`"
        ):
            ActiveClustering.load(path)


def test_a_folder_is_no_learner(tmp_path: Path) -> None:
    (tmp_path / "learner.json").mkdir()
    with pytest.raises(InvalidInputError, match=r"learner\.json is a folder; expected a file"):
        ActiveClustering.load(tmp_path / "learner.json")


@pytest.mark.parametrize("path", [None, 3, b"learner.json", ["learner.json"], "a\0.json"])
def test_what_is_no_path_is_refused_on_both_ways(path: Any) -> None:
    with pytest.raises(InvalidInputError, match=r"^the path is .*; expected the name of a file, such as"):
        started().save(path)
    with pytest.raises(InvalidInputError, match=r"^the path is .*; expected the name of a file, such as"):
        ActiveClustering.load(path)


# -- what is refused -------------------------------------------------------------------------------------


@pytest.mark.parametrize("document", [None, [], "text", {}, {"format": "other", "version": 1}])
def test_what_is_no_learner_is_refused(document: Any) -> None:
    with pytest.raises(InvalidInputError, match=r"no saved learner.*expected 'ofakind-learner'"):
        ActiveClustering.from_document(document)


def test_a_newer_version_asks_for_an_update() -> None:
    with pytest.raises(InvalidInputError, match=r"newer ofakind.*update"):
        ActiveClustering.from_document(changed("version", 4))


@pytest.mark.parametrize(("version", "later"), [(1, ["checksum", "memory"]), (2, ["checksum"])])
def test_a_learner_of_an_earlier_version_is_still_read(version: int, later: list[str]) -> None:
    document = changed("version", version)
    for name in later:
        document.pop(name)
    learner = ActiveClustering.from_document(document)
    assert learner.to_document()["answers"] == DOCUMENT["answers"]


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("version", "1"),
        ("version", 0),
        ("n", 3),
        ("n", "9"),
        ("n", ...),
        ("seed", -1),
        ("repeats", None),
        ("candidates", {"u": [0], "v": [9]}),
        ("candidates", 3),
        ("acquisition", None),
        ("acquisition", {"name": "LocalSearch", "options": {}}),
        ("acquisition", {"name": "os.system", "options": {}}),
        ("acquisition", {"name": ["Uniform"], "options": {}}),
        ("solver.name", ...),
        ("solver.options", {"restarts": 0}),
        ("solver.options", {"nonsense": 1}),
        ("solver.options", {"restarts": "inf"}),
        ("solver.options", {"new_cluster": "nan"}),
        ("acquisition.options", {"noise": "-inf"}),
        ("acquisition.options", {"noise": ["inf"]}),
        ("belief.options", []),
        ("answers.u", [0, 1]),
        ("answers.values", [2] * 9),
        ("answers.values", [None] * 9),
        ("answers.annotators", ["Ada"]),
        ("answers.annotators", [1] * 9),
        ("answers", ...),
        ("pending", {"u": [1], "v": [1]}),
        ("pending", {"u": [1], "v": [10**30]}),
        ("history.k", [1]),
        ("history.k", ["x"] * 3),
        ("history", []),
        ("last_clustering", None),
        ("last_clustering.labels", [0] * 8),
        ("last_clustering.labels", [1] * 9),
        ("last_batch.scores", [0.0]),
        ("last_batch", ...),
    ],
)
def test_a_damaged_document_is_refused(path: str, value: Any) -> None:
    with pytest.raises(InvalidInputError, match="damaged"):
        ActiveClustering.from_document(changed(path, value))


OURS = ActiveClustering(6, initial=5, batch_size=4, seed=1)
for _ in range(3):
    OURS.tell(OURS.ask(4), [1, -1, 0.5, -0.3], ["Ada", "Bo", "Ada", "Bo"])
WRONG = [None, True, -1, 2.5, "x", "", [], {}, [None], ["x"], [[1]], {"a": 1}, 10**30, math.nan, ...]
PYTHONS = ("object is not", "indices must be", "argument must be", "unsized", "is shorter than")


def places(tree: Any, *above: Any) -> Iterator[tuple[Any, ...]]:
    """Every entry of a document, whatever it is in; of a list, its first."""
    below = tree if isinstance(tree, dict) else range(min(1, len(tree))) if isinstance(tree, list) else ()
    for name in below:
        yield *above, name
        yield from places(tree[name], *above, name)


@pytest.mark.parametrize("name", [*DOCUMENT])
@pytest.mark.parametrize("whole", [DOCUMENT, OURS.to_document()], ids=["the paper's", "ours"])
def test_no_wrong_type_anywhere_in_a_document_is_an_error_of_pythons(
    whole: dict[str, Any], name: str
) -> None:
    for *above, last in ((name,), *places(whole[name], name)):
        for value in WRONG:
            document = {**deepcopy(whole), "checksum": None}
            entry: Any = document
            for step in above:
                entry = entry[step]
            if value is ...:
                del entry[last]
            else:
                entry[last] = value
            try:
                learner = ActiveClustering.from_document(document)
            except InvalidInputError as error:
                assert not any(words in str(error) for words in PYTHONS), (above, last, value)  # noqa: PT017
            else:
                learner.to_document()


@pytest.mark.parametrize("name", ["answers", "pending", "history", "last_batch", "last_clustering"])
def test_an_entry_that_is_null_is_named(name: str) -> None:
    with pytest.raises(InvalidInputError, match=rf'is damaged \(its "{name}" cannot be read: None\); use an'):
        ActiveClustering.from_document(changed(name, None))
    with pytest.raises(InvalidInputError, match=rf'is damaged \(it has no "{name}"\); use an earlier copy'):
        ActiveClustering.from_document(changed(name, ...))


@pytest.mark.parametrize("content", [b"", b"{", b"\xff\xfe", b"PK\x03\x04", b"[" * 100_000])
@pytest.mark.parametrize("suffix", [".json", ".npz"])
def test_a_file_that_is_no_such_file_is_refused(content: bytes, suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"learner{suffix}"
    path.write_bytes(content)
    with pytest.raises(InvalidInputError, match=f"damaged.*learner{suffix}"):
        ActiveClustering.load(path)


def test_an_array_file_is_no_archive(tmp_path: Path) -> None:
    with (tmp_path / "learner.npz").open("wb") as file:
        np.save(file, np.arange(3))
    with pytest.raises(InvalidInputError, match="damaged"):
        ActiveClustering.load(tmp_path / "learner.npz")


@given(place=st.floats(0, 1, exclude_max=True), byte=st.integers(1, 255), cut=st.booleans())
def test_a_broken_file_is_read_as_it_was_or_refused_in_words(
    place: float, byte: int, cut: bool, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("broken") / "learner.npz"
    write(
        path,
        DOCUMENT | {"answers": {k: v if v is None else np.array(v) for k, v in DOCUMENT["answers"].items()}},
    )
    content = bytearray(path.read_bytes())
    at = int(place * len(content))
    if cut:
        del content[at:]
    else:
        content[at] ^= byte
    path.write_bytes(content)
    try:
        learner = ActiveClustering.load(path)
    except InvalidInputError:
        return
    assert learner.to_document() == DOCUMENT


# -- the checksum ----------------------------------------------------------------------------------------


def test_what_does_not_fit_its_checksum_is_refused_with_a_way_out() -> None:
    document = {**deepcopy(DOCUMENT), "seed": 5}
    expected = r"damaged \(it does not fit its checksum\); use an earlier copy or, if .* to null$"
    with pytest.raises(InvalidInputError, match=expected):
        ActiveClustering.from_document(document)
    assert ActiveClustering.from_document({**document, "checksum": None}).seed == 5


@pytest.mark.parametrize("wrong", ["", "0" * 64, 0, True, [], {}])
def test_a_checksum_that_is_none_is_refused(wrong: Any) -> None:
    with pytest.raises(InvalidInputError, match="does not fit its checksum"):
        ActiveClustering.from_document({**DOCUMENT, "checksum": wrong})


def test_a_document_that_has_lost_its_checksum_is_refused() -> None:
    document = deepcopy(DOCUMENT)
    document["chocksum"] = document.pop("checksum")
    with pytest.raises(InvalidInputError, match=r'damaged \(it has no "checksum"\)'):
        ActiveClustering.from_document(document)
    with pytest.raises(InvalidInputError, match="does not fit its checksum"):  # an earlier version had none
        ActiveClustering.from_document({**DOCUMENT, "version": 2})


def test_a_file_may_go_through_other_hands_that_write_json_their_own_way(tmp_path: Path) -> None:
    OURS.save(tmp_path / "learner.json")
    tree = json.loads((tmp_path / "learner.json").read_text(encoding="utf-8"))
    tree["answers"]["values"] = [int(x) if x == int(x) else x for x in tree["answers"]["values"]]
    text = json.dumps(tree, indent=2, sort_keys=True, ensure_ascii=False)
    (tmp_path / "learner.json").write_text(text, encoding="utf-8")
    assert ActiveClustering.load(tmp_path / "learner.json").to_document() == OURS.to_document()


@pytest.mark.slow
def test_no_damaged_character_of_a_json_file_goes_unnoticed(tmp_path: Path) -> None:
    path, rng = tmp_path / "learner.json", np.random.default_rng(0)
    OURS.save(path)
    text, whole = path.read_text(encoding="utf-8"), OURS.to_document()
    characters = sorted({*map(chr, range(32, 127)), "\t", "ä", "\0"})
    for _ in range(2000):
        at = int(rng.integers(len(text)))
        path.write_text(text[:at] + str(rng.choice(characters)) + text[at + 1 :], encoding="utf-8")
        assert_refused_or_whole(path, whole)


@pytest.mark.slow
def test_no_damaged_byte_of_an_npz_file_goes_unnoticed(tmp_path: Path) -> None:
    path, rng = tmp_path / "learner.npz", np.random.default_rng(0)
    OURS.save(path)
    content, whole = path.read_bytes(), OURS.to_document()
    for _ in range(2000):
        broken = bytearray(content)
        broken[rng.integers(len(content))] ^= rng.integers(1, 256)
        path.write_bytes(broken)
        assert_refused_or_whole(path, whole)


def assert_refused_or_whole(path: Path, whole: dict[str, Any]) -> None:
    try:
        learner = ActiveClustering.load(path)
    except InvalidInputError:
        return
    assert learner.to_document() == whole


def test_what_json_has_no_word_for_is_refused() -> None:
    with pytest.raises(InvalidInputError, match="cannot be saved"):
        plain({"x": [object()]})
    assert plain({"x": (np.float64(1.5), np.array([[np.inf]]), None, True)}) == {
        "x": [1.5, [["inf"]], None, True]
    }


def test_a_learner_as_bytes_is_what_is_saved():
    learner = ActiveClustering(5)
    learner.tell(asked := learner.ask(3), np.ones(len(asked)))
    again = ActiveClustering.from_document(unpacked(learner.to_bytes()))
    assert again.to_document() == learner.to_document()
