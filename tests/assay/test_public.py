"""The public interface: every name of `assay` is documented and its examples run; pages use no other."""

import doctest
import inspect
import json
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import assay

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
API = (DOCS / "api.md").read_text("utf-8")
PAGES = [ROOT / "README.md", *sorted(DOCS.glob("*.md")), *sorted(DOCS.glob("notebooks/*.ipynb"))]
OURS = re.compile(r"^\s*(?:from|import) (constructions|verify|reports)\b", re.MULTILINE)


def entries() -> list[str]:
    """What the API page documents."""
    return re.findall(r"^\.\. auto\w+:: (\S+)$", API, re.MULTILINE)


def resolved(name: str) -> Any:
    """The thing that a dotted name of `assay` is."""
    first, *rest = name.split(".")
    assert first == "assay", name
    thing: Any = assay
    for part in rest:
        thing = getattr(thing, part)
    return thing


GROUPS = [assay, assay.papers, assay.circuits, assay.processes, assay.strategies]


@pytest.mark.parametrize("group", GROUPS, ids=lambda group: group.__name__)
def test_every_name_of_a_stub_can_be_imported(group):
    assert len(group.__all__) == len(set(group.__all__)) == len(dir(group))
    for name in group.__all__:
        assert getattr(group, name) is not None


def test_every_name_is_on_the_api_page_and_the_page_has_no_other():
    documented = {tuple(entry.split(".")[1:]) for entry in entries()}
    in_groups = {group.__name__.split(".")[-1] for group in GROUPS[1:]}
    first = {parts[0] for parts in documented}
    assert first | {"__version__"} == set(assay.__all__)
    for group in GROUPS[1:3]:
        name = group.__name__.split(".")[-1]
        assert {parts[1] for parts in documented if parts[0] == name} == set(group.__all__)
    assert in_groups <= first
    assert "`assay.__version__`" in API
    assert len(entries()) == len(set(entries()))


def members(name: str, thing: object) -> list[str]:
    """The methods of a class that the page shows: those it names, else all that are public."""
    if not isinstance(thing, type):
        return []
    chosen = re.search(rf"^\.\. auto\w+:: {re.escape(name)}\n   :members: (.+)$", API, re.MULTILINE)
    own = [k for k, v in vars(thing).items() if not k.startswith("_") and callable(v)]
    own += [k for k, v in vars(thing).items() if isinstance(v, (classmethod, staticmethod))]
    fields = getattr(thing, "__dataclass_fields__", {})
    listed = chosen[1].split(", ") if chosen else sorted(set(own))
    return [f"{name}.{k}" for k in listed if k not in fields]


@pytest.mark.parametrize("name", entries())
def test_every_documented_name_has_an_example_that_runs(name: str) -> None:
    pytest.importorskip("torch")
    thing = resolved(name)
    assert inspect.getdoc(thing), name
    if isinstance(thing, ModuleType):
        return
    home = vars(inspect.getmodule(thing)).copy()
    wanted = members(name, thing) or [name]
    tests = doctest.DocTestFinder().find(thing, name, globs=home)
    seen = {test.name for test in tests}
    for method in (one for one in wanted if one not in seen):  # of a class above
        tests += doctest.DocTestFinder().find(resolved(method), method, globs=home)
    with_examples = {test.name for test in tests if test.examples}
    assert [one for one in wanted if one not in with_examples] == []
    runner = doctest.DocTestRunner(verbose=False)
    for test in tests:
        runner.run(test)
    assert runner.summarize(verbose=False).failed == 0


def test_a_name_that_is_not_there_is_an_attribute_error():
    with pytest.raises(AttributeError, match="module 'assay' has no attribute 'nothing'"):
        assay.nothing  # noqa: B018


def text_of(page: Path) -> str:
    """The text of a page; of a notebook, its cells."""
    if page.suffix != ".ipynb":
        return page.read_text("utf-8")
    cells = json.loads(page.read_text("utf-8"))["cells"]
    return "\n".join("".join(cell["source"]) for cell in cells)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_a_page_imports_nothing_of_ours_but_assay(page: Path) -> None:
    assert OURS.findall(text_of(page)) == []


def test_a_page_that_imports_from_inside_would_be_noticed():
    assert OURS.findall("import assay\nfrom constructions.automata.wfa import WFA\n")
    assert OURS.findall("    import verify.cli")
    assert not OURS.findall("import assay\nfrom assay import WFA")


def test_the_import_itself_brings_neither_torch_nor_numpy():
    code = (
        "import sys, assay; print('torch' in sys.modules, 'numpy' in sys.modules, len(dir(assay)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "False", str(len(assay.__all__))]
