"""Compiled functions over plain arrays: no classes, no hidden random state.

Inside a kernel the paper's letters are used: S similarities (CSR arrays), q (n, k) probabilities, m costs,
beta the concentration. Each kernel has a plain NumPy twin under ``tests/`` that it must agree with.
"""
