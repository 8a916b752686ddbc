"""Samples of partitions whose prior comes from features: trees of candidate pairs."""
