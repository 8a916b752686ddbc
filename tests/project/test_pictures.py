"""Folders of pictures: which files are some, what is kept of them, and what is refused."""

import io
import os
import shutil
import struct
import sys
import zlib
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import ofakind as ok
from ofakind.errors import InvalidInputError, MissingFileError, OfakindError
from ofakind.project.bringing import SourceOptions
from ofakind.project.from_files import ExtraFiles, NewProject, add_from
from ofakind.project.making import ProjectOptions
from ofakind.project.pictures import MOST_PIXELS, find_pictures, look_of, picture_kind

SVG = b"<svg xmlns='http://www.w3.org/2000/svg'></svg>"


def picture(seed, kind="PNG", mode="L", size=(20, 30)):
    """The bytes of a picture of noise."""
    levels = np.random.default_rng(seed).integers(0, 256, (*size, 4 if mode == "RGBA" else 3), np.uint8)
    file = io.BytesIO()
    Image.fromarray(levels, "RGBA" if mode == "RGBA" else "RGB").convert(mode).save(file, kind)
    return file.getvalue()


@pytest.fixture
def folder(tmp_path):
    """Six pictures in a folder and one below, and things that are none."""
    place = tmp_path / "photos"
    (place / "b").mkdir(parents=True)
    (place / ".hidden").mkdir()
    for number in range(3):
        (place / f"{number}.png").write_bytes(picture(number))
        (place / "b" / f"{number}.jpg").write_bytes(picture(number + 3, "JPEG"))
    (place / "notes.txt").write_text("none", encoding="utf-8")
    (place / ".hidden" / "x.png").write_bytes(picture(0))
    (place / ".DS_Store").write_bytes(b"x")
    return place


def made(source, target, **options):
    brought, _ = NewProject(source, target, **options).make(ProjectOptions())
    return brought


IDS = ("0.png", "1.png", "2.png", "b/0.jpg", "b/1.jpg", "b/2.jpg")


@pytest.mark.filterwarnings("ignore:left out")
def test_ids_are_paths_and_the_bytes_are_those_of_the_files(folder, tmp_path):
    made(folder, tmp_path / "a.ofk")
    with ok.open_project(tmp_path / "a.ofk") as project:
        assert project.ids == IDS
        assert [project.picture(one) for one in IDS] == [(folder / one).read_bytes() for one in IDS]
        assert project.features_used.descriptor is not None
        assert len(project.ask(2)) == 2
        assert bool(project.check(replay=True))


def test_what_is_no_picture_is_left_out_and_named(folder, tmp_path):
    with pytest.warns(UserWarning, match=r"left out, since they are no pictures: 'notes.txt'$"):
        made(folder, tmp_path / "a.ofk")


@pytest.mark.filterwarnings("ignore:left out")
def test_project_and_pictures_can_be_moved_together(folder, tmp_path):
    made(folder, tmp_path / "a.ofk")
    other = tmp_path / "other"
    other.mkdir()
    for one in (folder, tmp_path / "a.ofk"):
        one.rename(other / one.name)
    with ok.open_project(other / "a.ofk") as project:
        assert project.picture("b/0.jpg") == picture(3, "JPEG")


@pytest.mark.filterwarnings("ignore:left out")
def test_copied_pictures_are_in_the_project(folder, tmp_path):
    made(folder, tmp_path / "a.ofk", how=SourceOptions(copy=True))
    folder.rename(tmp_path / "gone")
    with ok.open_project(tmp_path / "a.ofk") as project:
        assert [project.picture(one) for one in IDS[:3]] == [picture(number) for number in range(3)]
        assert bool(project.check())


@pytest.mark.filterwarnings("ignore:left out")
def test_a_picture_that_was_changed_or_is_gone_is_refused(folder, tmp_path):
    made(folder, tmp_path / "a.ofk")
    (folder / "0.png").write_bytes(picture(99))
    (folder / "1.png").write_bytes(picture(1)[:-1] + b"!")
    (folder / "2.png").unlink()
    with ok.open_project(tmp_path / "a.ofk") as project:
        for one in IDS[:2]:
            with pytest.raises(InvalidInputError, match="was changed since it was added"):
                project.picture(one)
        with pytest.raises(MissingFileError, match="put it back"):
            project.picture("2.png")
        with pytest.raises(InvalidInputError, match="is no object"):
            project.picture("../a.ofk")


