"""The server on a real socket: where it listens, what it opens and calls, and how it ends."""

import asyncio
import logging
import re
import signal
import socket
import stat
import sys
import threading
import time
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path

import httpx
import psutil
import pytest

import ofakind as ok
from ofakind.cli.page import said_of
from ofakind.errors import InvalidInputError
from ofakind.web.guards import BODY
from ofakind.web.people import new_access
from ofakind.web.serving import Address, is_loopback, links, listen
from twins.limits import files_to_open
from twins.pages import Command, check_headers, serving

PATIENCE = 120  # seconds until a test gives up: machines that run tests can be slow
WATCHED = []  # lists that want to know what Python does; a hook cannot be taken off again


def _tell(event, arguments):
    for found in WATCHED:
        found.append((event, arguments))


@pytest.fixture
def network(path):
    with ok.open_project(path, ahead=True) as project, serving(project, ["Ada", "Bob"]) as network:
        yield network


def client(network, person="Ada"):
    headers = {"Authorization": f"Bearer {network.access.tokens[person]}"}
    return httpx.Client(base_url=network.url, headers=headers, timeout=PATIENCE, trust_env=False)


def raw(network, data):
    """Send bytes as they are; returns the first line of the reply."""
    with socket.create_connection(("127.0.0.1", network.address.port), timeout=PATIENCE) as line:
        line.sendall(data)
        line.shutdown(socket.SHUT_WR)
        reply = b""
        while part := line.recv(65536):
            reply += part
    return reply


# -- where it listens -------------------------------------------------------------------------------------


def test_S2_it_listens_on_this_machine_alone_unless_told_otherwise():
    address = listen(port=0)
    try:
        assert address.socket.getsockname()[0] == "127.0.0.1"
        assert is_loopback(address.host)
        text = "\n".join(said_of(new_access([""]), address))
        assert "Everybody" not in text
    finally:
        address.socket.close()


def test_S2_another_address_says_what_that_means_and_has_a_link_for_each():
    address, access = listen("0.0.0.0", 0), new_access(["Ada", "Bob"])  # noqa: S104
    try:
        said = "\n".join(said_of(access, address))
        assert "Everybody who reaches 0.0.0.0 and has a link can answer and see all records." in said
        assert "not encrypted" in said
        assert [name for name, _ in links(access, address)] == ["Ada", "Bob"]
        for token in access.tokens.values():
            assert said.count(token) == 1
        assert "http://0.0.0.0" not in said
    finally:
        address.socket.close()


def test_a_port_that_is_taken_is_named_and_without_one_the_next_is_tried():
    first = listen()
    second = listen()
    try:
        assert first.port != second.port
        with pytest.raises(InvalidInputError, match=f"port {first.port}: .*--port"):
            listen(port=first.port)
    finally:
        first.socket.close()
        second.socket.close()


def test_a_reply_is_sent_at_once_and_waits_for_no_acknowledgement():
    """Else what follows the headers comes 40 ms after them."""

    async def sent_at_once(address):
        came = asyncio.get_running_loop().create_future()
        server = await asyncio.start_server(lambda _, line: came.set_result(line), sock=address.socket)
        _, own = await asyncio.open_connection("127.0.0.1", address.port)
        line = await came
        found = line.get_extra_info("socket").getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
        for one in (own, line):
            one.close()
            await one.wait_closed()
        server.close()
        return found

    assert asyncio.run(sent_at_once(listen(port=0)))


def test_S3_hosts_have_the_port_and_what_was_given():
    with socket.socket() as unbound:
        unbound.bind(("127.0.0.1", 0))
        address = Address(unbound, "192.0.2.7", ("box",))
        port = address.port
        assert set(address.hosts) == {
            f"{name}:{port}" for name in ("localhost", "127.0.0.1", "[::1]", "192.0.2.7", "box")
        }
        assert address.link("T") == f"http://192.0.2.7:{port}/#T"


# -- what goes over the line ------------------------------------------------------------------------------


def test_S5_responses_of_the_real_server_have_all_headers_too(network):
    with client(network) as ada:
        for path in ("/", "/api/progress", "/static/main.js", "/nothing"):
            check_headers(ada.get(path))


