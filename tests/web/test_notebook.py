"""A project shows its page beside: for whom, for how long, and in whose frame."""

import json
import os
import re
import sys
from types import SimpleNamespace

import httpx
import pytest

import ofakind as ok
from ofakind import registry
from ofakind.web import notebook
from ofakind.web.app import guarded
from ofakind.web.notebook import checked_origin, connection_file, origins_beside, origins_of
from twins.pages import HOSTS, TestClient

ORIGIN = "http://localhost:8888"


@pytest.fixture
def project(path):
    with ok.open_project(path) as project:
        yield project


@pytest.fixture(autouse=True)
def no_browser(monkeypatch):
    opened = []
    monkeypatch.setattr("webbrowser.open", opened.append)
    return opened


def get(page, path, token=None):
    found = httpx.get(page.url + path, headers={"Authorization": f"Bearer {token}"} if token else {})
    return found.status_code, found.text


@pytest.mark.slow
def test_label_serves_the_page_beside_until_it_is_closed(project):
    page = project.label("Ada", browser=False)
    assert page.running
    token = page.link.partition("#")[2]
    status, body = get(page, "/api/progress", token)
    assert (status, json.loads(body)["person"]) == (200, "Ada")
    assert get(page, "/api/progress")[0] == 401
    assert token not in repr(page)
    page.close()
    page.close()
    assert not page.running
    assert "stopped" in repr(page)
    assert "iframe" not in page._repr_html_()
    with pytest.raises(httpx.ConnectError):
        get(page, "/healthz")


@pytest.mark.slow
def test_the_page_ends_with_the_project(path):
    with ok.open_project(path) as project:
        page = project.label(browser=False)
    assert not page.running


@pytest.mark.slow
def test_the_same_cell_again_is_the_same_page_and_another_person_gets_another(project):
    one = project.label("Ada", browser=False)
    assert project.label("Ada", browser=False) is one
    other = project.label("Bob", browser=False)
    assert other is not one
    assert not one.running
    assert other.running
    other.close()
    assert project.label("Bob", browser=False).running


@pytest.mark.slow
def test_outside_a_notebook_a_browser_opens_with_a_link_that_works_once(project, no_browser):
    page = project.label()
    for _ in range(100):
        if no_browser:
            break
        page._thread.join(0.05)
    (link,) = no_browser
    code = link.partition("#")[2]
    assert link.startswith(page.url)
    assert code.startswith("once-")
    assert page._access.redeem(code) == page.link.partition("#")[2]
    assert page._access.redeem(code) is None


@pytest.mark.slow
def test_waiting_ends_with_ctrl_c_and_stops_the_page(project, monkeypatch):
    page = project.label(browser=False)
    join, calls = page._thread.join, []

    def interrupted(seconds):
        calls.append(seconds)
        if len(calls) == 1:
            raise KeyboardInterrupt
        join(seconds)

    monkeypatch.setattr(page._thread, "join", interrupted)
    page.wait()
    assert not page.running


@pytest.mark.slow
def test_what_a_notebook_keeps_holds_no_token_and_names_are_text(project):
    page = project.label("<img src=x onerror=hit()>", origin=ORIGIN, browser=False)
    html = page._repr_html_()
    assert page.link.partition("#")[2] not in html
    assert "<img" not in html
    assert len(set(re.findall(r"once-[\w-]+", html))) == 2
    assert json.dumps(list(origins_of(8888))) in html
    assert html != page._repr_html_()  # every time it is shown, other codes


def test_a_project_that_is_only_read_shows_no_page(path):
    with ok.open_project(path, read_only=True) as project, pytest.raises(ok.OfakindError):
        project.label()


def test_without_the_packages_of_the_page_that_is_said(project, monkeypatch):
    monkeypatch.setattr(registry, "find_spec", lambda _name: None)
    with pytest.raises(ok.OfakindError, match=r"pip install 'ofakind\[web\]'"):
        project.label()


# -- frames ------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_S7_only_html_may_be_in_a_frame_and_only_in_the_notebooks(page):
    app = guarded(page.routes, page.parts, HOSTS, origins_of(8888))
    client = TestClient(app, base_url=f"http://{HOSTS[0]}")
    token = {"Authorization": f"Bearer {page.access.tokens['Ada']}"}
    framed = [client.get(path, headers=token) for path in ("/", "/groups", "/map")]
    framed.append(client.get("/", headers={"Accept": "text/html"}))  # the door
    assert framed[-1].status_code == 401
    for found in framed:
        policy = found.headers["content-security-policy"]
        assert "frame-ancestors http://localhost:8888 http://127.0.0.1:8888;" in policy + ";"
        assert "*" not in policy
        assert "x-frame-options" not in found.headers
    for path in ("/api/progress", "/static/main.js", "/static/style.css", "/api/openapi.json", "/none"):
        found = client.get(path, headers=token)
        assert "frame-ancestors 'none'" in found.headers["content-security-policy"], path
        assert found.headers["x-frame-options"] == "DENY"


@pytest.mark.parametrize(
    "origin",
    [
        "http://localhost:8888/lab",
        "https://localhost:8888",
        "http://evil.test",
        "http://localhost:8888 *",
        "http://localhost:0",
        "http://localhost:99999",
        "http://localhost.evil.test:8888",
        "*",
        "",
        "http://localhost:8888; script-src *",
    ],
)
def test_only_an_address_of_this_machine_may_be_the_notebooks(project, origin):
    if origin:
        with pytest.raises(ok.InvalidInputError, match="expected what stands before the path"):
            project.label(origin=origin, browser=False)
    with pytest.raises(ok.InvalidInputError, match="origin is"):
        checked_origin(origin)


def test_the_notebooks_address_is_that_of_the_server_which_started_the_kernel(tmp_path, monkeypatch):
    kernel = tmp_path / "kernel-1.json"
    monkeypatch.setenv("JPY_PARENT_PID", "4711")
    assert origins_beside(kernel) == ()
    (tmp_path / "jpserver-1.json").write_text('{"port": 1}')
    assert origins_beside(kernel) == ()
    (tmp_path / "jpserver-4711.json").write_text('{"port": 8889, "url": "http://localhost:8889/"}')
    assert origins_beside(kernel) == ("http://localhost:8889", "http://127.0.0.1:8889")
    for text in ('{"port": 8889, "secure": true}', '{"port": "8889"}', "[]", "{"):
        (tmp_path / "jpserver-4711.json").write_text(text)
        assert origins_beside(kernel) == ()
    monkeypatch.delenv("JPY_PARENT_PID")
    assert origins_beside(kernel) == ()
    assert origins_beside(None) == ()


def test_a_kernel_is_told_by_its_connection_file(monkeypatch):
    monkeypatch.delitem(sys.modules, "IPython", raising=False)
    assert connection_file() is None
    kernel = SimpleNamespace(parent=SimpleNamespace(abs_connection_file=os.sep + "kernel.json"))
    shell = SimpleNamespace(kernel=kernel)
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: shell))
    assert connection_file().name == "kernel.json"
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=SimpleNamespace))
    assert connection_file() is None


def test_a_page_that_does_not_start_says_so(project, monkeypatch):
    monkeypatch.setattr(notebook, "STARTING", 0.05)
    monkeypatch.setattr(notebook.Server, "run", lambda _self, _ready: None)
    with pytest.raises(ok.OfakindError, match="did not start"):
        project.label(browser=False)
