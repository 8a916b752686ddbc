"""The report: one page about a project that needs nothing else, in light and dark."""