@pytest.mark.parametrize(
    "first",
    [
        b"GET http://evil.test/api/progress HTTP/1.1\r\nHost: evil.test\r\n",
        b"GET /api/progress HTTP/1.1\r\n",
        b"GET /api/progress HTTP/1.0\r\n",
        b"GET /api/progress HTTP/1.1\r\nHost: 127.0.0.1\r\nHost: evil.test\r\n",
        b"GET //evil.test/ HTTP/1.1\r\nHost: evil.test\r\n",
    ],
)
def test_S3_raw_requests_for_others_are_refused(network, first):
    token = network.access.tokens["Ada"].encode()
    status = raw(network, first + b"Authorization: Bearer " + token + b"\r\nConnection: close\r\n\r\n")
    assert re.match(rb"HTTP/1.1 4(00|21) ", status)


@pytest.mark.parametrize(
    "data",
    [
        b"\x00\xff\xfe\r\n\r\n",
        b"GET\r\n\r\n",
        b"GET / HTTP/9.9\r\n\r\n",
        b"POST /api/answer HTTP/1.1\r\nContent-Length: banana\r\n\r\n",
        b"POST /api/answer HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        b"GET /" + b"a" * 70_000 + b" HTTP/1.1\r\n\r\n",
        b"GET / HTTP/1.1\r\n" + b"X: y\r\n" * 20_000 + b"\r\n",
    ],
)
def test_S13_bytes_that_are_no_request_are_no_5xx_and_no_traceback(network, data):
    try:
        reply = raw(network, data)
    except ConnectionError:
        reply = b""
    assert not re.match(rb"HTTP/1.1 5", reply)
    assert b"Traceback" not in reply
    with client(network) as ada:
        assert ada.get("/api/last").status_code == 200


@pytest.mark.slow
def test_S12_idle_and_slow_connections_keep_nobody_from_answering(network, monkeypatch):
    """No slow one is given up before: who waits for it gets no answer in time."""
    monkeypatch.setattr("ofakind.web.guards.BODY", replace(BODY, seconds=2 * PATIENCE))
    port, both_ends = network.address.port, 2
    lines = files_to_open(300 * both_ends) // both_ends
    assert lines > 10
    idle = [socket.create_connection(("127.0.0.1", port)) for _ in range(lines)]
    try:
        for line in idle[::2]:
            line.sendall(
                b"POST /api/answer HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nContent-Length: 50000\r\n\r\n{" % port
            )
        with client(network) as ada:
            for question in ada.post("/api/next", json={"n": 5}).json()["questions"]:
                body = {"key": question["key"], "value": 1}
                body |= {side: question[side]["number"] for side in ("left", "right")}
                assert ada.post("/api/answer", json=body).status_code == 200
    finally:
        for line in idle:
            line.close()


# -- what it opens, and whom it calls ---------------------------------------------------------------------


PATHS = ["../../etc/passwd", "..%2f..%2fetc/passwd", "%2e%2e/%2e%2e/etc/passwd", "..\\..\\etc\\passwd"]
PATHS += [
    "/etc/passwd",
    "C:\\boot.ini",
    "main.js/../../app.py",
    "main.js%00.png",
    "....//etc/passwd",
    "static_x",
]


def test_S9_s10_no_path_from_outside_is_opened_and_nobody_is_called(tmp_path):
    records = [{"id": name, "url": "http://192.0.2.1/x.png", "file": "/etc/passwd"} for name in PATHS]
    ok.new_project(records, id="id", path=tmp_path / "a.ofk", fields=()).close()
    with ok.open_project(tmp_path / "a.ofk", ahead=True) as project, serving(project) as network:
        with client(network) as ada:
            ada.get("/api/progress")  # what is loaded on first use is loaded now
            ada.get("/api/groups")
            ada.get("/api/evidence", params={"left": 0, "right": 1})
            sys.addaudithook(_tell)
            WATCHED.append(seen := [])
            try:
                for path in PATHS:
                    for place in ("/static/", "/api/picture/", "/api/groups/", "/"):
                        assert ada.get(place + path).status_code in (404, 422)
                    for place in ("search", "offset", "left"):
                        assert ada.get("/api/groups", params={place: path}).status_code < 500
                    assert ada.post("/api/skip", json={"key": path}).status_code in (404, 422)
                ada.post("/api/next", json={"n": 5})
                ada.get("/api/picture/0")
            finally:
                WATCHED.remove(seen)
        opened = [str(one[0]) for event, one in seen if event == "open"]
        allowed = (str(tmp_path), sys.prefix, sys.base_prefix, str(Path(ok.__file__).parent))
        assert [one for one in opened if not one.startswith(allowed)] == []
        called = [one[1] for event, one in seen if event == "socket.connect"]
        assert [place for place in called if place[0] != "127.0.0.1"] == []


