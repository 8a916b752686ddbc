"""Network file systems: named, and refused unless somebody insists."""

from pathlib import Path

import pytest

import ofakind as ok
from ofakind.errors import StorageError
from ofakind.project import places
from ofakind.project.places import network_file_system


def mounts(tmp_path, *lines):
    table = tmp_path / "mounts"
    table.write_text("".join(f"{line} rw,relatime 0 0\n" for line in lines))
    return table


@pytest.mark.parametrize("kind", ["nfs", "nfs4", "cifs", "smb3", "9p", "virtiofs", "ceph", "fuse.sshfs"])
def test_R24_network_file_systems_are_named(tmp_path, kind):
    table = mounts(tmp_path, "/dev/sda1 / ext4", f"server:/home /srv/home {kind}")
    assert network_file_system(Path("/srv/home/ada/a.ofk"), table) == kind
    assert network_file_system(Path("/srv/home2/a.ofk"), table) is None
    assert network_file_system(Path("/srv/a.ofk"), table) is None


@pytest.mark.parametrize(
    "kind", ["ext4", "xfs", "btrfs", "zfs", "tmpfs", "overlay", "apfs", "fuse.gocryptfs"]
)
def test_R24_disks_of_this_machine_are_none(tmp_path, kind):
    assert network_file_system(Path("/srv/a.ofk"), mounts(tmp_path, f"/dev/sda1 / {kind}")) is None


def test_R24_the_innermost_and_the_latest_mount_counts(tmp_path):
    inside = mounts(tmp_path, "server:/ / nfs4", "/dev/sdb /scratch ext4")
    assert network_file_system(Path("/scratch/a.ofk"), inside) is None
    over = mounts(tmp_path, "auto /home autofs", "/dev/sda /home ext4", "server:/home /home nfs")
    assert network_file_system(Path("/home/a.ofk"), over) == "nfs"


def test_R24_names_with_blanks_and_links_are_followed(tmp_path):
    (tmp_path / "far away").mkdir()
    (tmp_path / "near").symlink_to(tmp_path / "far away")
    place = str(tmp_path.resolve() / "far away").replace(" ", r"\040")
    table = mounts(tmp_path, "/dev/sda1 / ext4", f"server:/x {place} nfs")
    assert network_file_system(tmp_path / "near" / "a.ofk", table) == "nfs"


def test_R24_where_nobody_knows_nothing_is_refused(tmp_path):
    assert network_file_system(tmp_path / "a.ofk", tmp_path / "no table") is None
    (tmp_path / "odd").write_text("\n\nnonsense\n")
    assert network_file_system(tmp_path / "a.ofk", tmp_path / "odd") is None


def test_R24_a_project_on_a_network_file_system_is_refused_unless_forced(tmp_path, monkeypatch):
    ok.new_project(["a", "b"], path=tmp_path / "a.ofk").close()
    monkeypatch.setattr(places, "MOUNTS", mounts(tmp_path, "server:/ / nfs4"))
    before = (tmp_path / "a.ofk").read_bytes()
    with pytest.raises(StorageError, match=r"a.ofk lies on a network file system \(nfs4\).*on_network=True"):
        ok.open_project(tmp_path / "a.ofk")
    with pytest.raises(StorageError, match="network file system"):
        ok.new_project(["a", "b"], path=tmp_path / "b.ofk")
    assert (tmp_path / "a.ofk").read_bytes() == before
    assert sorted(one.name for one in tmp_path.iterdir()) == ["a.ofk", "mounts"]
    with ok.open_project(tmp_path / "a.ofk", read_only=True) as project:
        assert len(project.ids) == 2
    with ok.open_project(tmp_path / "a.ofk", on_network=True) as project:
        project.tell(("a", "b"), 1)
    with ok.new_project(["a", "b"], path=tmp_path / "b.ofk", on_network=True) as project:
        assert len(project.ids) == 2
