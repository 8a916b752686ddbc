"""Worlds: all relations that answers imply, and worlds that differ from one in few answers."""
