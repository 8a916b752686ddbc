"""Sort things into groups by asking few, well-chosen, noisy questions: are these two of a kind?

>>> import ofakind as ok
>>> truth = [0, 0, 0, 1, 1, 1]
>>> learner = ok.ActiveClustering(6, acquisition=ok.Entropy(), batch_size=3, seed=0)
>>> oracle = ok.NoisyOracle(truth, gamma=0.0, seed=0)
>>> for round in ok.run(learner, oracle, budget=15):
...     pass
>>> learner.labels.tolist()
[0, 0, 0, 1, 1, 1]

Everything public is found here and loaded on first use, so that importing ofakind is quick.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

_HOMES = {
    "ofakind.acquire.base": ("Acquisition", "Batch", "Scores", "Selector", "State"),
    "ofakind.acquire.eig": ("EIGO", "expected_information_gain"),
    "ofakind.acquire.entropy": ("Entropy",),
    "ofakind.acquire.jeig": ("JEIG", "joint_information_gain"),
    "ofakind.acquire.pool": ("Pool",),
    "ofakind.acquire.triangles": ("MaxExp", "MaxMin"),
    "ofakind.acquire.uniform": ("Uniform",),
    "ofakind.answers": ("Answers",),
    "ofakind.clustering": ("Clustering", "adjusted_rand_index", "correlation_cost", "cost", "move_gain"),
    "ofakind.errors": (
        "InvalidAnswerError",
        "InvalidInputError",
        "NotConvergedWarning",
        "OfakindError",
        "TooLargeError",
    ),
    "ofakind.learner": ("ActiveClustering", "Round"),
    "ofakind.loop": ("Step", "run"),
    "ofakind.oracles.base": ("Oracle",),
    "ofakind.oracles.features": ("FeatureOracle",),
    "ofakind.oracles.noisy": ("NoisyOracle",),
    "ofakind.oracles.replay": ("ReplayOracle",),
    "ofakind.pairs": ("Pairs",),
    "ofakind.posterior.base": ("Belief", "Posterior"),
    "ofakind.posterior.conditional": ("ConditionalFields", "Precision"),
    "ofakind.posterior.mean_field": ("MeanField", "MeanFieldBelief", "mean_field"),
    "ofakind.similarity": ("Similarity",),
    "ofakind.sklearn": ("ActiveCorrelationClustering", "CorrelationClustering"),
    "ofakind.solve.base": ("Solver",),
    "ofakind.solve.exact": ("Exact",),
    "ofakind.solve.local_search": ("LocalSearch",),
    "ofakind.solve.pivot": ("Pivot",),
}
_HOME = {name: module for module, names in _HOMES.items() for name in names}

__all__ = sorted([*_HOME, "__version__"])  # noqa: PLE0605


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'ofakind' has no attribute {name!r}")
    value = getattr(import_module(_HOME[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
