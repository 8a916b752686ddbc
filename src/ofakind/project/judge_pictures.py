"""Pictures for a model: weighed beforehand, and read, checked and written into a request when it is sent."""

from base64 import b64encode
from collections.abc import Callable, Iterable
from pathlib import Path

from ofakind.errors import InvalidInputError
from ofakind.oracles.judge.base import SentPicture
from ofakind.project.picture_types import media_type
from ofakind.project.pictures import KnownPicture, picture_bytes
from ofakind.project.status import counted

LARGEST_SENT = 5_000_000  # bytes of a picture; by judgement: services refuse larger ones


def refuse_too_large(pictures: Iterable[KnownPicture]) -> None:
    """Refuse pictures that are too large for a model, all at once and before anything is paid."""
    large = [one for one in pictures if one.size > LARGEST_SENT]
    if large:
        first = f"such as {large[0].name!r:.80} with {large[0].size:,}"
        got = f"{counted(len(large), 'picture')} of more than {LARGEST_SENT:,} bytes, {first}"
        remedy = "make a project of smaller copies, or use --command with a program that looks at them"
        raise InvalidInputError(f"{got}: too large to be sent to a model; {remedy}; nothing was sent")


def sent_picture(known: KnownPicture, project: Path, read: Callable[[str], bytes]) -> SentPicture:
    """Return a picture as a model is sent it, without its name; what the page would not show is not sent."""

    def url() -> str:
        content = picture_bytes(known, project, read)
        try:
            kind = media_type(content)
        except InvalidInputError as error:
            raise InvalidInputError(f"the picture {known.name!r:.80} is not sent: {error}") from error
        return f"data:{kind};base64,{b64encode(content).decode('ascii')}"

    return SentPicture(known.digest, known.size, url)
