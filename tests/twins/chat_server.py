"""A server on this machine that speaks the protocol of chat completions, badly where it is told to.

It keeps a log of every request with what it charged for it: whatever it has worked on is paid, whether or not
the reply arrives.
"""

import base64
import io
import json
import re
import socket
import threading
import time
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

PICTURE = 5_000  # tokens that a picture counts here
BUT_CHARGED = (408, 502, 504, *range(520, 525))  # statuses that come although the work was done
KEY = "sk-test-5f1e9c0a77d24b6e"
UNICODE = "\\u{:04x}"
MARKS = re.compile(r'^<(item|other)(?: number="(\d+)")?>(.*)</\1>$', re.MULTILINE)


@dataclass
class Behaviour:
    """How a server behaves: its truth, prices of a million tokens, and what goes wrong with each request.

    A fault is a status, a word, (name, value) in the usage, or the bytes that come as a reply.
    """

    same: object = lambda item, other: 100 if item.get("kind") == other.get("kind") else 0
    price_in: float = 1.0
    price_out: float = 4.0
    fault: object = lambda _: None
    delay: float = 0.0
    refuses: tuple = ()  # words that a request may not have
    wants_key: bool = True
    encode: object = json.dumps  # how a reply is written
    knows_keys: bool = False  # whether what comes with a known key has to be what came with it before


@dataclass
class ServerLog:
    """Every request: its number, prompt, what was charged, what was done with it, and its headers."""

    rows: list = field(default_factory=list)
    lock: object = field(default_factory=threading.Lock)
    sent: dict = field(default_factory=dict)  # what came first with each key

    @property
    def paid(self):
        return [row for row in self.rows if row["cost"] > 0]

    @property
    def cost(self):
        return sum(row["cost"] for row in self.rows)

    @property
    def faults(self):
        return {row["fault"] for row in self.rows} - {None}


def all_escaped(tree):
    """JSON in which every character of every text is \\uXXXX."""
    text = re.compile(r'"(?:[^"\\\\]|\\\\.)*"')

    def escaped(found):
        return f'"{"".join(UNICODE.format(ord(one)) for one in json.loads(found[0]))}"'

    return text.sub(escaped, json.dumps(tree))


def text_of(content):
    """The text of a message; a picture in it is a record of what is seen: its kind is its grey / 40."""
    if isinstance(content, str):
        return content
    return "".join(one["text"] if one["type"] == "text" else json.dumps(seen_in(one)) for one in content)


def seen_in(part):
    """What a server sees of a picture that was sent as a data URL, whatever it is called."""
    from PIL import Image

    assert part.keys() == {"type", "image_url"}
    assert part["image_url"].keys() == {"url"}
    head, _, data = part["image_url"]["url"].partition(",")
    picture = Image.open(io.BytesIO(base64.b64decode(data, validate=True)))
    assert head == f"data:image/{picture.format.lower()};base64"
    return {"kind": round(picture.convert("L").getpixel((0, 0)) / 40)}


def records_in(prompt):
    """The item and the others of a prompt, and whether the item comes first."""
    found = [(kind, number, json.loads(text)) for kind, number, text in MARKS.findall(prompt)]
    item = next(one for kind, _, one in found if kind == "item")
    return item, {number: one for kind, number, one in found if kind == "other"}, found[0][0] == "item"


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        length = int(self.headers["Content-Length"])
        payload = json.loads(self.rfile.read(length))
        behaviour, log = self.server.behaviour, self.server.log
        with log.lock:
            number = len(log.rows)
            content = payload["messages"][-1]["content"]
            row = {"number": number, "prompt": text_of(content), "cost": 0.0, "fault": None}
            row |= {
                "headers": dict(self.headers),
                "payload": payload,
                "path": self.path,
                "at": time.monotonic(),
            }
            log.rows.append(row)
        time.sleep(behaviour.delay)
        if self.path != "/v1/chat/completions":
            return self.say(404, {"error": {"message": f"no {self.path}"}})
        if behaviour.wants_key and self.headers.get("Authorization") != f"Bearer {KEY}":
            return self.say(401, {"error": {"message": f"wrong key {self.headers.get('Authorization')}"}})
        known = log.sent.setdefault(self.headers.get("Idempotency-Key"), payload)
        if behaviour.knows_keys and known != payload:
            return self.say(400, {"error": {"message": "the key was used for something else"}})
        wrong = [word for word in behaviour.refuses if word in json.dumps(payload)]
        if wrong:
            return self.say(400, {"error": {"message": f"{wrong[0]} is not supported here"}})
        fault = row["fault"] = behaviour.fault(number)
        if isinstance(fault, int) and fault not in BUT_CHARGED:
            headers = {"Retry-After": "0"} if fault == 429 else {}
            return self.say(fault, {"error": {"message": f"not now, {KEY}"}}, headers)
        return self.reply(payload, row)

    def reply(self, payload, row):
        """Work on it, charge for it, and send the reply, or what is left of it."""
        behaviour, fault = self.server.behaviour, row["fault"]
        item, others, _ = records_in(row["prompt"])
        told = {number: behaviour.same(item, other) for number, other in others.items()}
        content = {"broken": '{"1": 1', "schema": '{"same": true}'}.get(fault, json.dumps(told))
        sent = sum(len(text_of(one["content"]).encode()) for one in payload["messages"]) // 3
        sent += PICTURE * json.dumps(payload).count("data:image/")
        limit = payload.get("max_tokens", payload.get("max_completion_tokens"))
        got = min(len(content), limit)
        row["cost"] = (sent * behaviour.price_in + got * behaviour.price_out) / 1e6
        tree = {"choices": [{"message": {"content": content}, "finish_reason": "stop"}]}
        if fault == "cut":
            tree["choices"] = [{"message": {"content": content[:5]}, "finish_reason": "length"}]
        if fault != "no usage":
            tree["usage"] = {"prompt_tokens": sent, "completion_tokens": got}
        if isinstance(fault, tuple):
            tree["usage"] |= dict([fault])
        if isinstance(fault, bytes):
            return self.say(200, fault.decode())
        if isinstance(fault, int):
            return self.say(fault, {"error": {"message": "gave up"}})
        if fault == "drop":
            self.close_connection = True
            return self.connection.shutdown(socket.SHUT_RDWR)
        if fault == "half":
            self.send_response(200)
            self.send_header("Content-Length", "10000")
            self.end_headers()
            self.wfile.write(json.dumps(tree).encode()[:40])
            self.close_connection = True
            return None
        if fault == "huge":
            tree["padding"] = "x" * 3_000_000
        if fault == "slow":  # until whoever asked has gone
            self.connection.recv(1)
            self.close_connection = True
            return None
        return self.say(200, "no JSON" if fault == "no JSON" else tree)

    def say(self, status, tree, headers=()):
        body = tree.encode() if isinstance(tree, str) else self.server.behaviour.encode(tree).encode()
        self.send_response(status)
        for name, value in {"Content-Length": len(body), **dict(headers)}.items():
            self.send_header(name, str(value))
        self.end_headers()
        self.wfile.write(body)

    def handle(self):
        try:
            super().handle()
        except OSError:  # whoever asked is gone
            self.close_connection = True

    def log_message(self, *_):
        pass


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64

    def handle_error(self, *_):
        pass


@contextmanager
def chat_server(behaviour=None):
    """Run a server; gives its address and its log."""
    server = _Server(("127.0.0.1", 0), _Handler)
    server.behaviour, server.log = behaviour or Behaviour(), ServerLog()
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1", server.log
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
