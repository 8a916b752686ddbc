"""A second process compiles along, when there is something to compile."""

import os
import time

import numba
import pytest

from ofakind.cli.demo.compiling import while_compiling


def compile_something():
    return numba.njit(lambda x: x + 1)(1)


def leaving(path, then=""):
    """Code that leaves the number of its process in a file, whole or not at all."""
    written = f"with open(r'{path}.tmp', 'w') as file: file.write(str(os.getpid()))"
    return f"import os, time\n{written}\nos.rename(r'{path}.tmp', r'{path}')\n{then}"


def test_another_process_does_its_part_before_it_goes_on(tmp_path):
    with while_compiling(leaving(tmp_path / "done", "time.sleep(0.1)")):
        assert compile_something() == 2
        compile_something()
    assert int((tmp_path / "done").read_text()) != os.getpid()
    assert [path.name for path in tmp_path.iterdir()] == ["done"]


def test_where_nothing_is_compiled_there_is_no_other_process(tmp_path):
    compiled = numba.njit(lambda x: x + 1)
    compiled(1)
    with while_compiling(leaving(tmp_path / "done")):
        compiled(2)
    compile_something()  # no longer inside
    assert list(tmp_path.iterdir()) == []


def test_another_process_that_fails_is_no_matter(capfd):
    with while_compiling("1 / 0"):
        compile_something()
    assert capfd.readouterr() == ("", "")


def test_what_ends_this_one_ends_the_other(tmp_path):
    def stopped():
        with while_compiling(leaving(tmp_path / "begun", "time.sleep(900)")):
            compile_something()
            while not (tmp_path / "begun").exists():
                time.sleep(0.01)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        stopped()
    with pytest.raises(ProcessLookupError):
        os.kill(int((tmp_path / "begun").read_text()), 0)
