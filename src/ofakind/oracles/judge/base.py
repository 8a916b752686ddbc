"""What a judge is: it looks at pairs of records and says of each how likely they are of a kind."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

RecordFields = Mapping[str, Any]  # a record as a judge sees it, by the names of its columns
RecordPair = tuple[RecordFields, RecordFields]  # in the order in which they are shown


@dataclass(frozen=True, slots=True)
class SentPicture:
    """A picture as a value of a record: its SHA-256, its bytes, and what gives it as a data URL to send."""

    digest: str
    size: int
    url: Callable[[], str] = field(repr=False, compare=False)


@dataclass(frozen=True, slots=True)
class CallPrice:
    """Tokens in and out of a call, and what they cost."""

    tokens_in: int = 0
    tokens_out: int = 0
    cost: float = 0.0


FREE = CallPrice()


@dataclass(frozen=True, slots=True)
class JudgeRequest:
    """One call, ready to be made: a question about some pairs.

    Equal digests mean that the same is asked of the same judge, so that the answer can be taken from the last
    time. ``expected`` is about what the call will take, ``worst`` the most that one attempt can. It has
    ``pictures`` of so many bytes in all.
    """

    digest: str
    pairs: tuple[RecordPair, ...]
    content: Any
    expected: CallPrice = FREE
    worst: CallPrice = FREE
    pictures: int = 0
    picture_bytes: int = 0


@dataclass(frozen=True, slots=True)
class JudgeReply:
    """What a judge says: a score from -1 (different) to 1 (the same) for each pair; and the tokens.

    One that failed in the middle gives those of the first pairs, and the ``failure``: nothing more is asked.
    """

    scores: tuple[float, ...]
    tokens_in: int = 0
    tokens_out: int = 0
    failure: BaseException | None = None


class Allowance(Protocol):
    """What one call may spend, attempt by attempt; see `spending`."""

    def reserve(self, cost: float) -> None:
        """Set aside the most that an attempt can cost, before it is made; refused if too little is left."""
        ...

    def settle(self, cost: float | None = None) -> None:
        """Say what the attempt did cost; without a number, where nobody knows, all that was set aside."""
        ...

    def wait(self, seconds: float) -> None:
        """Wait before another attempt; stopped early, by an error, when everything is to stop."""
        ...


class PairJudge(Protocol):
    """Something that looks at pairs. One call is about ``per_call`` pairs at most.

    Where ``one_against_several``, all pairs of a call have one record in common, which stands in the same
    place of each. ``concurrency`` is how many calls may run at a time, in threads. One that ``runs_here``
    sees whole records with their ids; another sees what people see, and pictures only if it has an attribute
    ``sees_pictures`` that is true: then they come as a `SentPicture`. If it has a method ``finish``, that is
    called at the end of each run that nothing has stopped, and may raise what `ask` may.
    """

    @property
    def name(self) -> str: ...  # noqa: D102
    @property
    def model(self) -> str: ...  # noqa: D102
    @property
    def per_call(self) -> int: ...  # noqa: D102
    @property
    def one_against_several(self) -> bool: ...  # noqa: D102
    @property
    def concurrency(self) -> int: ...  # noqa: D102
    @property
    def runs_here(self) -> bool: ...  # noqa: D102

    def request(self, pairs: tuple[RecordPair, ...]) -> JudgeRequest:
        """Return the call about some pairs; nothing is sent."""
        ...

    def ask(self, request: JudgeRequest, allowance: Allowance) -> JudgeReply:
        """Make a call. An error is a `JudgeFailedError`, or a `JudgeRefusedError` if no call can work."""
        ...

    def close(self) -> None:
        """Let go of connections and programs; calls that are under way fail."""
        ...
