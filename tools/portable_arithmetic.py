"""The rule that what decides anything is computed by `ofakind.kernels.portable`: equal bits everywhere.

Refused are functions whose last bits, or whose order of equal values, depend on the processor: NumPy's and
the C library's exp, log and the like, BLAS and LAPACK (also as ``@``), SciPy's special functions, powers with
a fraction, unstable sorting, random numbers that are made with the C library's logarithm, and what lets a
compiler reorder sums. Not in drawings, on the page and in the command line, nor where scikit-learn simulates
something for a study.

What it cannot see: the square of a single float, ``x**2``, is the C library's power (write ``x * x``), while
that of an array is a product.

    python tools/portable_arithmetic.py    # prints the lines that break the rule, and fails if there are any
"""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

SOURCE = Path(__file__).parents[1] / "src" / "ofakind"
NOT_HERE = (
    "web",
    "cli",
    "kernels/portable",
    "kernels/gpu",  # other devices, other bits
    "project/page",  # drawings
    "noise/calibration_views.py",
    "priors/pair_map_view.py",
    "study/figures.py",
    "study/honesty_figure.py",
    "study/canvas.py",
    "study/curves.py",
    "study/page.py",
    "arrays.py",  # has the stable selections
    "priors/pictures.py",  # as what decodes them; a project keeps these features
    # What scikit-learn trains, or computes, for a study differs in its last bits all the same.
    "oracles/model.py",
    "study/features.py",
    "study/judges.py",
    "datasets/posts.py",
)
NAMES = """
    exp exp2 expm1 log log2 log10 log1p logaddexp logaddexp2 power pow float_power cbrt gamma lgamma erf erfc
    sin cos tan sinh cosh tanh arcsin arccos arctan arctan2 arcsinh arccosh arctanh asin acos atan atan2 asinh
    acosh atanh geomspace logspace dot vdot inner matmul tensordot convolve correlate corrcoef cov polyfit
    partition argpartition linalg fft
"""
REFUSED = frozenset(NAMES.split())
DRAWN = frozenset({"exponential", "standard_exponential", "normal", "standard_normal", "gamma", "beta"})
SCIPY = ("scipy.special", "scipy.linalg", "scipy.stats")
STABLE = ("stable", "mergesort")
LICENCES = ("reassoc", "fast", "contract")
EXCUSE = "# portable: "  # at the end of a line that is allowed, with the reason


def offences(tree: ast.AST, *, compiled: bool = False) -> Iterator[tuple[int, str]]:
    """Lines of a module that break the rule, and what stands there; ``compiled``: it is one of kernels."""
    for node in ast.walk(tree):
        found = _named(node) or _operator(node) or (_licence(node) if compiled else _unstable(node))
        if found:
            yield getattr(node, "lineno", 0), found


def _named(node: ast.AST) -> str:
    """Name a refused function that stands here, or is imported."""
    match node:
        case ast.Attribute(value=ast.Name(id="np" | "numpy" | "math" as home), attr=name) if name in REFUSED:
            return f"{home}.{name}"
        case ast.Attribute(value=ast.Name(id="rng"), attr=name) if name in DRAWN:
            return f"rng.{name}"
        case ast.ImportFrom(module="math" | "numpy" | "numpy.linalg" as home, names=names):
            return ", ".join(f"{home}.{one.name}" for one in names if one.name in REFUSED or "linalg" in home)
        case ast.ImportFrom(module=str(home), names=names):
            full = (f"{home}.{one.name}" for one in names)
            return ", ".join(one for one in full if one.startswith(SCIPY))
        case ast.Import(names=names):
            return ", ".join(one.name for one in names if one.name.startswith(SCIPY))
    return ""


def _operator(node: ast.AST) -> str:
    match node:
        case ast.BinOp(op=ast.MatMult()) | ast.AugAssign(op=ast.MatMult()):
            return "@"
        case ast.BinOp(left=base, op=ast.Pow(), right=power) if not _exact(base, power):
            return "** with what is no whole number"
    return ""


def _exact(base: ast.expr, power: ast.expr) -> bool:
    """Whether a power is a product: of a whole number, or with a whole number, or one of 2."""
    whole = (isinstance(one, ast.Constant) and isinstance(one.value, int) for one in (base, power))
    return any(whole) or (isinstance(base, ast.Constant) and base.value == 2.0)


def _unstable(node: ast.AST) -> str:
    """Name a method that BLAS or the order of equal values is behind; numba has its own."""
    match node:
        case ast.Call(func=ast.Attribute(attr="argsort"), keywords=words):
            kinds = [word.value.value for word in words if isinstance(word.value, ast.Constant)]
            return "" if any(kind in STABLE for kind in kinds) else "argsort that is not stable"
        case ast.Call(func=ast.Attribute(value=ast.Name(id=home), attr="dot")) if home != "portable":
            return ".dot()"
        case ast.Call(func=ast.Attribute(attr="argpartition")):
            return ".argpartition()"
    return ""


def _licence(node: ast.AST) -> str:
    """Name what lets the compiler, or several threads, add in another order."""
    match node:
        case ast.keyword(arg="fastmath" | "parallel" as word):
            return word
        case ast.Constant(value=str(word)) if word in LICENCES:
            return word
    return ""


def broken(source: Path = SOURCE) -> list[str]:
    """All lines of the package that break the rule."""
    found = []
    for path in sorted(source.rglob("*.py")):
        name = path.relative_to(source).as_posix()
        if not name.startswith(NOT_HERE):
            text = path.read_text(encoding="utf-8")
            lines = offences(ast.parse(text), compiled=name.startswith("kernels/"))
            excused = [EXCUSE in line for line in text.splitlines()]
            found += [f"src/ofakind/{name}:{n}: {what}" for n, what in sorted(lines) if not excused[n - 1]]
    return found


if __name__ == "__main__":
    lines = broken()
    print("\n".join(lines) or "Portable arithmetic: kept")
    if lines:
        print("Use ofakind.kernels.portable, or a function of ofakind.arrays.")
    sys.exit(bool(lines))
