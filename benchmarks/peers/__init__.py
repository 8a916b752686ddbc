"""Comparisons with packages that a user might pick instead. They need .venv-peers: see `make bench-peers`."""
