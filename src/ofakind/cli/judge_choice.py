"""Which judge somebody means by the options of ``ofakind judge``."""

import os
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from ofakind.errors import InvalidInputError, MissingFileError, OfakindError
from ofakind.oracles.judge.base import PairJudge
from ofakind.oracles.judge.command import CommandJudge, CommandOptions
from ofakind.oracles.judge.prices import TokenPrices
from ofakind.oracles.judge.prompt import PromptOptions
from ofakind.project.judge_events import visible_name

if TYPE_CHECKING:
    from ofakind.oracles.judge.server import ServerOptions

CALLS_AT_A_TIME = 4  # of a model, where nothing is said; of a command, which may be large, one


@dataclass(frozen=True, slots=True)
class JudgeChoice:
    """What was asked for: a model behind a server, or a command."""

    question: str | None
    model: str | None
    base_url: str | None
    key_file: Path | None
    command: str | None
    name: str | None
    prices: TokenPrices
    per_call: int
    concurrency: int | None
    longest: int
    max_tokens: int | None
    timeout: float
    picture_tokens: int

    def judge(self, question: str) -> PairJudge:
        """Return the judge; ``question`` is the project's own. Nothing is sent or started yet."""
        asked = question if self.question is None else self.question
        name = "" if self.name is None else visible_name(self.name)
        if self.command is not None:
            if self.model is not None or self.base_url is not None:
                raise InvalidInputError("--command comes with --model or --base-url; expected one judge")
            return CommandJudge(
                CommandOptions(self.command, asked, name, self.concurrency or 1, self.timeout)
            )
        if find_spec("httpx") is None:
            got = "a model is asked by httpx, which is not installed"
            raise OfakindError(f"{got}: pip install 'ofakind[llm]'; or give a --command")
        from ofakind.oracles.judge.model import ModelJudge, ModelOptions

        options = ModelOptions(
            self.model or os.environ.get("OPENAI_MODEL", ""),
            name,
            self.per_call,
            self.concurrency or CALLS_AT_A_TIME,
            self.max_tokens,
            self.prices,
            self.picture_tokens,
        )
        return ModelJudge(options, PromptOptions(asked, self.longest), self.server)

    @property
    def address(self) -> str:
        """The address of the server."""
        return self.base_url or os.environ.get("OPENAI_BASE_URL", "")

    @property
    def server(self) -> "ServerOptions":
        """The server, with the key from the file or the environment."""
        from ofakind.oracles.judge.server import ServerOptions

        if not self.address:
            expected = "expected --base-url, such as http://127.0.0.1:8080/v1, or OPENAI_BASE_URL"
            raise InvalidInputError(f"no server is named; {expected}")
        key = os.environ.get("OPENAI_API_KEY", "") if self.key_file is None else _read_key(self.key_file)
        return ServerOptions(self.address, key, self.timeout, self.concurrency or CALLS_AT_A_TIME)


def _read_key(path: Path) -> str:
    expected = "expected a file with the key in it"
    try:
        key = path.read_text(encoding="utf-8")
    except FileNotFoundError as error:
        raise MissingFileError(f"{path} is not there; {expected}") from error
    except UnicodeDecodeError as error:
        raise InvalidInputError(f"{path} is no text; {expected}") from error
    except OSError as error:  # a folder, or one that may not be read
        raise InvalidInputError(f"--key-file {path} cannot be read ({error.strerror}); {expected}") from error
    if not key.strip():
        raise InvalidInputError(f"--key-file {path} is empty; {expected}, or none where no key is wanted")
    return key
