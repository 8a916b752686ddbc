"""What a study asks about, and who answers: datasets and oracles."""

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

from ofakind.checks import one_of, real_number, truth_value, whole_number
from ofakind.datasets import available
from ofakind.errors import InvalidInputError
from ofakind.study.random_problems import PROBLEM_KINDS

# The option that says how noisy an oracle of each kind is, and what a reader sees of such an oracle.
LEVEL_OPTIONS = {"noisy": "gamma", "flip": "share", "graded": "spread"}
TITLES = {
    "noisy": "Oracle 1",
    "flip": "Flipped answers",
    "graded": "Graded answers",
    "model": "Oracle 2",
    "crowd": "real workers",
    "random": "Random noise",
}
# See `ofakind.study.judges`.
JUDGES = ("good", "poor", "random", "shuffled", "flipped", "third", "bought", "workers")
JUDGING = ("prior", "pooled", "alone")  # how what a judge says is used
PRIORS = ("records", "vectors")  # what a candidate graph is made from
RANDOM = "random"  # the name of problems in which everything is drawn but the kind of the noise: the variant
# The paper's first batch B0 and batch size B for each of its datasets.
BATCHES = {
    "cifar10": (2500, 1250),
    "newsgroups5": (2500, 250),
    "cardiotocography": (2500, 750),
    "ecoli": (280, 85),
    "forest_type_mapping": (500, 350),
    "user_knowledge": (400, 200),
    "mnist": (2500, 1250),
    "synthetic": (500, 300),
}


@dataclass(frozen=True, slots=True)
class Data:
    """A dataset and how many answers a run on it may buy, in a first random batch and then in batches.

    A batch size that is not given is the paper's for its own datasets, else n and 0.6 n. ``objects`` keeps a
    random part of a large dataset, with ``whole_groups`` of whole groups and at most so many. ``features``
    names which ones, where a dataset has several. ``standardise`` scales every feature to mean 0 and
    deviation 1, for methods that use distances. ``shuffle`` puts the objects into an order of the seed's own.
    A pair may be asked ``repeats`` times (once if not given). The ``prior`` is what a candidate graph is made
    from, for methods with features. Simulated judges go by the same features, or by other ``judge_features``:
    they know something else then. The name "random" stands for a problem that the seed draws
    (`random_problems`), with the kind of noise that is the variant.
    """

    name: str
    budget: int
    variant: str | None = None
    objects: int | None = None
    first_batch: int | None = None
    batch: int | None = None
    standardise: bool = False
    shuffle: bool = False
    repeats: int | None = None
    features: str | None = None
    whole_groups: bool = False
    prior: str | None = None
    judge_features: str | None = None

    def __post_init__(self) -> None:
        known = {info.name: info.variants for info in available() if info.clusters} | {RANDOM: PROBLEM_KINDS}
        if self.name not in known:
            raise InvalidInputError(
                f"there is no dataset {self.name!r} with true clusters; {hint(self.name, list(known))}"
            )
        if self.variant is not None or self.name == RANDOM:
            one_of(f"the variant of {self.name}", self.variant, *known[self.name])
        for size in ("objects", "first_batch", "batch", "repeats"):
            if getattr(self, size) is not None:
                whole_number(f"{size} of {self.name}", getattr(self, size), least=1)
        whole_number(f"the budget of {self.name}", self.budget, least=1)
        truth_value(f"standardise of {self.name}", self.standardise)
        truth_value(f"shuffle of {self.name}", self.shuffle)
        self._check_features()

    def _check_features(self) -> None:
        known = next((info.features for info in available() if info.name == self.name), ())
        for what in ("features", "judge_features"):
            if getattr(self, what) is not None:
                one_of(f"{what} of {self.name}", getattr(self, what), *known)
        if self.prior is not None:
            one_of(f"the prior of {self.name}", self.prior, *PRIORS)
        truth_value(f"whole_groups of {self.name}", self.whole_groups)
        if self.whole_groups and self.objects is None:
            raise InvalidInputError(f"{self.name} has whole_groups; expected objects too: how many at most")

    @property
    def title(self) -> str:
        """What a reader sees: the name, and which part of the dataset it is, unless it is the usual one."""
        objects = None if self.objects is None else f"{self.objects} objects"
        part = ", ".join(filter(None, (self.variant, self.features, objects)))
        return f"{self.name} ({part})" if part else self.name


@dataclass(frozen=True, slots=True)
class Answerer:
    """Who answers, and how noisily where that can be chosen.

    ``noisy`` (Oracle 1, with a ``gamma``), ``flip`` (a ``share`` of wrong signs), ``graded`` (normal noise of
    a ``spread``), ``model`` (Oracle 2), ``crowd`` (people, whose names are not told if ``anonymous``) or
    ``random`` (as a random problem has it).
    """

    kind: str = "noisy"
    gamma: float | None = None
    share: float | None = None
    spread: float | None = None
    anonymous: bool = False

    def __post_init__(self) -> None:
        one_of("the kind of an oracle", self.kind, *TITLES)
        truth_value("anonymous", self.anonymous)
        if self.anonymous and self.kind != "crowd":
            raise InvalidInputError(
                f"the {self.kind} oracle is anonymous; that goes with crowd, and only with it"
            )
        for kind, option in LEVEL_OPTIONS.items():
            level = getattr(self, option)
            if (level is None) == (self.kind == kind):
                got = f"has no {option}" if level is None else f"has {option} {level!r}"
                raise InvalidInputError(
                    f"the {self.kind} oracle {got}; it goes with {kind}, and only with it"
                )
            if level is not None:
                most = None if option == "spread" else 1
                object.__setattr__(self, option, real_number(option, level, least=0, most=most))

    @property
    def level(self) -> float | None:
        """How noisy it is, where that can be chosen."""
        return getattr(self, LEVEL_OPTIONS[self.kind]) if self.kind in LEVEL_OPTIONS else None

    @property
    def title(self) -> str:
        """What a reader sees."""
        title = TITLES[self.kind] + (" without names" if self.anonymous else "")
        return f"{title}, {LEVEL_OPTIONS[self.kind]} {self.level}" if self.kind in LEVEL_OPTIONS else title


def hint(word: Any, known: Sequence[str]) -> str:
    """What may have been meant, else all that is known."""
    near = get_close_matches(str(word), known, 1)
    return f"did you mean {near[0]!r}?" if near else f"expected one of {', '.join(known)}"
