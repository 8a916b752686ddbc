"""Any function as a judge."""

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ofakind.checks import truth_value
from ofakind.errors import InvalidInputError, JudgeRefusedError
from ofakind.oracles.judge.base import Allowance, JudgeReply, JudgeRequest, RecordPair

TOGETHER = 200  # pairs that are judged between two writes to the log


@dataclass(frozen=True, slots=True)
class FunctionJudge:
    """A function of two records, or, with ``batch``, of a list of pairs of them, that gives scores.

    It is known by its name: under the same name, the same records are not shown to it again.
    """

    function: Callable[..., Any]
    name: str
    batch: bool = False

    one_against_several = False
    per_call = TOGETHER
    concurrency = 1
    runs_here = True

    def __post_init__(self) -> None:
        if not callable(self.function):
            raise InvalidInputError(f"the judge is {self.function!r:.80}; expected a function of two records")
        truth_value("batch", self.batch)

    @property
    def model(self) -> str:
        """Its name."""
        return self.name

    def request(self, pairs: tuple[RecordPair, ...]) -> JudgeRequest:
        """Return the call about some pairs."""
        seen = json.dumps([self.name, [[dict(left), dict(right)] for left, right in pairs]], sort_keys=True)
        return JudgeRequest(hashlib.sha256(seen.encode()).hexdigest(), pairs, None)

    def ask(self, request: JudgeRequest, allowance: Allowance) -> JudgeReply:
        """Call the function; what it raises passes through, and what is no score is refused.

        What it said of the pairs before is not lost then.
        """
        allowance.reserve(0.0)
        pairs = [(dict(left), dict(right)) for left, right in request.pairs]
        if self.batch:
            return JudgeReply(self._scores(self.function(pairs), len(pairs)))
        scores: tuple[float, ...] = ()
        for left, right in pairs:
            try:
                scores += self._scores([self.function(left, right)], 1)
            except BaseException as error:
                if not scores:
                    raise
                return JudgeReply(scores, failure=error)
        return JudgeReply(scores)

    def close(self) -> None:
        """Nothing is held."""

    def _scores(self, given: Any, pairs: int) -> tuple[float, ...]:
        try:
            values = np.asarray(given, np.float64)
        except (TypeError, ValueError):
            values = np.array(np.nan)
        if values.shape != (pairs,):
            got = f"the judge {self.name!r:.60} gave {given!r:.80} for {pairs} pairs"
            raise JudgeRefusedError(f"{got}; expected a number for each")
        if any(one is None for one in given):
            got = f"the judge {self.name!r:.60} gave None, as a function does that returns nothing"
            raise JudgeRefusedError(f"{got}; expected numbers from -1 (different) to 1 (the same)")
        outside = ~((values >= -1) & (values <= 1))
        if outside.any():
            got = f"the judge {self.name!r:.60} gave {values[outside][0]:g}"
            raise JudgeRefusedError(f"{got}; expected numbers from -1 (different) to 1 (the same)")
        return tuple(values.tolist())
