"""Oracles: who answers the questions. Any callable from pairs to values in [-1, 1] is one."""
