"""How the paper and Assay are cited, in text, LaTeX and BibTeX."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from constructions import __version__

PAPER = (
    "M. Rizvi, M. Lizaire, C. Lacroce, G. Rabusseau: Simulating Weighted Automata over Sequences "
    "and Trees with Transformers. AISTATS 2024."
)
ASSAY = f"Assay {__version__}: a formal and numerical check of [1] (Apache-2.0)."
PAPER_KEY = "rizvi2024simulating"
ASSAY_KEY = "assay"
ENTRIES = (
    "@inproceedings{rizvi2024simulating,\n"
    "  author = {Rizvi, Michael and Lizaire, Maude and Lacroce, Clara and Rabusseau, "
    "Guillaume},\n"
    "  title = {Simulating Weighted Automata over Sequences and Trees with Transformers},\n"
    "  booktitle = {International Conference on Artificial Intelligence and Statistics},\n"
    "  year = {2024},\n"
    "}\n\n"
    "@misc{assay,\n"
    "  author = {{The Assay developers}},\n"
    "  title = {Assay: a formal and numerical check of ``{S}imulating {W}eighted {A}utomata over "
    "{S}equences and {T}rees with {T}ransformers''},\n"
    "  year = {2026},\n"
    "  note = {Version %s},\n"
    "}"
)


def bibtex() -> str:
    """One entry for the paper and one for Assay."""
    return ENTRIES % __version__


def latex_sentence(row: Mapping[str, Any]) -> str:
    """The sentence for a LaTeX source, with citations and the mark that `assay tex` checks."""
    from reports.escape import latex

    text = latex(row["sentence"])
    for label, key in (("[1]", PAPER_KEY), ("[2]", ASSAY_KEY)):
        text = text.replace(f" {latex(label)}", f"~\\cite{{{key}}}")
        text = text.replace(latex(label), f"\\cite{{{key}}}")
    return f"{text} % assay: {row['id']} = {row['verdict']}"
