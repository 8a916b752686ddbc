"""Small projects in real files."""

import pytest

import ofakind as ok
from twins.projects import IDS


@pytest.fixture
def path(tmp_path):
    return tmp_path / "a.ofk"


@pytest.fixture
def project(path):
    with ok.new_project(IDS, path=path, seed=3) as project:
        yield project