@pytest.mark.filterwarnings("ignore:left out")
def test_what_is_no_ordinary_file_is_not_read_as_a_picture(folder, tmp_path):
    """A device may never end, and a pipe may never begin."""
    made(folder, tmp_path / "a.ofk")
    (folder / "0.png").unlink()
    (folder / "0.png").symlink_to("/dev/zero")
    (folder / "1.png").unlink()
    os.mkfifo(folder / "1.png")
    with ok.open_project(tmp_path / "a.ofk") as project:
        for one in IDS[:2]:
            with pytest.raises(InvalidInputError, match="was changed since it was added"):
                project.picture(one)


def test_other_objects_have_no_picture(project):
    assert project.picture(project.ids[0]) is None


@pytest.mark.filterwarnings("ignore:left out")
def test_more_pictures_can_be_added_and_are_described_as_those_before(folder, tmp_path):
    made(folder, tmp_path / "a.ofk")
    more = tmp_path / "more"
    more.mkdir()
    (more / "9.gif").write_bytes(picture(0, "GIF"))
    with ok.open_project(tmp_path / "a.ofk") as project:
        add_from(project, more, SourceOptions(), ExtraFiles())
        assert project.ids == (*IDS, "9.gif")
        assert project.picture("9.gif") == picture(0, "GIF")
        near = project._model.learner.prior.pairs
        assert (0, 6) in set(near)  # the same picture in another format
    with ok.open_project(tmp_path / "a.ofk") as project:
        assert bool(project.check(replay=True))


@pytest.mark.filterwarnings("ignore:left out")
def test_what_was_computed_of_pictures_is_kept_and_they_are_never_read_to_be_compared_again(
    folder, tmp_path, monkeypatch
):
    """Decoding and shrinking differ between processors: a replay elsewhere would compare other pictures."""
    looks = [look_of(one, (folder / one).read_bytes()).astype(np.float32) for one in IDS]
    made(folder, tmp_path / "a.ofk")
    more = tmp_path / "more"
    more.mkdir()
    (more / "9.gif").write_bytes(picture(0, "GIF"))
    with ok.open_project(tmp_path / "a.ofk") as project:
        for question in project.ask(3):
            project.tell(question, -1)
        add_from(project, more, SourceOptions(), ExtraFiles())
        for question in project.ask(3):
            project.tell(question, -1)
        project._follow()
        expected = project._model.learner.to_document()
        stored = project._books.file.blob(project._books.ledger.features[0][0].vectors)
    assert np.array_equal(np.load(io.BytesIO(stored)), looks)

    def refuse(*_):
        raise AssertionError("a picture is read again")

    monkeypatch.setitem(sys.modules, "PIL", None)
    for name in ("priors.pictures.describe_picture", "project.pictures.describe_picture"):
        monkeypatch.setattr(f"ofakind.{name}", refuse)
    for name in ("project.pictures.look_of", "project.bringing.look_of"):
        monkeypatch.setattr(f"ofakind.{name}", refuse)
    for one in (folder, more):
        shutil.rmtree(one)
    with ok.open_project(tmp_path / "a.ofk") as project:
        project._books.file.empty_cache()
        project._saved = project._model.through
    with ok.open_project(tmp_path / "a.ofk") as project:
        assert project._model.made == 0
        project._follow()
        assert project._model.learner.to_document() == expected
        assert project.check(replay=True)
        assert project.status().notes == ()
        assert len(project.ask(4)) == 4
        assert project.check(replay=True).remark == "a replay asks the same questions"


@pytest.mark.filterwarnings("ignore:left out")
def test_given_vectors_are_used_instead(folder, tmp_path):
    np.save(tmp_path / "v.npy", np.random.default_rng(0).normal(size=(6, 4)))
    made(folder, tmp_path / "a.ofk", files=ExtraFiles(vectors=tmp_path / "v.npy"))
    with ok.open_project(tmp_path / "a.ofk") as project:
        assert project.features_used.vectors is not None
        assert project.features_used.descriptor is None


