"""Who may come in: a token for each person, and a cookie that carries it."""

import re
import secrets
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from hmac import compare_digest
from pathlib import Path
from threading import Lock

from ofakind.errors import InvalidInputError, MissingFileError
from ofakind.files import new_private_file, write_whole
from ofakind.project.fields import short_text

TOKEN = re.compile(r"[A-Za-z0-9_-]{32,200}")
MOST_PEOPLE = 1000


@dataclass(frozen=True)
class Access:
    """The people who may answer, each with a token; and codes that let somebody in once.

    A code stands where others may see it (in the list of processes), so it is worth nothing once it was used.
    """

    tokens: Mapping[str, str] = field(repr=False)  # by name
    _codes: dict[str, str] = field(default_factory=dict, repr=False)
    _lock: Lock = field(default_factory=Lock, repr=False)

    def person_of(self, token: str) -> str | None:
        """Return whose token this is, None if nobody's. All are compared, whichever fits."""
        given, found = token.encode("utf-8", "replace"), None
        for name, known in self.tokens.items():
            if compare_digest(known.encode(), given):
                found = name
        return found

    def new_code(self, name: str) -> str:
        """Return a code that lets somebody in once."""
        code = "once-" + secrets.token_urlsafe(32)
        with self._lock:
            self._codes[code] = name
        return code

    def redeem(self, secret: str) -> str | None:
        """Return the token for a token or a code; the code is used up then. None if it is neither."""
        with self._lock:
            name = self._codes.pop(secret, None)
        name = self.person_of(secret) if name is None else name
        return None if name is None else self.tokens[name]


def new_access(names: Iterable[str]) -> Access:
    """Give everybody a new token."""
    return Access({name: secrets.token_urlsafe(32) for name in checked_names(names)})


def checked_names(names: Iterable[str]) -> tuple[str, ...]:
    """Return names, each once and not too long; one alone may be empty.

    >>> checked_names(["Ada", " Bob "])
    ('Ada', 'Bob')
    """
    found = tuple(short_text("a name", name).strip() for name in names)
    if len(found) > MOST_PEOPLE:
        raise InvalidInputError(f"{len(found)} people are named; expected at most {MOST_PEOPLE}")
    if not found or len(set(found)) < len(found) or (len(found) > 1 and "" in found):
        got = ", ".join(repr(name)[:40] for name in found[:10])
        raise InvalidInputError(f"the people are {got or 'none'}; expected names, each once, as in Ada,Bob")
    return found


def access_from(path: Path, names: Sequence[str]) -> Access:
    """Take the tokens from a file, a line ``token name`` for each person; those it lacks are added to it.

    The file is made if it is not there. Only its owner may read it: one that others may read is refused.
    """
    wanted = checked_names(names)
    known = _read(path) if path.exists() else {}
    tokens = {name: known.get(name) or secrets.token_urlsafe(32) for name in wanted}
    every = {**known, **tokens}
    if every != known:
        if not path.exists():
            new_private_file(path)
        write_whole(path, "".join(f"{token} {name}\n" for name, token in every.items()).encode())
    return Access(tokens)


def _read(path: Path) -> dict[str, str]:
    try:
        mode, lines = path.stat().st_mode, path.read_text(encoding="utf-8").splitlines()
    except OSError as error:
        raise MissingFileError(f"the tokens in {path} cannot be read ({error.strerror})") from error
    except UnicodeDecodeError as error:
        raise InvalidInputError(
            f"{path} holds no tokens: it is no text; expected a file of --tokens"
        ) from error
    if mode & 0o077:
        raise InvalidInputError(f"others may read {path}, which holds tokens; chmod 600 it, or remove it")
    found: dict[str, str] = {}
    for number, line in enumerate(lines, 1):
        token, _, name = line.partition(" ")
        if not TOKEN.fullmatch(token) or name in found or token in found.values():
            problem = "expected a token of 32 or more letters and digits, a blank and a name, each once"
            raise InvalidInputError(f"line {number} of {path} cannot be used; {problem}")
        found[name] = token
    return found
