"""Compiled functions over plain arrays: no classes, no hidden random state.

Inside a kernel the paper's letters are used: S similarities (CSR arrays), q (n, k) probabilities, m costs,
beta the concentration. Each kernel has a plain NumPy twin under ``tests/`` that it must agree with.

    compiled    what makes a kernel of a function
    portable    exp, log, sums of products: the same bits on every processor
    graph       graphs of answers and candidates, neighbours
    search      local search, consensus, batches
    field       mean fields
    partition   chains of partitions and of forests
    worlds      worlds of the rivals
    gpu         the same on CUDA devices

To import this room loads nothing heavy; to import one of its kernels loads numba.
"""
