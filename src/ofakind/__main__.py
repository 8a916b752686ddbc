"""``python -m ofakind``: the same as the ``ofakind`` command."""

from ofakind.cli.main import main

if __name__ == "__main__":
    main()
