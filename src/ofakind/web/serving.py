"""Serving the page: which address, which links, and an end in which nothing is lost."""

import signal
import socket
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from ipaddress import ip_address
from threading import current_thread, main_thread
from types import FrameType

import uvicorn

from ofakind.errors import InvalidInputError
from ofakind.project.budget import SittingBudget
from ofakind.project.project import Project
from ofakind.web.app import guarded, make_app, served
from ofakind.web.people import Access

LOOPBACK = "127.0.0.1"
USUAL_PORT = 8712
ENDING = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))
THREAD_TURN = (
    0.0005  # seconds of Python that a thread has, by measurement: who answers waits for the learner often
)
MORE_PORTS = 20  # that are tried where the usual one is taken


@dataclass(frozen=True, slots=True)
class Address:
    """Where the page is served: a socket that listens, and the name that links have."""

    socket: socket.socket
    host: str
    names: tuple[str, ...] = ()

    @property
    def port(self) -> int:
        """The port that was found."""
        return int(self.socket.getsockname()[1])

    @property
    def hosts(self) -> tuple[str, ...]:
        """What a Host header may say."""
        local = ("localhost", LOOPBACK, "[::1]")
        given = tuple(_bracketed(name) for name in (self.host, *self.names) if name not in ("0.0.0.0", "::"))  # noqa: S104
        every = dict.fromkeys((*local, *given))
        return tuple(f"{name}:{self.port}" for name in every) + (tuple(every) if self.port == 80 else ())

    def link(self, secret: str) -> str:
        """Return the link for somebody; what stands behind # is not sent to anybody."""
        given = [name for name in (self.host, *self.names) if name not in ("0.0.0.0", "::")]  # noqa: S104
        return f"http://{_bracketed(given[0] if given else LOOPBACK)}:{self.port}/#{secret}"


def _bracketed(name: str) -> str:
    return f"[{name}]" if ":" in name else name


def is_loopback(host: str) -> bool:
    """Whether an address can be reached from this machine alone.

    >>> is_loopback("127.0.0.1"), is_loopback("localhost"), is_loopback("0.0.0.0")
    (True, True, False)
    """
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def listen(host: str = LOOPBACK, port: int | None = None) -> Address:
    """Take an address; without a port the usual one, or the next that is free."""
    wanted = range(USUAL_PORT, USUAL_PORT + MORE_PORTS) if port is None else (port,)
    for one in wanted:
        try:
            found = _bound(host, one)
        except OSError as error:
            reason = error.strerror or str(error)
            continue
        return Address(found, host, _own_names(host))
    got = f"cannot listen on {host}, port {wanted[0]}: {reason}"
    raise InvalidInputError(f"{got}; choose another with --port, or another --host")


def _bound(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # asyncio sends at once only on sockets that say they are TCP; others wait 40 ms for an acknowledgement.
    found = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        found.bind((host, port))
        found.listen(2048)
    except BaseException:
        found.close()
        raise
    return found


def _own_names(host: str) -> tuple[str, ...]:
    """Return the names and addresses of this machine, where it listens on all of them."""
    if host not in ("0.0.0.0", "::"):  # noqa: S104
        return ()
    with suppress(OSError):
        name = socket.gethostname()
        found = [str(one[4][0]) for one in socket.getaddrinfo(name, None, socket.AF_INET)]
        return tuple(dict.fromkeys([*(one for one in found if not is_loopback(one)), name]))
    return ()


@contextmanager
def page_of(
    project: Project,
    access: Access,
    address: Address,
    budget: SittingBudget | None = None,
    *,
    frames: Sequence[str] = (),
) -> "Iterator[Server]":
    """Give a server for a project, ready to run; what it computes beside ends with it.

    ``frames`` are origins that may show the page in a frame.
    """
    parts = served(project, access, address.port, link=address.link, budget=budget)
    try:
        yield Server(guarded(make_app(parts), parts, address.hosts, frames), address)
    finally:
        parts.close()


class Server:
    """Runs until somebody stops it: Ctrl-C, SIGTERM, a closed terminal, or `stop`."""

    def __init__(self, app: object, address: Address) -> None:
        config = uvicorn.Config(
            app,  # type: ignore[arg-type]
            log_config=None,
            access_log=False,  # which would have what people look at
            server_header=False,
            proxy_headers=False,
            lifespan="off",
            ws="none",
            timeout_keep_alive=20,
            timeout_graceful_shutdown=3,
        )
        self._server, self._socket = _Calm(config), address.socket

    def run(self, ready: Callable[[], None] = lambda: None) -> int | None:
        """Serve until the end; ``ready`` is called when a signal would end it, and requests are taken.

        Returns the number of the signal that ended it, None where it was stopped otherwise.
        """
        self._server.ready = ready
        before = sys.getswitchinterval()
        sys.setswitchinterval(THREAD_TURN)
        try:
            self._server.run(sockets=[self._socket])
        finally:
            sys.setswitchinterval(before)
            self._socket.close()
        return self._server.ended_by

    def stop(self) -> None:
        """End it from another thread."""
        self._server.should_exit = True


class _Calm(uvicorn.Server):
    """Takes a signal for the end of serving, not of the process: the project is still to be closed."""

    ready: Callable[[], None]
    ended_by: int | None = None  # the signal that came first

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin, and say so."""
        await super().startup(sockets)
        self.ready()

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Let a signal be the end, and remember which came first."""
        self.ended_by = sig if self.ended_by is None else self.ended_by
        super().handle_exit(sig, frame)

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Let signals end the server while it runs."""
        if current_thread() is not main_thread():
            yield
            return
        before = {kind: signal.signal(kind, self.handle_exit) for kind in ENDING}
        try:
            yield
        finally:
            for kind, handler in before.items():
                signal.signal(kind, handler)


def links(access: Access, address: Address) -> list[tuple[str, str]]:
    """Return everybody's name and link."""
    return [(name, address.link(token)) for name, token in access.tokens.items()]
