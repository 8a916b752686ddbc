"""Hypothesis tries the same examples in every run; with OFAKIND_SOAK=1 (make soak) many more, new ones.

Compiled tests are kept whatever the environment says, by this process and those that it starts: to compile
them again takes as long as to collect them.
"""

import atexit
import os
import shutil
import sys
import tempfile
from pathlib import Path

from hypothesis import settings

sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

pytest_plugins = ["places", "real_files", "browsers", "tiers"]

settings.register_profile("every run", deadline=None, derandomize=True, max_examples=60)
settings.register_profile("soak", deadline=None, max_examples=3000, print_blob=True)
settings.load_profile("soak" if os.environ.get("OFAKIND_SOAK") else "every run")

# In a checkout that cannot be written to, each process would compile anew: those of a run share a folder.
KERNELS = Path(__file__).parents[1] / "src" / "ofakind" / "kernels"
if not os.access(KERNELS, os.W_OK) and "NUMBA_CACHE_DIR" not in os.environ:
    os.environ["NUMBA_CACHE_DIR"] = tempfile.mkdtemp(prefix="ofakind-kernels-")
    atexit.register(shutil.rmtree, os.environ["NUMBA_CACHE_DIR"], ignore_errors=True)
