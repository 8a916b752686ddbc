"""Graphs with positive and negative weights, for solvers: social, financial, and some with known optima."""

import io
import tarfile
from functools import partial

import numpy as np

from ofakind.datasets.base import Dataset, SignedGraph, numbered
from ofakind.datasets.files import read, read_rows
from ofakind.pairs import unique_pairs


def signed_graph(name: str) -> Dataset:
    """Read one of the signed graphs; its nodes are the objects, their names the records."""
    rows = read_rows(f"signed_graphs/{name}.csv.gz")
    ends, names = numbered([row[end] for row in rows for end in ("u", "v")])
    pairs, position = unique_pairs(ends[::2], ends[1::2], len(names))
    weights = np.array([float(row["w"]) for row in rows])
    means = np.bincount(position, weights) / np.bincount(position)
    graph = SignedGraph(name, len(names), pairs, means)
    records = tuple({"id": node} for node in names)
    return Dataset(name=name, rows=np.arange(len(names)), records=records, graphs=(graph,))


def editing_instances() -> Dataset:
    """Read the 202 instances of weighted cluster editing; each is a graph, and 180 have a known optimum."""
    index = {row["file"]: row["optimal_cost"] for row in read_rows("wce_instances/index.csv")}
    with tarfile.open(fileobj=io.BytesIO(read("wce_instances/wce.tar.xz")), mode="r:xz") as archive:
        files = iter(partial(archive.next), None)
        graphs = [_instance(archive, member, index) for member in files]
    nothing = np.empty(0, np.int64)
    return Dataset(name="wce_instances", rows=nothing, graphs=tuple(graphs))


def _instance(archive: tarfile.TarFile, member: tarfile.TarInfo, index: dict[str, str]) -> SignedGraph:
    """The first number is n; then come ``u v weight``, nodes numbered from 1."""
    file = member.name.rpartition("/")[2]
    content = archive.extractfile(member)
    numbers = np.fromstring(content.read().decode("ascii") if content else "", np.int64, sep=" ")
    u, v, weights = numbers[1:].reshape(-1, 3).T
    n = int(numbers[0])
    pairs, position = unique_pairs(u - 1, v - 1, n)
    ordered = np.empty(len(weights))
    ordered[position] = weights
    known = float(index[file]) if index[file] else None
    return SignedGraph(file.removesuffix(".dimacs"), n, pairs, ordered, known)
