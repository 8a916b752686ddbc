"""The house rules that a machine can check: no hidden state, no unchecked comparison, examples that run."""

import ast
import doctest
import inspect
import pkgutil
import re
import tomllib
from collections import defaultdict
from importlib import import_module
from pathlib import Path

import pytest

import ofakind
from ofakind.registry import public_names

TESTS = Path(__file__).parent
SOURCE = Path(ofakind.__file__).parent
SOURCE_FILES = sorted(SOURCE.rglob("*.py"))
TEST_FILES = sorted(TESTS.rglob("*.py"))
MODULES = ["ofakind", *(m.name for m in pkgutil.walk_packages([str(SOURCE)], "ofakind."))]

MAX_LINES = 400
MAX_PARAMETERS = 6
# Functions with more, by their file: the options of a learner and of an estimator, which are all their own;
# the paper's mean field; what a new project is made from; what a forecast is computed from; and the curves of
# rivals.
MORE_PARAMETERS = {
    "cli/add.py": [9],
    "cli/assign.py": [9],
    "cli/demo/command.py": [9],
    "cli/export.py": [10],
    "cli/judge.py": [19],
    "cli/label.py": [10],
    "cli/new.py": [20],
    "engine/learner.py": [10],
    "posterior/forest/belief.py": [7],
    "posterior/mean_field/dense.py": [9],
    "project/opening.py": [14],
    "report/forecast.py": [7],
    "rivals/restart.py": [7, 7],
    "sklearn.py": [9],
}
MAX_CODE, MAX_KERNEL = 40, 50  # lines of code of a function, and of a compiled one, whose loops stay together
# Files of tests in a room that are named after what they prove, not after a module there.
BEHAVIOURS = {
    "acquire/conformance",
    "cli/journeys",
    "cli/study_honesty",
    "engine/any_calls",
    "engine/known_matches",
    "engine/listed_candidates",
    "engine/pins",
    "engine/prior",
    "engine/prior_people",
    "engine/retract",
    "engine/standing_still",
    "engine/threads",
    "kernels/gpu/compile",
    "kernels/stale_code",
    "oracles/conformance",
    "posterior/golden",
    "project/any_calls_of_a_project",
    "project/crashes",
    "project/failing_disks",
    "project/long_runs",
    "rivals/conformance",
    "web/browser",
    "web/accessibility",
    "web/first_minutes",
    "web/keys",
    "web/screen_page",
    "web/map_browser",
    "web/pictures",
    "web/notebook_browser",
    "web/screens",
    "solve/conformance",
}
CONVENTIONS = {"Array", "T"}  # the arrays of kernels, and a type variable that one function uses
FORBIDDEN = {"marshal", "pickle", "random", "shelve"}
COMPILERS = {"cfunc", "generated_jit", "guvectorize", "jit", "jit_module", "njit", "stencil", "vectorize"}
# RandomState is an object that scikit-learn's users hand over; the functions of its module are what hides.
EXPLICIT_RANDOMNESS = {"Generator", "RandomState", "SeedSequence", "default_rng"}
# What writes to a path that it is given, and what writes to a path or into memory.
WRITERS = {"write_text", "write_bytes", "tofile", "TemporaryFile", "NamedTemporaryFile", "mkstemp"}
SAVERS = {"save", "savez", "savez_compressed", "savetxt", "savefig"}
JUDGEMENT = re.compile(
    r"((np|numpy|math|pytest)\.)?(all|allclose|any|approx|array_equal|array_equiv|isclose|isinstance)"
)


def name_of(path):
    return str(path.relative_to(TESTS if path.is_relative_to(TESTS) else SOURCE))


def dotted(node):
    """Write an expression such as np.random.rand as "np.random.rand"; anything else as ""."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute) and (left := dotted(node.value)):
        return f"{left}.{node.attr}"
    return ""


# -- the checks: from a syntax tree to the lines that break the rule ---------------------------------------


def judgements_thrown_away(tree):
    """Lines that compare and ignore the outcome: an assert is missing."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr):
            value = node.value
            called = dotted(value.func) if isinstance(value, ast.Call) else ""
            negated = isinstance(value, ast.UnaryOp) and isinstance(value.op, ast.Not)
            if isinstance(value, ast.Compare | ast.BoolOp) or negated or JUDGEMENT.fullmatch(called):
                yield node.lineno