def test_without_pillow_given_vectors_do_and_else_a_sentence_says_what_to_do(folder, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "PIL", None)
    (folder / "notes.txt").unlink()
    with pytest.raises(OfakindError, match=r"pip install ofakind\[images\]; or give vectors"):
        made(folder, tmp_path / "a.ofk")
    assert not (tmp_path / "a.ofk").exists()
    np.save(tmp_path / "v.npy", np.eye(6))
    assert made(folder, tmp_path / "a.ofk", files=ExtraFiles(vectors=tmp_path / "v.npy")).ids == IDS


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("x.png", SVG, "x.png is no picture"),
        ("x.jpg", b"", "x.jpg is no picture"),
        ("x.png", picture(0)[:60], "cannot be read"),
        ("x.png", b"\x89PNG\r\n\x1a\n" + b"junk" * 10, "cannot be read"),
    ],
)
def test_S8_what_is_called_a_picture_and_is_none_is_refused_by_its_name(
    folder, tmp_path, name, content, words
):
    (folder / name).write_bytes(content)
    with pytest.raises(InvalidInputError, match=words) as refused:
        made(folder, tmp_path / "a.ofk")
    assert name in str(refused.value)
    assert sorted(tmp_path.iterdir()) == [folder]


def test_S8_a_picture_of_too_many_pixels_is_refused_before_it_is_unpacked():
    for side in (10_001, 14_000, 50_000):
        header = b"IHDR" + struct.pack(">IIBBBBB", side, side, 8, 0, 0, 0, 0)
        chunk = struct.pack(">I", 13) + header + struct.pack(">I", zlib.crc32(header))
        with pytest.raises(
            InvalidInputError, match=rf"huge.png has .* pixels; expected at most {MOST_PIXELS:,}"
        ):
            look_of("huge.png", b"\x89PNG\r\n\x1a\n" + chunk + b"\0\0\0\0IDAT\x35\xaf\x06\x1e")


def test_a_folder_without_pictures_is_refused(tmp_path):
    with pytest.raises(InvalidInputError, match="holds no pictures"):
        find_pictures(tmp_path)


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "WEBP", "GIF"])
def test_kinds_are_told_by_how_files_begin(kind):
    assert picture_kind(picture(0, kind)) == kind.lower()
    assert picture_kind(SVG) is None
    assert picture_kind(b"RIFF____WAVE") is None


@pytest.mark.parametrize("mode", ["L", "RGB", "RGBA", "P", "1"])
def test_pictures_of_any_mode_have_a_descriptor(mode):
    assert np.isfinite(look_of("x.png", picture(0, mode=mode))).all()


def test_what_does_not_show_does_not_count():
    """Behind full transparency any colour may stand."""
    rng = np.random.default_rng(0)
    levels = rng.integers(0, 256, (40, 40, 4), np.uint8)
    levels[..., 3] = np.where(np.arange(40) < 20, 0, 255)
    looks = []
    for hidden in (0, 200):
        levels[:, :20, :3] = hidden
        file = io.BytesIO()
        Image.fromarray(levels, "RGBA").save(file, "PNG")
        looks.append(look_of("x.png", file.getvalue()))
    assert np.array_equal(*looks)


@pytest.mark.slow
def test_neighbours_of_a_face_are_of_the_same_person_far_more_often_than_by_chance(data_folder, tmp_path):
    faces = np.load(data_folder / "orl_faces" / "faces.npz")
    place = tmp_path / "faces"
    for image, who, shot in zip(faces["images"], faces["labels"], faces["shot"], strict=True):
        target = place / f"{who:02d}" / f"{shot:02d}.png"
        target.parent.mkdir(parents=True, exist_ok=True)
        Image.fromarray(image).save(target)
    brought, made_of = NewProject(place, tmp_path / "a.ofk").make(ProjectOptions())
    people = np.array([Path(one).parent.name for one in brought.ids])
    graph = made_of.graph
    same = people[graph.pairs.u] == people[graph.pairs.v]
    cosines = graph.features[:, graph.names.index("cosine")]
    best = np.zeros(len(people), np.int64)
    for at in np.argsort(cosines, kind="stable"):
        best[graph.pairs.u[at]] = best[graph.pairs.v[at]] = at
    assert same.mean() > 10 * 9 / 399  # chance is 9 of 399
    assert same[best].mean() > 0.95
    assert (tmp_path / "a.ofk").stat().st_mode & 0o077 == 0
