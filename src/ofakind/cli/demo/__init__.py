"""The demo: three methods race on handwritten digits; a table, a chart, a report."""

from pathlib import Path

STANDARD_OUTPUT = Path("-")
"""The path that stands for standard output."""
