"""The one register: a part that stands here once is public, saved, loaded and known to studies.

A part is a solver, a belief, an acquisition function, an oracle or a rival. It says itself what it needs of a
posterior (a property ``needs``) or what its posterior can do (``gives``), in terms of `Ability`.
"""

from collections.abc import Mapping
from enum import Enum
from importlib import import_module
from typing import Any, NamedTuple, get_args, get_type_hints


class Ability(Enum):
    """What a posterior can do besides P(same) of any pair; a part says which of these it needs."""

    SAMPLES = "samples of partitions"
    MEAN_FIELD = "a dense mean field"


class Part(NamedTuple):
    """A part by its role, its public name and the module it lives in; ``title`` is what studies call it."""

    role: str
    name: str
    home: str
    title: str = ""

    def load(self) -> Any:
        """Import its class."""
        return getattr(import_module(self.home), self.name)


PARTS = (
    Part("acquisition", "Uniform", "ofakind.acquire.uniform"),
    Part("acquisition", "Entropy", "ofakind.acquire.entropy"),
    Part("acquisition", "EIGO", "ofakind.acquire.eig", "EIG-O"),
    Part("acquisition", "JEIG", "ofakind.acquire.jeig"),
    Part("acquisition", "MaxMin", "ofakind.acquire.triangles"),
    Part("acquisition", "MaxExp", "ofakind.acquire.triangles"),
    Part("acquisition", "InformationGain", "ofakind.acquire.information.score"),
    Part("solver", "LocalSearch", "ofakind.solve.local_search"),
    Part("solver", "Multilevel", "ofakind.solve.multilevel"),
    Part("solver", "Pivot", "ofakind.solve.pivot"),
    Part("solver", "Exact", "ofakind.solve.exact"),
    Part("solver", "Consensus", "ofakind.solve.consensus"),
    Part("belief", "MeanFieldBelief", "ofakind.posterior.mean_field.belief"),
    Part("belief", "PartitionBelief", "ofakind.posterior.partition.belief"),
    Part("belief", "FeatureBelief", "ofakind.posterior.forest.belief"),
    Part("oracle", "NoisyOracle", "ofakind.oracles.noisy"),
    Part("oracle", "FlippingOracle", "ofakind.oracles.noisy"),
    Part("oracle", "GradedOracle", "ofakind.oracles.noisy"),
    Part("oracle", "ModelOracle", "ofakind.oracles.model"),
    Part("oracle", "FeatureOracle", "ofakind.oracles.features"),
    Part("oracle", "ReplayOracle", "ofakind.oracles.replay"),
    Part("oracle", "CrowdOracle", "ofakind.oracles.crowd"),
    Part("rival", "QECC", "ofakind.rivals.qecc"),
    Part("rival", "KCFB", "ofakind.rivals.kc", "KC-FB"),
    Part("rival", "KCFC", "ofakind.rivals.kc", "KC-FC"),
    Part("rival", "COBRAS", "ofakind.rivals.cobras"),
    Part("rival", "NCOBRAS", "ofakind.rivals.ncobras", "nCOBRAS"),
    Part("rival", "TransitiveJoin", "ofakind.rivals.transitive"),
    Part("rival", "UncertaintySampling", "ofakind.rivals.uncertainty"),
)

