"""Every set, read from the real files: its counts, its classes, and the paper's samples."""

import csv
import hashlib
import re
from collections import Counter
from functools import cache

import numpy as np
import pytest

from ofakind.datasets import Dataset, available, load
from ofakind.datasets.checksums import SHA256
from ofakind.datasets.places import VARIABLE
from ofakind.errors import InvalidInputError, OfakindError

NAMES = [info.name for info in available()]
LABELLED = [info.name for info in available() if info.clusters]
WITH_PAPER = [info.name for info in available() if "paper" in info.variants]

# The class sizes that the paper prints, and how many objects of the sample are distinct.
PAPER_SIZES = {
    "synthetic": [50] * 10,
    "ecoli": [137, 76, 1, 2, 37, 26, 5, 52],
    "forest_type_mapping": [168, 84, 86, 185],
    "user_knowledge": [111, 129, 116, 28, 19],
    "cardiotocography": [180, 275, 27, 35, 31, 148, 114, 62, 28, 100],
    "mnist": [105, 109, 111, 112, 104, 86, 99, 88, 88, 98],
    "cifar10": [91, 96, 107, 89, 99, 113, 96, 93, 112, 104],
    "newsgroups5": [201, 190, 201, 217, 191],
}
DISTINCT = {
    "synthetic": 500,
    "ecoli": 208,
    "forest_type_mapping": 349,
    "user_knowledge": 252,
    "cardiotocography": 1000,
    "mnist": 962,
    "cifar10": 989,
    "newsgroups5": 1000,
}
# The table of the data folder: objects and clusters.
WHOLE = {
    "ecoli": (336, 8),
    "forest_type_mapping": (523, 4),
    "user_knowledge": (403, 4),
    "cardiotocography": (2126, 10),
    "mnist": (10_000, 10),
    "cifar10": (989 + 3000, 10),
    "newsgroups5": (4896, 5),
    "cora": (1295, 112),
    "febrl1": (1000, 500),
    "febrl3": (5000, 2000),
    "restaurants": (864, 752),
    "splink_fake_1000": (1000, 251),
    "affiliations": (2260, 330),
    "amazon_google": (4589, 3290),
    "historical_50k": (50_578, 5156),
    "orl_faces": (400, 40),
    "crowd_restaurants": (858, 752),
    "synthetic": (500, 10),
    "digits": (1797, 10),
    "iris": (150, 3),
}
SAME_CLUSTER_PAIRS = {
    "cora": 17184,
    "febrl1": 500,
    "febrl3": 6538,
    "restaurants": 112,
    "splink_fake_1000": 2031,
    "affiliations": 16795,
    "amazon_google": 1553,
    "historical_50k": 303_961,
}
# The folder of the sets with a draw of the authors', and the column that tells the object.
AUTHORS = {
    "ecoli": ("ecoli", "row"),
    "forest_type_mapping": ("forest_type_mapping", "row"),
    "user_knowledge": ("user_knowledge", "row"),
    "mnist": ("mnist_t10k", "row"),
    "cifar10": ("cifar10", "row"),
}


once = cache(load)  # sets cannot be changed, so tests that only look may share them


def equal(one: Dataset, other: Dataset) -> bool:
    """Whether two sets hold the same objects, labels, features and records."""
    arrays = ("rows", "truth", "features", "images")
    same = all(np.array_equal(getattr(one, name), getattr(other, name)) for name in arrays)
    return same and one.classes == other.classes and one.records == other.records


# -- all of them -------------------------------------------------------------------------------------------


def test_all_sets_are_listed_once():
    assert len(NAMES) == len(set(NAMES)) == 27
    assert set(PAPER_SIZES) == set(WITH_PAPER)
    assert set(WHOLE) == set(LABELLED)


@pytest.mark.slow
@pytest.mark.parametrize("name", LABELLED)
def test_a_whole_set_has_the_counts_of_the_table(data_folder, name):
    whole = once(name, variant="all")
    info = next(info for info in available() if info.name == name)
    assert (whole.n, whole.k) == WHOLE[name] == (info.rows, info.clusters)
    assert len(whole.classes) == len(set(whole.classes)) == whole.k
    assert whole.rows.tolist() == list(range(whole.n))
    assert whole.labels.dtype == whole.rows.dtype == np.int64


@pytest.mark.slow
@pytest.mark.parametrize("info", available(), ids=lambda info: info.name)
def test_every_variant_with_every_kind_of_features_is_whole(data_folder, info):
    for variant in info.variants:
        for features in [kind for kind in info.features if kind != "tfidf"] or [
            None
        ]:  # slow: see test_download
            loaded = once(info.name, variant=variant, features=features)
            for part in (loaded.truth, loaded.features, loaded.records, loaded.images):
                assert part is None or len(part) == loaded.n
            if info.features:
                assert loaded.features.dtype == np.float64
                assert np.isfinite(loaded.features).all()
            assert loaded.name in repr(loaded)


