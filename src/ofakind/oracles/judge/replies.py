"""What a reply holds: what the model wrote, or in words what came instead."""

from typing import Any

from ofakind.errors import JudgeFailedError
from ofakind.oracles.judge.server import ServerSaid

LONGEST_SHOWN = 100  # characters of what came
STREAMS = ("data:", "event:", ": ")  # how a stream of events begins
TOO_LONG = ("context length", "maximum context", "context size", "too long", "too many tokens")


def written(said: ServerSaid) -> str:
    """Return what the model wrote; an error says what came where that is nothing."""
    choice = _first_choice(said)
    message = choice.get("message")
    message = message if isinstance(message, dict) else {}
    content = message.get("content")
    if isinstance(content, str) and content.strip():
        return content
    if isinstance(refusal := message.get("refusal"), str) and refusal:
        raise JudgeFailedError(f"the model refuses: {shown(refusal, said)}")
    if choice:
        raise JudgeFailedError(f"it holds {shown(repr(content), said)} instead of text")
    if said.tree.get("error"):
        raise JudgeFailedError(f"it is no completion but an error: {said.message[:LONGEST_SHOWN]}")
    got = "a stream, which was not asked for" if said.text.lstrip().startswith(STREAMS) else "this"
    raise JudgeFailedError(f"it is no completion but {got}: {shown(repr(said.text.strip()), said)}")


def ending(said: ServerSaid) -> str:
    """Say why a reply ended, if that is not because it was complete."""
    reason = _first_choice(said).get("finish_reason")
    return "" if reason in (None, "stop") else f" (finish_reason is {shown(repr(reason), said)})"


def was_cut(said: ServerSaid) -> bool:
    """Whether a reply ends because it was too long."""
    return _first_choice(said).get("finish_reason") == "length"


def is_too_long(said: ServerSaid) -> bool:
    """Whether a server refuses a request because it is more than it, or the model, can read."""
    words = said.message.lower()
    return said.stated == 413 or (said.stated in (400, 422) and any(one in words for one in TOO_LONG))


def shown(text: str, said: ServerSaid) -> str:
    """Return the beginning of what a server or a model said, without the key."""
    return said.secret.hide(text)[:LONGEST_SHOWN]


def _first_choice(said: ServerSaid) -> dict[str, Any]:
    choices = said.tree.get("choices")
    return choices[0] if isinstance(choices, list) and choices and isinstance(choices[0], dict) else {}
