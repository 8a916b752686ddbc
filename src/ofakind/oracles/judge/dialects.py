"""What servers understand: they differ in how the form of an answer and its length are asked for."""

from dataclasses import dataclass, replace
from typing import Any

from ofakind.oracles.judge.graded import answer_schema
from ofakind.oracles.judge.prompt import ChatPrompt

FORMS = ("json_schema", "json_object", "plain")  # the strictest first


@dataclass(frozen=True, slots=True)
class Dialect:
    """How a request is put: the form of the answer, the name of its limit, and whether it is to be sober."""

    form: str = FORMS[0]
    limit: str = "max_tokens"
    sober: bool = True

    def payload(self, model: str, prompt: ChatPrompt, longest: int) -> dict[str, Any]:
        """Return a request for an answer of so many tokens at most."""
        found: dict[str, Any] = {"model": model, "messages": prompt.messages, self.limit: longest}
        if self.sober:
            found["temperature"] = 0
        if self.form == "json_schema":
            schema = {"name": "scores", "strict": True, "schema": answer_schema(prompt.others)}
            found["response_format"] = {"type": "json_schema", "json_schema": schema}
        elif self.form == "json_object":
            found["response_format"] = {"type": "json_object"}
        return found


def simpler(dialect: Dialect, said: str) -> Dialect | None:
    """Return what to try next where a server has refused a request with these words; None if nothing.

    >>> simpler(Dialect(), "use max_completion_tokens instead").limit
    'max_completion_tokens'
    >>> simpler(Dialect(), "response_format is not supported").form
    'json_object'
    """
    if "max_completion_tokens" in said and dialect.limit == "max_tokens":
        return replace(dialect, limit="max_completion_tokens")
    if "temperature" in said and dialect.sober:
        return replace(dialect, sober=False)
    if dialect.form != FORMS[-1]:
        return replace(dialect, form=FORMS[FORMS.index(dialect.form) + 1])
    return None
