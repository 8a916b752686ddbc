"""Projects with records whose kinds are known, and judges of all sorts for them."""

import ofakind as ok

KINDS = 5


def records(n=30):
    return [{"id": f"r{number}", "name": f"thing {number}", "kind": number % KINDS} for number in range(n)]


def new_judged_project(path, n=30, **options):
    """A project without features, so that any pair may be worth a look."""
    return ok.new_project(records(n), "id", path=path, fields=(), **options)


def by_kind(left, right):
    """A judge that knows the truth."""
    return 0.9 if left["kind"] == right["kind"] else -0.9


def tell_the_truth(project, count, annotator="Ada"):
    """Let somebody who knows the truth answer some questions."""
    for question in project.ask(count, annotator):
        project.tell(question, 1.0 if question.left["kind"] == question.right["kind"] else -1.0)
