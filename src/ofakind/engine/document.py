"""A learner as a plain document, in memory and on disk: no pickle, written whole or not at all.

A document is a tree of dictionaries, lists, numbers and text; inside this package its long lists of numbers
may also be NumPy arrays. On disk it is JSON, or an ``.npz`` archive whose member ``document`` is the JSON and
whose other members are the arrays. Its ``checksum`` is that of all other entries.
"""

import io
import json
import math
import os
import struct
import zipfile
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from ofakind.acquire.base import Batch, Scores
from ofakind.answers import Answers
from ofakind.arrays import read_only
from ofakind.checks import as_endpoints, as_objects, refuse_strange_pairs, whole_number
from ofakind.clustering import Clustering, canonical_labels
from ofakind.engine.checksum import checksum
from ofakind.errors import InvalidInputError, MissingFileError
from ofakind.files import write_whole
from ofakind.pairs import Pairs
from ofakind.registry import build, names_of, part_of

T = TypeVar("T")

FORMAT, VERSION = "ofakind-learner", 3
HEADER = {"format": FORMAT, "version": VERSION}
SEALED = 3  # the first version with a checksum

# What reading a file or a tree that is not what it should be can raise.
DAMAGE = (
    ValueError,
    LookupError,
    TypeError,
    AttributeError,
    ArithmeticError,
    EOFError,
    OSError,
    RuntimeError,
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
)


def describe(role: str, part: object) -> dict[str, Any]:
    """Name and options of a part of this package; the ``repr`` of any other."""
    registered = part_of(role, part)
    if registered is None:
        return {"repr": repr(part)}
    # An option that makes no difference to equality, such as the number of jobs, is the machine's.
    kept = [option.name for option in fields(part) if option.compare]  # type: ignore[arg-type]
    return {"name": registered.name, "options": {name: getattr(part, name) for name in kept}}


def rebuild(role: str, document: Mapping[str, Any], given: Any) -> Any:
    """Return the part that was given, or else the described one, which must then be one of this package."""
    if given is not None:
        return given
    entry = document.get(role)
    if not isinstance(entry, Mapping):
        raise damaged(f"its {role} is {entry!r}")
    if "repr" in entry:
        remedy = f"pass it again, as in ActiveClustering.load(path, {role}=...)"
        raise InvalidInputError(f"the saved {role} is not one of ofakind's: {entry['repr']}; {remedy}")
    name, options = str(entry.get("name")), entry.get("options")
    if name not in names_of(role) or not isinstance(options, Mapping):
        raise damaged(
            f"its {role} is {entry!r}; expected one of {', '.join(names_of(role))} with its options"
        )
    try:
        return build(role, name, options)
    except (TypeError, ValueError) as error:
        raise damaged(f"its {role} cannot be built: {error}") from error


def sealed(document: Mapping[str, Any]) -> dict[str, Any]:
    """Return the document with a checksum of everything in it."""
    return {**document, "checksum": checksum(document)}


def check_header(document: Any) -> None:
    """Refuse what is not a learner, comes from a newer ofakind, or is not what its checksum was made of."""
    got = document.get("format") if isinstance(document, Mapping) else type(document).__name__
    if got != FORMAT:
        raise InvalidInputError(f"this is no saved learner: its format is {got!r}; expected {FORMAT!r}")
    version = document.get("version")
    if type(version) is not int or version < 1:
        raise damaged(f"its version is {version!r}")
    if version > VERSION:
        newer = f"version {version}, and this ofakind reads up to {VERSION}"
        raise InvalidInputError(f"the learner was saved by a newer ofakind ({newer}); update ofakind")
    if version >= SEALED and "checksum" not in document:
        raise damaged('it has no "checksum"')
    expected = document.get("checksum")  # null: not to be checked
    if expected is not None and expected != checksum({k: v for k, v in document.items() if k != "checksum"}):
        remedy = 'or, if it was changed on purpose, set its "checksum" to null'
        raise InvalidInputError(f"{damaged('it does not fit its checksum')} {remedy}")


def damaged(reason: object) -> InvalidInputError:
    """Build the error for a document that cannot be what `ActiveClustering` wrote."""
    return InvalidInputError(f"the saved learner is damaged ({reason}); use an earlier copy")


