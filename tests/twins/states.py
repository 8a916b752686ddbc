"""States and pools to try acquisition functions on."""

import ofakind as ok


def state_of(similarity, labels):
    """The state of a learner with these answers and this clustering, and its mean field."""
    field = ok.mean_field(similarity, labels)
    return ok.State(similarity, ok.Clustering.of(similarity, labels), lambda: field)


def pool_of(state, **options):
    """All pairs that have no answer, with nothing pending."""
    return ok.Pool(state.similarity, ok.Pairs.empty(), **options)
