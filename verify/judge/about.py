"""Contents of `paper.toml`: authors, title, source, code, and both references.

    title, authors, venue, year, url      the paper
    [source]    name, sha256, file        the LaTeX source whose lines the statements count
    [paper]     key, text, bibtex         how the paper is cited, [1] in sentences
    [check]     key, text, bibtex, name   how this check of it is cited, [2] in sentences
    [code]      facts, confirmations, proofs   Python files or packages, and a folder of Coq files
    [needs]     what some facts need to run: a need, and the facts that have it
    [data.NAME] name, variable            material of the user's that facts may need
    [tools]     which program computes some facts: its name, and the facts
    first_figures      figures that page one shows beneath the conditions: of each list the first there is

`{version}` in the texts of the check is replaced by the version of Assay.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

FULL = "full profile"
# What every paper's facts may need, in the words of a sentence.
COMMON_NEEDS = {
    "coq": "Coq",
    "paper": "the paper's source",
    "torch": "PyTorch",
    FULL: "the full profile",
}


@dataclass(frozen=True)
class Source:
    """The LaTeX source: its digest, a name for it, and the file in the folder where it is there."""

    sha256: str
    name: str = ""
    file: str = ""


@dataclass(frozen=True)
class Reference:
    """A reference: a key, a text and a BibTeX entry."""

    key: str
    text: str
    bibtex: str


@dataclass(frozen=True)
class Check(Reference):
    """Reference to the check of a paper, whose results are attributed to `name`."""

    name: str = "Assay"


@dataclass(frozen=True)
class Code:
    """Python files of facts and confirmations, and the folder of the Coq proofs."""

    facts: str = ""
    confirmations: str = ""
    proofs: str = ""


@dataclass(frozen=True)
class Material:
    """Data of the user's that facts may need: a name, and the variable that says where they are."""

    name: str
    variable: str


@dataclass(frozen=True)
class About:
    """Contents of `paper.toml`; `erratum` is the text of `erratum.tex`, if there is one."""

    title: str
    authors: tuple[str, ...]
    venue: str
    year: int
    source: Source
    paper: Reference
    check: Check
    url: str = ""
    code: Code = field(default_factory=Code)
    needs: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    data: Mapping[str, Material] = field(default_factory=dict)
    erratum: str = ""
    tools: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    first_figures: tuple[tuple[str, ...], ...] = ()

    def need_of(self, fact: str) -> str:
        """Need of a fact; empty if it has none."""
        return next((need for need, facts in self.needs.items() if fact in facts), "")

    @property
    def need_names(self) -> dict[str, str]:
        """Needs of facts in the words of a sentence."""
        return {**COMMON_NEEDS, **{need: each.name for need, each in self.data.items()}}