def read_entry(document: Mapping[str, Any], name: str, read: Callable[[Any], T]) -> T:
    """Read one entry of a document; whatever is wrong with it is said under its name."""
    if name not in document:
        raise damaged(f'it has no "{name}"')
    try:
        return read(document[name])
    except InvalidInputError as error:
        raise damaged(f'its "{name}": {error}') from error
    except DAMAGE as error:
        fault = f"lacks {error}" if isinstance(error, KeyError) else "cannot be read"
        raise damaged(f'its "{name}" {fault}: {document[name]!r:.80}') from error


def read_count(entry: Any) -> int:
    """Return an option that is a whole number."""
    return whole_number("it", entry, least=0)


def read_optional_count(entry: Any) -> int | None:
    """Return an option that is a whole number, or was left to the learner."""
    return None if entry is None else read_count(entry)


def read_rows(entry: Mapping[str, Any], names: Sequence[str]) -> list[tuple[Any, ...]]:
    """Rows of columns that stand under these names: whole numbers, but for the last, which are real."""
    *counts, last = (entry[name] for name in names)
    columns = [*(as_objects(count).tolist() for count in counts), np.asarray(last, np.float64).tolist()]
    return list(zip(*columns, strict=True))


def pairs_entry(pairs: Pairs | None) -> dict[str, Any] | None:
    """Pairs as they stand in a document."""
    return None if pairs is None else {"u": pairs.u, "v": pairs.v}


def read_pairs(entry: Mapping[str, Any], n: int) -> Pairs:
    """Pairs of n objects from their entry, checked."""
    return known_pairs(Pairs.of(entry["u"], entry["v"]), n)


def known_pairs(pairs: Pairs, n: int) -> Pairs:
    """Return the same pairs, checked to be among n objects."""
    refuse_strange_pairs(pairs.u, pairs.v, n)
    return pairs


def answers_entry(answers: Answers) -> dict[str, Any]:
    """Answers as they stand in a document; which were asked for is noted only if some were not."""
    names = answers.annotators
    annotators = None if names is None else list(names)
    entry = {"u": answers.u, "v": answers.v, "values": answers.values, "annotators": annotators}
    return entry if answers.asked.all() else {**entry, "asked": answers.asked}


def read_answers(entry: Mapping[str, Any], n: int) -> Answers:
    """Answers about n objects from their entry, checked."""
    pairs = np.stack(as_endpoints(entry["u"], entry["v"]), axis=1)
    names = entry["annotators"]
    if names is not None and not isinstance(names, list):
        raise InvalidInputError(f"got annotators {names!r:.80}; expected a name for each answer")
    return Answers.none(n).adding(pairs, entry["values"], names, asked=entry.get("asked", True))


def clustering_entry(clustering: Clustering | None) -> dict[str, Any] | None:
    """Return a clustering as it stands in a document."""
    return None if clustering is None else {"labels": clustering.labels, "cost": clustering.cost}


def read_clustering(entry: Mapping[str, Any], n: int) -> Clustering:
    """Build a clustering of n objects from its entry, checked."""
    labels, cost = as_objects(entry["labels"]), float(entry["cost"])
    if len(labels) != n or not np.array_equal(labels, canonical_labels(labels)):
        raise InvalidInputError(f"the labels are not those of a clustering of {n} objects")
    return Clustering(read_only(labels), int(labels.max()) + 1 if n else 0, cost)


def batch_entry(batch: Batch | None) -> dict[str, Any] | None:
    """Return a batch as it stands in a document (its round and seed are the learner's)."""
    if batch is None:
        return None
    return {"u": batch.pairs.u, "v": batch.pairs.v, "scores": batch.scores, "acquisition": batch.acquisition}


def read_batch(entry: Mapping[str, Any], *, n: int, round_: int, seed: int) -> Batch:
    """Build a batch from its entry, checked."""
    chosen = Scores(read_pairs(entry, n), np.asarray(entry["scores"], np.float64))
    acquisition = entry["acquisition"]
    if not isinstance(acquisition, str):
        raise InvalidInputError(f"it was chosen by {acquisition!r:.80}; expected the name of an acquisition")
    return Batch(chosen.pairs, chosen.values, acquisition, round_, seed)


