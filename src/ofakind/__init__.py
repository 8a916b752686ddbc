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

from ofakind.interrupts import uninterrupted
from ofakind.registry import public_names

__version__ = "0.1.0"

if TYPE_CHECKING:  # the same names once more, for type checkers and editors
    from ofakind.acquire.base import Acquisition as Acquisition
    from ofakind.acquire.base import AdaptiveBatch as AdaptiveBatch
    from ofakind.acquire.base import Batch as Batch
    from ofakind.acquire.base import Scores as Scores
    from ofakind.acquire.base import Selector as Selector
    from ofakind.acquire.base import State as State
    from ofakind.acquire.eig import EIGO as EIGO
    from ofakind.acquire.eig import expected_information_gain as expected_information_gain
    from ofakind.acquire.entropy import Entropy as Entropy
    from ofakind.acquire.information.score import InformationGain as InformationGain
    from ofakind.acquire.jeig import JEIG as JEIG
    from ofakind.acquire.jeig import joint_information_gain as joint_information_gain
    from ofakind.acquire.pool import Pool as Pool
    from ofakind.acquire.screens import Screen as Screen
    from ofakind.acquire.screens import ScreenSelector as ScreenSelector
    from ofakind.acquire.triangles import MaxExp as MaxExp
    from ofakind.acquire.triangles import MaxMin as MaxMin
    from ofakind.acquire.uniform import Uniform as Uniform
    from ofakind.answers import Answers as Answers
    from ofakind.clustering import Clustering as Clustering
    from ofakind.clustering import adjusted_rand_index as adjusted_rand_index
    from ofakind.clustering import correlation_cost as correlation_cost
    from ofakind.clustering import cost as cost
    from ofakind.clustering import move_gain as move_gain
    from ofakind.engine.kept import Round as Round
    from ofakind.engine.learner import ActiveClustering as ActiveClustering
    from ofakind.engine.loop import Step as Step
    from ofakind.engine.loop import run as run
    from ofakind.errors import AccuracyWarning as AccuracyWarning
    from ofakind.errors import BudgetSpentError as BudgetSpentError
    from ofakind.errors import ChainsDisagreeWarning as ChainsDisagreeWarning
    from ofakind.errors import CollapsedWarning as CollapsedWarning
    from ofakind.errors import ConflictingAnswerError as ConflictingAnswerError
    from ofakind.errors import ContradictedWarning as ContradictedWarning
    from ofakind.errors import ContradictingPinsError as ContradictingPinsError
    from ofakind.errors import DamagedProjectError as DamagedProjectError
    from ofakind.errors import DependentErrorsWarning as DependentErrorsWarning
    from ofakind.errors import GaveUpError as GaveUpError
    from ofakind.errors import InvalidAnswerError as InvalidAnswerError
    from ofakind.errors import InvalidInputError as InvalidInputError
    from ofakind.errors import MissingFileError as MissingFileError
    from ofakind.errors import MovedProjectError as MovedProjectError
    from ofakind.errors import NotConvergedWarning as NotConvergedWarning
    from ofakind.errors import OfakindError as OfakindError
    from ofakind.errors import OneSidedAnswersWarning as OneSidedAnswersWarning
    from ofakind.errors import ProjectInUseError as ProjectInUseError
    from ofakind.errors import SimilarIdsWarning as SimilarIdsWarning
    from ofakind.errors import StorageError as StorageError
    from ofakind.errors import TooLargeError as TooLargeError
    from ofakind.noise.calibration import Calibration as Calibration
    from ofakind.noise.tempering import Tempering as Tempering
    from ofakind.oracles.base import Oracle as Oracle
    from ofakind.oracles.crowd import CrowdOracle as CrowdOracle
    from ofakind.oracles.features import FeatureOracle as FeatureOracle
    from ofakind.oracles.model import ModelOracle as ModelOracle
    from ofakind.oracles.model import OracleReport as OracleReport
    from ofakind.oracles.model import PairModel as PairModel
    from ofakind.oracles.noisy import FlippingOracle as FlippingOracle
    from ofakind.oracles.noisy import GradedOracle as GradedOracle
    from ofakind.oracles.noisy import NoisyOracle as NoisyOracle
    from ofakind.oracles.replay import ReplayOracle as ReplayOracle
    from ofakind.pairs import Pairs as Pairs
    from ofakind.pins import Pins as Pins
    from ofakind.posterior.base import Abilities as Abilities
    from ofakind.posterior.base import Belief as Belief
    from ofakind.posterior.base import Posterior as Posterior
    from ofakind.posterior.base import Samples as Samples
    from ofakind.posterior.base import SequentialBelief as SequentialBelief
    from ofakind.posterior.forest.belief import FeatureBelief as FeatureBelief
    from ofakind.posterior.mean_field.belief import MeanFieldBelief as MeanFieldBelief
    from ofakind.posterior.mean_field.conditional import ConditionalFields as ConditionalFields
    from ofakind.posterior.mean_field.conditional import Precision as Precision
    from ofakind.posterior.mean_field.dense import MeanField as MeanField
    from ofakind.posterior.mean_field.dense import mean_field as mean_field
    from ofakind.posterior.mean_field.sparse import SparseMeanField as SparseMeanField
    from ofakind.posterior.mean_field.sparse import sparse_mean_field as sparse_mean_field
    from ofakind.posterior.partition.belief import PartitionBelief as PartitionBelief
    from ofakind.posterior.partition.diagnostics import Diagnostics as Diagnostics
    from ofakind.posterior.partition.samples import PartitionSamples as PartitionSamples
    from ofakind.priors.neighbours import Neighbours as Neighbours
    from ofakind.priors.pair_map import PairMap as PairMap
    from ofakind.project.assigning import Placement as Placement
    from ofakind.project.curve import CurvePoint as CurvePoint
    from ofakind.project.describe import GroupDescription as GroupDescription
    from ofakind.project.doubtful import DoubtfulPair as DoubtfulPair
    from ofakind.project.evidence import GivenAnswer as GivenAnswer
    from ofakind.project.evidence import PairEvidence as PairEvidence
    from ofakind.project.history import HistoryDay as HistoryDay
    from ofakind.project.ledger import WhyAsked as WhyAsked
    from ofakind.project.log import Checked as Checked
    from ofakind.project.opening import new_project as new_project
    from ofakind.project.opening import open_project as open_project
    from ofakind.project.pace import Gains as Gains
    from ofakind.project.pace import Pace as Pace
    from ofakind.project.people import ErrorRate as ErrorRate
    from ofakind.project.people import Person as Person
    from ofakind.project.people import krippendorff_alpha as krippendorff_alpha
    from ofakind.project.plan import QuestionPlan as QuestionPlan
    from ofakind.project.project import Project as Project
    from ofakind.project.prospect import Prospect as Prospect
    from ofakind.project.questions import Question as Question
    from ofakind.project.questions import ScreenQuestion as ScreenQuestion
    from ofakind.project.results import KnownPair as KnownPair
    from ofakind.project.results import Link as Link
    from ofakind.project.status import ProjectStatus as ProjectStatus
    from ofakind.project.undoing import PastAction as PastAction
    from ofakind.registry import Ability as Ability
    from ofakind.report.accuracy import Accuracy as Accuracy
    from ofakind.report.accuracy import Merger as Merger
    from ofakind.report.accuracy import accuracy as accuracy
    from ofakind.report.accuracy import mergers as mergers
    from ofakind.report.accuracy import per_object_doubt as per_object_doubt
    from ofakind.report.forecast import Forecast as Forecast
    from ofakind.similarity import Similarity as Similarity
    from ofakind.sklearn import ActiveCorrelationClustering as ActiveCorrelationClustering
    from ofakind.sklearn import CorrelationClustering as CorrelationClustering
    from ofakind.solve.base import SampleSolver as SampleSolver
    from ofakind.solve.base import Solver as Solver
    from ofakind.solve.consensus import Consensus as Consensus
    from ofakind.solve.consensus import consensus as consensus
    from ofakind.solve.exact import Exact as Exact
    from ofakind.solve.local_search import LocalSearch as LocalSearch
    from ofakind.solve.multilevel import Multilevel as Multilevel
    from ofakind.solve.pivot import Pivot as Pivot

_HOME = public_names()
_ROOMS = {"datasets", "rivals"}  # `ok.datasets.load(...)` needs no import of its own

__all__ = sorted([*_HOME, "__version__"])  # noqa: PLE0605


def __getattr__(name: str) -> Any:
    if name in _ROOMS:
        return uninterrupted(import_module, f"ofakind.{name}")
    if name not in _HOME:
        raise AttributeError(f"module 'ofakind' has no attribute {name!r}")
    value = getattr(uninterrupted(import_module, _HOME[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