def forbidden_imports(tree):
    """Lines that import a module that may run what it reads, or the global random state."""
    for node in ast.walk(tree):
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        if isinstance(node, ast.ImportFrom) and not node.level:
            names = [node.module or ""]
        if any(name.partition(".")[0] in FORBIDDEN for name in names):
            yield node.lineno


def own_compilers(tree):
    """Lines that let numba compile a function, which makes it one that signals can break."""
    for node in ast.walk(tree):
        names = []
        if isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] == "numba":
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.Attribute) and dotted(node.value) == "numba":
            names = [node.attr]
        if not COMPILERS.isdisjoint(names):
            yield node.lineno


def hidden_randomness(tree):
    """Lines that use numpy.random beyond its explicit generators."""
    for node in ast.walk(tree):
        names = []
        if isinstance(node, ast.ImportFrom) and node.module == "numpy.random":
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.Attribute) and dotted(node.value) in ("np.random", "numpy.random"):
            names = [node.attr]
        if not EXPLICIT_RANDOMNESS.issuperset(names):
            yield node.lineno


def writes(tree):
    """Lines that write a file on disk: open to write, write_text, np.save, savefig and the like."""
    in_memory = {
        target.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call)
        for target in node.targets
        if isinstance(target, ast.Name) and dotted(node.value.func) in ("io.BytesIO", "io.StringIO")
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            name = node.func.attr if isinstance(node.func, ast.Attribute) else dotted(node.func)
            first = dotted(node.args[0]) if node.args else ""
            saves = name in SAVERS and isinstance(node.func, ast.Attribute) and first not in in_memory
            if saves or name in WRITERS or (name == "open" and not _reads(node)):
                yield node.lineno


def top_level_names(tree):
    """Names of classes, of types and of constants that a module defines: all that begin with a capital."""
    for node in tree.body:
        targets = [node] if isinstance(node, ast.ClassDef) else getattr(node, "targets", [])
        if isinstance(node, ast.AnnAssign):
            targets = [node.target]
        names = [part for target in targets for part in getattr(target, "elts", [target])]
        for name in (getattr(part, "name", getattr(part, "id", "")) for part in names):
            if name.lstrip("_")[:1].isupper():
                yield name


def unexplained_numbers(tree, lines):
    """Lines of tuned numbers (fields of a class called ...Rules) without a word on what they do or whence."""
    for node in tree.body:
        if isinstance(node, ast.ClassDef) and node.name.endswith("Rules"):
            own = lines[node.lineno - 1 : node.end_lineno]
            if not any(re.search(r"judgement|convention|docs/results/", line) for line in own):
                yield node.lineno
            for field in node.body:
                if isinstance(field, ast.AnnAssign) and "  # " not in lines[field.end_lineno - 1]:
                    yield field.lineno


def _reads(call):
    """Whether a call of some open (the function, a path's, gzip's, os's) is for reading."""
    said = [ast.unparse(part) for part in (*call.args, *(keyword.value for keyword in call.keywords))]
    modes = [part for part in said if re.fullmatch(r"'[rbtU]*[wax+][rbtU+]*'", part)]
    flags = [part for part in said if re.search(r"O_(WRONLY|RDWR|CREAT)", part)]
    return not modes and (not flags or "os.devnull" in said)


def functions(tree):
    return (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))


def long_signatures(tree):
    """Numbers of parameters (not counting self and cls) that are too many."""
    for node in functions(tree):
        a = node.args
        names = [arg.arg for arg in (*a.posonlyargs, *a.args, *a.kwonlyargs, a.vararg, a.kwarg) if arg]
        count = len([name for name in names if name not in ("self", "cls")])
        if count > MAX_PARAMETERS:
            yield count


def code_lines(text):
    """Each function's line and how many lines of code its body has: no blank ones, comments, docstring."""
    lines = [line.strip() for line in text.splitlines()]
    for node in functions(ast.parse(text)):
        start = node.body[0].end_lineno if ast.get_docstring(node) is not None else node.body[0].lineno - 1
        own = lines[start : node.end_lineno]
        yield node.lineno, sum(bool(line) and not line.startswith("#") for line in own)


