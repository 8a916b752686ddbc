"""Triton's kernels are run by its interpreter, unless TRITON_INTERPRET=0 says that there is a GPU."""

import os

os.environ.setdefault("TRITON_INTERPRET", "1")  # read when triton is first imported
