"""Hypothesis tries the same examples in every run: few of them with OFAKIND_QUICK=1 (make quick).

With OFAKIND_SOAK=1 (make soak) it tries many more, and new ones.
"""

import os

from hypothesis import settings

pytest_plugins = ["real_files", "tiers"]

settings.register_profile("every run", deadline=None, derandomize=True, max_examples=60)
settings.register_profile("quick", settings.get_profile("every run"), max_examples=15)
settings.register_profile("soak", deadline=None, max_examples=3000, print_blob=True)
profiles = {"OFAKIND_SOAK": "soak", "OFAKIND_QUICK": "quick"}
settings.load_profile(next((profiles[name] for name in profiles if os.environ.get(name)), "every run"))
