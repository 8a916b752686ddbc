"""Beliefs: from a `Similarity` and a `Clustering` to a `Posterior` over clusterings."""
