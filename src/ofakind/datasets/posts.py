"""Five of the twenty newsgroups: posts and what they are about."""

import re
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ofakind.datasets.base import Dataset, Records, numbered
from ofakind.datasets.files import as_floats, read, read_array, read_arrays, read_rows
from ofakind.datasets.places import find, what_to_do
from ofakind.datasets.samples import stratified
from ofakind.errors import OfakindError

# In the order in which the paper names them, and so, as we read it, of the sizes that it prints.
TOPICS = (
    "rec.sport.baseball",
    "soc.religion.christian",
    "rec.autos",
    "talk.politics.mideast",
    "misc.forsale",
)
TOPIC_SIZES = (201, 190, 201, 217, 191)
RECORDS = "newsgroups5/records.csv.xz"
ORDER = "newsgroups5/sklearn_order.npy"
WORDLLAMA = "newsgroups5/wordllama_256d.npy"
MINILM = "newsgroups5/minilm_384d_first1500.npz"
SUBJECT = re.compile(r"^Subject:[ \t]*(.*)$", re.MULTILINE)


def newsgroups5(features: str | None = None) -> Dataset:
    """All 4896 posts in the order of scikit-learn's ``fetch_20newsgroups``; with MiniLM the first 1500."""
    whole = _posts_from_files() if find(RECORDS) and find(ORDER) else _posts_from_sklearn()
    if features == "minilm":
        vectors = read_arrays(read(MINILM))["emb"]
        return replace(whole.take(np.arange(len(vectors))), features=as_floats(vectors))
    if features == "wordllama" or (features is None and find(WORDLLAMA) and find(ORDER)):
        return replace(whole, features=as_floats(read_array(read(WORDLLAMA))[_order()]))
    note = "" if features else f"The features are TF-IDF reduced by SVD: {WORDLLAMA} not found."
    return replace(whole, features=words(whole.records or ()), note=note)


def newsgroups_sample(whole: Dataset, seed: int) -> Dataset:
    """Thousand posts in the class sizes of the paper."""
    drawn = whole.take(stratified(whole.labels, TOPIC_SIZES, seed=seed))
    ours = f"A draw of ours (seed {seed}) with the paper's class sizes; its own draw is not known."
    return replace(drawn, note=f"{ours} {whole.note}".strip())


def words(records: Records) -> NDArray[np.float64]:
    """Weights of words (TF-IDF) in subject and body, reduced to 100 features of unit length; seconds."""
    from sklearn.decomposition import TruncatedSVD
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.preprocessing import normalize

    texts = [row["subject"] + "\n" + row["text"].partition("\n\n")[2] for row in records]
    vectorizer = TfidfVectorizer(sublinear_tf=True, max_features=10_000, stop_words="english")
    weights = vectorizer.fit_transform(texts)
    return as_floats(normalize(TruncatedSVD(100, random_state=0).fit_transform(weights)))


def _order() -> NDArray[np.int64]:
    return np.asarray(read_array(read(ORDER)), np.int64)


def _posts_from_files() -> Dataset:
    rows = read_rows(RECORDS)
    ordered = [rows[number] for number in _order().tolist()]
    return _dataset([row["text"] for row in ordered], [row["cluster"] for row in ordered])


def _posts_from_sklearn() -> Dataset:
    """Let scikit-learn find or download the posts (it checks them), into its own folder."""
    from sklearn.datasets import fetch_20newsgroups, get_data_home

    if not (Path(get_data_home()) / "20news-bydate_py3.pkz").exists():
        print("scikit-learn downloads the posts of all newsgroups (14 MB)", file=sys.stderr, flush=True)
    try:
        loaded = fetch_20newsgroups(subset="all", categories=list(TOPICS))
    except OSError as error:
        failed = f"{RECORDS} is not here, and scikit-learn could not download the posts ({error})"
        raise OfakindError(f"{failed}; {what_to_do(RECORDS)}") from error
    return _dataset(loaded.data, [loaded.target_names[number] for number in loaded.target])


def _dataset(texts: list[str], topics: list[str]) -> Dataset:
    labels, classes = numbered(topics, TOPICS)
    found = (SUBJECT.search(text) for text in texts)
    subjects = (match[1].strip() if match else "" for match in found)
    records = tuple({"subject": s, "text": t} for s, t in zip(subjects, texts, strict=True))
    return Dataset(
        name="newsgroups5", rows=np.arange(len(texts)), truth=labels, classes=classes, records=records
    )
