"""The demo: three methods race on handwritten digits; a table, a chart, a report."""
