"""Small projects: their objects, somebody who knows the truth about them, and what is refused."""

import pytest

from ofakind.project.store import ProjectFile, back_up

IDS = [f"o{number}" for number in range(12)]


def right(question):
    """What somebody says who knows the truth: every third object is of a kind."""
    left, other = (int(one[1:]) for one in (question.left_id, question.right_id))
    return 1.0 if left % 3 == other % 3 else -1.0


def refused_untouched(path, error, match):
    """Make sure that a file is neither opened nor copied, and that nothing of it is changed."""
    before, beside = path.read_bytes(), sorted(path.parent.iterdir())
    with pytest.raises(error, match=match):
        ProjectFile.open(path)
    with pytest.raises(error, match=match):
        back_up(path, path.with_name("copy"))
    assert path.read_bytes() == before
    assert sorted(path.parent.iterdir()) == beside