@pytest.mark.parametrize("name", NAMES)
def test_a_set_that_is_here_says_where(data_folder, name):
    info = next(info for info in available() if info.name == name)
    assert info.place == "scikit-learn" or data_folder in type(data_folder)(info.place).resolve().parents


def test_arrays_of_a_set_cannot_be_written_to():
    iris = once("iris")
    for array in (iris.labels, iris.features, iris.rows):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 7


# -- the paper's samples -----------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("name", WITH_PAPER)
def test_the_default_has_the_sizes_that_the_paper_prints(data_folder, name):
    paper = once(name)
    assert paper.sizes().tolist() == PAPER_SIZES[name]
    assert paper.k == len(paper.classes) == len(PAPER_SIZES[name])


@pytest.mark.parametrize("name", WITH_PAPER)
def test_the_distinct_objects_are_those_of_the_sample_each_once(data_folder, name):
    paper, distinct = once(name), once(name, variant="distinct")
    assert distinct.n == DISTINCT[name]
    assert set(distinct.rows.tolist()) == set(paper.rows.tolist())
    assert len(set(distinct.rows.tolist())) == distinct.n


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(set(WITH_PAPER) - {"synthetic"}))
def test_the_rest_is_everything_that_is_not_in_the_sample(data_folder, name):
    distinct, rest, whole = (once(name, variant=variant) for variant in ("distinct", "rest", "all"))
    assert not set(rest.rows.tolist()) & set(distinct.rows.tolist())
    assert rest.n + distinct.n == whole.n
    assert rest.classes == whole.classes
    assert np.array_equal(rest.labels, whole.labels[rest.rows])
    assert np.array_equal(distinct.features, whole.features[distinct.rows])


@pytest.mark.parametrize("name", sorted(AUTHORS))
def test_the_sample_is_the_one_that_the_authors_drew(data_folder, name):
    folder, column = AUTHORS[name]
    with (data_folder / folder / "authors_sample.csv").open(encoding="utf-8") as file:
        drawn = list(csv.DictReader(file))
    paper = once(name)
    assert paper.rows.tolist() == [int(row[column]) for row in drawn]
    assert paper.labels.tolist() == [int(row["authors_label"]) for row in drawn]


def test_the_fifth_class_of_user_knowledge_is_a_spelling(data_folder):
    paper, distinct = once("user_knowledge"), once("user_knowledge", variant="distinct")
    assert paper.classes == ("High", "Low", "Middle", "Very Low", "very_low")
    assert "Five classes" in paper.note
    assert distinct.classes == ("high", "low", "middle", "very low")


@pytest.mark.slow
@pytest.mark.parametrize("name", ["cardiotocography", "newsgroups5"])
def test_a_draw_of_ours_depends_on_the_seed_and_on_nothing_else(data_folder, name):
    first, again, other = load(name, seed=1), load(name, seed=1), load(name, seed=2)
    assert equal(first, again)
    assert first.rows.tolist() != other.rows.tolist()
    assert first.sizes().tolist() == other.sizes().tolist() == PAPER_SIZES[name]
    assert len(set(first.rows.tolist())) == 1000
    assert "seed 1" in first.note
    rest = load(name, variant="rest", seed=2)
    assert not set(rest.rows.tolist()) & set(other.rows.tolist())


@pytest.mark.slow
@pytest.mark.parametrize("name", [n for n in LABELLED if n != "historical_50k"])
def test_loading_twice_gives_the_same(data_folder, name):
    assert equal(load(name), load(name))


# -- features, pictures, texts -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "width"),
    [
        ("synthetic", 10),
        ("ecoli", 7),
        ("forest_type_mapping", 27),
        ("user_knowledge", 5),
        ("cardiotocography", 21),
        ("mnist", 128),
        ("cifar10", 64),
        ("newsgroups5", 256),
        ("digits", 64),
        ("iris", 4),
        ("orl_faces", 28 * 23),
    ],
)
def test_the_best_features_come_by_default(data_folder, name, width):
    assert once(name).features.shape[1] == width
    assert "not found" not in once(name).note


def test_features_are_the_columns_of_the_table(data_folder):
    ecoli = once("ecoli", variant="all")
    assert ecoli.features[0].tolist() == [0.49, 0.29, 0.48, 0.50, 0.56, 0.24, 0.35]
    assert ecoli.records[0]["sequence_name"] == "AAT_ECOLI"
    assert ecoli.classes[ecoli.labels[0]] == "cp"
    forest = once("forest_type_mapping", variant="all")
    assert forest.features[0, [0, 8, 9, 17, 18, 26]].tolist() == [39, 60, 75.7, -2.36, -18.41, -7.86]
    cardio = once("cardiotocography", variant="all")
    assert cardio.features[1].tolist() == [
        *[132, 0.006, 0, 0.006, 0.003, 0, 0, 17, 2.1, 0, 10.4],
        *[130, 68, 198, 6, 1, 141, 136, 140, 12, 0],
    ]


