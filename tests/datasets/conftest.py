"""An empty cache for every test, real files in secret, and a web server that serves what a test wants."""

import threading
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    """Nothing is read from or written to the cache of whoever runs the tests."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache" / "ofakind"


@pytest.fixture
def no_data(data_folder, monkeypatch):
    """The real files are there for the test, but not for the code under test."""
    monkeypatch.delenv("OFAKIND_DATA")
    return data_folder


@dataclass
class Web:
    """A server on loopback: ``pages`` are what it serves, ``cut`` those it stops in the middle of."""

    url: str
    pages: dict[str, bytes] = field(default_factory=dict)
    cut: set[str] = field(default_factory=set)
    asked: list[str] = field(default_factory=list)

    def serve(self, path, content):
        self.pages[path] = content
        return f"{self.url}{path}"


@pytest.fixture
def web(monkeypatch):
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    site = Web("")

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            site.asked.append(self.path)
            content = site.pages.get(self.path)
            if content is None:
                self.send_error(404)
                return
            self.send_response(200)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content[: len(content) // 2] if self.path in site.cut else content)

        def log_message(self, *_):
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    site.url = f"http://127.0.0.1:{server.server_port}"
    yield site
    server.shutdown()
    thread.join()
    server.server_close()