def broken(check, path):
    return [f"{name_of(path)}:{line}" for line in check(ast.parse(path.read_text(encoding="utf-8")))]


# -- the rules ---------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("path", TEST_FILES, ids=name_of)
def test_no_test_throws_a_judgement_away(path):
    assert broken(judgements_thrown_away, path) == []


@pytest.mark.parametrize("path", SOURCE_FILES, ids=name_of)
def test_nothing_is_unpickled_and_no_random_state_is_hidden(path):
    assert broken(forbidden_imports, path) == []
    assert broken(hidden_randomness, path) == []


@pytest.mark.parametrize(
    "path", [p for p in SOURCE_FILES if name_of(p) != "kernels/compiled.py"], ids=name_of
)
def test_whatever_is_compiled_keeps_signals_waiting(path):
    assert broken(own_compilers, path) == []


@pytest.mark.parametrize("path", [p for p in SOURCE_FILES if name_of(p) != "files.py"], ids=name_of)
def test_nothing_but_the_room_for_files_writes_files(path):
    assert broken(writes, path) == []


@pytest.mark.parametrize(
    "path", [p for p in SOURCE_FILES if "kernels" not in p.relative_to(SOURCE).parts], ids=name_of
)
def test_functions_have_few_parameters(path):
    tree = ast.parse(path.read_text(encoding="utf-8"))
    assert sorted(long_signatures(tree)) == MORE_PARAMETERS.get(name_of(path), [])


@pytest.mark.parametrize("path", SOURCE_FILES, ids=name_of)
def test_functions_are_short(path):
    most = MAX_KERNEL if path.is_relative_to(SOURCE / "kernels") else MAX_CODE
    text = path.read_text(encoding="utf-8")
    assert [f"{name_of(path)}:{line}" for line, count in code_lines(text) if count > most] == []


# -- where tests lie ---------------------------------------------------------------------------------------


def rooms():
    """Folders of the source, by their names."""
    found = {path.parent.relative_to(SOURCE).as_posix() for path in SOURCE_FILES if path.stem != "__init__"}
    return sorted(found - {"."})


def files_of_tests():
    """Test files in folders, as the room and the name that follows "test_"."""
    found = (path for path in TEST_FILES if path.name.startswith("test_") and path.parent != TESTS)
    return [(path.parent.relative_to(TESTS).as_posix(), path.stem.removeprefix("test_")) for path in found]


def test_the_guide_lists_every_room_from_the_ground_up():
    """In the order of the layers that the linter keeps, lowest first."""
    guide = (TESTS.parent / "CONTRIBUTING.md").read_text(encoding="utf-8")
    table = guide.partition("## The rooms")[2].partition("**The import rule")[0]
    listed = [name for row in re.findall(r"^\| (`.*?) \|", table, re.MULTILINE) for name in row.split(", ")]
    settings = tomllib.loads((TESTS.parent / "pyproject.toml").read_text(encoding="utf-8"))
    layers = settings["tool"]["importlinter"]["contracts"][0]["layers"]
    height = {name: -place for place, layer in enumerate(layers) for name in re.findall(r"\w+", layer)}
    names = [name.strip("`") for name in listed]
    there = {name.removeprefix("ofakind.").partition(".")[0] for name in MODULES[1:]}
    assert set(names) == there - {"__main__"}
    assert [height[name] for name in names] == sorted(height[name] for name in names)


def test_every_room_but_a_kernels_has_a_folder_of_tests():
    """Kernels are tested with their twins, here or where they are used."""
    with_tests = {room for room, _ in files_of_tests()}
    assert [room for room in rooms() if not room.startswith("kernels") and room not in with_tests] == []


def test_a_test_file_lies_in_the_room_of_what_it_tests_and_is_named_after_it():
    strays = {
        f"{room}/{name}"
        for room, name in files_of_tests()
        if not (SOURCE / room / f"{name}.py").exists() and not (SOURCE / room / name).is_dir()
    }
    assert strays == BEHAVIOURS


