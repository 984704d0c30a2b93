"""The table of docs/proofs.md: each word of a citation is in the pinned statement it is said to be in."""

import re
import tomllib
from pathlib import Path
from typing import NamedTuple

import pytest

from verify.coq.compile import modules
from verify.coq.pins import meanings, pins, unfolding
from verify.coq.sources import COQ

ROOT = Path(__file__).resolve().parents[3]
# Words that restrict a model or a claim, wherever a citation sentence has them.
RESTRICTIVE = (
    *(
        "softmax",
        "hard attention",
        "strict",
        "bilinear",
        "gated",
        "mlp",
        "hidden layer",
        "residual",
    ),
    *("mask", "heads", "depth", "embedding dimension", "width", "alphabet", "exactly", "precision"),
    *("second derivative", "relu", "balanced", "every tree automaton"),
)
CITED = {"thm1": "theorem1", "thm2": "theorem2", "thm3": "theorem3", "cor1": "corollary1"}


class Row(NamedTuple):
    """A row of the table: words, theorems, and texts that each of them must have."""

    words: str
    theorems: list[str]
    texts: list[str]


def table():
    page = (ROOT / "docs" / "proofs.md").read_text("utf-8")
    section = page.partition("## The words of the citation sentences")[2]
    lines = [line for line in section.splitlines() if line.startswith("| ")][1:]
    cells = [re.split(r"(?<!\\) \| ", line.strip("| ")) for line in lines]
    return [Row(a, re.findall("`(.*?)`", b), code(c)) for a, b, c in cells]


def code(cell):
    return [text.replace("\\|", "|") for text in re.findall("`(.*?)`", cell)]


def meaning(theorem, statements, table):
    """A pinned statement and all that it unfolds to, as text."""
    behind = unfolding([theorem], table, modules(COQ)).values()
    return " ".join([statements[theorem].statement, *(one.content for one in behind)])


def missing(rows):
    statements, definitions = pins(), meanings()
    names = {name for row in rows for name in row.theorems}
    texts = {name: meaning(f"Main.{name}", statements, definitions) for name in names}
    return [
        (name, text) for row in rows for name in row.theorems for text in row.texts
        if text not in texts[name]
    ]  # fmt: skip


def test_every_row_is_in_the_pinned_statements():
    rows = table()
    assert len(rows) > 20
    assert all(row.theorems and row.texts for row in rows)
    assert missing(rows) == []


def test_softmax_is_not_found_in_a_theorem_on_hard_attention():
    wrong = Row("softmax", ["theorem1", "theorem2"], ["Fits.consists TreeModel.Soft"])
    assert missing([wrong]) == [("theorem1", "Fits.consists TreeModel.Soft")]


def citations():
    """The sentences that cite a proved statement, by its id."""
    files = sorted((ROOT / "verify" / "paper").glob("*.toml"))
    data = [tomllib.loads(file.read_text("utf-8")) for file in files]
    statements = {one["id"]: one for file in data for one in file.get("statement", [])}
    return {name: statements[name]["cite"]["proved"].lower() for name in CITED}


@pytest.mark.parametrize("name", CITED)
def test_every_restrictive_word_of_a_citation_has_a_row(name):
    own = [row for row in table() if any(one.startswith(CITED[name]) for one in row.theorems)]
    words = " ".join(row.words for row in own).lower()
    sentence = citations()[name]
    used = [word for word in RESTRICTIVE if word in sentence]
    assert used
    assert [word for word in used if word not in words] == []
