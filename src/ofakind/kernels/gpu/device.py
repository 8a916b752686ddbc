"""The CUDA device: whether it can be used, how much memory it has left, and what to say when it cannot.

Nothing is imported and nothing is touched before a computation asks for the device, so that options can be
made, saved and loaded anywhere. Under Triton's interpreter (``TRITON_INTERPRET=1``, for tests) the arrays
live in ordinary memory and everything else is the same.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ofakind.errors import InvalidInputError, TooLargeError

EXTRA = "pip install 'ofakind[gpu]'"


def open_device() -> Any:
    """Return the torch device to compute on, or say what is missing."""
    try:
        import torch
    except (ImportError, OSError) as error:
        raise _missing(f"PyTorch cannot be loaded ({error})", EXTRA) from error
    try:
        import triton  # noqa: F401
    except (ImportError, OSError) as error:
        raise _missing(f"Triton cannot be loaded ({error})", EXTRA) from error
    if interpreted():
        return torch.device("cpu")
    if not torch.cuda.is_available():
        remedy = "check the driver with nvidia-smi and install a CUDA build of PyTorch"
        raise _missing(f"PyTorch {torch.__version__} finds no CUDA device", remedy)
    return torch.device("cuda", torch.cuda.current_device())


def interpreted() -> bool:
    """Whether kernels run in Triton's interpreter, without a GPU."""
    return os.environ.get("TRITON_INTERPRET") == "1"


def free_memory(device: Any) -> int:
    """Bytes that can be had on the device now; a very large number where that is not known."""
    if device.type != "cuda":
        return 2**62
    import torch

    cached = torch.cuda.memory_reserved(device) - torch.cuda.memory_allocated(device)
    return int(torch.cuda.mem_get_info(device)[0] + cached)


@contextmanager
def out_of_memory(what: str, remedy: str) -> Iterator[None]:
    """Turn the device's own error into one that says what did not fit and what would help."""
    import torch

    try:
        yield
    except torch.OutOfMemoryError as error:
        torch.cuda.empty_cache()
        raise TooLargeError(f"{what} did not fit on the GPU; {remedy}") from error


def _missing(what: str, remedy: str) -> InvalidInputError:
    return InvalidInputError(f"device is 'cuda', but {what}; {remedy}, or choose device='cpu'")
