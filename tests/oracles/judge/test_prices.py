"""Prices of tokens."""

import pytest

from ofakind.errors import InvalidInputError
from ofakind.oracles.judge.prices import UNPRICED, TokenPrices


def test_one_price_without_the_other_is_refused():
    with pytest.raises(InvalidInputError, match="--price-in is given without --price-out; expected both, 0"):
        TokenPrices(1.0)
    with pytest.raises(InvalidInputError, match="--price-out is given without --price-in; expected both, 0"):
        TokenPrices(received=4.0)
    assert TokenPrices(0.0, 0.0).known
    assert not UNPRICED.known
