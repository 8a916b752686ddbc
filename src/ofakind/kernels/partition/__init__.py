"""Partitions: the moves of a chain, samples, what a sample says of a pair, placing an object."""
