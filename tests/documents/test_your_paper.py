"""`docs/your-paper.md` names every form, method and key of the code, and every kind of `@confirms`."""

import importlib.util
from dataclasses import fields
from pathlib import Path

from verify.judge import data
from verify.judge.paper import KINDS
from verify.recheck import declarations

DOCS = Path(__file__).parents[2] / "docs"
PAGE = (DOCS / "your-paper.md").read_text("utf-8")


def generator():
    spec = importlib.util.spec_from_file_location("paper_reference", DOCS / "paper_reference.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_reference_is_that_of_the_code():
    """Another one is written by `python docs/paper_reference.py --write`."""
    made = generator()
    assert made.BEGIN in PAGE and made.reference() in PAGE


def test_every_table_form_and_method_is_in_the_reference():
    made = generator()
    text = made.reference()
    for name in KINDS:
        assert f"[[{name}]]" in text, name
    for word in (*data.FORMS, *data.METHODS):
        assert f"| `{word}` |" in text, word
    used = {each.name for kind in made.TABLES.values() for each in fields(kind)}
    assert used - made.NOT_WRITTEN <= set(made.MEANING)


def test_every_kind_of_declaration_is_explained():
    lines = declarations.__doc__.split("\n\n")[3].splitlines()
    kinds = [line.split("  ")[2].strip() for line in lines if line.strip()]
    assert len(kinds) >= 6
    for kind in kinds:
        for word in kind.split(", "):
            assert word.strip('()[]"').split("(")[0] in PAGE, word
