"""Small projects: their objects, and somebody who knows the truth about them."""

IDS = [f"o{number}" for number in range(12)]


def right(question):
    """What somebody says who knows the truth: every third object is of a kind."""
    left, other = (int(one[1:]) for one in (question.left_id, question.right_id))
    return 1.0 if left % 3 == other % 3 else -1.0
