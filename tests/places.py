"""A small project with answers, made once for all tests: six records in three groups, one person."""

import shutil

import pytest

import ofakind as ok
from twins.projects import PLACES, answer_places


@pytest.fixture(scope="session")
def places_file(tmp_path_factory):
    path = tmp_path_factory.mktemp("places") / "places.ofk"
    with ok.new_project(PLACES, "id", path=path, question="The same place?") as project:
        answer_places(project)
        assert project.status().n_answers == 14
    return path


@pytest.fixture
def places_path(places_file, tmp_path):
    """A copy of the file, closed."""
    return shutil.copy(places_file, tmp_path / "places.ofk")


@pytest.fixture
def places(places_path):
    """A copy of the project, open."""
    with ok.open_project(places_path) as project:
        yield project
