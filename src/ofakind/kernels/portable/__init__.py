"""Numbers that are the same on every processor: what beliefs, questions, labels and reports are computed by.

NumPy, SciPy, BLAS and the C library choose other code on other processors, which gives other last bits.
Outside drawings, the page and the command line, ofakind uses these instead; `make lint` refuses the others.

    elementary  exp, log, ... of one number, for kernels
    arrays      the same for arrays, as ufuncs
    algebra     sums of products and systems of equations
    quantiles   of the normal, Student's and the beta distribution

``portable.exp`` and the like are loaded when they are first used, for they bring numba.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ofakind.kernels.portable.algebra import (
        dot,
        gram,
        inverse,
        is_positive_definite,
        matmul,
        solve,
        solve_batch,
        sparse_matmul,
    )
    from ofakind.kernels.portable.arrays import (
        arctanh,
        cos,
        entr,
        exp,
        expit,
        expm1,
        geomspace,
        log,
        log1p,
        log_expit,
        log_gamma,
        logaddexp,
        logit,
        logsumexp,
        power,
        sin,
        tanh,
        xlogy,
    )
    from ofakind.kernels.portable.quantiles import (
        beta_quantile,
        normal_quantile,
        normal_share,
        t_quantile,
    )

HOMES = {
    "algebra": "dot gram inverse is_positive_definite matmul solve solve_batch sparse_matmul",
    "arrays": "arctanh cos entr exp expit expm1 geomspace log log1p log_expit log_gamma logaddexp logit "
    "logsumexp power sin tanh xlogy",
    "quantiles": "beta_quantile normal_quantile normal_share t_quantile",
}
HOME_OF = {name: home for home, names in HOMES.items() for name in names.split()}
__all__ = [
    "arctanh",
    "beta_quantile",
    "cos",
    "dot",
    "entr",
    "exp",
    "expit",
    "expm1",
    "geomspace",
    "gram",
    "inverse",
    "is_positive_definite",
    "log",
    "log1p",
    "log_expit",
    "log_gamma",
    "logaddexp",
    "logit",
    "logsumexp",
    "matmul",
    "normal_quantile",
    "normal_share",
    "power",
    "sin",
    "solve",
    "solve_batch",
    "sparse_matmul",
    "t_quantile",
    "tanh",
    "xlogy",
]


def __getattr__(name: str) -> Any:
    if name not in HOME_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{HOME_OF[name]}"), name)
    globals()[name] = value
    return value
