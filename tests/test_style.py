"""The house rules that ruff cannot express: each is one test, which names all that break it."""

import ast
import inspect
import re
import tomllib
from collections import defaultdict
from functools import cache
from pathlib import Path

import pytest

import ofakind
from ofakind.registry import public_names

TESTS = Path(__file__).parent
SOURCE = Path(ofakind.__file__).parent
SOURCE_FILES = sorted(SOURCE.rglob("*.py"))
TEST_FILES = sorted(TESTS.rglob("*.py"))

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
COMPILERS = {"cfunc", "generated_jit", "guvectorize", "jit", "jit_module", "njit", "stencil", "vectorize"}
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


def unexplained_numbers(tree):
    """Lines of tuned numbers (fields of a class called ...Rules) without a word on what they do or whence."""
    lines = tree.text.splitlines()
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


@cache
def parsed(path):
    """The syntax tree of a file, which has its text, too."""
    return parsed_text(path.read_text(encoding="utf-8"))


def parsed_text(text):
    tree = ast.parse(text)
    tree.text = text
    return tree


def broken(check, paths):
    """Every place in these files that breaks a rule."""
    return [f"{name_of(path)}:{line}" for path in paths for line in check(parsed(path))]


# -- the rules ---------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_no_test_throws_a_judgement_away():
    assert broken(judgements_thrown_away, TEST_FILES) == []


@pytest.mark.slow
def test_whatever_is_compiled_keeps_signals_waiting():
    assert broken(own_compilers, set(SOURCE_FILES) - {SOURCE / "kernels" / "compiled.py"}) == []


@pytest.mark.slow
def test_nothing_but_the_room_for_files_writes_files():
    assert broken(writes, set(SOURCE_FILES) - {SOURCE / "files.py"}) == []


@pytest.mark.slow
def test_every_tuned_number_says_what_it_does_and_where_it_comes_from():
    assert broken(unexplained_numbers, SOURCE_FILES) == []


@pytest.mark.slow
def test_one_name_means_one_thing_in_the_whole_package():
    homes = defaultdict(set)
    for path in SOURCE_FILES:
        for name in top_level_names(parsed(path)):
            homes[name].add(name_of(path))
    assert len(homes) > 300
    twice = {name: sorted(files) for name, files in homes.items() if len(files) > 1}
    assert {name: files for name, files in twice.items() if name not in CONVENTIONS} == {}
    assert twice.keys() >= CONVENTIONS


@pytest.mark.slow
def test_no_kernel_lets_the_compiler_change_arithmetic():
    """What it makes of such a licence depends on what else is compiled; equal seeds must give equal bits."""
    kernels = [path for path in SOURCE_FILES if path.is_relative_to(SOURCE / "kernels")]
    assert len(kernels) > 10
    assert [name_of(path) for path in kernels if re.search(r"compiled\(.*fastmath", parsed(path).text)] == []


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
    there = {path.relative_to(SOURCE).parts[0].removesuffix(".py") for path in SOURCE_FILES}
    assert set(names) == there - {"__init__", "__main__"}
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


# -- the public names --------------------------------------------------------------------------------------


@pytest.mark.slow
def test_every_public_name_is_there_and_says_what_it_is():
    """In a docstring of its own, not in the one that a dataclass writes by itself."""
    silent = []
    for name in sorted(set(ofakind.__all__) - {"__version__"}):
        value = getattr(ofakind, name)
        own = vars(value).get("__doc__") if inspect.isclass(value) else inspect.getdoc(value)
        if not own or own.startswith(f"{name}("):
            silent.append(name)
    assert silent == []


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


# -- the checks see what they look for ---------------------------------------------------------------------

BAD = [
    (judgements_thrown_away, "def test_a():\n    a == b"),
    (judgements_thrown_away, "a < b < c"),
    (judgements_thrown_away, "not a"),
    (judgements_thrown_away, "a and b == c"),
    (judgements_thrown_away, "np.allclose(a, b)"),
    (judgements_thrown_away, "np.array_equal(a, b)"),
    (judgements_thrown_away, "all(a)"),
    (judgements_thrown_away, "a == pytest.approx(b)"),
    (own_compilers, "from numba import njit, types"),
    (own_compilers, "from numba.core.decorators import jit as compile"),
    (own_compilers, "f = numba.vectorize(g)"),
    (writes, "open(path, 'w')"),
    (writes, "with path.open(mode='ab') as file: ..."),
    (writes, "gzip.open(path, 'xb')"),
    (writes, "os.open(path, os.O_CREAT | os.O_RDWR)"),
    (writes, "Path(a, b).write_text(text)"),
    (writes, "np.savez(path, a=a)"),
    (writes, "file = io.BytesIO()\nfigure.savefig(path)"),
]
GOOD = [
    (judgements_thrown_away, "assert a == b\nassert np.allclose(a, b)\nnp.testing.assert_allclose(a, b)"),
    (judgements_thrown_away, "ok = a == b\ncheck(a < b)\nrng.shuffle(a)\nPairs.all(n)\n'text'\n..."),
    (own_compilers, "from numba import types\nfrom numba.extending import overload\nimport numba"),
    (writes, "open(path)\nopen(path, 'rb')\npath.open(encoding='utf-8')\ntarfile.open(mode='r:gz')"),
    (writes, "os.open(os.devnull, os.O_WRONLY)\nos.open(folder, os.O_RDONLY)\nshow.write('w')"),
    (writes, "file = io.BytesIO()\nnp.savez(file, a=a)\nfigure.savefig(file)\nsave(a)"),
]
NAMES = [
    ("class A: ...", ["A"]),
    ("class _B(A):\n    C = 1", ["_B"]),
    ("FEW, MANY = 1, 2", ["FEW", "MANY"]),
    ("LEAST: int = 1", ["LEAST"]),
    ("Row = dict[str, str]", ["Row"]),
    ("ONE = TWO = 3", ["ONE", "TWO"]),
    ("import A\nfrom b import C\nlower = 1\n_x = 2\na.B = 3\na[0] = 4\ndef F(): ...", []),
]
NUMBERS = [
    ('class ARules:\n    """By judgement."""\n    x: int = 1  # what it does', []),
    ('class ARules:\n    """By judgement."""\n    x: int = 1\n    y: int = 2  # it does', [3]),
    ('class ARules:\n    """Numbers."""\n    x: int = 1  # what it does', [1]),
    ("class ARules:\n    x: int = 1  # what it does (docs/results/fewer.md)", []),
    ("class A:\n    x: int = 1", []),
]


def test_the_checks_find_what_breaks_a_rule_and_let_good_code_pass():
    found = {code: len(list(check(parsed_text(code)))) for check, code in [*BAD, *GOOD]}
    assert found == {**{code: 1 for _, code in BAD}, **{code: 0 for _, code in GOOD}}


def test_the_names_of_a_module_are_those_that_it_defines():
    assert [list(top_level_names(parsed_text(code))) for code, _ in NAMES] == [names for _, names in NAMES]


def test_numbers_without_a_word_are_found():
    found = [list(unexplained_numbers(parsed_text(code))) for code, _ in NUMBERS]
    assert found == [lines for _, lines in NUMBERS]
