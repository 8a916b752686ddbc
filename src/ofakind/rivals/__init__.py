"""Rivals: algorithms that spend a budget of answers by themselves, to compare with.

Each is called with the number of objects, an oracle, a budget and an ``rng``; `COBRAS` and `NCOBRAS` need
``features`` too, `TransitiveJoin` and `UncertaintySampling` a candidate graph as ``prior``.
"""

from ofakind.rivals.base import Outcome as Outcome
from ofakind.rivals.base import Questions as Questions
from ofakind.rivals.base import Rival as Rival
from ofakind.rivals.cobras import COBRAS as COBRAS
from ofakind.rivals.kc import KCFB as KCFB
from ofakind.rivals.kc import KCFC as KCFC
from ofakind.rivals.ncobras import NCOBRAS as NCOBRAS
from ofakind.rivals.qecc import QECC as QECC
from ofakind.rivals.restart import looks as looks
from ofakind.rivals.restart import restarts as restarts
from ofakind.rivals.transitive import TransitiveJoin as TransitiveJoin
from ofakind.rivals.uncertainty import UncertaintySampling as UncertaintySampling

__all__ = [
    "COBRAS",
    "KCFB",
    "KCFC",
    "NCOBRAS",
    "QECC",
    "Outcome",
    "Questions",
    "Rival",
    "TransitiveJoin",
    "UncertaintySampling",
    "looks",
    "restarts",
]
