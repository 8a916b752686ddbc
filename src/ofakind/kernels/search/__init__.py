"""Searching: local search, multilevel moves, pivots, a consensus of partitions, a batch of questions."""
