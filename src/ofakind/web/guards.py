"""What every request passes before any route sees it, each a small ASGI application around the next one.

From the outside in: `PlainErrors`, `Headers`, `HostRule`, `BodyLimit`, `TokenRule`, `OriginRule`; in a
notebook, `FrameRule` around them. They look at the path that is routed (``scope["path"]``), never at a URL
that was put together from headers.
"""

import asyncio
import json
import logging
from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from dataclasses import dataclass
from http.cookies import CookieError, SimpleCookie
from typing import Any

from ofakind.web.people import Access

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

SAFE = ("GET", "HEAD", "OPTIONS")
WITHOUT_TOKEN = ("/healthz", "/api/session")  # the second takes one
COMMON = {
    "x-content-type-options": "nosniff",
    "cache-control": "no-store",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "x-frame-options": "DENY",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
}
STRICTEST = "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"


@dataclass(frozen=True, slots=True)
class BodyRules:
    """What a body may be; by judgement."""

    bytes: int = 64 * 1024  # a decision about a thousand pairs fits
    seconds: float = 10.0  # in which all of it must have come


BODY = BodyRules()


def header(scope: Scope, name: bytes) -> list[str]:
    """Return all values of a header."""
    return [value.decode("latin-1") for key, value in scope["headers"] if key.lower() == name]


async def refuse(send: Send, status: int, sentence: str) -> None:
    """Answer with one plain sentence."""
    body = json.dumps({"detail": sentence}).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", b"%d" % len(body))]
    headers += [(b"connection", b"close")] if status in (408, 413) else []
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


class Guard:
    """The parent of all: what is no HTTP request (there are no web sockets) goes no further."""

    def __init__(self, app: App) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Take a request, or the beginning or end of the server."""
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
        elif scope["type"] == "http":
            await self.handle(scope, receive, send)
        else:
            await send({"type": "websocket.close", "code": 1008})

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or let the next one do it."""
        await self.app(scope, receive, send)


class PlainErrors(Guard):
    """Whatever fails is one sentence for the client, and a traceback in the server's log alone."""

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer 500 where nothing was answered."""
        begun = False

        async def watched(message: Message) -> None:
            nonlocal begun
            begun = True
            await send(message)

        try:
            await self.app(scope, receive, watched)
        except Exception:  # the outermost loop of a request: it is logged, and what is on the disk stays
            logging.getLogger(__name__).exception("a request failed")
            if not begun:
                await refuse(send, 500, "something went wrong here; what was saved is kept; try again")


class Headers(Guard):
    """Every answer says what a browser may do with it: as little as it can."""

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Add the headers that are not there."""

        async def dressed(message: Message) -> None:
            if message["type"] == "http.response.start":
                given = [(key.lower(), value) for key, value in message["headers"]]
                there = {key for key, _ in given}
                every = {**COMMON, "content-security-policy": STRICTEST}
                more = [(key.encode(), value.encode()) for key, value in every.items()]
                message["headers"] = given + [one for one in more if one[0] not in there]
            await send(message)

        await self.app(scope, receive, dressed)


