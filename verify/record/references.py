"""How a paper and the check of it are cited, in text, LaTeX and BibTeX, from the head of a record."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

Head = Mapping[str, Any]


def references(paper: Head) -> list[str]:
    """What [1] and [2] stand for."""
    return [f"[1] {paper['paper']['text']}", f"[2] {paper['check']['text']}"]


def bibtex(paper: Head) -> str:
    """One entry for the paper and one for the check."""
    return f"{paper['paper']['bibtex']}\n\n{paper['check']['bibtex']}"


def latex_sentence(row: Mapping[str, Any], paper: Head) -> str:
    """The sentence for a LaTeX source, with citations and the mark that `assay tex` checks."""
    from reports.escape import latex

    text = latex(row["sentence"])
    for label, key in (("[1]", paper["paper"]["key"]), ("[2]", paper["check"]["key"])):
        text = text.replace(f" {latex(label)}", f"~\\cite{{{key}}}")
        text = text.replace(latex(label), f"\\cite{{{key}}}")
    return f"{text} % assay: {row['id']} = {row['verdict']}"
