"""``ofakind rename``: give a group a name."""

from typing import Annotated

import typer

from ofakind.cli.options import OnNetworkOption
from ofakind.cli.printable import printable
from ofakind.cli.projects import ProjectPath, opened


def rename(
    path: ProjectPath,
    group: Annotated[int, typer.Argument(min=0, metavar="GROUP", help="Its number, as `export` shows it.")],
    name: Annotated[str, typer.Argument(metavar="NAME", help='The new name; "" for the one it had.')],
    *,
    by: Annotated[str, typer.Option(metavar="WHO", help="Who names it.")] = "",
    on_network: OnNetworkOption = False,
) -> None:
    """Give a group a name that stays with it.

    The name is an event of the log, and can be undone.

    Example: ofakind rename customers.ofk 17 "Smith, Leeds"
    """
    with opened(path, read_only=False, on_network=on_network) as project:
        event = project.rename(group, name, annotator=by)
        now = next(one for one in project.describe() if one.group == group)
        objects = f"{len(now)} object{'' if len(now) == 1 else 's'}"
        shown = printable(now.name, width=60)
        typer.echo(f"group {group} ({objects}) is called {shown} (event {event})")
