"""Errors as a client gets them: a status and one plain sentence, never a traceback, never a path."""

import logging
from collections.abc import Callable

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException

from ofakind.errors import (
    ConflictingAnswerError,
    ContradictingPinsError,
    InvalidInputError,
    MovedProjectError,
    OfakindError,
    StorageError,
)
from ofakind.web.desk import NotYoursError, UnknownError

DISK_FULL = "the disk is full or failed; nothing of this was kept, all before is; make room, try again"
MOVED = (
    "the project file was moved, deleted or replaced; nothing of this was kept, all before is in that file; "
    "put it back, with the files beside it, and try again"
)
OTHER = "this did not work; what was saved is kept"


def problem_of(error: Exception) -> tuple[int, str]:
    """Return the status of an error, and what is said of it."""
    if isinstance(error, MovedProjectError):
        return 503, MOVED
    if isinstance(error, StorageError):
        return 507, DISK_FULL
    if isinstance(error, ConflictingAnswerError | ContradictingPinsError):
        return 409, str(error)
    if isinstance(error, NotYoursError):
        return 403, str(error)
    if isinstance(error, UnknownError):
        return 404, str(error)
    if isinstance(error, InvalidInputError):
        return 422, str(error)
    return 500, OTHER


def add_handlers(app: FastAPI) -> None:
    """Let an application answer errors so."""

    def refused(_request: Request, error: Exception) -> JSONResponse:
        status, sentence = problem_of(error)
        if status >= 500:
            logging.getLogger(__name__).error("%s: %s", type(error).__name__, error)
        return _told(status, sentence)

    def malformed(_request: Request, error: Exception) -> JSONResponse:
        found = error.errors() if isinstance(error, RequestValidationError) else []
        where = [
            "/".join(str(part)[:40] for part in one["loc"]) + ": " + str(one["msg"])[:200] for one in found
        ]
        return _told(422, "; ".join(where[:5]) or "not what was expected")

    def http(_request: Request, error: Exception) -> JSONResponse:
        status = error.status_code if isinstance(error, HTTPException) else 500
        headers = dict(error.headers or {}) if isinstance(error, HTTPException) else {}
        words = {404: "there is nothing here", 405: "this cannot be done here", 400: "this is no JSON"}
        return _told(status, words.get(status, OTHER), headers)

    handlers: list[tuple[type[Exception], Callable[[Request, Exception], JSONResponse]]] = [
        (OfakindError, refused),
        (RequestValidationError, malformed),
        (HTTPException, http),
        (Exception, refused),  # raised again afterwards, so that `PlainErrors` logs it
    ]
    for kind, handler in handlers:
        app.add_exception_handler(kind, handler)


def _told(status: int, sentence: str, headers: dict[str, str] | None = None) -> JSONResponse:
    text = sentence.encode("ascii", "backslashreplace").decode() if not sentence.isprintable() else sentence
    return JSONResponse({"detail": text}, status, headers)
