"""Options that several commands have."""

from pathlib import Path
from typing import Annotated

import typer

IdOption = Annotated[
    str | None, typer.Option(metavar="COLUMN", help="The column with the ids; else rows are numbered.")
]
EncodingOption = Annotated[
    str | None, typer.Option(metavar="NAME", help="How text files are encoded, as cp1252; else UTF-8.")
]
DelimiterOption = Annotated[
    str | None, typer.Option(metavar="CHARACTER", help="What separates cells; else the header tells.")
]
VectorsOption = Annotated[
    Path | None, typer.Option(metavar="FILE.npy", help="Vectors of all objects, in their order.")
]
ScoresOption = Annotated[
    Path | None, typer.Option(metavar="FILE", help="Scores of pairs: two ids and a number, or Splink's.")
]
NamesOption = list[str] | None
CopyOption = Annotated[bool, typer.Option("--copy", help="Put the pictures into the project.")]
OnNetworkOption = Annotated[
    bool,
    typer.Option("--on-network", help="Allow a network file system, where answers can be lost."),
]
ProjectArgument = Annotated[Path, typer.Argument(metavar="NAME.ofk", help="The project file.")]