def plain(tree: Any) -> Any:
    """Return the tree with lists for arrays, and text ("nan", "inf") for what JSON cannot write."""
    if isinstance(tree, np.ndarray) and np.isfinite(tree).all():
        return tree.tolist()  # the long lists, without a look at each number
    if isinstance(tree, np.ndarray | np.generic):
        return plain(tree.tolist())
    if isinstance(tree, Mapping):
        return {key: plain(branch) for key, branch in tree.items()}
    if isinstance(tree, list | tuple):
        text = all(isinstance(branch, str) for branch in tree)
        return [*tree] if text else [plain(branch) for branch in tree]
    if isinstance(tree, float) and not math.isfinite(tree):
        return str(tree)
    if tree is None or isinstance(tree, str | int | float):
        return tree
    raise InvalidInputError(f"{tree!r} cannot be saved; expected numbers, text and lists of them")


def write(path: str | os.PathLike[str], document: Mapping[str, Any]) -> None:
    """Write a document as ``.json`` or ``.npz``: the whole of it, or the file stays as it was."""
    target = _as_path(path)
    write_whole(target, _codec(target)[0](document))


def read(path: str | os.PathLike[str]) -> Any:
    """Read what `write` wrote; the tree is not checked any further."""
    target = _as_path(path)
    decode = _codec(target)[1]
    try:
        content = target.read_bytes()
    except FileNotFoundError as error:
        raise MissingFileError(f"there is no file {target}; expected one that `save` wrote") from error
    except IsADirectoryError as error:
        raise InvalidInputError(f"{target} is a folder; expected a file that `save` wrote") from error
    try:
        return decode(content)
    except DAMAGE as error:
        raise damaged(f"{target.name} is not a whole {target.suffix} file: {error}") from error


def packed(tree: Any) -> bytes:
    """Return the content of the ``.npz`` file for a tree."""
    arrays: dict[str, Any] = {}
    text = _to_json(_without_arrays(tree, "", arrays)).decode("utf-8")
    file = io.BytesIO()
    np.savez(file, document=np.array(text), **arrays)
    return file.getvalue()


def unpacked(content: bytes) -> Any:
    """Read what `packed` gave; what else it is raises one of `DAMAGE`."""
    with zipfile.ZipFile(io.BytesIO(content)) as members:
        if (broken := members.testzip()) is not None:
            raise InvalidInputError(f"its member {broken} is broken")
    with np.load(io.BytesIO(content), allow_pickle=False) as archive:
        return _with_arrays(json.loads(str(archive["document"])), archive)


def _as_path(path: Any) -> Path:
    """Return the path of a file, or say that it is none."""
    if not isinstance(path, str | os.PathLike) or "\0" in str(path):
        raise InvalidInputError(f"the path is {path!r}; expected the name of a file, such as 'learner.json'")
    return Path(path)


def _codec(path: Path) -> tuple[Callable[[Any], bytes], Callable[[bytes], Any]]:
    codecs: dict[str, tuple[Callable[[Any], bytes], Callable[[bytes], Any]]]
    codecs = {".json": (_to_json, json.loads), ".npz": (packed, unpacked)}
    if path.suffix.lower() not in codecs:
        raise InvalidInputError(f"{path.name} ends in {path.suffix!r}; expected .json or .npz")
    return codecs[path.suffix.lower()]


def _to_json(tree: Any) -> bytes:
    return json.dumps(plain(tree), allow_nan=False).encode("utf-8")


def _without_arrays(tree: Any, name: str, arrays: dict[str, Any]) -> Any:
    """Move the arrays of a tree into `arrays`, leaving ``{"array": name}`` in their places."""
    if isinstance(tree, np.ndarray):
        arrays[name] = tree
        return {"array": name}
    if isinstance(tree, Mapping):
        return {
            key: _without_arrays(branch, f"{name}.{key}".strip("."), arrays) for key, branch in tree.items()
        }
    return tree


def _with_arrays(tree: Any, arrays: Mapping[str, Any]) -> Any:
    if not isinstance(tree, dict):
        return tree
    if tree.keys() == {"array"}:
        return arrays[tree["array"]]
    return {key: _with_arrays(branch, arrays) for key, branch in tree.items()}
