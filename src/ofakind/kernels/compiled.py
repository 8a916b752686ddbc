"""What makes a kernel of a function: numba compiles it, and no signal disturbs a call of it from Python.

Numba keeps compiled code on disk and renews it when the file of a function changes, but not when the file of
a function that it calls does. So all of it is dropped here when any kernel has changed.

Numba is imported here, where no signal disturbs it: half imported, it would stay broken.
"""

from collections.abc import Callable
from contextlib import suppress
from functools import partial, update_wrapper
from hashlib import sha256
from importlib import import_module
from inspect import signature
from pathlib import Path
from typing import Any, Final, TypeVar, overload

import numpy as np

from ofakind.errors import InvalidInputError
from ofakind.files import write_whole
from ofakind.interrupts import uninterrupted

T = TypeVar("T", bound=Callable[..., Any])
NO_IDENTITY: Final = -1  # PyUFunc_None: a reduction by the ufunc has no start


def drop_stale_code(folder: Path) -> None:
    """Delete what numba compiled from other sources than the present ones, where the folders allow it."""
    sources = b"".join(path.read_bytes() for path in sorted(folder.rglob("*.py")))
    stamp, digest = folder / "__pycache__" / "kernels.sha256", sha256(sources).hexdigest()
    with suppress(OSError, InvalidInputError):
        if not stamp.exists() or stamp.read_text(encoding="ascii") != digest:
            for compiled_code in folder.rglob("__pycache__/*.nb[ic]"):
                compiled_code.unlink(missing_ok=True)
            stamp.parent.mkdir(exist_ok=True)
            write_whole(stamp, digest.encode("ascii"))


drop_stale_code(Path(__file__).parent)
numba: Any = uninterrupted(import_module, "numba")


@overload
def compiled(function: T, /, **options: Any) -> T: ...


@overload
def compiled(**options: Any) -> Callable[[T], T]: ...


def compiled(function: Any = None, /, **options: Any) -> Any:
    """Compile a function when it is first called; keep the code on disk; let go of Python's lock in it.

    Where no folder can be written to, neither this one nor one of the user, code is kept by no one. Further
    options are those of ``numba.njit``.
    """
    if function is None:
        return partial(compiled, **options)
    return Kernel(_kept(partial(numba.njit, nogil=True), function, **options))


def _kept(compiler: Callable[..., Any], function: Any, **options: Any) -> Any:
    """Compile a function and keep the code, if there is a folder for it."""
    try:
        return compiler(**{"cache": True, **options})(function)
    except RuntimeError:  # numba's word for it
        return compiler(**{**options, "cache": False})(function)


def elementwise(kernel: Any) -> Any:
    """Make a NumPy ufunc over float64 of a kernel of one number, or of two.

    As `numba.vectorize` does, but what it compiles is kept on disk as a whole.
    """
    return uninterrupted(_ufunc, kernel)


def _ufunc(kernel: Any) -> Any:
    from numba.np.ufunc._internal import fromfunc

    types: Any = numba.types
    pointer, whole = types.CPointer, types.CPointer(types.intp)
    count = len(signature(kernel.py_func).parameters)
    kinds = types.void(pointer(pointer(types.float64)), whole, whole, types.voidptr)
    over = (_over_one, _over_two)[count - 1]
    loop = _kept(partial(numba.cfunc, kinds, error_model="numpy"), over(kernel))
    number = np.dtype(np.float64).num
    return fromfunc(
        kernel.py_func.__name__,
        kernel.__doc__,
        [loop.address],
        [[number] * (count + 1)],
        count,
        1,
        [None],
        [loop],
        NO_IDENTITY,
    )


def _over_one(function: Any) -> Callable[..., None]:
    """Make the loop of a ufunc of one number; steps are in bytes, of which a float64 has eight."""

    def loop(arrays: Any, dims: Any, steps: Any, _data: Any) -> None:
        x, out = arrays[0], arrays[1]
        a, b = steps[0] // 8, steps[1] // 8
        if a == 1 and b == 1:
            for i in range(dims[0]):
                out[i] = function(x[i])
        else:
            for i in range(dims[0]):
                out[i * b] = function(x[i * a])

    return loop


def _over_two(function: Any) -> Callable[..., None]:
    def loop(arrays: Any, dims: Any, steps: Any, _data: Any) -> None:
        x, y, out = arrays[0], arrays[1], arrays[2]
        a, b, c = steps[0] // 8, steps[1] // 8, steps[2] // 8
        for i in range(dims[0]):
            out[i * c] = function(x[i * a], y[i * b])

    return loop


class Kernel:
    """A compiled function: called from Python, it keeps signals waiting; called by kernels, it does nothing.

    To those it is numba's own object, the dispatcher.
    """

    def __init__(self, dispatcher: Any) -> None:
        self.dispatcher = dispatcher
        update_wrapper(self, dispatcher.py_func)

    def __call__(self, *arguments: Any) -> Any:
        """Call it from Python; arguments have their places, not their names."""
        return uninterrupted(self.dispatcher, *arguments)

    def __reduce__(self) -> str:
        return str(self.py_func.__qualname__)  # pickled by its name, as a function is

    @property
    def _numba_type_(self) -> Any:
        return self.dispatcher._numba_type_

    @property
    def py_func(self) -> Any:
        """The function as it was written, in Python."""
        return self.dispatcher.py_func

    @property
    def targetoptions(self) -> Any:
        """The compiler's options; numba looks here whether to inline."""
        return self.dispatcher.targetoptions
