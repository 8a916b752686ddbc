"""A question as somebody gets it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ofakind.project.fields import Content, ObjectId


@dataclass(frozen=True, slots=True)
class Question:
    """Are these two of a kind? Its ``key`` belongs to this question to this person alone."""

    key: str
    left_id: ObjectId
    right_id: ObjectId
    annotator: str = ""
    left: Mapping[str, Content] = field(default_factory=dict, repr=False, compare=False)
    right: Mapping[str, Content] = field(default_factory=dict, repr=False, compare=False)


Meant = Question | Sequence[ObjectId]  # a question, or the ids of two objects
