"""A small project behind the whole page: routes with all rules around them."""

import pytest

import ofakind as ok
from twins.pages import RECORDS, Page


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "places.ofk"
    ok.new_project(RECORDS, id="id", path=path, question="Are these the same place?").close()
    return path


@pytest.fixture
def page(path):
    with ok.open_project(path, ahead=True) as project, Page(project) as page:
        yield page
