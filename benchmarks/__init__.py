"""Ratios of speed, each against a plain twin measured in the same run: ``python -m benchmarks``."""
