"""A language model as a judge: one record against several in a call, graded answers, read strictly."""

import hashlib
import json
from dataclasses import dataclass
from typing import Any

from ofakind.checks import whole_number
from ofakind.errors import InvalidInputError, JudgeFailedError, JudgeRefusedError
from ofakind.oracles.judge.base import Allowance, JudgeReply, JudgeRequest, RecordPair
from ofakind.oracles.judge.dialects import Dialect, simpler
from ofakind.oracles.judge.graded import answer_schema, read_scores
from ofakind.oracles.judge.pacing import RETRY, Pacing, delay_before
from ofakind.oracles.judge.prices import UNPRICED, TokenPrices, about_tokens, most_tokens
from ofakind.oracles.judge.prompt import PROMPT_VERSION, ChatPrompt, PromptOptions, chat_prompt
from ofakind.oracles.judge.replies import ending, is_too_long, was_cut, written
from ofakind.oracles.judge.server import LOST, NOT_SENT, ChatServer, ServerOptions, ServerSaid

TRY_AGAIN = (408, 409, 425, 429)  # of the statuses below 500, those after which to try again
NOT_UNDERSTOOD = (400, 422, 501)
# Statuses of a server in the middle that did not hear the end: the work may have been done, and charged.
MAY_BE_CHARGED = (LOST, 408, 502, 504, *range(520, 525))
LONGEST_PROBLEM = 200  # characters of what a model is told was wrong with its reply
MOST_BELIEVED = 1_000_000_000  # cost of a reply; a server that says more says nothing,
AS_MANY_BELIEVED = 100  # and so does one that says so many times the tokens that were set aside
PICTURE_TOKENS = 2_000  # that a picture counts at most, unless somebody says otherwise: an assumption


@dataclass(frozen=True, slots=True)
class ReplyRules:
    """How long answers are; by judgement."""

    tokens_each: int = 8  # that an answer is expected to take for each pair
    room: int = 400  # tokens that it may take at most, for a model that says more than it was asked for,
    room_each: int = 20  # and so many for each pair


REPLY = ReplyRules()


@dataclass(frozen=True, slots=True)
class ModelOptions:
    """Which model is asked and how: pairs in a call, calls at a time, tokens of a reply, prices of tokens."""

    model: str
    name: str = ""
    per_call: int = 5
    concurrency: int = 4
    max_tokens: int | None = None
    prices: TokenPrices = UNPRICED
    picture_tokens: int = PICTURE_TOKENS

    def __post_init__(self) -> None:
        if not self.model.strip():
            raise InvalidInputError("no model is named; expected --model, or OPENAI_MODEL")
        if any(0xD800 <= ord(one) <= 0xDFFF for one in self.model):
            got = f"--model is {self.model!r:.80}, which is no text in UTF-8 and cannot be sent"
            raise InvalidInputError(f"{got}; expected the model as its server calls it")
        whole_number("per_call", self.per_call, least=1)
        whole_number("concurrency", self.concurrency, least=1)
        whole_number("picture_tokens", self.picture_tokens, least=1)
        if self.max_tokens is not None:
            whole_number("max_tokens", self.max_tokens, least=1)

    def longest_reply(self, pairs: int) -> int:
        """Return how many tokens a reply about so many pairs may have."""
        return self.max_tokens if self.max_tokens is not None else REPLY.room + REPLY.room_each * pairs


