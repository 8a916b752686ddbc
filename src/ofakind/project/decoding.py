"""Text files as lines: how they are encoded, and where what cannot be read stands."""

import codecs
import io
import re
from collections.abc import Iterator
from pathlib import Path

from ofakind.errors import InvalidInputError, MissingFileError
from ofakind.progress import progressed

# What a file begins with, longest first: the mark of UTF-32 begins with that of UTF-16.
MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
LINE_END = re.compile(r"\r\n|\r|\n")
OFTEN = 5_000  # lines after which it is said how far it is
PART = 1 << 20  # bytes that are read at a time


def lines_of(path: Path, encoding: str | None = None) -> Iterator[str]:
    r"""Give the lines of a text file with their ends, which may be \n, \r\n or \r, also mixed.

    UTF-8 is expected, with or without a mark at the beginning, or what such a mark says (UTF-16, UTF-32), or
    what ``encoding`` says. What cannot be read, and NUL, are refused with the line.
    """
    check_file_is_there(path)
    used = encoding_of(path, encoding)
    size = path.stat().st_size
    with path.open("rb") as raw, io.TextIOWrapper(raw, used, newline="") as text:
        try:
            for number, line in enumerate(text, 1):
                if "\0" in line:
                    column = line.index("\0") + 1
                    raise InvalidInputError(
                        f"{path}, line {number}: character {column} is NUL, which is in no text; "
                        "is it a file of another kind, or UTF-16 without a mark? (--encoding utf-16-le)"
                    )
                if number % OFTEN == 0:
                    progressed(f"reading {path.name}", raw.tell(), size)
                yield line
        except UnicodeError as error:
            raise InvalidInputError(_undecodable(path, used)) from error


def encoding_of(path: Path, encoding: str | None = None) -> str:
    """Return the encoding of a text file: by its mark, or as given, or UTF-8."""
    with path.open("rb") as raw:
        start = raw.read(4)
    marked = next((name for mark, name in MARKS if start.startswith(mark)), None)
    if encoding is None:
        return marked or "utf-8"
    try:
        given = codecs.lookup(encoding).name
        "".encode(given)
    except LookupError as error:
        got = f"the encoding {encoding!r:.40} is not known"
        raise InvalidInputError(f"{got}; expected a name such as utf-8, utf-16 or cp1252") from error
    return "utf-8-sig" if given == "utf-8" else given


def check_file_is_there(path: Path) -> None:
    """Refuse what is no file."""
    if not path.exists():
        raise MissingFileError(f"there is no file {path}; check its name")
    if not path.is_file():
        raise InvalidInputError(f"{path} is no file; expected one")


def _undecodable(path: Path, encoding: str) -> str:
    """Say where the first bytes stand that cannot be read."""
    remedy = "save it as UTF-8, or say what it is, such as --encoding cp1252"
    decoder = codecs.getincrementaldecoder("utf-8" if encoding == "utf-8-sig" else encoding)()
    lines, after_return = 1, False
    with path.open("rb") as raw:
        if encoding == "utf-8-sig" and raw.read(3) != codecs.BOM_UTF8:
            raw.seek(0)
        while True:
            begin, part, state = raw.tell(), raw.read(PART), decoder.getstate()
            try:
                text, error = decoder.decode(part, final=not part), None
            except UnicodeDecodeError as found:
                valid, error = found.start - len(state[0]), found  # of this part; below 0 if none is
                decoder.setstate(state)
                text = decoder.decode(part[: max(valid, 0)])
            except UnicodeError as found:
                return f"{path} is not {encoding} ({found}); {remedy}"
            lines += _line_ends(text, after_return=after_return)
            after_return = text.endswith("\r") if text else after_return
            if error is not None:
                wrong = error.object[error.start : error.end].hex(" ")[:30]
                place = f"line {lines}: byte {begin + valid + 1} of the file ({wrong})"
                return f"{path}, {place} is not {encoding.removesuffix('-sig')}; {remedy}"
            if not part:
                return f"{path} is not {encoding}; {remedy}"


def _line_ends(text: str, *, after_return: bool) -> int:
    found = len(LINE_END.findall(text))
    return found - 1 if after_return and text.startswith("\n") else found
