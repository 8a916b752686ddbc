"""The page around a project: without a network, over one, and in a process of its own."""

import socket
import subprocess
import sys
import warnings
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Thread

from ofakind.web.app import guarded, make_app, served
from ofakind.web.people import Access, new_access
from ofakind.web.serving import Address, listen, page_of

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # starlette would rather have another HTTP client
    from starlette.testclient import TestClient

PORT = 8712
HOSTS = (f"127.0.0.1:{PORT}", f"localhost:{PORT}", f"[::1]:{PORT}")
URL = f"http://{HOSTS[0]}"
RECORDS = [
    {"id": "a7", "name": "Joe's Diner", "city": "Rome"},
    {"id": "b2", "name": "Joes Diner", "city": "Rome"},
    {"id": "c3", "name": "The Ritz", "city": "Paris"},
    {"id": "d4", "name": "Ritz", "city": "Paris"},
    {"id": "e5", "name": "Blue Note", "city": "New York"},
    {"id": "f6", "name": "Blue Note Jazz", "city": None},
    {"id": "g7", "name": "Adlon", "city": "Berlin"},
    {"id": "h8", "name": "Hotel Adlon", "city": "Berlin"},
]


class Page:
    """A project behind the whole page; every response is looked at by `check_headers`."""

    def __init__(self, project, people=("Ada", "Bob"), budget=None, access=None):
        self.project, self.access = project, access or new_access(people)
        self.parts = served(project, self.access, PORT, budget=budget)
        self.routes = make_app(self.parts)
        self.app = guarded(self.routes, self.parts, HOSTS)

    def client(self, token=None, **headers):
        """A client without cookies, with a token if one is given."""
        given = {"Authorization": f"Bearer {token}"} if token else {}
        found = TestClient(self.app, base_url=URL, headers={**given, **headers}, follow_redirects=False)
        found.event_hooks["response"].append(check_headers)
        return found

    def of(self, person):
        return self.client(self.access.tokens[person])

    def browser(self, person):
        """A client as a browser is one: with the cookie, and what a browser says of its own page."""
        found = self.client(**{"Sec-Fetch-Site": "same-origin"})
        secret = self.access.tokens[person]
        entered = found.post("/api/session", headers={"Authorization": f"Bearer {secret}"})
        assert entered.status_code == 204
        return found

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.parts.close()


def check_headers(response):
    """What must be true of every response, whatever it answers."""
    headers = {name.lower(): value for name, value in response.headers.items()}
    assert not [name for name in headers if name.startswith("access-control-")]
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["cache-control"] == "no-store"
    assert headers["referrer-policy"] == "no-referrer"
    assert headers["cross-origin-opener-policy"] == "same-origin"
    assert headers["cross-origin-resource-policy"] == "same-origin"
    policy = headers["content-security-policy"]
    assert policy.startswith("default-src 'none'")
    assert "sandbox" in policy or "frame-ancestors 'none'" in policy
    assert "'unsafe-eval'" not in policy
    assert "*" not in policy
    assert "server" not in headers
    for cookie in response.headers.get_list("set-cookie"):
        assert {"httponly", "samesite=strict"} <= set(cookie.lower().replace(" ", "").split(";"))
        assert cookie.startswith(f"ofakind-{PORT}=")


# -- over a network -----------------------------------------------------------------------------------------


@contextmanager
def serving(project, people=("Ada",), budget=None):
    """Serve a project on a free port of this machine; gives the address and everybody's links."""
    access, address = new_access(people), listen(port=0)
    with page_of(project, access, address, budget) as server:
        thread = Thread(target=server.run, daemon=True)
        thread.start()
        try:
            yield Network(access, address)
        finally:
            server.stop()
            thread.join(120)
            assert not thread.is_alive()


@dataclass(frozen=True)
class Network:
    access: Access
    address: Address

    @property
    def url(self):
        return f"http://127.0.0.1:{self.address.port}"

    def link(self, person="Ada"):
        return self.address.link(self.access.tokens[person])


class Command:
    """``ofakind label`` in a process of its own, which can be killed and started again."""

    def __init__(self, path, *options):
        self.tokens = path.with_name("tokens")
        self.arguments = [str(path), "--no-browser", "--tokens", str(self.tokens), *options]
        self.port = free_port()
        self.start()

    def start(self):
        own = [*self.arguments, "--port", str(self.port)]
        command = [sys.executable, "-m", "ofakind", "label", *own]
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(command, stdout=pipe, stderr=subprocess.STDOUT, text=True)
        self.said = []
        for line in self.process.stdout:
            self.said.append(line)
            if line.startswith("Ctrl-C"):
                break
        self.link = next(word for line in self.said for word in line.split() if word.startswith("http"))

    def kill(self):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()

    def stop(self):
        """End it as a system that shuts down does; returns the exit code and what it printed last."""
        self.process.terminate()
        rest = self.process.stdout.read()
        self.process.stdout.close()
        return self.process.wait(120), rest

    def __enter__(self):
        return self

    def __exit__(self, *error):
        if self.process.poll() is None:
            self.kill()
        self.process.stdout.close()


def free_port():
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]
