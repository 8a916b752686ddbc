"""What the pages promise: their code runs, their links lead somewhere, every public name is in them."""

import ast
import doctest
import inspect
import re
import shlex
from dataclasses import dataclass
from pathlib import Path

import pytest
from typer.main import get_command

import ofakind
import ofakind.datasets
import ofakind.rivals
from ofakind.cli.main import app

ROOT = Path(__file__).resolve().parents[1]
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])
DOCS = [page for page in PAGES if page.parent.name == "docs"]
API = ROOT / "docs" / "api.md"
PUBLIC = {
    name: getattr(home, name) for home in (ofakind.datasets, ofakind.rivals, ofakind) for name in home.__all__
}

FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
LINK = re.compile(r"\]\((?!https?:)([^)\s]+)\)|^\[[^\]]+\]: (?!https?:)(\S+)$", re.MULTILINE)
CODE_LINK = re.compile(r"\[`(\w+)`\](?:\[([^\]]+)\]|\(([^)\s]+\.py)\))")
ENTRY = re.compile(r"^( *)- (.*(?:\n +[^ -].*)*)", re.MULTILINE)
CALL = re.compile(r"`(\w+)(\([^`]*\))`")
MACHINE_PATH = re.compile(r"(?<![\w.])/(?:home|root|tmp|usr|var|work|mnt|Users)/|[A-Z]:\\")


def read(page):
    return page.read_text(encoding="utf-8")


def prose(page):
    return FENCE.sub("", read(page))


# -- code --------------------------------------------------------------------------------------------------


@dataclass
class Example:
    code: str
    line: int
    shown: str | None


def examples(text):
    """Python blocks, each with the output that a text block right after it shows, if there is one."""
    blocks = list(FENCE.finditer(text))
    following = [*blocks[1:], None]
    for block, after in zip(blocks, following, strict=True):
        if block[1] == "python":
            near = after is not None and after[1] == "text" and not text[block.end() : after.start()].strip()
            yield Example(block[2], text.count("\n", 0, block.start(2)), after[2] if near else None)