# Everything else that is public: types, functions, protocols to implement, errors.
OTHERS = {
    "ofakind.acquire.base": (
        "Acquisition",
        "AdaptiveBatch",
        "Batch",
        "Scores",
        "Selector",
        "State",
    ),
    "ofakind.acquire.eig": ("expected_information_gain",),
    "ofakind.acquire.jeig": ("joint_information_gain",),
    "ofakind.acquire.pool": ("Pool",),
    "ofakind.acquire.screens": (
        "Screen",
        "ScreenSelector",
    ),
    "ofakind.answers": ("Answers",),
    "ofakind.clustering": (
        "Clustering",
        "adjusted_rand_index",
        "correlation_cost",
        "cost",
        "move_gain",
    ),
    "ofakind.engine.kept": ("Round",),
    "ofakind.engine.learner": ("ActiveClustering",),
    "ofakind.engine.loop": (
        "Step",
        "run",
    ),
    "ofakind.errors": (
        "AccuracyWarning",
        "BudgetSpentError",
        "ChainsDisagreeWarning",
        "CollapsedWarning",
        "ConflictingAnswerError",
        "ContradictedWarning",
        "ContradictingPinsError",
        "DamagedProjectError",
        "DependentErrorsWarning",
        "GaveUpError",
        "InvalidAnswerError",
        "InvalidInputError",
        "MissingFileError",
        "MovedProjectError",
        "NotConvergedWarning",
        "OfakindError",
        "OneSidedAnswersWarning",
        "ProjectInUseError",
        "SimilarIdsWarning",
        "StorageError",
        "TooLargeError",
    ),
    "ofakind.noise.calibration": ("Calibration",),
    "ofakind.noise.tempering": ("Tempering",),
    "ofakind.oracles.base": ("Oracle",),
    "ofakind.oracles.model": (
        "OracleReport",
        "PairModel",
    ),
    "ofakind.pairs": ("Pairs",),
    "ofakind.pins": ("Pins",),
    "ofakind.posterior.base": (
        "Abilities",
        "Belief",
        "Posterior",
        "Samples",
        "SequentialBelief",
    ),
    "ofakind.posterior.mean_field.conditional": (
        "ConditionalFields",
        "Precision",
    ),
    "ofakind.posterior.mean_field.dense": (
        "MeanField",
        "mean_field",
    ),
    "ofakind.posterior.mean_field.sparse": (
        "SparseMeanField",
        "sparse_mean_field",
    ),
    "ofakind.posterior.partition.diagnostics": ("Diagnostics",),
    "ofakind.posterior.partition.samples": ("PartitionSamples",),
    "ofakind.priors.neighbours": ("Neighbours",),
    "ofakind.priors.pair_map": ("PairMap",),
    "ofakind.project.assigning": ("Placement",),
    "ofakind.project.curve": ("CurvePoint",),
    "ofakind.project.describe": ("GroupDescription",),
    "ofakind.project.doubtful": ("DoubtfulPair",),
    "ofakind.project.evidence": (
        "GivenAnswer",
        "PairEvidence",
    ),
    "ofakind.project.history": ("HistoryDay",),
    "ofakind.project.ledger": ("WhyAsked",),
    "ofakind.project.log": ("Checked",),
    "ofakind.project.opening": (
        "new_project",
        "open_project",
    ),
    "ofakind.project.pace": (
        "Gains",
        "Pace",
    ),
    "ofakind.project.people": (
        "ErrorRate",
        "Person",
        "krippendorff_alpha",
    ),
    "ofakind.project.plan": ("QuestionPlan",),
    "ofakind.project.project": ("Project",),
    "ofakind.project.prospect": ("Prospect",),
    "ofakind.project.questions": (
        "Question",
        "ScreenQuestion",
    ),
    "ofakind.project.results": (
        "KnownPair",
        "Link",
    ),
    "ofakind.project.status": ("ProjectStatus",),
    "ofakind.project.undoing": ("PastAction",),
    "ofakind.registry": ("Ability",),
    "ofakind.report.accuracy": (
        "Accuracy",
        "Merger",
        "accuracy",
        "mergers",
        "per_object_doubt",
    ),
    "ofakind.report.forecast": ("Forecast",),
    "ofakind.similarity": ("Similarity",),
    "ofakind.sklearn": (
        "ActiveCorrelationClustering",
        "CorrelationClustering",
    ),
    "ofakind.solve.base": (
        "SampleSolver",
        "Solver",
    ),
    "ofakind.solve.consensus": ("consensus",),
}


def public_names() -> dict[str, str]:
    """Return the home of every name of the package; rivals have a room of their own, `ofakind.rivals`."""
    parts = {part.name: part.home for part in PARTS if part.role != "rival"}
    return parts | {name: home for home, names in OTHERS.items() for name in names}


def names_in_studies() -> dict[str, str]:
    """Return what a study may name without a module, and what that stands for: ``package:Class``."""
    rooms = {"rival": "ofakind.rivals"}
    known = [part for part in PARTS if part.role != "oracle"]
    return {part.title or part.name: f"{rooms.get(part.role, 'ofakind')}:{part.name}" for part in known}


def names_of(role: str) -> list[str]:
    """Return the names of all parts with this role."""
    return [part.name for part in PARTS if part.role == role]


def part_of(role: str, instance: object) -> Part | None:
    """Return what is registered of a part, or None if it is somebody else's."""
    kind = type(instance)
    return next((p for p in PARTS if p[:3] == (role, kind.__name__, kind.__module__)), None)


def build(role: str, name: str, options: Mapping[str, Any]) -> Any:
    """Build a part by its name; its module is loaded only now. Text such as "inf" is read as a number."""
    kind = next(part for part in PARTS if (part.role, part.name) == (role, name)).load()
    types = get_type_hints(kind)

    def number(option: str, value: Any) -> Any:
        wanted = types.get(option)
        is_float = wanted is float or float in get_args(wanted)
        return float(value) if is_float and value in ("inf", "-inf", "nan") else value

    return kind(**{option: number(option, value) for option, value in options.items()})