@pytest.mark.parametrize("path", SOURCE_FILES, ids=name_of)
def test_modules_split_before_they_grow_long(path):
    assert len(path.read_text(encoding="utf-8").splitlines()) < MAX_LINES


def test_one_name_means_one_thing_in_the_whole_package():
    homes = defaultdict(set)
    for path in SOURCE_FILES:
        for name in top_level_names(ast.parse(path.read_text(encoding="utf-8"))):
            homes[name].add(name_of(path))
    assert len(homes) > 300
    twice = {name: sorted(files) for name, files in homes.items() if len(files) > 1}
    assert {name: files for name, files in twice.items() if name not in CONVENTIONS} == {}
    assert twice.keys() >= CONVENTIONS


@pytest.mark.parametrize("path", SOURCE_FILES, ids=name_of)
def test_every_tuned_number_says_what_it_does_and_where_it_comes_from(path):
    text = path.read_text(encoding="utf-8")
    assert list(unexplained_numbers(ast.parse(text), text.splitlines())) == []


@pytest.mark.parametrize("path", SOURCE_FILES, ids=name_of)
def test_every_module_says_what_it_is(path):
    assert ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))


@pytest.mark.parametrize("name", sorted(set(ofakind.__all__) - {"__version__"}))
def test_every_public_name_is_there_and_says_what_it_is(name):
    value = getattr(ofakind, name)
    own = vars(value).get("__doc__") if inspect.isclass(value) else inspect.getdoc(value)
    assert own
    assert not own.startswith(f"{name}("), "a dataclass wrote this docstring by itself"


def test_type_checkers_see_the_names_that_are_loaded_lazily():
    tree = ast.parse(Path(ofakind.__file__).read_text(encoding="utf-8"))
    block = next(node for node in tree.body if isinstance(node, ast.If))
    seen = {(node.module, alias.name) for node in block.body for alias in node.names}
    assert seen == {(home, name) for name, home in public_names().items()}


def test_the_package_lists_its_public_names():
    assert dir(ofakind) == sorted(set(ofakind.__all__))
    assert ofakind.__version__.count(".") == 2
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        ofakind.nonsense  # noqa: B018


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in MODULES if "kernels.gpu." not in name])  # which need torch
def test_the_examples_of_every_module_run(name):
    result = doctest.testmod(import_module(name))
    assert result.failed == 0


def test_all_modules_are_looked_at():
    files = {path.relative_to(SOURCE).with_suffix("").as_posix() for path in SOURCE_FILES}
    modules = {file.removesuffix("__init__").rstrip("/").replace("/", ".") for file in files}
    assert {f"ofakind.{module}".rstrip(".") for module in modules} == set(MODULES)
    assert doctest.testmod(import_module("ofakind.pairs")).attempted > 0


# -- the checks see what they look for ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("check", "code"),
    [
        (judgements_thrown_away, "def test_a():\n    a == b"),
        (judgements_thrown_away, "a < b < c"),
        (judgements_thrown_away, "not a"),
        (judgements_thrown_away, "a and b == c"),
        (judgements_thrown_away, "np.allclose(a, b)"),
        (judgements_thrown_away, "np.array_equal(a, b)"),
        (judgements_thrown_away, "all(a)"),
        (judgements_thrown_away, "a == pytest.approx(b)"),
        (forbidden_imports, "import pickle"),
        (forbidden_imports, "def f():\n    import json, shelve"),
        (forbidden_imports, "from random import choice"),
        (forbidden_imports, "import marshal as m"),
        (own_compilers, "from numba import njit, types"),
        (own_compilers, "from numba.core.decorators import jit as compile"),
        (own_compilers, "f = numba.vectorize(g)"),
        (hidden_randomness, "np.random.seed(0)"),
        (hidden_randomness, "x = numpy.random.rand"),
        (hidden_randomness, "from numpy.random import default_rng, rand"),
        (hidden_randomness, "np.random.mtrand._rand"),
        (writes, "open(path, 'w')"),
        (writes, "with path.open(mode='ab') as file: ..."),
        (writes, "gzip.open(path, 'xb')"),
        (writes, "os.open(path, os.O_CREAT | os.O_RDWR)"),
        (writes, "Path(a, b).write_text(text)"),
        (writes, "np.savez(path, a=a)"),
        (writes, "file = io.BytesIO()\nfigure.savefig(path)"),
        (long_signatures, "def f(a, b, c, /, d, e, *, f, g): ..."),
        (long_signatures, "class A:\n    async def f(self, a, b, c, d, e, *f, **g): ..."),
    ],
)
def test_the_checks_find_what_breaks_a_rule(check, code):
    assert len(list(check(ast.parse(code)))) == 1


