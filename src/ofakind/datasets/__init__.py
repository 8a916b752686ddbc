"""Sets of objects with a known truth, for experiments: those of the paper, and others. See docs/datasets.md.

>>> from ofakind.datasets import load
>>> load("synthetic")
Dataset('synthetic', 500 objects in 10 clusters, 10 features)
"""

from ofakind.datasets.base import Dataset as Dataset
from ofakind.datasets.base import SignedGraph as SignedGraph
from ofakind.datasets.catalogue import Info as Info
from ofakind.datasets.loading import available as available
from ofakind.datasets.loading import load as load
from ofakind.datasets.samples import split as split

__all__ = ["Dataset", "Info", "SignedGraph", "available", "load", "split"]