def test_S17_the_token_is_in_no_log_no_address_and_no_list_of_processes(path, caplog):
    caplog.set_level(logging.DEBUG)
    with ok.open_project(path, ahead=True) as project, serving(project) as network:
        token = network.access.tokens["Ada"]
        with client(network) as ada:
            ada.get("/api/progress")
            ada.get("/nothing")
            ada.post("/api/answer", content=b"{")
    with Command(path) as server:
        secret = server.link.partition("#")[2]
        command = " ".join(psutil.Process(server.process.pid).cmdline())
        code, rest = server.stop()
    ours = [one for one in caplog.records if not one.name.startswith(("httpx", "httpcore"))]
    assert token not in "".join(one.getMessage() for one in ours)
    assert secret not in command
    assert secret not in rest
    assert sum(secret in line for line in server.said) == 1  # the link itself
    assert code == 143


def test_S16_a_project_and_its_tokens_are_for_their_owner_alone(path):
    with Command(path) as server:
        assert stat.S_IMODE(server.tokens.stat().st_mode) == 0o600
        assert stat.S_IMODE(path.stat().st_mode) == 0o600


# -- how it ends ------------------------------------------------------------------------------------------


class Answering(threading.Thread):
    """Somebody who answers as fast as possible, and notes what was acknowledged."""

    def __init__(self, server):
        super().__init__(daemon=True)
        self.server, self.kept, self.statuses = server, {}, set()

    def run(self):
        url, _, token = self.server.link.partition("/#")
        headers = {"Authorization": f"Bearer {token}"}
        with httpx.Client(base_url=url, headers=headers, timeout=PATIENCE, trust_env=False) as ada:
            try:
                while True:
                    for question in ada.post("/api/next", json={"n": 5}).json()["questions"]:
                        body = {side: question[side]["number"] for side in ("left", "right")}
                        body |= {"key": question["key"], "value": 1 if sum(body.values()) % 2 else -1}
                        reply = ada.post("/api/answer", json=body)
                        self.statuses.add(reply.status_code)
                        self.kept[reply.json()["event"]] = body["value"]
            except httpx.HTTPError:
                return


def stored(path):
    with ok.open_project(path, read_only=True) as project:
        assert project.check()
        return {one.event: one.value for one in project.answers}


@pytest.mark.slow
def test_R1_no_acknowledged_answer_is_lost_or_doubled_by_kill_9(tmp_path):
    path, kept = tmp_path / "a.ofk", {}
    ok.new_project(list(range(300)), path=path).close()
    with Command(path) as server:
        for answers in (2, 6, 11):
            somebody = Answering(server)
            somebody.start()
            wait_for(lambda: len(somebody.kept) >= answers)  # noqa: B023
            server.kill()
            somebody.join(PATIENCE)
            kept |= somebody.kept
            found = stored(path)
            assert kept.items() <= found.items()
            assert len(found) <= len(kept) + 3  # at most the one that was under way each time
            server.start()
    assert len(kept) > 10


@pytest.mark.slow
def test_R19_sigterm_ends_it_soon_and_loses_nothing(tmp_path):
    path = tmp_path / "a.ofk"
    ok.new_project(list(range(300)), path=path).close()
    start = time.monotonic()
    with Command(path) as server:
        to_start = time.monotonic() - start  # 2 seconds, and more as the machine is busier
        people = [Answering(server) for _ in range(5)]
        for one in people:
            one.start()
        wait_for(lambda: sum(len(one.kept) for one in people) > 20)
        start = time.monotonic()
        code, rest = server.stop()
        took = time.monotonic() - start
        for one in people:
            one.join(PATIENCE)
    assert code == 143
    assert "go on with: ofakind label" in rest
    assert took < 5 + 5 * to_start
    assert not path.with_name("a.ofk-wal").exists()
    kept = {event: value for one in people for event, value in one.kept.items()}
    assert kept.items() <= stored(path).items()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)]
)
def test_ctrl_c_stops_it_with_a_word_on_how_to_go_on_and_an_exit_code_that_says_so(path, number, code):
    with Command(path) as server:
        server.process.send_signal(number)
        rest = server.process.stdout.read()
        assert server.process.wait(PATIENCE) == code
        server.process.stdout.close()
    assert "stopped; 0 answers more than before; go on with: ofakind label" in rest


