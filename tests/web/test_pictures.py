"""Pictures: by what they are, never by what they are called."""

import io

import numpy as np
import pytest
from PIL import Image
from typer.testing import CliRunner

import ofakind as ok
from ofakind.cli.main import app
from twins.pages import Page

SVG = b'<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'


def encoded(kind, size=(5, 7), **options):
    file = io.BytesIO()
    Image.new("RGB", size, "red").save(file, kind, **options)
    return file.getvalue()


@pytest.fixture
def pictures(tmp_path):
    """A project of a folder with pictures."""
    folder = tmp_path / "pictures"
    folder.mkdir()
    rng = np.random.default_rng(0)
    for number in range(4):
        noise = rng.integers(0, 255, (20, 20), dtype=np.uint8)
        Image.fromarray(noise).save(folder / f"{number}.png")
    (folder / "4.gif").write_bytes(encoded("GIF") + b"<script>alert(1)</script>")  # two things at once
    made = CliRunner().invoke(app, ["new", str(folder), "-o", str(tmp_path / "a.ofk")])
    assert made.exit_code == 0, made.output
    with ok.open_project(tmp_path / "a.ofk", ahead=True) as project, Page(project) as page:
        yield folder, page


def test_S8_pictures_come_by_number_in_a_sandbox_as_what_they_are(pictures):
    folder, page = pictures
    ada = page.of("Ada")
    for number, one in enumerate(page.project.ids):
        found = ada.get(f"/api/picture/{number}")
        assert found.status_code == 200
        assert found.content == (folder / one).read_bytes()
        assert found.headers["content-type"] == f"image/{one.rpartition('.')[2]}"
        assert found.headers["content-security-policy"] == "default-src 'none'; sandbox"
        assert found.headers["x-content-type-options"] == "nosniff"
    assert ada.get("/api/picture/99").status_code == 404
    assert ada.get("/api/picture/-1").status_code == 404
    assert ada.get("/api/picture/0.png").status_code == 422
    (question,) = ada.post("/api/next", json={"n": 1}).json()["questions"]
    assert question["left"]["picture"] is True


def test_S8_a_picture_that_was_changed_or_taken_away_is_404_without_its_path(pictures):
    folder, page = pictures
    (folder / "0.png").write_bytes(SVG)
    (folder / "1.png").unlink()
    for number in (0, 1):
        found = page.of("Ada").get(f"/api/picture/{number}")
        assert found.status_code == 404
        assert str(folder) not in found.text


def test_S8_a_picture_that_became_a_link_to_another_file_is_not_shown(pictures, tmp_path):
    folder, page = pictures
    (tmp_path / "secret.png").write_bytes(encoded("PNG"))
    (folder / "0.png").unlink()
    (folder / "0.png").symlink_to(tmp_path / "secret.png")
    assert page.of("Ada").get("/api/picture/0").status_code == 404


def test_an_object_that_is_no_picture_has_none(page):
    assert page.of("Ada").get("/api/picture/0").status_code == 404