class ModelJudge:
    """A model behind a server. Use it in as many threads as it says; `close` it at the end."""

    one_against_several = True
    runs_here = False
    sees_pictures = True

    def __init__(self, options: ModelOptions, prompt: PromptOptions, server: ServerOptions) -> None:
        self.options, self._prompt = options, prompt
        self._server = ChatServer(server)
        self._pacing, self._dialect = Pacing(), Dialect()

    @property
    def name(self) -> str:
        """What the judge is called: by default like its model."""
        return self.options.name or self.options.model

    @property
    def model(self) -> str:
        """The model."""
        return self.options.model

    @property
    def per_call(self) -> int:
        """Pairs in a call, at most."""
        return self.options.per_call

    @property
    def concurrency(self) -> int:
        """Calls at a time."""
        return self.options.concurrency

    def request(self, pairs: tuple[RecordPair, ...]) -> JudgeRequest:
        """Return the call about some pairs with one record in common."""
        prompt, prices = chat_prompt(pairs, self._prompt), self.options.prices
        server = self._server.options.address
        parts = [PROMPT_VERSION, server, self.model, prompt.instructions, prompt.records]
        digest = hashlib.sha256(json.dumps(parts).encode()).hexdigest()
        sent = prompt.instructions + prompt.records
        seen = len(prompt.pictures) * self.options.picture_tokens
        expected = prices.price(about_tokens(sent) + seen, REPLY.tokens_each * (len(pairs) + 1))
        again = prompt.instructions + prompt.again("\U0001f600" * LONGEST_PROBLEM).records
        schema = json.dumps(answer_schema(len(pairs)))
        worst = prices.price(most_tokens(again + schema) + seen, self.options.longest_reply(len(pairs)))
        shown = len(prompt.pictures), sum(one.size for one in prompt.pictures)
        return JudgeRequest(digest, pairs, prompt, expected, worst, *shown)

    def ask(self, request: JudgeRequest, allowance: Allowance) -> JudgeReply:
        """Make a call; a reply that cannot be used is asked for once more. No error shows the key."""
        try:
            return self._ask(request, allowance)
        except JudgeFailedError as error:
            told = self._server.secret.hide(str(error))
            if told == str(error):
                raise
            raise type(error)(told) from None

    def close(self) -> None:
        """Let go of all connections."""
        self._server.close()

    # -- inside --------------------------------------------------------------------------------------------

    def _ask(self, request: JudgeRequest, allowance: Allowance) -> JudgeReply:
        prompt, tokens = request.content, [0, 0]
        for turn in (1, 2):
            said = self._reply(request, prompt, allowance, turn)
            usage = self._settled(said, request, allowance)
            tokens = [tokens[0] + usage[0], tokens[1] + usage[1]]
            try:
                scores = read_scores(written(said), prompt.others, said.secret.hide)
                return JudgeReply(scores, tokens[0], tokens[1])
            except JudgeFailedError as error:
                if was_cut(said):  # so it would be again
                    longest = self.options.longest_reply(prompt.others)
                    got = f"the reply was cut off after {longest} tokens; raise --max-tokens"
                    raise JudgeFailedError(f"{got} ({error})") from error
                if turn == 2:
                    got = f"the reply could not be used twice: {error}{ending(said)}"
                    raise JudgeFailedError(got) from error
                prompt = request.content.again(str(error)[:LONGEST_PROBLEM])
        raise AssertionError("a call has two turns")

    def _reply(
        self, request: JudgeRequest, prompt: ChatPrompt, allowance: Allowance, turn: int
    ) -> ServerSaid:
        """Send a request until it is replied to; the last attempt is not settled yet."""
        dialect, attempt = self._dialect, 1
        while True:
            if (held := self._pacing.to_wait) > 0:
                allowance.wait(held)
            payload = dialect.payload(self.model, prompt, self.options.longest_reply(prompt.others))
            allowance.reserve(request.worst.cost)
            said = self._server.post(payload, turn)
            if said.stated == 200:
                self._dialect = dialect
                return said
            allowance.settle(None if may_be_charged(said) else 0.0)
            unclear = said.stated in NOT_UNDERSTOOD and not is_too_long(said)
            if unclear and (other := simpler(dialect, said.message)) is not None:
                dialect = other
                continue
            refuse_final(said, attempt, self._server.options.base_url)
            wait = max(delay_before(attempt, request.digest), said.wait or 0.0)
            if said.stated == 429 or said.wait is not None:
                self._pacing.hold(wait)  # all others, too
            allowance.wait(wait)
            attempt += 1

    def _settled(self, said: ServerSaid, request: JudgeRequest, allowance: Allowance) -> tuple[int, int]:
        """Count what a reply did cost, and return its tokens; where it does not say, the most that it can."""
        usage = said.tree.get("usage")
        usage = usage if isinstance(usage, dict) else {}
        tokens_in = _count(usage.get("prompt_tokens"), request.worst.tokens_in)
        tokens_out = _count(usage.get("completion_tokens"), request.worst.tokens_out)
        own = usage.get("cost", 0.0)
        own = own if _is_number(own) else 0.0
        if tokens_in is None or tokens_out is None or not 0 <= own <= MOST_BELIEVED:
            allowance.settle(None)
            return request.expected.tokens_in, request.expected.tokens_out
        allowance.settle(max(float(own), self.options.prices.price(tokens_in, tokens_out).cost))
        return tokens_in, tokens_out


# -- replies -----------------------------------------------------------------------------------------------


def may_be_charged(said: ServerSaid) -> bool:
    """Whether the work on an attempt that brought nothing may have been done: then nobody knows its cost."""
    return said.stated in MAY_BE_CHARGED or (said.status == 200 and said.stated >= 500)


def _count(value: Any, set_aside: int) -> int | None:
    fits = isinstance(value, int) and not isinstance(value, bool)
    fits = fits and 0 <= value <= AS_MANY_BELIEVED * set_aside
    return value if fits else None


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def refuse_final(said: ServerSaid, attempt: int, address: str) -> None:
    """Raise what a reply means after which it is no use to try again; others pass."""
    told, status = said.message, said.stated
    if status == NOT_SENT and attempt >= RETRY.to_reach:
        raise JudgeRefusedError(f"nobody answers at {address} ({told}); is the server running?")
    if status in (401, 403):
        remedy = "set OPENAI_API_KEY, or give --key-file"
        raise JudgeRefusedError(
            f"the server refuses the key, or the lack of one ({status}: {told}); {remedy}"
        )
    if status == 404:
        got = f"the server at {address} knows no such model or address (404: {told})"
        raise JudgeRefusedError(f"{got}; look at --model and --base-url")
    if status == 402 or (status == 429 and "insufficient_quota" in said.text):
        got = f"the server says that the account has no money or credits left ({status}: {told})"
        raise JudgeRefusedError(f"{got}; add some there, or ask another server")
    if 300 <= status < 400:
        raise JudgeRefusedError(f"the server points elsewhere ({status}), which is not followed: {address}")
    again = status in (NOT_SENT, LOST, *TRY_AGAIN) or (status >= 500 and status != 501)
    if not again:
        remedy = "; it is too long: lower --longest or --per-call" if is_too_long(said) else ""
        raise JudgeFailedError(f"the server refuses the call ({status}: {told}){remedy}")
    if attempt >= RETRY.attempts:
        got = told if status in (NOT_SENT, LOST) else f"{status}: {told}"
        raise JudgeFailedError(f"no reply after {attempt} attempts ({got})")
    if said.wait is not None and said.wait > RETRY.patience:
        raise JudgeRefusedError(f"the server is busy for {said.wait:,.0f} more seconds ({status}: {told})")
