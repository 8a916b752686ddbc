"""Labelling in a terminal: two records side by side, single keys, undo, a budget."""
