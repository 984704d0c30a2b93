"""The guide and the gallery run, and print what they say."""

import doctest
import importlib
import io
import re
from contextlib import redirect_stdout
from pathlib import Path

import pytest

DOCS = Path(__file__).resolve().parents[2] / "docs"
BLOCK = re.compile(r"^```(python|output)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def examples(text: str) -> list[tuple[str, str]]:
    """Each block of code with the output that stands below it."""
    found: list[tuple[str, str]] = []
    for kind, body in BLOCK.findall(text):
        if kind == "python":
            found.append((body, ""))
        else:
            found[-1] = (found[-1][0], body)
    return found


def differences(text: str) -> list[str]:
    """What the blocks of a page print otherwise than the page says."""
    names: dict[str, object] = {"__name__": "page"}
    wrong = []
    for code, expected in examples(text):
        printed = io.StringIO()
        with redirect_stdout(printed):
            exec(compile(code, "page", "exec"), names)
        if printed.getvalue().rstrip() != expected.rstrip():
            wrong.append(f"{code}\nprinted\n{printed.getvalue()}\nexpected\n{expected}")
    return wrong


@pytest.mark.parametrize(("page", "least"), [("guide.md", 8), ("hmm.md", 5)])
def test_a_page_prints_what_it_says(page: str, least: int) -> None:
    text = (DOCS / page).read_text("utf-8")
    assert len(examples(text)) >= least
    assert differences(text) == []


def test_a_page_that_says_otherwise_is_noticed() -> None:
    page = "```python\nprint(1 + 1)\n```\n\n```output\n3\n```\n"
    assert len(differences(page)) == 1
    assert differences(page.replace("3", "2")) == []


def test_every_page_of_the_site_is_there() -> None:
    site = DOCS.parent / "mkdocs.yml"
    for page in re.findall(r": (\w+\.md)$", site.read_text("utf-8"), re.MULTILINE):
        assert (DOCS / page).exists(), page


def public() -> list[str]:
    """The names that the API page documents."""
    return re.findall(r"^::: (\S+)$", (DOCS / "api.md").read_text("utf-8"), re.MULTILINE)


def test_the_api_page_names_what_people_use() -> None:
    assert len(public()) >= 20


@pytest.mark.parametrize("name", public())
def test_every_public_name_has_an_example_that_runs(name: str) -> None:
    module, _, attribute = name.rpartition(".")
    home = importlib.import_module(module)
    found = doctest.DocTestFinder().find(getattr(home, attribute), name, globs=vars(home).copy())
    examples = [example for test in found for example in test.examples]
    assert examples, f"{name} has no example"
    runner = doctest.DocTestRunner(verbose=False)
    for test in found:
        runner.run(test)
    assert runner.summarize(verbose=False).failed == 0


def test_the_gallery_runs() -> None:
    nbformat = pytest.importorskip("nbformat")
    client = pytest.importorskip("nbclient")
    notebook = nbformat.read(DOCS / "gallery.ipynb", as_version=4)
    nbformat.validate(notebook)
    client.NotebookClient(notebook, timeout=120, kernel_name="python3").execute()
    printed = "".join(
        output.get("text", "") for cell in notebook.cells for output in cell.get("outputs", [])
    )
    assert "states agree: True" in printed
