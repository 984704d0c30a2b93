"""The guide and the gallery run, and print what they say."""

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


def test_the_guide_prints_what_it_says() -> None:
    text = (DOCS / "guide.md").read_text("utf-8")
    assert len(examples(text)) >= 8
    assert differences(text) == []


def test_the_page_on_decoders_prints_what_it_says() -> None:
    text = (DOCS / "decoder.md").read_text("utf-8")
    assert len(examples(text)) >= 2
    assert differences(text) == []


def test_a_page_that_says_otherwise_is_noticed() -> None:
    page = "```python\nprint(1 + 1)\n```\n\n```output\n3\n```\n"
    assert len(differences(page)) == 1
    assert differences(page.replace("3", "2")) == []


def test_every_page_of_the_site_is_there() -> None:
    site = DOCS.parent / "mkdocs.yml"
    for page in re.findall(r": (\w+\.md)$", site.read_text("utf-8"), re.MULTILINE):
        assert (DOCS / page).exists(), page


def test_what_the_api_page_names_can_be_imported() -> None:
    import importlib

    text = (DOCS / "api.md").read_text("utf-8")
    names = re.findall(r"`((?:constructions|verify)\.[a-zA-Z_.\d]+)", text)
    assert len(names) >= 15
    for name in names:
        parts = name.rstrip(".").split(".")
        for cut in range(len(parts), 0, -1):
            try:
                thing: object = importlib.import_module(".".join(parts[:cut]))
                break
            except ModuleNotFoundError:
                continue
        for part in parts[cut:]:
            thing = getattr(thing, part)


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
