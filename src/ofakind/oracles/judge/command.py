"""A local command as a judge: one line of JSON in, one out, as long as it runs."""

import hashlib
import json
import os
import re
import selectors
import shlex
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import IO, Any

from ofakind.checks import real_number, whole_number
from ofakind.errors import InvalidInputError, JudgeRefusedError
from ofakind.oracles.judge.base import Allowance, JudgeReply, JudgeRequest, RecordPair
from ofakind.oracles.judge.prompt import check_question

LONGEST_LINE = 100_000  # bytes of an answer
SETTLING = 0.2  # seconds in which another line after the first answer is noticed before that counts
LAST_WORDS = 1.0  # seconds in which one after the last answer is; if answers took long, twice as long
NEW_LINE = b"\n"
INTERPRETERS = re.compile(r"(python|pypy|node|ruby|perl|php|lua|julia|Rscript|sh|bash|dash|zsh|ksh)[\d.]*")
SHIFTED = "What it said before may belong to other pairs: give another --name when it is mended"
EACH_AT_ONCE = "it must print each answer at once, in Python with print(..., flush=True)"
ONE_LINE = "expected one line for each pair and nothing else; what is for people goes to standard error"


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
        check_question(self.question)
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
        """What the judge is called: by default like its program, or the script that one reads."""
        return self.options.name or program_name(self.options.words)

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

    def finish(self) -> None:
        """End all programs, as the run is over; an error if one of them has said more than it was asked."""
        programs: list[_Program | None] = []
        with suppress(Empty):
            while True:
                programs.append(self._idle.get_nowait())
        for _ in programs:
            self._idle.put(None)
        for program in programs:
            if program is not None:
                program.finish()

    def close(self) -> None:
        """End all programs."""
        for program in self._running:
            program.close()

    def kill(self) -> None:
        """End all programs now, wherever they are."""
        for program in self._running:
            program.kill()

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
    """A process that is written to and read from line by line: a line comes for each that is sent."""

    def __init__(self, words: list[str], timeout: float) -> None:
        self._timeout, self._read, self._slowest = timeout, b"", 0.0
        self._sent, self._said = "", ""  # the last line, and the last answer
        pipe = subprocess.PIPE
        # It is what the user asked to run, and no shell is between.
        self._process = subprocess.Popen(words, stdin=pipe, stdout=pipe, bufsize=0)  # noqa: S603
        self._into, self._out = self._pipe(self._process.stdin), self._pipe(self._process.stdout)
        os.set_blocking(self._into, False)

    def ask(self, line: str) -> str:
        """Send a line and return the one that comes; an error if more comes than was asked for."""
        begun, first = time.monotonic(), not self._sent
        try:
            self._refuse_more(0.0)
            self._sent = line
            self._send(line, begun + self._timeout)
            self._said = self._next_line(begun + self._timeout).decode("utf-8")
            took = time.monotonic() - begun
            self._slowest = max(self._slowest, 0.0 if first else took)
            # What a program says when it starts may have come just after the first line was sent.
            self._refuse_more(SETTLING if first else 0.0)
        except BrokenPipeError as error:
            self._refuse_more(0.0)
            raise self._failed("it reads no more") from error
        except (OSError, ValueError) as error:
            raise self._failed(f"it does not take or give lines of text ({error})") from error
        return self._said

    def finish(self) -> None:
        """Close its input, as there is no more; an error if something comes that nobody asked for."""
        if self._process.stdin is not None:
            self._process.stdin.close()
        try:
            self._refuse_more(max(2 * self._slowest, LAST_WORDS))
        finally:
            self.close()

    def close(self) -> None:
        """Close its input, and end it if that does not."""
        for end in (self._process.stdin, self._process.stdout):
            if end is not None:
                end.close()
        try:
            self._process.wait(1)
        except subprocess.TimeoutExpired:
            self.kill()
            self._process.wait()

    def kill(self) -> None:
        """End it now."""
        self._process.kill()

    @staticmethod
    def _pipe(end: IO[bytes] | None) -> int:
        if end is None:
            raise AssertionError("both ends are pipes")
        return end.fileno()

    def _send(self, line: str, end: float) -> None:
        left = line.encode("ascii") + b"\n"
        while left:
            if not _ready(self._into, selectors.EVENT_WRITE, end):
                raise self._failed(f"it read nothing for {self._timeout:g} seconds")
            with suppress(BlockingIOError):
                left = left[os.write(self._into, left) :]

    def _next_line(self, end: float) -> bytes:
        while b"\n" not in self._read:
            if len(self._read) > LONGEST_LINE:
                raise self._failed(f"its line has more than {LONGEST_LINE:,} bytes")
            if not _ready(self._out, selectors.EVENT_READ, end):
                raise self._failed(f"it said nothing for {self._timeout:g} seconds ({EACH_AT_ONCE})")
            part = os.read(self._out, 65_536)
            if not part:
                raise self._failed(self._why_it_ended(end))
            self._read += part
        found, _, self._read = self._read.partition(b"\n")
        return found

    def _why_it_ended(self, end: float) -> str:
        """Say how it ended; one that has only closed its output is not waited for longer than that."""
        try:
            return f"it ended with code {self._process.wait(max(end - time.monotonic(), 0))}"
        except subprocess.TimeoutExpired:
            return "it closed its output and goes on"

    def _refuse_more(self, seconds: float) -> None:
        """Raise an error if it has said something that nobody asked for, or does so before long."""
        end = time.monotonic() + seconds
        if not self._read and _ready(self._out, selectors.EVENT_READ, end):
            self._read = os.read(self._out, 65_536)  # nothing, if it has ended
        if not self._read:
            return
        more = self._read.partition(NEW_LINE)[0].decode("utf-8", "replace")
        if not self._said:
            raise JudgeRefusedError(f"the command said {more!r:.200} before it read anything; {ONE_LINE}")
        got = f"the command said {self._said!r:.200} and then {more!r:.200}"
        raise JudgeRefusedError(f"{got}; it was sent {self._sent:.500}; {ONE_LINE}. {SHIFTED}")

    def _failed(self, what: str) -> JudgeRefusedError:
        return JudgeRefusedError(f"the command failed: {what}; it was sent {self._sent:.500}")


def program_name(words: list[str]) -> str:
    """Return the name of a program; of an interpreter that of its script, or of the module that it runs.

    >>> program_name(["/bin/rule", "a.py"]), program_name(["python3.12", "-u", "a/rule.py", "b.py"])
    ('rule', 'rule.py')
    >>> program_name(["python", "-m", "rules.same"]), program_name(["bash", "-c", "cat"])
    ('rules.same', 'bash')
    """
    program, before = Path(words[0]).name, ""
    code = "-[A-Za-z]*c" if program.endswith("sh") else "-[A-Za-z]*[ce]"
    with_a_word = ("-W", "-X") if program.startswith("py") else ()
    for word in words[1:] if INTERPRETERS.fullmatch(program) else ():
        if before == "-m":
            return word
        if re.fullmatch(code, word):
            return program
        if not word.startswith("-") and before not in with_a_word:
            return Path(word).name or program
        before = word
    return program


def _ready(pipe: int, event: int, end: float) -> bool:
    """Wait until a pipe can be read or written, or for the end; whether it can."""
    with selectors.DefaultSelector() as selector:
        selector.register(pipe, event)
        return bool(selector.select(max(end - time.monotonic(), 0)))


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
