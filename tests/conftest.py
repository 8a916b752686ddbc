"""Hypothesis tries the same examples in every run; with OFAKIND_SOAK=1 (make soak) many more, new ones.

Compiled tests are kept whatever the environment says, by this process and those that it starts: to compile
them again takes as long as to collect them.
"""

import os
import sys

from hypothesis import settings

sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

pytest_plugins = ["places", "real_files", "browsers", "tiers"]

settings.register_profile("every run", deadline=None, derandomize=True, max_examples=60)
settings.register_profile("soak", deadline=None, max_examples=3000, print_blob=True)
settings.load_profile("soak" if os.environ.get("OFAKIND_SOAK") else "every run")
