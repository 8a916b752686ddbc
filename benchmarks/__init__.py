"""Ratios of speed, each against a plain twin measured in the same run: ``python -m benchmarks``.

CPU time is measured, so matrix products must not be spread over threads: that would count against the twins.
"""

import os

for library in ("OPENBLAS", "MKL", "OMP"):
    os.environ.setdefault(f"{library}_NUM_THREADS", "1")
