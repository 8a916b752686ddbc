"""A local command as a judge: one line of JSON in, one out, as long as it runs."""

import hashlib
import json
import os
import selectors
import shlex
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from queue import SimpleQueue
from typing import Any

from ofakind.checks import real_number, whole_number
from ofakind.errors import InvalidInputError, JudgeRefusedError
from ofakind.oracles.judge.base import Allowance, JudgeReply, JudgeRequest, RecordPair

LONGEST_LINE = 100_000  # bytes of an answer


@dataclass(frozen=True, slots=True)
class CommandOptions:
    """A command with its arguments, as somebody types it, but no shell reads it; so many run at a time."""

    command: str
    question: str
    name: str = ""
    concurrency: int = 1
    timeout: float = 120.0

    def __post_init__(self) -> None:
        whole_number("concurrency", self.concurrency, least=1)
        real_number("timeout", self.timeout, above=0)
        if not self.words:
            raise InvalidInputError("--command is empty; expected a program and its arguments")

    @property
    def words(self) -> list[str]:
        """The program and its arguments."""
        try:
            return shlex.split(self.command)
        except ValueError as error:
            raise InvalidInputError(f"--command is {self.command!r:.80}, which has {error}") from error


class CommandJudge:
    """A command that is kept running: {"question", "left", "right"} is a line in, {"score"} one out."""

    one_against_several = False
    per_call = 1
    runs_here = True

    def __init__(self, options: CommandOptions) -> None:
        self.options = options
        self._idle: SimpleQueue[_Program | None] = SimpleQueue()
        self._running: list[_Program] = []
        for _ in range(options.concurrency):
            self._idle.put(None)

    @property
    def name(self) -> str:
        """What the judge is called: by default like its program."""
        return self.options.name or os.path.basename(self.options.words[0])  # noqa: PTH119

    @property
    def model(self) -> str:
        """The program."""
        return self.name

    @property
    def concurrency(self) -> int:
        """Programs at a time."""
        return self.options.concurrency

    def request(self, pairs: tuple[RecordPair, ...]) -> JudgeRequest:
        """Return the call about a pair: the line that is sent."""
        ((left, right),) = pairs
        tree = {"question": self.options.question, "left": dict(left), "right": dict(right)}
        line = json.dumps(tree)
        digest = hashlib.sha256(json.dumps([self.name, self.options.command, line]).encode()).hexdigest()
        return JudgeRequest(digest, pairs, line)

    def ask(self, request: JudgeRequest, allowance: Allowance) -> JudgeReply:
        """Send the line and read the answer; whatever goes wrong is said with what was sent."""
        allowance.reserve(0.0)
        sent = request.content
        with self._program() as program:
            return JudgeReply((_score(program.ask(sent), sent),))

    def close(self) -> None:
        """End all programs."""
        for program in self._running:
            program.close()

    @contextmanager
    def _program(self) -> "Iterator[_Program]":
        """Give a program that has nothing to do; the first time it is started."""
        program = self._idle.get()
        if program is None:
            try:
                program = _Program(self.options.words, self.options.timeout)
            except (OSError, ValueError) as error:
                self._idle.put(None)
                got = f"the command {self.options.words[0]!r:.80} cannot be started ({error})"
                raise JudgeRefusedError(f"{got}; expected a program that is there") from error
            self._running.append(program)
        try:
            yield program
        except BaseException:  # a late answer of it would be taken for that to another question
            program.close()
            self._idle.put(None)
            raise
        self._idle.put(program)


class _Program:
    """A process that is written to and read from line by line."""

    def __init__(self, words: list[str], timeout: float) -> None:
        self._timeout, self._read = timeout, b""
        pipe = subprocess.PIPE
        # It is what the user asked to run, and no shell is between.
        self._process = subprocess.Popen(words, stdin=pipe, stdout=pipe, bufsize=0)  # noqa: S603

    def ask(self, line: str) -> str:
        """Send a line and return the next one that comes."""
        into, out = self._process.stdin, self._process.stdout
        if into is None or out is None:
            raise AssertionError("both ends are pipes")
        try:
            into.write(line.encode("ascii") + b"\n")
            return self._next_line(out.fileno(), line).decode("utf-8")
        except (OSError, ValueError) as error:
            raise self._failed(f"it does not take or give lines of text ({error})", line) from error

    def close(self) -> None:
        """Close its input, and end it if that does not."""
        for end in (self._process.stdin, self._process.stdout):
            if end is not None:
                end.close()
        try:
            self._process.wait(1)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def _next_line(self, source: int, sent: str) -> bytes:
        end = time.monotonic() + self._timeout
        with selectors.DefaultSelector() as selector:
            selector.register(source, selectors.EVENT_READ)
            while b"\n" not in self._read:
                if len(self._read) > LONGEST_LINE:
                    raise self._failed(f"its line has more than {LONGEST_LINE:,} bytes", sent)
                if not selector.select(max(end - time.monotonic(), 0)):
                    raise self._failed(f"it said nothing for {self._timeout:g} seconds", sent)
                part = os.read(source, 65_536)
                if not part:
                    code = self._process.wait()
                    raise self._failed(f"it ended with code {code}", sent)
                self._read += part
        found, _, self._read = self._read.partition(b"\n")
        return found

    def _failed(self, what: str, sent: str) -> JudgeRefusedError:
        return JudgeRefusedError(f"the command failed: {what}; it was sent {sent:.500}")


def _score(line: str, sent: str) -> float:
    """Read an answer: a number from -1 to 1, or an object with such a score."""
    try:
        tree: Any = json.loads(line)
    except (ValueError, RecursionError):
        tree = None
    score = tree.get("score") if isinstance(tree, dict) else tree
    if isinstance(score, int | float) and not isinstance(score, bool) and -1 <= score <= 1:
        return float(score)
    got = f"the command said {line!r:.200} when it was sent {sent:.500}"
    raise JudgeRefusedError(f'{got}; expected a line such as {{"score": 0.8}}, from -1 to 1')