class FrameRule(Guard):
    """Lets some origins, and no others, show our pages in a frame: a notebook on this machine.

    Only what is HTML changes, the page and its door; everything else may be in no frame as before.
    """

    def __init__(self, app: App, origins: Iterable[str]) -> None:
        super().__init__(app)
        self.allowed = f"frame-ancestors {' '.join(origins)}".encode()

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Say so in the policy; the older header, which cannot say it, is left out."""

        async def framed(message: Message) -> None:
            if message["type"] == "http.response.start" and _is_html(message):
                message["headers"] = [
                    (key, value.replace(b"frame-ancestors 'none'", self.allowed))
                    for key, value in message["headers"]
                    if key.lower() != b"x-frame-options"
                ]
            await send(message)

        await self.app(scope, receive, framed)


def _is_html(message: Message) -> bool:
    kinds = [value for key, value in message["headers"] if key.lower() == b"content-type"]
    return any(kind.startswith(b"text/html") for kind in kinds)


class HostRule(Guard):
    """The Host header must be one of ours: else a name that leads here could be anybody's (DNS rebinding)."""

    def __init__(self, app: App, hosts: Iterable[str]) -> None:
        super().__init__(app)
        self.hosts = frozenset(host.lower() for host in hosts)

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Refuse with 421 what is meant for others."""
        given = header(scope, b"host")
        if len(given) != 1 or given[0].lower() not in self.hosts:
            await refuse(send, 421, "this address is not one that the page was started for; use its link")
        else:
            await self.app(scope, receive, send)


class BodyLimit(Guard):
    """A body comes whole, soon and small, or not at all."""

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Read the body first, then hand it on."""
        length = header(scope, b"content-length")
        if any(not one.isdecimal() or int(one) > BODY.bytes for one in length):
            await refuse(send, 413, f"the body is too large; expected at most {BODY.bytes} bytes")
            return
        try:
            body = await asyncio.wait_for(_whole_body(receive), BODY.seconds)
        except TimeoutError:
            await refuse(send, 408, "the body came too slowly; nothing was kept")
            return
        if body is None:
            await refuse(send, 413, f"the body is too large; expected at most {BODY.bytes} bytes")
            return
        given = False

        async def again() -> Message:
            nonlocal given
            if given:
                return await receive()
            given = True
            return {"type": "http.request", "body": body, "more_body": False}

        await self.app(scope, again, send)


async def _whole_body(receive: Receive) -> bytes | None:
    """Return the body, None if it is too large."""
    body = b""
    while True:
        message = await receive()
        body += bytes(message.get("body", b""))
        if len(body) > BODY.bytes:
            return None
        if message["type"] != "http.request" or not message.get("more_body"):
            return body


class TokenRule(Guard):
    """Nothing works without a token, in a cookie or as ``Authorization: Bearer``; ``scope["person"]`` has it.

    ``door`` answers requests for a page without one, with 401.
    """

    def __init__(self, app: App, access: Access, cookie: str, door: App) -> None:
        super().__init__(app)
        self.access, self.cookie, self.door = access, cookie, door

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Find out who it is."""
        if scope["path"] in WITHOUT_TOKEN:
            await self.app(scope, receive, send)
            return
        bearer, cookie = bearer_of(scope), cookie_of(scope, self.cookie)
        person = self.access.person_of(bearer if bearer is not None else cookie or "")
        if person is not None:
            scope["person"] = person
            await self.app(scope, receive, send)
        elif scope["method"] == "GET" and any("text/html" in one for one in header(scope, b"accept")):
            await self.door(scope, receive, send)
        else:
            await refuse(send, 401, "there is no valid token with this; open the link that ofakind printed")


def bearer_of(scope: Scope) -> str | None:
    """Return the token of an Authorization header, None if there is none."""
    given = header(scope, b"authorization")
    scheme, _, token = given[0].partition(" ") if len(given) == 1 else ("", "", "")
    return token.strip() if scheme.lower() == "bearer" else None


def cookie_of(scope: Scope, name: str) -> str | None:
    """Return a cookie, None if there is none."""
    for line in header(scope, b"cookie"):
        try:
            found = SimpleCookie(line).get(name)
        except CookieError:
            continue
        if found is not None:
            return found.value
    return None


class OriginRule(Guard):
    """What changes something must come from our own page, or with a Bearer token and no cookie at all.

    A cookie is sent along by any page on any port of the same host, so it proves nothing by itself.
    """

    def __init__(self, app: App, hosts: Iterable[str]) -> None:
        super().__init__(app)
        self.origins = frozenset(f"http://{host.lower()}" for host in hosts)

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Refuse with 403 what another page may have sent."""
        if scope["method"] in SAFE or self.allows(scope):
            await self.app(scope, receive, send)
        else:
            await refuse(send, 403, "this did not come from the page itself; nothing was changed")

    def allows(self, scope: Scope) -> bool:
        """Whether a request that changes something is ours."""
        site, origin = header(scope, b"sec-fetch-site"), header(scope, b"origin")
        if site:
            return site == ["same-origin"]
        if origin:
            host = header(scope, b"host")[0].lower()
            return len(origin) == 1 and origin[0] in self.origins and origin[0] == f"http://{host}"
        return bearer_of(scope) is not None and not header(scope, b"cookie")
