"""A server that speaks the protocol of OpenAI's chat completions: one request, one reply, no retries here.

The key goes into one header of the request. It is in no message, no file and no other place.
"""

import hashlib
import json
import re
import time
from dataclasses import dataclass, field
from ipaddress import ip_address
from typing import Any
from urllib.parse import urlsplit

import httpx

from ofakind.checks import real_number
from ofakind.errors import InvalidInputError
from ofakind.oracles.judge.pacing import retry_after
from ofakind.oracles.judge.secret import NO_SECRET, Secret

PATH = "/chat/completions"
PAID_FOR = ("choices", "usage")  # what is in a reply of a model that has worked
LARGEST = 1_000_000  # bytes of a reply; of such numbers it needs a few hundred
NOT_SENT, LOST = -1, 0  # instead of a status: nobody was reached; the reply did not come, or not whole


@dataclass(frozen=True, slots=True)
class ServerOptions:
    """Where a server is, and the key that it wants, if any; a reply may take so many seconds."""

    base_url: str
    key: str = field(default="", repr=False)
    timeout: float = 120.0
    connections: int = 4

    def __post_init__(self) -> None:
        object.__setattr__(self, "base_url", checked_address(self.base_url))
        object.__setattr__(self, "key", checked_key(self.key))
        real_number("timeout", self.timeout, above=0)

    @property
    def address(self) -> str:
        """Where requests go, with small letters and no usual port, so that equal addresses look alike.

        >>> ServerOptions("HTTP://Localhost:80/v1/").address
        'http://localhost/v1/chat/completions'
        """
        return str(httpx.URL(urlsplit(f"{self.base_url}{PATH}").geturl()))


def checked_address(given: str) -> str:
    """Return the address of a server without what may follow it; anything else is refused.

    >>> checked_address("http://127.0.0.1:8080/v1/chat/completions/")
    'http://127.0.0.1:8080/v1'
    """
    expected = "expected an address such as http://127.0.0.1:8080/v1"
    try:
        parts = urlsplit(given.strip())
        host = parts.hostname, parts.port
        httpx.URL(given.strip())
    except (ValueError, httpx.InvalidURL) as error:
        raise InvalidInputError(f"--base-url cannot be read ({error}); {expected}") from error
    if parts.username is not None or parts.password is not None or parts.query or parts.fragment:
        got = "--base-url has a name, a password or a query in it"
        raise InvalidInputError(f"{got}, which would show up in messages; {expected}, and the key elsewhere")
    if parts.scheme not in ("http", "https") or not host[0]:
        raise InvalidInputError(f"--base-url is {given!r:.80}; {expected}")
    return given.strip().rstrip("/").removesuffix(PATH).rstrip("/")


def checked_key(given: str) -> str:
    """Return a key without blanks around it; one that cannot be sent is refused, and not shown."""
    key = given.strip()
    if not all(33 <= ord(one) <= 126 for one in key):
        raise InvalidInputError("the key holds blanks or characters that no key has (it is not shown here)")
    return key


def is_loopback(address: str) -> bool:
    """Whether an address is this machine's own.

    >>> is_loopback("http://127.0.0.1:8080/v1"), is_loopback("http://10.0.0.7/v1")
    (True, False)
    """
    host = urlsplit(address).hostname or ""
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False


@dataclass(frozen=True, slots=True)
class ServerSaid:
    """A status (or `NOT_SENT`, or `LOST`), a text, and how long the server wants one to wait, if it does.

    The text is as it came, and may have the key in it; what is said of it has not.
    """

    status: int
    text: str = field(repr=False)
    wait: float | None = None
    secret: Secret = NO_SECRET

    @property
    def tree(self) -> dict[str, Any]:
        """The JSON object that the text is; an empty one if it is none."""
        try:
            tree = json.loads(self.text)
        except (ValueError, RecursionError):
            return {}
        return tree if isinstance(tree, dict) else {}

    @property
    def stated(self) -> int:
        """The status; where nothing but an error came with a 200, the one that the error has as its code.

        >>> ServerSaid(200, '{"error": {"code": 402}}').stated, ServerSaid(200, '{"choices": []}').stated
        (402, 200)
        """
        error = self.tree.get("error")
        if self.status != 200 or not isinstance(error, dict) or not self.tree.keys().isdisjoint(PAID_FOR):
            return self.status
        code = str(error.get("code"))
        return int(code) if re.fullmatch("[45][0-9]{2}", code) else self.status

    @property
    def message(self) -> str:
        """What it says went wrong, in a few words."""
        error = self.tree.get("error", self.tree.get("message", self.text))
        told = error.get("message", error) if isinstance(error, dict) else error
        return self.secret.hide(str(told).strip())[:200]


class ChatServer:
    """Connections to a server; safe to use from several threads. Close it at the end."""

    def __init__(self, options: ServerOptions) -> None:
        self.options, self.secret = options, Secret(options.key)
        headers = {"Accept": "application/json", "Accept-Encoding": "identity"}
        if options.key:
            headers["Authorization"] = f"Bearer {options.key}"
        self._client = httpx.Client(
            headers=headers,
            timeout=httpx.Timeout(options.timeout, connect=min(options.timeout, 10.0)),
            limits=httpx.Limits(max_connections=options.connections),
            trust_env=not is_loopback(options.base_url),  # a proxy is not on the way to this machine itself
        )

    def post(self, payload: dict[str, Any], turn: int) -> ServerSaid:
        """Send a request and return what came back, whatever it is.

        Its `Idempotency-Key` is that of what is sent: a server that knows the key may refuse anything else.
        """
        body = json.dumps(payload, ensure_ascii=False).encode("utf-8")
        key = f"{hashlib.sha256(body).hexdigest()[:40]}-{turn}"
        headers = {"Content-Type": "application/json", "Idempotency-Key": key}
        end = time.monotonic() + self.options.timeout
        try:
            with self._client.stream("POST", self.options.address, content=body, headers=headers) as reply:
                text, read = b"", reply.iter_raw()
                for part in read:
                    text += part
                    if len(text) > LARGEST:
                        return ServerSaid(LOST, f"the reply has more than {LARGEST:,} bytes")
                    if time.monotonic() > end:
                        return ServerSaid(LOST, f"the reply took more than {self.options.timeout:g} seconds")
                wait = retry_after(reply.headers.get("Retry-After"))
                return ServerSaid(reply.status_code, text.decode("utf-8", "replace"), wait, self.secret)
        except (httpx.ConnectError, httpx.ConnectTimeout, httpx.UnsupportedProtocol) as error:
            return ServerSaid(NOT_SENT, str(error) or type(error).__name__, secret=self.secret)
        except httpx.TimeoutException:
            return ServerSaid(LOST, f"no reply within {self.options.timeout:g} seconds")
        except (httpx.HTTPError, RuntimeError) as error:  # the latter where it was closed meanwhile
            return ServerSaid(LOST, str(error) or type(error).__name__, secret=self.secret)

    def close(self) -> None:
        """Let go of all connections."""
        self._client.close()