@pytest.mark.parametrize(
    ("name", "shape"),
    [("mnist", (28, 28)), ("cifar10", (32, 32, 3)), ("orl_faces", (28, 23)), ("digits", (8, 8))],
)
def test_pictures_come_with_their_pixels(data_folder, name, shape):
    whole = once(name, variant="all", features="pixels")
    assert whole.images.shape == (whole.n, *shape)
    assert whole.images.dtype == np.uint8
    assert np.array_equal(whole.features, whole.images.reshape(whole.n, -1))


@pytest.mark.parametrize("name", ["mnist", "cifar10", "newsgroups5"])
def test_rows_of_the_embedding_belong_to_the_objects(data_folder, name):
    """A neighbour's class is the own one far more often than by chance, in the sample and in the rest."""
    for variant in ("distinct", "rest"):
        part = once(name, variant=variant)
        unit = part.features[:900] / np.linalg.norm(part.features[:900], axis=1, keepdims=True)
        likeness = unit @ unit.T
        np.fill_diagonal(likeness, -1)
        assert np.mean(part.labels[likeness.argmax(axis=1)] == part.labels[:900]) > 0.8


@pytest.mark.slow
def test_some_posts_can_be_had_with_other_features(data_folder):
    posts = once("newsgroups5", features="minilm")
    assert posts.sizes().tolist() == PAPER_SIZES["newsgroups5"]
    assert posts.features.shape == (1000, 384)
    few = once("newsgroups5", variant="all", features="minilm")
    many = once("newsgroups5", variant="all", features="wordllama")
    assert few.n == 1500
    assert few.records == many.records[:1500]
    assert few.labels.tolist() == many.labels[:1500].tolist()


def test_posts_have_a_subject_and_a_text(data_folder):
    posts = once("newsgroups5", variant="all")
    assert sum(post["subject"] in post["text"] for post in posts.records) == posts.n
    assert all(post["subject"] for post in posts.records[:20])


# -- records -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", sorted(SAME_CLUSTER_PAIRS))
def test_records_have_the_stated_number_of_pairs_of_a_kind(data_folder, name):
    records = once(name)
    sizes = records.sizes()
    assert (sizes * (sizes - 1) // 2).sum() == SAME_CLUSTER_PAIRS[name]
    assert records.features is None
    assert all("cluster" not in row and row["id"] for row in records.records)
    assert len({row["id"] for row in records.records}) == records.n


def test_records_of_a_class_are_those_with_its_name_in_the_file(data_folder):
    febrl = once("febrl3")
    for row, label in zip(febrl.records, febrl.labels.tolist(), strict=True):
        assert row["id"].split("-")[1] == febrl.classes[label]


# -- the crowd ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("variant", "answers", "workers", "errors"),
    [
        ("all", 12_114, 46, None),
        ("no_qualification", 6012, 37, (0.024, 0.121, 0.019)),
        ("qualification_test", 6102, 10, (0.014, 0.195, 0.004)),
    ],
)
def test_workers_err_as_often_as_the_source_says(data_folder, variant, answers, workers, errors):
    crowd = once("crowd_restaurants", variant=variant)
    said = crowd.answers
    assert (len(said), len(set(said.annotators))) == (answers, workers)
    assert said.n == crowd.n
    assert len(Counter(zip(said.u.tolist(), said.v.tolist(), strict=True))) == 2004
    same = crowd.labels[said.u] == crowd.labels[said.v]
    wrong = (said.values > 0) != same
    if errors:
        found = (wrong.mean(), wrong[same].mean(), wrong[~same].mean())
        assert found == pytest.approx(errors, abs=6e-4)


# -- mistakes ----------------------------------------------------------------------------------------------


def test_an_unknown_name_is_refused_with_the_known_ones():
    with pytest.raises(InvalidInputError, match=r"no set 'eccoli'; expected one of synthetic, ecoli, "):
        load("eccoli")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"name": "ecoli", "variant": "papers"}, "the variant of ecoli is 'papers'; expected 'paper' or"),
        ({"name": "cora", "variant": "paper"}, "the variant of cora is 'paper'; expected 'all'"),
        ({"name": "synthetic", "variant": "rest"}, "the variant of synthetic is 'rest'"),
        ({"name": "mnist", "features": "cnm"}, "features of mnist is 'cnm'; expected 'cnn' or 'pixels'"),
        ({"name": "cora", "features": "words"}, "features is 'words', and cora has none"),
        ({"name": "iris", "seed": -1}, "seed is -1; expected a whole number"),
    ],
)
def test_what_a_set_does_not_have_is_refused(arguments, message):
    with pytest.raises(InvalidInputError, match=re.escape(message)):
        load(**arguments)


