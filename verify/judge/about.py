"""What a paper's folder says of itself in `paper.toml`: who wrote what, where it stands, how it is cited.

    title, authors, venue, year, url      the paper
    [source]    name, sha256, file        the LaTeX source whose lines the statements count
    [paper]     key, text, bibtex         how the paper is cited, [1] in sentences
    [check]     key, text, bibtex, name   how this check of it is cited, [2] in sentences
    [code]      facts, confirmations, proofs   Python files or packages, and a folder of Coq files
    [needs]     what some facts need to run: a need, and the facts that have it
    [data.NAME] name, variable            material of the user's that facts may need
    [tools]     which program computes some facts: its name, and the facts
    first_figures      figures that page one shows beneath the conditions: of each list the first there is

`{version}` in the texts of the check stands for the version of Assay.
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
    """How something is cited: by a key, in a text, and as a BibTeX entry."""

    key: str
    text: str
    bibtex: str


@dataclass(frozen=True)
class Check(Reference):
    """How the check of a paper is cited; its results are said to be those of `name`."""

    name: str = "Assay"


@dataclass(frozen=True)
class Code:
    """Which Python computes facts and confirms them, and where the Coq proofs are."""

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
    """What `paper.toml` says; `erratum` is the text of `erratum.tex`, where there is one."""

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
        """What a fact needs to run; empty if nothing."""
        return next((need for need, facts in self.needs.items() if fact in facts), "")

    @property
    def need_names(self) -> dict[str, str]:
        """What facts may need, in the words of a sentence."""
        return {**COMMON_NEEDS, **{need: each.name for need, each in self.data.items()}}