class Crowd:
    """People who answer over a real socket, and go on when the server was killed and is there again.

    They end after so many seconds, but not before there are as many answers as it says.
    """

    def __init__(self, url, tokens, seconds, least, pause):
        self.url, self.tokens, self.seconds, self.least, self.pause = url, tokens, seconds, least, pause
        self.took, self.codes, self.kept, self.held, self.twice = [], set(), {}, {}, []

    def run(self):
        asyncio.run(self._run())

    async def _run(self):
        self.end = time.monotonic() + self.seconds
        rules = {"limits": httpx.Limits(max_connections=60), "timeout": PATIENCE}
        async with httpx.AsyncClient(base_url=self.url, trust_env=False, **rules) as line:
            await asyncio.gather(*(self._person(line, at, name) for at, name in enumerate(self.tokens)))

    async def _send(self, line, name, path, body):
        """Send until there is a reply, as the page does."""
        headers = {"Authorization": f"Bearer {self.tokens[name]}"}
        while True:
            start = time.monotonic()
            try:
                reply = await line.post(path, json=body, headers=headers)
            except httpx.TransportError:
                await asyncio.sleep(0.1)
                continue
            self.took.append(time.monotonic() - start)
            self.codes.add(reply.status_code)
            return reply.json()

    async def _person(self, line, number, name):
        await asyncio.sleep(self.pause * number / 50)
        while time.monotonic() < self.end or len(self.kept) < self.least:
            for question in (await self._send(line, name, "/api/next", {"n": 1}))["questions"]:
                body = {side: question[side]["number"] for side in ("left", "right")}
                pair = frozenset(body.values())
                if self.held.get(pair, name) != name:
                    self.twice.append((pair, name, self.held[pair]))
                self.held[pair] = name
                await asyncio.sleep(self.pause)
                self.held.pop(pair, None)  # sent, so that somebody else may be asked to check it
                body |= {"key": question["key"], "value": 1 if sum(body.values()) % 2 else -1}
                saved = await self._send(line, name, "/api/answer", body)
                if len(self.kept) % 10 == 0:
                    assert saved == await self._send(line, name, "/api/answer", body)
                self.kept[saved["event"]] = body["value"]


@pytest.mark.slow
def test_R4_fifty_people_at_once_lose_and_double_nothing_and_no_two_have_one_question(tmp_path):
    """An answer each second or so, every tenth sent twice."""
    path, names = tmp_path / "a.ofk", [f"person {number}" for number in range(50)]
    ok.new_project(list(range(400)), path=path).close()
    with ok.open_project(path, ahead=True) as project, serving(project, names) as network:
        crowd = Crowd(network.url, network.access.tokens, 6, 60, 1.0)
        crowd.run()
        answers = {one.event: one.value for one in project.answers if one.in_force}
    assert crowd.codes == {200}
    assert crowd.twice == []
    assert answers == crowd.kept
    crowd.took.sort()
    print(f"{len(crowd.took)} requests, p99 {crowd.took[int(0.99 * len(crowd.took))]:.3f} s")


@pytest.mark.slow
def test_R4_fifty_people_go_on_after_kill_9_in_the_middle_and_nothing_is_lost_or_double(tmp_path):
    path, names = tmp_path / "a.ofk", [f"person {number}" for number in range(50)]
    ok.new_project(list(range(400)), path=path).close()
    with Command(path, "--people", ",".join(names)) as server:
        pairs = [line.partition(" ") for line in server.tokens.read_text().splitlines()]
        tokens = {name: token for token, _, name in pairs if name}
        crowd = Crowd(f"http://127.0.0.1:{server.port}", tokens, 8, 60, 0.5)
        working = threading.Thread(target=crowd.run)
        working.start()
        before = 0
        for _ in range(2):
            wait_for(lambda: len(crowd.kept) > before + 20)  # noqa: B023
            server.kill()
            before = len(crowd.kept)
            assert dict(crowd.kept).items() <= stored(path).items()
            server.start()
        working.join(PATIENCE)
        assert not working.is_alive()
        code, _ = server.stop()
    assert code == 128 + signal.SIGTERM
    assert crowd.codes == {200}
    assert crowd.twice == []
    assert stored(path) == crowd.kept


def wait_for(happened):
    end = time.monotonic() + PATIENCE
    while not happened():
        assert time.monotonic() < end
        time.sleep(0.02)


def test_S20_what_is_installed_has_no_known_holes():
    found = tuple(int(part) for part in version("starlette").split(".")[:3])
    assert found >= (1, 0, 1)
    wanted = (Path(__file__).parents[2] / "pyproject.toml").read_text()
    assert '"starlette>=1.0.1"' in wanted
