"""The revision of our method and of the arithmetic under it: which questions equal calls and seeds give.

It is raised by hand when the learner asks other questions, finds other groups or reports another accuracy
than before with the same seed, also in the last bit only. Results of studies carry it, and so do the logs of
projects: what was asked under another revision is told from damage by it.
"""

REVISION = 16
