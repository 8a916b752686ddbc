"""What a learner says of its own clusters: how wrong they may be, and what speaks against believing it."""

import warnings

from numpy.typing import ArrayLike

from ofakind.answers import Answers
from ofakind.errors import DependentErrorsWarning, InvalidInputError, NotConvergedWarning
from ofakind.posterior.dependence import errors_depend
from ofakind.posterior.diagnostics import diagnose
from ofakind.posterior.estimate import Accuracy, Samples, accuracy
from ofakind.posterior.second_opinion import warn_of


def judge(posterior: object, labels: ArrayLike, answers: Answers) -> Accuracy:
    """Return the accuracy of labels under a posterior's samples, with a warning if these cannot tell it.

    They cannot if there is only one, or if the chains disagree; and it is doubtful if they contradict many
    answers. If errors depend on each other, nothing is said of how bad it may be at worst. Where pairs that
    are no candidates are held for different, fewer are wrong than expected: nothing is said of the best case.
    """
    if not isinstance(posterior, Samples):
        got = f"a {type(posterior).__name__} holds no samples of partitions to estimate the accuracy from"
        raise InvalidInputError(f"{got}; use belief=PartitionBelief(), as by default")
    found, doubt = diagnose(posterior.labels, posterior.chain), None
    if len(posterior.labels) == 1:
        doubt = "one sample alone does not tell how wrong the clustering is; ask the belief for more samples"
    elif not found.converged:
        doubt = (
            f"the chains do not agree ({found.between:.2f} between, {found.within:.2f} within them): the "
            "clustering may be worse than it seems"
        )
    if doubt is not None:
        warnings.warn(doubt, NotConvergedWarning, stacklevel=3)
    result = accuracy(posterior.labels, posterior.chain, labels)
    if getattr(posterior, "background", 0.0):
        result = result.without_best_case()
    warn_of(posterior, result.expected_ari, stacklevel=4)
    if warned_of_dependence(posterior, answers, stacklevel=4):
        return result.without_worst_case(posterior.labels.shape[1])
    return result


def warned_of_dependence(posterior: Samples, answers: Answers, *, stacklevel: int) -> bool:
    """Whether errors depend on each other; then with a warning."""
    depend = errors_depend(posterior, answers)
    if depend:
        warnings.warn(
            "errors of the answers come together, about the same objects, so that even what no answer "
            "contradicts may be wrong: how bad the clustering is at worst cannot be said; compare some pairs "
            "by other means",
            DependentErrorsWarning,
            stacklevel=stacklevel,
        )
    return depend
