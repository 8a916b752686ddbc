"""The same calls of a learner, saved and loaded between any two of them or not."""

import json

import ofakind as ok


def reloaded(learner):
    """A learner as its document says."""
    return ok.ActiveClustering.from_document(json.loads(json.dumps(learner.to_document())))


def everything_after(learner, oracle, steps, *, saved):
    """All questions, groups and the document after some steps: None asks and tells, else a change."""
    asked = []
    for step in steps:
        learner = reloaded(learner) if saved else learner
        if step is None:
            asked.append(list(learner.ask(15)))
            learner.tell(asked[-1], oracle(asked[-1]))
            asked.append(list(learner.ask(2)))
        else:
            step(learner)
    return asked, learner.labels.tolist(), learner.groups.tolist(), learner.to_document()
