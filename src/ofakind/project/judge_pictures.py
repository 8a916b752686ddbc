"""Pictures for a model: read, compared with what was added, and written into the request, when it is sent."""

from base64 import b64encode
from collections.abc import Callable
from pathlib import Path

from ofakind.errors import InvalidInputError
from ofakind.oracles.judge.base import SentPicture
from ofakind.project.pictures import KnownPicture, picture_bytes, picture_kind

LARGEST_SENT = 5_000_000  # bytes of a picture: what the strictest of the common services take


def sent_picture(known: KnownPicture, project: Path, read: Callable[[str], bytes]) -> SentPicture:
    """Return a picture as a model is sent it, without its name; one that is too large is refused."""
    if known.size > LARGEST_SENT:
        got = f"the picture {known.name!r:.80} has {known.size:,} bytes, and a model is sent {LARGEST_SENT:,}"
        remedy = "make a project of smaller copies, or use --command with a program that looks at them"
        raise InvalidInputError(f"{got} at most; {remedy}; nothing was sent")

    def url() -> str:
        content = picture_bytes(known, project, read)
        return f"data:image/{picture_kind(content)};base64,{b64encode(content).decode('ascii')}"

    return SentPicture(known.digest, known.size, url)
