"""Acquisition: from a `State` to scores of pairs, and from scores to the next batch of questions."""