def test_a_missing_set_says_where_it_was_looked_for_and_what_to_do(cache):
    with pytest.raises(OfakindError) as caught:
        load("cardiotocography")
    message = str(caught.value)
    assert f"cardiotocography/records.csv was not found in {cache}" in message
    assert "CTG.xls" in message
    assert f"put records.csv in {cache / 'cardiotocography'}" in message
    assert f"set {VARIABLE} to a folder that holds cardiotocography/records.csv" in message


def test_a_missing_set_names_both_folders(cache, tmp_path, monkeypatch):
    monkeypatch.setenv(VARIABLE, str(tmp_path))
    with pytest.raises(OfakindError, match=f"not found in {tmp_path} and {cache}"):
        load("orl_faces")


def test_a_set_says_whether_it_is_missing_or_can_be_downloaded(cache):
    places = {info.name: info.place for info in available()}
    assert places["iris"] == places["synthetic"] == places["digits"] == "scikit-learn"
    assert {name for name, place in places.items() if place == "download"} == {
        *("ecoli", "forest_type_mapping", "mnist", "cifar10", "newsgroups5"),
        *("febrl1", "febrl3", "splink_fake_1000"),
    }
    assert places["cora"] == places["bitcoin_otc"] == places["wce_instances"] == "missing"


def test_a_variable_that_names_no_folder_is_an_error(monkeypatch, tmp_path):
    monkeypatch.setenv(VARIABLE, str(tmp_path / "nowhere"))
    with pytest.raises(InvalidInputError, match=r"OFAKIND_DATA is '.*nowhere', which is no folder"):
        load("ecoli")


@pytest.mark.parametrize(
    ("name", "file"),
    [
        ("ecoli", "ecoli/records.csv"),
        ("cora", "cora_1295/records.csv.gz"),
        ("mnist", "mnist_t10k/cnn_128d.npy"),
        ("orl_faces", "orl_faces/faces.npz"),
        ("wce_instances", "wce_instances/wce.tar.xz"),
    ],
)
@pytest.mark.parametrize("harm", ["one bit", "cut", "empty"])
def test_a_damaged_file_is_an_error_that_names_it(no_data, tmp_path, monkeypatch, name, file, harm):
    content = bytearray((no_data / file).read_bytes())
    content[len(content) // 2] ^= 1
    broken = {"one bit": bytes(content), "cut": bytes(content[:100]), "empty": b""}[harm]
    folder = tmp_path / "data" / file.partition("/")[0]
    folder.mkdir(parents=True)
    for path in (no_data / folder.name).iterdir():
        if path.name != file.partition("/")[2]:
            (folder / path.name).symlink_to(path)
    (tmp_path / "data" / file).write_bytes(broken)
    monkeypatch.setenv(VARIABLE, str(tmp_path / "data"))
    got = hashlib.sha256(broken).hexdigest()
    with pytest.raises(OfakindError, match=f"{file} is damaged or another version.*{got}.*{SHA256[file]}"):
        load(name)


def test_the_named_folder_comes_before_the_cache(no_data, cache, tmp_path, monkeypatch):
    monkeypatch.setenv(VARIABLE, str(tmp_path / "data"))
    for folder in (tmp_path / "data" / "ecoli", cache / "ecoli"):
        folder.mkdir(parents=True)
    (cache / "ecoli" / "records.csv").write_bytes(b"damaged")
    (tmp_path / "data" / "ecoli" / "records.csv").symlink_to(no_data / "ecoli" / "records.csv")
    assert load("ecoli").n == 336
    (tmp_path / "data" / "ecoli" / "records.csv").unlink()
    with pytest.raises(OfakindError, match=r"cache.*records.csv is damaged"):
        load("ecoli")


def test_the_checksums_are_those_of_the_data_folder(data_folder):
    stated = {
        f"{sums.parent.name}/{line.split()[1]}": line.split()[0]
        for sums in data_folder.glob("*/SHA256SUMS")
        for line in sums.read_text(encoding="utf-8").splitlines()
    }
    made = set(SHA256) - set(stated)
    assert {file: digest for file, digest in SHA256.items() if file in stated} == {
        file: stated[file] for file in set(SHA256) - made
    }
    assert made == {
        *("febrl1/records.csv", "febrl3/records.csv", "splink_fake_1000/records.csv"),
        "cifar10/pictures.bin",
    }
