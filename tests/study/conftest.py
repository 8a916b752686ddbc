"""The real files, and a small study to run."""

import os
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def data():
    """The folder with the real files; without it these tests fail, since they would show nothing."""
    named = os.environ.get("OFAKIND_DATA", "")
    if not named or not Path(named).is_dir():
        pytest.fail(
            f"OFAKIND_DATA is {named!r}; set it to the folder with the data files (ecoli/records.csv, ...),"
            " as in: export OFAKIND_DATA=path/to/data",
            pytrace=False,
        )
    return Path(named)