@pytest.mark.parametrize(
    ("code", "names"),
    [
        ("class A: ...", ["A"]),
        ("class _B(A):\n    C = 1", ["_B"]),
        ("FEW, MANY = 1, 2", ["FEW", "MANY"]),
        ("LEAST: int = 1", ["LEAST"]),
        ("Row = dict[str, str]", ["Row"]),
        ("ONE = TWO = 3", ["ONE", "TWO"]),
        ("import A\nfrom b import C\nlower = 1\n_x = 2\na.B = 3\na[0] = 4\ndef F(): ...", []),
    ],
)
def test_the_names_of_a_module_are_those_that_it_defines(code, names):
    assert list(top_level_names(ast.parse(code))) == names


@pytest.mark.parametrize(
    ("code", "lines"),
    [
        ('class ARules:\n    """By judgement."""\n    x: int = 1  # what it does', []),
        ('class ARules:\n    """By judgement."""\n    x: int = 1\n    y: int = 2  # it does', [3]),
        ('class ARules:\n    """Numbers."""\n    x: int = 1  # what it does', [1]),
        ("class ARules:\n    x: int = 1  # what it does (docs/results/fewer.md)", []),
        ("class A:\n    x: int = 1", []),
    ],
)
def test_numbers_without_a_word_are_found(code, lines):
    assert list(unexplained_numbers(ast.parse(code), code.splitlines())) == lines


@pytest.mark.parametrize(
    ("check", "code"),
    [
        (judgements_thrown_away, "assert a == b\nassert np.allclose(a, b)\nnp.testing.assert_allclose(a, b)"),
        (judgements_thrown_away, "ok = a == b\ncheck(a < b)\nrng.shuffle(a)\nPairs.all(n)\n'text'\n..."),
        (forbidden_imports, "import json\nfrom numpy import random\nfrom .random import x\nimport randomise"),
        (own_compilers, "from numba import types\nfrom numba.extending import overload\nimport numba"),
        (hidden_randomness, "np.random.default_rng(0)\nfrom numpy.random import Generator\nrng.random()"),
        (writes, "open(path)\nopen(path, 'rb')\npath.open(encoding='utf-8')\ntarfile.open(mode='r:gz')"),
        (writes, "os.open(os.devnull, os.O_WRONLY)\nos.open(folder, os.O_RDONLY)\nshow.write('w')"),
        (writes, "file = io.BytesIO()\nnp.savez(file, a=a)\nfigure.savefig(file)\nsave(a)"),
        (long_signatures, "class A:\n    def f(self, a, b, c, d, *, e, f): ..."),
    ],
)
def test_the_checks_let_good_code_pass(check, code):
    assert list(check(ast.parse(code))) == []


def test_lines_of_code_are_counted_without_docstring_comments_and_blank_lines():
    long = ["def f(", "    a,", "):", '    """Two', '    lines."""', "    # why", "", "    b = [", "    ]"]
    nested = ["def f():", "    ...", "", "", "def g(a):", "    def h():", "        return a", "    return h"]
    assert list(code_lines("\n".join(long))) == [(1, 2)]
    assert list(code_lines("\n".join(nested))) == [(1, 1), (5, 3), (6, 1)]
    assert list(code_lines('def f():\n    """Nothing else."""\n')) == [(1, 0)]


def test_no_kernel_lets_the_compiler_change_arithmetic():
    """What it makes of such a licence depends on what else is compiled; equal seeds must give equal bits."""
    kernels = sorted((SOURCE / "kernels").rglob("*.py"))
    assert len(kernels) > 10
    assert [
        path.name for path in kernels if re.search(r"compiled\(.*fastmath", path.read_text(encoding="utf-8"))
    ] == []
