"""Which machines give equal numbers: those with equal libraries, processor and vector instructions."""

IRRELEVANT = {"commit", "cores", "finished", "ofakind", "python"}


def rounding(machine):
    """What decides, of a manifest, how the last bit of a number is rounded."""
    return {name: value for name, value in machine.items() if name not in IRRELEVANT}
