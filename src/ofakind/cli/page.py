"""The page of ``ofakind label``: its links are printed, and it is served until Ctrl-C."""

import sys
import webbrowser
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from shlex import quote
from threading import Thread

import typer

from ofakind.cli.printable import printable
from ofakind.cli.waiting import open_to_answer
from ofakind.web.people import Access, access_from, checked_names, new_access
from ofakind.web.serving import Address, is_loopback, links, listen, page_of


@dataclass(frozen=True, slots=True)
class PageOptions:
    """Who answers, and where the page is."""

    people: tuple[str, ...] = ("",)
    host: str = "127.0.0.1"
    port: int | None = None
    tokens: Path | None = None
    browser: bool = True
    on_network: bool = False


def show_page(path: Path, options: PageOptions) -> int:
    """Serve a project until somebody stops it; returns the exit code, which says how: 130 after Ctrl-C."""
    names = checked_names(options.people)
    address = listen(options.host, options.port)
    try:
        access = new_access(names) if options.tokens is None else access_from(options.tokens, names)
        with open_to_answer(path, on_network=options.on_network) as project:
            before = project.n_answers
            with page_of(project, access, address) as server:
                signal = server.run(lambda: _welcome(access, address, browser=options.browser))
            given = project.n_answers - before
    finally:
        address.socket.close()
    count = f"{given} answer{'' if given == 1 else 's'}"
    with suppress(OSError):  # nobody may be there any more
        typer.echo(f"stopped; {count} more than before; go on with: ofakind label {quote(str(path))}")
    return 0 if signal is None else 128 + signal


def _welcome(access: Access, address: Address, *, browser: bool) -> None:
    """Print the links, and open a browser where one person sits at this machine."""
    for line in said_of(access, address):
        typer.echo(line)
    sys.stdout.flush()
    if browser and len(access.tokens) == 1 and is_loopback(address.host):
        _open_browser(address.link(access.new_code(next(iter(access.tokens)))))


def said_of(access: Access, address: Address) -> list[str]:
    """Say where the page is, and what that means."""
    lines = []
    if not is_loopback(address.host):
        lines += [
            f"Everybody who reaches {address.host} and has a link can answer and see all records.",
            "What is sent is not encrypted: use a network that you trust, or a tunnel (ssh -L).",
        ]
    every = links(access, address)
    wide = max(len(printable(name)) for name, _ in every)
    lines += [f"{printable(name):<{wide}}  {link}".strip() for name, link in every]
    return [*lines, "Ctrl-C stops it; every answer that the page calls saved is kept."]


def _open_browser(link: str) -> None:
    """Open a browser beside; the link it gets works once, since others may see how programs were started."""
    Thread(target=webbrowser.open, args=(link,), daemon=True).start()
