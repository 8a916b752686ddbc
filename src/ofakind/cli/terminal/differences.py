"""What differs between two texts, character by character."""

from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import takewhile

from ofakind.project.fields import Content

SAME, NEARLY, UNLIKE, NO_OTHER = "=", "≈", "≠", "·"


@dataclass(frozen=True, slots=True)
class DifferenceRules:
    """When characters are compared, chosen by judgement."""

    longest: int = 600  # characters between what both texts begin and end with; of more, none is marked
    readable: int = 20_000  # characters; of longer texts it is not looked at what they differ by
    alike: float = 0.65  # below this similarity no character is marked: the texts are just different


COMPARE = DifferenceRules()


def sign_of(left: Content, right: Content) -> str:
    """Return a sign for a field: equal, equal but for case, blanks and punctuation, different, one missing.

    >>> [sign_of(*two) for two in (("Rome", "Rome"), ("Joe's", "joes"), ("Rome", "Paris"), ("Rome", None))]
    ['=', '≈', '≠', '·']
    """
    if left is None or right is None or "" in (left, right):
        return NO_OTHER
    if left == right:
        return SAME
    if max(len(str(one)) for one in (left, right)) > COMPARE.readable:
        return UNLIKE
    bare = [_bare(one) for one in (left, right)]
    return NEARLY if bare[0] == bare[1] and bare[0] else UNLIKE


def _bare(one: Content) -> str:
    return "".join(letter for letter in str(one).casefold() if letter.isalnum())


def marks(left: str, right: str) -> tuple[list[bool], list[bool]]:
    """Return for each character of two texts whether it is not in the other one; nothing of unlike texts.

    >>> marks("Joes", "Joe's")
    ([False, False, False, False], [False, False, False, True, False])
    >>> marks("Rome", "Paris")
    ([False, False, False, False], [False, False, False, False, False])
    """
    marked = [False] * len(left), [False] * len(right)
    if left == right:
        return marked
    begin = _shared(left, right)
    end = _shared(left[begin:][::-1], right[begin:][::-1])
    middle = left[begin : len(left) - end], right[begin : len(right) - end]
    if max(map(len, middle)) > COMPARE.longest:
        return marked
    found = SequenceMatcher(None, *middle, autojunk=False)
    blocks = found.get_matching_blocks()
    shared = 2 * (begin + end + sum(block.size for block in blocks))
    if shared < COMPARE.alike * (len(left) + len(right)):
        return marked
    for side, text in zip(marked, middle, strict=True):
        side[begin : begin + len(text)] = [True] * len(text)
    for block in blocks:
        for side, start in zip(marked, (block.a, block.b), strict=True):
            side[begin + start : begin + start + block.size] = [False] * block.size
    return marked


def _shared(left: str, right: str) -> int:
    """Return how many characters two texts begin with in common."""
    return sum(1 for _ in takewhile(lambda two: two[0] == two[1], zip(left, right, strict=False)))
