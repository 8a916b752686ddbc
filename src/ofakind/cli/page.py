"""The page of ``ofakind label``: its links are printed, and it is served until Ctrl-C."""

import sys
import webbrowser
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from threading import Thread

import typer

from ofakind.cli.printable import as_typed, printable
from ofakind.cli.waiting import open_to_answer
from ofakind.project.budget import SittingBudget
from ofakind.web.people import Access, access_from, checked_names, new_access
from ofakind.web.serving import Address, is_loopback, links, listen, page_of


@dataclass(frozen=True, slots=True)
class PageOptions:
    """Who answers, and where the page is; ``owner`` is somebody besides the people, None for the first.

    Where the project is not ``kept``, nobody is told how to go on with it.
    """

    people: tuple[str, ...] = ("",)
    host: str = "127.0.0.1"
    port: int | None = None
    tokens: Path | None = None
    browser: bool = True
    on_network: bool = False
    owner: str | None = None
    budget: SittingBudget = field(default_factory=SittingBudget)
    kept: bool = True


def show_page(path: Path, options: PageOptions) -> int:
    """Serve a project until somebody stops it; returns the exit code, which says how: 130 after Ctrl-C."""
    names = checked_names(options.people)
    address = listen(options.host, options.port)
    try:
        access = (
            new_access(names, options.owner)
            if options.tokens is None
            else access_from(options.tokens, names, options.owner)
        )
        with open_to_answer(path, on_network=options.on_network) as project:
            before = project.n_answers
            with page_of(project, access, address, options.budget) as server:
                signal = server.run(lambda: _welcome(access, address, browser=options.browser))
            given = project.n_answers - before
    finally:
        address.socket.close()
    count = f"{given} answer{'' if given == 1 else 's'}"
    more = f"; go on with: {command_for(path, options, access)}" if options.kept else ""
    with suppress(OSError):  # nobody may be there any more
        typer.echo(f"stopped; {count} more than before{more}")
    return 0 if signal is None else 128 + signal


def command_for(path: Path, options: PageOptions, access: Access) -> str:
    """Return the command that goes on with the people who are in now."""
    parts = ["ofakind", "label", as_typed(path)]
    others = [name for name in access.tokens if name != access.owner or options.owner is None]
    if options.owner is None and len(others) == 1:
        parts += ["--annotator", as_typed(others[0])] if others[0] else []
    else:
        parts += ["--people", as_typed(",".join(others))]
    if options.tokens is not None:
        parts += ["--tokens", as_typed(options.tokens)]
    return " ".join(parts)


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
    shown = [(called(name, access), link) for name, link in every]
    wide = max(len(name) for name, _ in shown)
    lines += [f"{name:<{wide}}  {link}".strip() for name, link in shown]
    return [*lines, "Ctrl-C stops it; every answer that the page calls saved is kept."]


def called(name: str, access: Access) -> str:
    """Return what somebody is called in the list of links."""
    if len(access.tokens) > 1 and name == access.owner:
        return printable(f"{name} (owner)" if name else "you (owner)")
    return printable(name)


def _open_browser(link: str) -> None:
    """Open a browser beside; the link it gets works once, since others may see how programs were started."""
    Thread(target=webbrowser.open, args=(link,), daemon=True).start()
