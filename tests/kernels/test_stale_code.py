import pytest

from ofakind.kernels.compiled import drop_stale_code


def make_folder(tmp_path):
    (tmp_path / "__pycache__").mkdir()
    (tmp_path / "deeper" / "__pycache__").mkdir(parents=True)
    (tmp_path / "deeper" / "c.py").write_text("g = 1\n")
    (tmp_path / "a.py").write_text("from b import f\n")
    (tmp_path / "b.py").write_text("f = 1\n")
    drop_stale_code(tmp_path)
    compiled = [tmp_path / "__pycache__" / name for name in ("a.g-1.py311.nbi", "a.g-1.py311.1.nbc")]
    compiled.append(tmp_path / "deeper" / "__pycache__" / "c.g-1.py311.nbi")
    for path in compiled:
        path.write_bytes(b"code")
    other = tmp_path / "__pycache__" / "a.cpython-311.pyc"
    other.write_bytes(b"code")
    return compiled, other


def test_compiled_code_stays_while_the_sources_do(tmp_path):
    compiled, _ = make_folder(tmp_path)
    drop_stale_code(tmp_path)
    assert all(path.exists() for path in compiled)


@pytest.mark.parametrize("changed", ["b.py", "deeper/c.py"])
def test_compiled_code_goes_when_any_source_changes(tmp_path, changed):
    compiled, other = make_folder(tmp_path)
    (tmp_path / changed).write_text("f = 2\n")
    drop_stale_code(tmp_path)
    assert not any(path.exists() for path in compiled)
    assert other.exists()


def test_a_folder_that_cannot_be_written_is_left_alone(tmp_path):
    (tmp_path / "a.py").write_text("f = 1\n")
    (tmp_path / "__pycache__").write_text("not a folder")
    drop_stale_code(tmp_path)
    assert (tmp_path / "__pycache__").read_text() == "not a folder"
