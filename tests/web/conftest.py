"""A small project behind the whole page: routes with all rules around them."""

import pytest

import ofakind as ok
from twins.pages import RECORDS, Page, serving
from twins.tabs import enter


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "places.ofk"
    ok.new_project(RECORDS, id="id", path=path, question="Are these the same place?").close()
    return path


@pytest.fixture
def page(path):
    with ok.open_project(path, ahead=True) as project, Page(project) as page:
        yield page


@pytest.fixture
def served(path):
    with ok.open_project(path, ahead=True) as project, serving(project) as network:
        yield project, network


@pytest.fixture
def tab(chromium, served):
    context = chromium.new_context(viewport={"width": 1000, "height": 700}, locale="en-GB")
    page = context.new_page()
    page.set_default_timeout(120_000)
    enter(page, served[1].link())
    yield page
    context.close()
