"""Solvers: from a `Similarity` to a `Clustering`."""
