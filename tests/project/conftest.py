"""Small projects in real files."""

import pytest

import ofakind as ok
from twins.projects import IDS, PLACES, answer_places


@pytest.fixture
def path(tmp_path):
    return tmp_path / "a.ofk"


@pytest.fixture
def project(path):
    with ok.new_project(IDS, path=path, seed=3) as project:
        yield project


@pytest.fixture
def places(tmp_path):
    """A project with six records in three groups, nearly all pairs answered."""
    with ok.new_project(PLACES, "id", path=tmp_path / "places.ofk", question="The same place?") as project:
        answer_places(project)
        yield project
