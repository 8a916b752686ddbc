"""What calls cost: prices of tokens, and how many tokens a text has, before anybody has counted them."""

from dataclasses import dataclass

from ofakind.checks import real_number
from ofakind.errors import InvalidInputError
from ofakind.oracles.judge.base import CallPrice

MILLION = 1_000_000


@dataclass(frozen=True, slots=True)
class TokenRules:
    """How tokens are guessed from text; by judgement, and from what tokenizers are."""

    bytes_each: float = 3.5  # of a token, in common text: a guess
    around: int = 80  # tokens that a server may put around the messages of a call


TOKENS = TokenRules()


@dataclass(frozen=True, slots=True)
class TokenPrices:
    """Prices of a million tokens, sent and received; both are None where they are not known."""

    sent: float | None = None
    received: float | None = None

    def __post_init__(self) -> None:
        for name, price in (("--price-in", self.sent), ("--price-out", self.received)):
            if price is not None:
                real_number(name, price, least=0)
        if (self.sent is None) != (self.received is None):
            given, missing = ("--price-in", "--price-out")[:: 1 if self.received is None else -1]
            expected = "expected both, 0 for what is not charged"
            raise InvalidInputError(f"{given} is given without {missing}; {expected}")

    @property
    def known(self) -> bool:
        """Whether they are known."""
        return self.sent is not None and self.received is not None

    def price(self, tokens_in: int, tokens_out: int) -> CallPrice:
        """Return what so many tokens cost; what has no price costs nothing.

        >>> TokenPrices(2.0, 8.0).price(500_000, 1_000).cost
        1.008
        """
        cost = (tokens_in * (self.sent or 0.0) + tokens_out * (self.received or 0.0)) / MILLION
        return CallPrice(tokens_in, tokens_out, cost)


UNPRICED = TokenPrices()


def about_tokens(sent: str) -> int:
    """Guess how many tokens a text has.

    >>> about_tokens("a" * 350)
    180
    """
    return TOKENS.around + int(len(sent.encode("utf-8", "replace")) / TOKENS.bytes_each)


def most_tokens(sent: str) -> int:
    """Return how many tokens a text can have at most: no tokenizer makes more than one of a byte.

    >>> most_tokens("a" * 350)
    430
    """
    return TOKENS.around + len(sent.encode("utf-8", "replace"))
