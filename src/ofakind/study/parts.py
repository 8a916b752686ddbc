"""From the names in a study to objects: methods, solvers and beliefs."""

import sys
from importlib import import_module
from inspect import signature
from typing import Any

from ofakind.errors import InvalidInputError
from ofakind.posterior.base import SequentialBelief
from ofakind.study.spec import Method, PartSpec, Study, hash_beside

TEXT = "__ofakind_text__"  # of an imported module: the hash of its file


def build(
    part: PartSpec, folder: str | None = None, *, noise: float | None = None, batch_size: int | None = None
) -> Any:
    """Make a part with its options; modules are looked for in ``folder`` first.

    A rival with an option ``noise``, the share of wrong answers, or ``batch_size`` gets what the study has
    unless it is given.

    >>> build(PartSpec("ofakind:JEIG", {"samples": 10})).samples
    10
    """
    kind = find_class(part, folder)
    options = dict(part.options)
    told = {"noise": noise, "batch_size": batch_size}
    for option in () if is_acquisition(kind) else told.keys() & signature(kind).parameters.keys():
        if told[option] is not None:
            options.setdefault(option, told[option])
    try:
        return kind(**options)
    except (TypeError, ValueError) as error:
        known = ", ".join(signature(kind).parameters) or "no options"
        raise InvalidInputError(f"{part.use} does not take {options}: {error} (it knows {known})") from error


def find_class(part: PartSpec, folder: str | None = None) -> Any:
    """Import ``module:Class``; an error says what is missing."""
    module, _, name = part.use.partition(":")
    if not module or not name:
        raise InvalidInputError(f"the class is {part.use!r}; expected module:Class")
    if folder is not None and folder not in sys.path:
        sys.path.insert(0, folder)
    _forget_other(module, part, folder)
    try:
        home = import_module(module)
    except ImportError as error:
        place = f" in {folder} or" if folder else ""
        raise InvalidInputError(
            f"{part.use}: {error}; expected the module{place} on Python's path"
        ) from error
    if not hasattr(home, name):
        raise InvalidInputError(f"{part.use}: there is no {name} in {home.__file__ or module}")
    home.__dict__.setdefault(TEXT, part.source)
    return getattr(home, name)


def _forget_other(module: str, part: PartSpec, folder: str | None) -> None:
    """Let a module beside the study be imported anew if it is not yet, or no longer, the one that is meant.

    A process that runs for long, such as a Dask worker, may know it from before it was changed.
    """
    if part.source and getattr(sys.modules.get(module), TEXT, None) != part.source:
        if hash_beside(part.use, folder) != part.source:
            raise InvalidInputError(
                f"{part.use}: the file in {folder} is not the one that the study began with"
            )
        sys.modules.pop(module, None)


def is_acquisition(method: Any) -> bool:
    """Whether a method scores pairs for a learner; otherwise it is a rival, which asks by itself."""
    return hasattr(method, "score")


def check_parts(study: Study) -> None:
    """Refuse a study that names a part which cannot be made, before anything is run."""
    for method in {cell.method.name: cell.method for cell in study.cells}.values():
        made = build(method.part, study.folder)
        if not is_acquisition(made) and not callable(made):
            got = f"{method.part.use} has neither score nor __call__"
            raise InvalidInputError(f"{got}; expected an acquisition function or a rival")
        _check_features(method, made)
        for part in (method.solver, method.belief):
            if part is not None:
                build(part, study.folder)
        if method.reader is not None:
            _check_reader(method, study.folder, asks=is_acquisition(made))


def _check_features(method: Method, made: Any) -> None:
    """Refuse a rival without the features that it needs, and one run of what cannot be looked at."""
    if getattr(made, "needs_prior", False) and method.features is None:
        raise InvalidInputError(f'{method.name} needs a candidate graph; expected features = "own"')
    if method.one_run and not getattr(made, "anytime", False):
        got = f"{method.name} is to be looked at in one run"
        raise InvalidInputError(f"{got}; expected a rival that does not look at its budget, such as COBRAS")


def _check_reader(method: Method, folder: str | None, *, asks: bool) -> None:
    """Refuse a reader that cannot read, and one for a rival, which shows nobody its answers."""
    if not asks:
        raise InvalidInputError(f"{method.name} has a reader; only an acquisition function may have one")
    if method.reader is not None and not isinstance(build(method.reader, folder), SequentialBelief):
        got = f"the reader of {method.name} is {method.reader.use}, which has no samples"
        raise InvalidInputError(f"{got}; expected such as PartitionBelief")
