"""What makes a kernel of a function: numba compiles it, and no signal disturbs a call of it from Python."""

from collections.abc import Callable
from functools import partial, update_wrapper
from typing import Any, TypeVar, overload

from numba import njit

from ofakind.interrupts import uninterrupted

T = TypeVar("T", bound=Callable[..., Any])


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
    options = {"nogil": True, **options}
    try:
        return Kernel(njit(**{"cache": True, **options})(function))
    except RuntimeError:  # numba's word for it
        return Kernel(njit(**{**options, "cache": False})(function))


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
