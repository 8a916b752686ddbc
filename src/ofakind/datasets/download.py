"""Downloads: whole or not at all, with a checksum, and with a sign of life when they take long."""

import http.client
import sys
import time
import urllib.error
import urllib.request
import zlib
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from tarfile import TarError
from zipfile import BadZipFile

from ofakind.datasets.checksums import SHA256
from ofakind.datasets.places import cache_folder, difference, sha256, what_to_do
from ofakind.errors import InvalidInputError, OfakindError
from ofakind.files import write_whole

NETWORK_TROUBLE = (OSError, http.client.HTTPException)
# What taking a file apart that is not what it should be can raise.
STRANGE_CONTENT = (ValueError, LookupError, EOFError, OSError, BadZipFile, TarError, zlib.error)


@dataclass(frozen=True, slots=True)
class DownloadRules:
    """Tuned numbers of a download, chosen by judgement."""

    patience: float = 2.0  # seconds before progress is shown, and between two lines of it
    timeout: float = 30.0  # seconds without a byte
    chunk: int = 1 << 16  # bytes that are read at a time


DOWNLOAD = DownloadRules()


def _unchanged(content: bytes) -> bytes:
    return content


@dataclass(frozen=True, slots=True)
class Source:
    """Where the original of a file is, in order of preference, and how our file is made from it.

    ``sha256`` is the checksum of the original, where it is known; that of the file made from it always is.
    """

    urls: tuple[str, ...]
    make: Callable[[bytes], bytes] = _unchanged
    sha256: str | None = None


def fetch(file: str, source: Source) -> bytes:
    """Download a file, check it and keep it in the cache; when anything fails, nothing is kept."""
    failures = []
    for url in source.urls:
        try:
            content = _made(file, source, url)
        except OfakindError as error:
            failures.append(str(error))
        else:
            _keep(cache_folder() / file, content)
            return content
    reasons = "; ".join(failures)
    raise OfakindError(f"{file} is not here and could not be downloaded: {reasons}; {what_to_do(file)}")


def _made(file: str, source: Source, url: str) -> bytes:
    original = _get(url)
    if source.sha256 is not None and sha256(original) != source.sha256:
        got = f"its SHA-256 is {sha256(original)}; expected {source.sha256}"
        raise OfakindError(f"{url} is not what it was: {got}; nothing was kept")
    try:
        content = source.make(original)
    except STRANGE_CONTENT as error:
        raise OfakindError(f"{url} is not what it was ({error!r}); nothing was kept") from error
    if sha256(content) != SHA256[file]:
        raise OfakindError(f"{url} is not what it was: {difference(content, file)}; nothing was kept")
    return content


def _get(url: str) -> bytes:
    """Return all that a URL leads to; a connection that is cut is an error."""
    try:
        with urllib.request.urlopen(url, timeout=DOWNLOAD.timeout) as reply:  # noqa: S310 - our own list of URLs
            expected = int(reply.headers.get("Content-Length") or 0)
            progress, parts = _Progress(url, expected), []
            while part := reply.read(DOWNLOAD.chunk):
                parts.append(part)
                progress.advance(len(part))
    except NETWORK_TROUBLE as error:
        raise OfakindError(f"{url}: {_reason(error)}") from error
    content = b"".join(parts)
    if len(content) < expected:
        raise OfakindError(f"{url}: the connection was cut after {len(content)} of {expected} bytes")
    return content


def _reason(error: Exception) -> str:
    if isinstance(error, urllib.error.HTTPError):
        return f"the server answered {error.code} {error.reason}"
    if isinstance(error, urllib.error.URLError):
        return f"no connection ({error.reason})"
    return f"the connection failed ({error!r})"


@dataclass(slots=True)
class _Progress:
    """Lines on the standard error, for downloads that take longer than a person waits without asking."""

    url: str
    expected: int
    received: int = 0
    shown: float = field(default_factory=time.monotonic)

    def advance(self, count: int) -> None:
        self.received += count
        if time.monotonic() - self.shown >= DOWNLOAD.patience:
            self.shown = time.monotonic()
            total = f" of {self.expected / 1e6:.1f}" if self.expected else ""
            print(f"{self.url}: {self.received / 1e6:.1f}{total} MB", file=sys.stderr, flush=True)


def _keep(path: Path, content: bytes) -> None:
    """Write a file of the cache completely or not at all."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, content)
    except (OSError, InvalidInputError) as error:
        reason = getattr(error, "strerror", None) or error
        remedy = "set XDG_CACHE_HOME to a folder that can be written to"
        raise OfakindError(f"{path} cannot be written ({reason}); {remedy}") from error
