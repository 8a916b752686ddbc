"""Random numbers on the GPU that belong to pairs: the same however the work is split and ordered.

Philox (a counter-based generator) turns a seed and four words into four random words. Here the words are the
two objects of a pair, what the number is for and which of several it is. Nothing is stored and no state moves
on, so a pair's numbers are found again wherever they are needed.
"""

import triton
import triton.language as tl

SUBSETS, ANSWERS, LABELS, RACE = tl.constexpr(0), tl.constexpr(1), tl.constexpr(2), tl.constexpr(3)


@triton.jit
def pair_words(
    seed: tl.tensor, u: tl.tensor, v: tl.tensor, purpose: tl.tensor, place: tl.tensor
) -> tl.tensor:
    """Four random words of 32 bits for a pair, whichever of its objects comes first."""
    return tl.philox(seed, tl.minimum(u, v), tl.maximum(u, v), purpose, place)


@triton.jit
def uniform(high: tl.tensor, low: tl.tensor) -> tl.tensor:
    """Make a number above 0 and at most 1 of two words; numbers near 0 are as exact as others."""
    return high.to(tl.float32) * 2.3283064365386963e-10 + (low.to(tl.float32) + 0.5) * 5.421010862427522e-20


@triton.jit
def exponential(u: tl.tensor) -> tl.tensor:
    """Turn a uniform number into an Exp(1) variable, exact near 0, where the first of many lie."""
    small = u * (1.0 + u * (0.5 + u * (0.33333333 + u * 0.25)))
    return tl.where(u < 0.01, small, -tl.log(tl.maximum(1.0 - u, 1e-30)))


@triton.jit
def rung_before(t: tl.tensor) -> tl.tensor:
    """Probability 1 - e^(-t) that an Exp(1) clock has rung by then, exact near 0."""
    small = tl.minimum(t, 1e-3)
    return tl.where(t < 1e-3, small * (1.0 - 0.5 * small), 1.0 - tl.exp(-t))


@triton.jit
def coin(word: tl.tensor, p: tl.tensor) -> tl.tensor:
    """Whether a coin that shows heads with probability p does so, by one random word."""
    return (word.to(tl.float32) * 2.3283064365386963e-10 < p) | (p >= 1.0)
