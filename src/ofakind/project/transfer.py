"""The whole log of a project as lines of JSON, and a project made of such lines.

The first line says what it is and how many events and arrays follow, so that a part is not taken for the
whole. Then comes a line for each event, with the hash that chains it to the one before, and one for each
array, in base64. A project that is made of them has the same log, to the last byte, and so the same state.

    {"arrays": 0, "events": 2, "format": 1, "ofakind": "log"}
    {"at": "2026-01-01T00:00:00.000000Z", "body": {...}, "hash": "5f...", "kind": "created", "seq": 1}
"""

import base64
import binascii
import hashlib
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from ofakind.errors import DamagedProjectError, InvalidInputError, MissingFileError
from ofakind.files import write_whole
from ofakind.project import canonical
from ofakind.project.events import BEFORE_THE_FIRST, LoggedEvent, chain_hash
from ofakind.project.ledger import Ledger
from ofakind.project.log import Checked, check_file, read_blob, read_log
from ofakind.project.places import refuse_network
from ofakind.project.schema import check_tables, connect, plain_errors
from ofakind.project.store import create_file
from ofakind.project.tables import JSON_LINES

LINES_FORMAT = 1  # of the lines
MOST_OF_A_HEAD = 1000  # bytes of the first line, which says what it is
EVENT_PARTS = {"seq", "at", "kind", "body", "hash"}


def write_log(path: str | os.PathLike[str], target: str | os.PathLike[str]) -> int:
    """Write the log of a project, in use or not, to a file of JSON lines; returns how many events.

    The file is written whole or not at all. What can be computed again is not in it.
    """
    lines = list(log_lines(Path(path)))
    write_whole(target, "".join(f"{line}\n" for line in lines).encode("ascii"))
    return int(canonical.read(lines[0])["events"])


def log_lines(path: Path) -> Iterator[str]:
    """Give the lines of a project's log, as it is at this moment."""
    with plain_errors(path, "read"):
        connection = connect(path, writable=False)
        try:
            connection.execute("BEGIN")  # one moment, whatever others write
            check_tables(connection, path)
            events = list(read_log(connection, path))
            digests = sorted(str(one) for (one,) in connection.execute("SELECT digest FROM blob"))
            yield canonical.written(
                {"ofakind": "log", "format": LINES_FORMAT, "events": len(events), "arrays": len(digests)}
            )
            for one in events:
                body = canonical.read(one.body)
                yield canonical.written({**one._asdict(), "body": body, "hash": one.hash.hex()})
            for digest in digests:
                data = base64.b64encode(read_blob(connection, path, digest)).decode("ascii")
                yield canonical.written({"array": digest, "data": data})
        finally:
            connection.close()


def project_from_log(
    source: str | os.PathLike[str], path: str | os.PathLike[str], *, on_network: bool = False
) -> Checked:
    """Make a new project file of the lines that `write_log` wrote: the whole of it, or nothing.

    What is not as it was written is refused with the number of its line.
    """
    where, lines = Path(source), _read_lines(Path(source))
    refuse_network(Path(path), on_network=on_network)
    n_events, n_arrays = _announced(lines, where)
    log = _events(lines[1 : 1 + n_events], where)
    rows = enumerate(lines[1 + n_events : -1], 2 + n_events)
    blobs = dict(_array(line, f"{where}, line {row}") for row, line in rows)
    if len(blobs) != n_arrays:
        raise InvalidInputError(f"{where} holds an array twice; expected each of {n_arrays} once")
    create_file(Path(path), log, blobs)
    return check_file(Path(path))


def refuse_log(source: Path) -> None:
    """Refuse the log of a project where a file of records is expected."""
    if source.is_file() and source.suffix.lower() in JSON_LINES:
        with source.open("rb") as file:
            start = file.readline(MOST_OF_A_HEAD)
        if b'"ofakind":"log"' in start.replace(b" ", b""):
            raise InvalidInputError(f"{source} is the log of a project; to make one of it, add --log")


def _read_lines(source: Path) -> list[str]:
    try:
        return source.read_text(encoding="utf-8").split("\n")
    except FileNotFoundError as error:
        raise MissingFileError(f"{source} is not there; expected a log that ofakind wrote") from error
    except UnicodeDecodeError as error:
        raise InvalidInputError(f"{source} is no text in UTF-8 ({error}); expected a log") from error


def _announced(lines: list[str], source: Path) -> tuple[int, int]:
    """Return how many events and arrays follow; the lines must be so many."""
    head = _tree(lines[0], f"{source}, line 1")
    if head.get("ofakind") != "log" or head.get("format") != LINES_FORMAT:
        got = f"{source}, line 1: this is no log of ofakind that this version reads"
        raise InvalidInputError(f"{got}; expected a file that `ofakind export --log` wrote")
    counts = head.get("events"), head.get("arrays")
    if not all(isinstance(count, int) and count >= 0 for count in counts):
        raise InvalidInputError(f"{source}, line 1: expected the numbers of events and arrays")
    n_events, n_arrays = int(counts[0] or 0), int(counts[1] or 0)
    expected = 1 + n_events + n_arrays
    if lines[-1] or len(lines) != expected + 1:
        complete = len(lines) - 1
        got = f"{source} has {complete} whole lines, and its first says {expected}"
        raise InvalidInputError(f"{got}; it was cut off or changed; nothing was made")
    return n_events, n_arrays


def _events(lines: Sequence[str], source: Path) -> list[LoggedEvent]:
    """Read the lines of events, each of which must follow from the one before."""
    log: list[LoggedEvent] = []
    ledger, before = Ledger(), BEFORE_THE_FIRST
    for row, line in enumerate(lines, 2):
        where = f"{source}, line {row}"
        tree = _tree(line, where)
        if tree.keys() != EVENT_PARTS or not all(
            isinstance(tree[name], str) for name in ("at", "kind", "hash")
        ):
            raise InvalidInputError(f"{where}: expected an event with {', '.join(sorted(EVENT_PARTS))}")
        body = canonical.written(tree["body"])
        found = chain_hash(before, row - 1, tree["at"], (tree["kind"], body))
        if tree["seq"] != row - 1 or found.hex() != tree["hash"]:
            raise InvalidInputError(f"{where}: event {row - 1} was changed, or is not in its place")
        log.append(LoggedEvent(row - 1, tree["at"], tree["kind"], body, found))
        try:
            ledger.apply(log[-1])
        except DamagedProjectError as error:
            raise InvalidInputError(f"{where}: {error}") from error
        before = found
    return log


def _array(line: str, where: str) -> tuple[str, bytes]:
    tree = _tree(line, where)
    try:
        data = base64.b64decode(str(tree.get("data")), validate=True)
    except binascii.Error as error:
        raise InvalidInputError(f"{where}: this is no array ({error})") from error
    if tree.keys() != {"array", "data"} or hashlib.sha256(data).hexdigest() != tree["array"]:
        raise InvalidInputError(f"{where}: an array was changed")
    return str(tree["array"]), data


def _tree(line: str, where: str) -> dict[str, Any]:
    try:
        tree = canonical.read(line)
    except InvalidInputError as error:
        raise InvalidInputError(f"{where}: {error}") from error
    if not isinstance(tree, dict):
        raise InvalidInputError(f"{where}: expected an object, in curly brackets")
    return tree
