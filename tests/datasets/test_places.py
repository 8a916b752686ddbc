"""Where files are looked for on each system."""

import pwd
from pathlib import Path

import pytest

from ofakind.datasets import places
from ofakind.datasets.places import cache_folder, find
from ofakind.errors import InvalidInputError


@pytest.mark.parametrize(
    ("system", "expected"),
    [
        ("linux", ".cache/ofakind"),
        ("darwin", "Library/Caches/ofakind"),
        ("win32", "AppData/Local/ofakind/Cache"),
    ],
)
def test_the_cache_is_where_the_system_has_it(monkeypatch, tmp_path, system, expected):
    monkeypatch.setattr(places.sys, "platform", system)
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.delenv("LOCALAPPDATA", raising=False)
    assert cache_folder() == tmp_path / expected


def test_the_cache_moves_with_its_variable(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache_folder() == tmp_path / "ofakind"


def test_who_has_no_home_is_told_what_to_set_unless_the_file_is_elsewhere(monkeypatch, tmp_path):
    def nobody(_):
        raise KeyError

    for name in ("HOME", "XDG_CACHE_HOME", "OFAKIND_DATA"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(pwd, "getpwuid", nobody)
    with pytest.raises(InvalidInputError, match=r"no home folder.*; set XDG_CACHE_HOME .* or OFAKIND_DATA"):
        find("iris.csv")
    monkeypatch.setenv("OFAKIND_DATA", str(tmp_path))
    (tmp_path / "iris.csv").touch()
    assert find("iris.csv") == tmp_path / "iris.csv"


def test_a_folder_with_the_name_of_a_file_is_not_that_file(monkeypatch, tmp_path):
    monkeypatch.setenv("OFAKIND_DATA", str(tmp_path))
    (tmp_path / "ecoli" / "records.csv").mkdir(parents=True)
    assert find("ecoli/records.csv") is None
