"""The paper's posterior as an option of a learner: dense, or sparse where clusters are very many."""

from dataclasses import dataclass
from typing import Literal

from numpy.random import Generator

from ofakind.arrays import shuffled
from ofakind.checks import one_of
from ofakind.clustering import Clustering
from ofakind.errors import InvalidInputError
from ofakind.pins import Pins
from ofakind.posterior.mean_field.dense import Device, MeanField, SweepSchedule, check_options, mean_field
from ofakind.posterior.mean_field.pinned import PinnedMeanField, PinnedSparseMeanField
from ofakind.posterior.mean_field.sparse import SparseMeanField, sparse_mean_field
from ofakind.registry import Ability
from ofakind.similarity import Similarity
from ofakind.solve.pinned import contracted

Form = Literal["auto", "dense", "sparse"]


@dataclass(frozen=True, slots=True)
class FieldRules:
    """Tuned numbers: what a machine has memory for (docs/results/scale.md)."""

    few_clusters: int = 32  # up to so many clusters a field is always dense
    dense_cells: int = 2**25  # and up to so many cells, which take 0.8 GB


FIELD = FieldRules()


@dataclass(frozen=True, slots=True)
class MeanFieldBelief:
    """The paper's posterior as an option of a learner: a `mean_field` started from the clustering.

    With very many clusters it is a `sparse_mean_field`: the same to within ``tol``, without an (n, k) array.
    That takes asynchronous sweeps on the CPU; any other field is always dense.

    Args:
        beta: concentration of the Gibbs distribution; higher trusts the answers more.
        schedule: "asynchronous" (object by object, in a random order) or "synchronous" (Alg. 3 as printed).
        tol: stop when no probability changes by more than this.
        max_sweeps: give up then, with a warning.
        device: "cpu", or "cuda" for an NVIDIA GPU.
        form: "dense" (as `EIGO` and `JEIG` need it), "sparse", or "auto": sparse when there are more than 32
            clusters and n k is above 33 million, which does not depend on the machine.
    """

    beta: float = 3.0
    schedule: SweepSchedule = "asynchronous"
    tol: float = 1e-5
    max_sweeps: int = 2000
    device: Device = "cpu"
    form: Form = "auto"

    def __post_init__(self) -> None:
        check_options(self.beta, self.schedule, self.tol, self.max_sweeps)
        one_of("device", self.device, "cpu", "cuda")
        one_of("form", self.form, "auto", "dense", "sparse")
        if self.form == "sparse" and not self._may_be_sparse:
            got = f"form is 'sparse' with schedule {self.schedule!r} and device {self.device!r}"
            raise InvalidInputError(f"{got}; expected 'asynchronous' and 'cpu', or another form")

    def __call__(
        self, similarity: Similarity, clustering: Clustering, *, rng: Generator
    ) -> MeanField | SparseMeanField:
        """Compute the mean field of a clustering; the visiting order is drawn from ``rng``."""
        beta, tol, max_sweeps = self.beta, self.tol, self.max_sweeps
        order = shuffled(similarity.n, rng)
        if self.form == "sparse" or (
            self.form == "auto" and self._may_be_sparse and is_large(similarity.n, clustering.k)
        ):
            return sparse_mean_field(
                similarity, clustering.labels, beta=beta, order=order, tol=tol, max_sweeps=max_sweeps
            )
        return mean_field(
            similarity,
            clustering.labels,
            beta=beta,
            schedule=self.schedule,
            order=order,
            tol=tol,
            max_sweeps=max_sweeps,
            device=self.device,
        )

    def with_pins(
        self, similarity: Similarity, clustering: Clustering, pins: Pins, *, rng: Generator
    ) -> MeanField | SparseMeanField:
        """Compute the mean field of units of objects, from a clustering that breaks no pin, for all objects.

        The similarity of two units is the sum over the pairs of objects between them.
        """
        sums = contracted(similarity, pins)
        found = self(sums, Clustering.of(sums, clustering.labels[pins.first]), rng=rng)
        if isinstance(found, MeanField):
            return PinnedMeanField.expanding(found, similarity, pins)
        return PinnedSparseMeanField.expanding(found, similarity, pins)

    @property
    def gives(self) -> frozenset[Ability]:
        """What its posterior can do besides P(same) of any pair."""
        return frozenset() if self.form == "sparse" else frozenset({Ability.MEAN_FIELD})

    @property
    def _may_be_sparse(self) -> bool:
        return self.schedule == "asynchronous" and self.device == "cpu"


def is_large(n: int, k: int) -> bool:
    """Whether a field of so many objects and clusters is better kept without an (n, k) array."""
    return k > FIELD.few_clusters and n * k > FIELD.dense_cells
