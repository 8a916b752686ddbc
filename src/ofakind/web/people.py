"""Who may come in: a token for each person, and a cookie that carries it."""

import re
import secrets
from collections.abc import Iterable, Mapping, Sequence
from hmac import compare_digest
from pathlib import Path
from threading import Lock

from ofakind.errors import InvalidInputError, MissingFileError
from ofakind.files import new_private_file, write_whole
from ofakind.project.fields import short_text

TOKEN = re.compile(r"[A-Za-z0-9_-]{32,200}")
MOST_PEOPLE = 1000


class Access:
    """The people who may answer, each with a token; and codes that let somebody in once.

    A code stands where others may see it (in the list of processes), so it is worth nothing once it was used.
    One of the people is the owner, who lets others in and out; if there is a ``file``, it has all tokens.
    """

    def __init__(self, tokens: Mapping[str, str], owner: str, file: Path | None = None) -> None:
        self.owner, self._file = owner, file
        self._tokens = dict(tokens)  # by name; never changed, but replaced
        self._codes: dict[str, str] = {}
        self._lock = Lock()

    @property
    def tokens(self) -> Mapping[str, str]:
        """Everybody's token by name, as it is now."""
        return self._tokens

    def person_of(self, token: str) -> str | None:
        """Return whose token this is, None if nobody's. All are compared, whichever fits."""
        given, found = token.encode("utf-8", "replace"), None
        for name, known in self._tokens.items():
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
        return None if name is None else self._tokens.get(name)

    def invite(self, name: str) -> str:
        """Let somebody in, and return their token; whoever is in already keeps theirs."""
        wanted = short_text("a name", name).strip()
        if not wanted or not wanted.isprintable():
            raise InvalidInputError(f"the name is {name!r:.40}; expected letters that can be printed")
        with self._lock:
            if wanted not in self._tokens:
                if len(self._tokens) >= MOST_PEOPLE:
                    raise InvalidInputError(f"{MOST_PEOPLE} people are in; let somebody out first")
                self._replace({**self._tokens, wanted: secrets.token_urlsafe(32)})
            return self._tokens[wanted]

    def revoke(self, name: str) -> None:
        """Let somebody out: their link is worth nothing from now on. What they have answered stays."""
        with self._lock:
            if name == self.owner:
                raise InvalidInputError("the owner cannot be let out; stop the page instead")
            self._codes = {code: one for code, one in self._codes.items() if one != name}
            if name in self._tokens:
                self._replace({one: token for one, token in self._tokens.items() if one != name}, name)

    def _replace(self, tokens: dict[str, str], gone: str | None = None) -> None:
        """Change who is in: in the file first, so that nobody has a link that is not kept."""
        if self._file is not None:
            known = {**_read(self._file), **tokens} if self._file.exists() else tokens
            _write(self._file, {name: token for name, token in known.items() if name != gone})
        self._tokens = tokens


def new_access(names: Iterable[str], owner: str | None = None) -> Access:
    """Give everybody a new token; the owner is the first of them, or one more."""
    people = people_with(names, owner)
    return Access({name: secrets.token_urlsafe(32) for name in people}, people[0] if owner is None else owner)


def people_with(names: Iterable[str], owner: str | None) -> tuple[str, ...]:
    """Return the names of all, the owner before the others if they are not among them.

    >>> people_with(["Ada", "Bob"], ""), people_with(["Ada", "Bob"], "Bob")
    (('', 'Ada', 'Bob'), ('Ada', 'Bob'))
    """
    found = checked_names(names)
    return found if owner is None or owner in found else (short_text("a name", owner).strip(), *found)


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


def access_from(path: Path, names: Sequence[str], owner: str | None = None) -> Access:
    """Take the tokens from a file, a line ``token name`` for each person; those it lacks are added to it.

    The file is made if it is not there. Only its owner may read it: one that others may read is refused.
    """
    wanted = people_with(names, owner)
    known = _read(path) if path.exists() else {}
    tokens = {name: known.get(name) or secrets.token_urlsafe(32) for name in wanted}
    every = {**known, **tokens}
    if every != known:
        _write(path, every)
    return Access(tokens, wanted[0] if owner is None else owner, path)


def _write(path: Path, tokens: Mapping[str, str]) -> None:
    if not path.exists():
        new_private_file(path)
    write_whole(path, "".join(f"{token} {name}\n" for name, token in tokens.items()).encode())


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