@pytest.mark.slow
@pytest.mark.parametrize("page", [page for page in PAGES if "```python" in read(page)], ids=lambda p: p.name)
def test_the_examples_of_a_page_run_and_print_what_is_shown(page, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    names = {"__name__": page.stem}
    for example in examples(read(page)):
        code = compile("\n" * example.line + example.code, page, "exec")
        exec(code, names)  # noqa: S102 - this is what the page tells its readers to run
        printed = capsys.readouterr().out
        if example.shown is not None:
            same = doctest.OutputChecker().check_output(example.shown, printed, doctest.ELLIPSIS)
            assert same, f"{page.name}:{example.line} printed\n{printed}"


def test_the_pages_that_teach_have_examples_with_output():
    for page in (ROOT / "README.md", ROOT / "docs" / "quickstart.md"):
        assert any(example.shown for example in examples(read(page)))


@pytest.mark.parametrize("seed", range(1, 4))
def test_the_first_example_of_the_readme_stops_by_itself_with_the_right_groups(seed, capsys):
    """The page says after how many pairs, for any seed; a warning would fail this too."""
    first = next(examples(read(ROOT / "README.md")))
    exec(first.code.replace("seed=0", f"seed={seed}"), {})  # noqa: S102
    groups, asked = capsys.readouterr().out.split(" after ")
    assert groups == "[0 1 0 0 1 2 1 2 2 0]"
    assert 18 <= int(asked.split()[0]) <= 24


# -- links and form ----------------------------------------------------------------------------------------


def anchors(page):
    """Names that GitHub gives to the headings of a page."""
    headings = re.findall(r"^#+ (.+)$", prose(page), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def links(page):
    """Links within the repository: as written, the file, and the heading or ""."""
    for match in LINK.finditer(prose(page)):
        path, _, anchor = (match[1] or match[2]).partition("#")
        yield match[0], (page.parent / path).resolve() if path else page, anchor


def is_broken(target, anchor):
    inside = target.exists() and target.is_relative_to(ROOT)
    return not inside or (anchor != "" and anchor not in anchors(target))


def test_links_lead_somewhere():
    found = [(page.name, *link) for page in PAGES for link in links(page)]
    assert [(page, link) for page, link, target, anchor in found if is_broken(target, anchor)] == []


def test_every_page_can_be_found_from_the_readme():
    found, new = set(), {ROOT / "README.md"}
    while new:
        found |= new
        linked = {target for old in new for _, target, _ in links(old)}
        new = {target for target in linked if target.suffix == ".md"} - found
    assert [page for page in PAGES if page not in found] == []


def test_code_that_a_page_points_to_is_defined_there():
    missing = []
    for page in PAGES:
        homes = dict(re.findall(r"^\[([^\]]+)\]: (\S+\.py)$", read(page), re.MULTILINE))
        for name, reference, path in CODE_LINK.findall(prose(page)):
            home = (page.parent / (path or homes[reference])).resolve()
            if not re.search(rf"^ *(def|class) {name}\b", read(home), re.MULTILINE):
                missing.append((page.name, name, home.name))
    assert missing == []


def test_lines_are_short_and_name_no_machine():
    lines = [(page.name, line) for page in PAGES for line in read(page).splitlines()]
    assert [(page, line) for page, line in lines if len(line) > 110 or MACHINE_PATH.search(line)] == []


# -- the reference -----------------------------------------------------------------------------------------


def sections():
    """Parts of the reference under each heading."""
    return re.split(r"^## ", read(API), flags=re.MULTILINE)


def entries():
    """Each documented call: the class it is a method of (or None), its name, its signature as written."""
    owner = None
    for indent, text in ENTRY.findall(read(API)):
        if not indent:
            owner = re.match(r"`(\w+)", text)
        head = re.split(r"(?<=`):", text, maxsplit=1)[0]
        for name, signature in CALL.findall(head):
            yield owner[1] if indent else None, name, " ".join(signature.split())


def parameters_as_written(signature):
    """Name, whether keyword-only, and default of each parameter; ... for a default too long to write."""
    a = ast.parse(f"def f{signature}: ...").body[0].args
    defaults = [*[None] * (len(a.args) - len(a.defaults)), *a.defaults, *a.kw_defaults]
    for row, (parameter, default) in enumerate(zip([*a.args, *a.kwonlyargs], defaults, strict=True)):
        value = "" if default is None else ast.literal_eval(default)
        yield parameter.arg, row >= len(a.args), value


def parameters_in_code(value):
    simple = (int, float, str, type(None))
    for name, parameter in inspect.signature(value).parameters.items():
        default = "" if parameter.default is parameter.empty else parameter.default
        keyword = parameter.kind is parameter.KEYWORD_ONLY
        if name not in ("self", "cls"):
            yield name, keyword, default if isinstance(default, simple) else ...


def test_every_public_name_is_in_the_reference():
    reference = read(API)
    places = {name: re.search(rf"^- `{name}\b|`ofakind\.{name}`", reference, re.MULTILINE) for name in PUBLIC}
    assert [name for name, place in places.items() if place is None] == []


def test_signatures_in_the_reference_are_those_of_the_code():
    checked = set()
    for owner, name, signature in entries():
        value = getattr(PUBLIC[owner], name) if owner else PUBLIC[name]
        written, actual = list(parameters_as_written(signature)), list(parameters_in_code(value))
        assert written == actual, f"{owner or ''} {name}"
        checked.add((owner, name))
    functions = {name for name, value in PUBLIC.items() if inspect.isfunction(value)}
    assert {(None, name) for name in functions} | {("ActiveClustering", "ask")} <= checked


def test_everything_public_of_a_class_is_in_its_section():
    missing, parts = [], sections()
    for name in (name for name, value in PUBLIC.items() if inspect.isclass(value)):
        section = next(part for part in parts if re.search(rf"^- `{name}\b", part, re.MULTILINE))
        public = [attribute for attribute in vars(PUBLIC[name]) if not attribute.startswith("_")]
        missing += [(name, each) for each in public if not re.search(rf"\b{each}\b", section)]
    assert missing == []


# -- commands ----------------------------------------------------------------------------------------------


def commands():
    """Each command's name, its options with those for help, and itself; the name of ``ofakind`` is empty."""
    main = get_command(app)
    every = {"": main, **main.commands}
    for group, inner in main.commands.items():
        every |= {f"{group} {name}": command for name, command in getattr(inner, "commands", {}).items()}
    for name, command in every.items():
        options = command.get_params(command.make_context(name, [], resilient_parsing=True))
        yield name, [option for parameter in options for option in parameter.opts], command


def test_every_command_and_option_is_documented():
    text = "".join(read(page) for page in DOCS)
    for name, options, _ in commands():
        assert f"`ofakind {name}`" in text or not name
        assert [option for option in options if not re.search(rf"`(ofakind )?{option}\b", text)] == []


def test_commands_on_pages_are_accepted():
    known = {name: command for name, _, command in commands()}
    for block in (block for page in PAGES for block in FENCE.finditer(read(page))):
        for line in re.findall(r"^\$ ofakind (.+)$", block[2] if block[1] == "console" else "", re.MULTILINE):
            words = shlex.split(line, comments=True)
            size = 2 if " ".join(words[:2]) in known else 1
            name, arguments = " ".join(words[:size]), words[size:]
            assert known[name].make_context(name, arguments) is not None


def test_make_targets_on_pages_exist():
    targets = set(re.findall(r"^([\w-]+):", read(ROOT / "Makefile"), re.MULTILINE))
    named = re.findall(r"(?:`|\$ )make (?:\w+=\S+ )?([\w-]+)", "\n".join(map(read, PAGES)))
    assert set(named) <= targets


def test_every_make_target_is_explained():
    targets = re.search(r"^\.PHONY: (.+)$", read(ROOT / "Makefile"), re.MULTILINE)[1].split()
    assert [t for t in targets if f"`make {t}`" not in read(ROOT / "CONTRIBUTING.md")] == []


def test_the_version_is_in_the_changelog():
    headings = re.findall(r"^## (.+)$", read(ROOT / "CHANGELOG.md"), re.MULTILINE)
    assert any(ofakind.__version__ in heading for heading in headings)
