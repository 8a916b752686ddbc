"""The engine: from answers to a belief to questions, in memory; the only place where a round advances."""
