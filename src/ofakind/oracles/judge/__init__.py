"""Judges: a language model, a command or a function that looks at pairs before people do, at a price.

What a judge says is never an answer. The learner takes it for a prior, and learns against people what it is
worth. Only this room uses httpx.
"""
