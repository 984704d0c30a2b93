"""The sentence a careful author may write, never stronger than the evidence.

A sentence has three parts: where the paper says it, what was shown and how, and for which
sizes. It is composed from the verdict; nothing is written by hand for a single claim.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from verify.claims.model import Name
from verify.verdict import Judgement, Verdict

REFERENCE = (
    "M. Rizvi, M. Lizaire, C. Lacroce, G. Rabusseau: Simulating Weighted Automata over Sequences "
    "and Trees with Transformers, AISTATS 2024"
)
SHOWN = {
    Verdict.PROVED: "has been proved",
    Verdict.CERTIFIED: "has been certified",
    Verdict.SUPPORTED: "is supported by measurement only",
}
HOW = {
    "symbolic": "by a symbolic proof",
    "exact": "by exact computation",
    "enclosure": "by rigorous enclosures",
    "exhaustive": "by exhausting all cases",
    "sampled": "on samples",
    "observed": "on observed runs",
}


def sentence(judgement: Judgement) -> str:
    """What may be written of a claim."""
    claim, decisive = judgement.claim, judgement.decisive
    opening = f"The claim “{claim.title}” ({_place(judgement)})"
    match judgement.verdict:
        case Verdict.PROVED | Verdict.CERTIFIED | Verdict.SUPPORTED:
            return f"{opening} {_shown(judgement)}."
        case Verdict.REPAIRED:
            text = claim.reading(decisive.reading).text.rstrip(".")
            kind = "read in good will" if decisive.reading is Name.CHARITABLE else "repaired"
            return f"{opening} does not hold as printed; {kind}, it {_shown(judgement)}: {text}."
        case Verdict.REFUTED:
            return f"{opening} does not hold as printed{_why(judgement)}"
        case Verdict.UNDECIDED:
            return f"{opening} could not be decided: {_end(decisive.reason)}"
        case Verdict.NOT_CHECKED:
            return f"{opening} has not been checked: {_end(decisive.reason)}"
        case _:
            return f"{opening}: the check itself is broken and says nothing on the claim."


def _place(judgement: Judgement) -> str:
    where = judgement.claim.where
    section = f"Section {where.section}" if where.section[:1].isdigit() else where.section
    if where.section[:1] in "ABCD" and len(where.section) <= 5:
        section = f"Appendix {where.section}"
    return section


def _shown(judgement: Judgement) -> str:
    decisive = judgement.decisive
    evidence = decisive.decisive
    verdict = decisive.verdict
    how = f" {HOW[evidence.strength.value]}" if evidence else ""
    scope = f", {decisive.scope}" if decisive.scope else ""
    return f"{SHOWN[verdict]}{how}{scope}"


def _why(judgement: Judgement) -> str:
    evidence = judgement.decisive.decisive
    return f": {_end(evidence.counterexample or evidence.summary)}" if evidence else "."


def _end(text: str) -> str:
    return text if text.endswith(".") else f"{text}."


def as_text(claim: Mapping[str, Any]) -> str:
    """The sentence with its reference."""
    return f"{claim['cite']} [{REFERENCE}; checked with Assay, claim {claim['id']}]"


def as_latex(claim: Mapping[str, Any], escape: Callable[[str], str]) -> str:
    """The sentence for a LaTeX source, with the claim's macro."""
    return f"{escape(claim['cite'])} \\cite{{rizvi2024simulating}} % assay: {claim['id']}"


def as_bibtex(claim: Mapping[str, Any], escape: Callable[[str], str]) -> str:
    """A BibTeX entry whose note carries the sentence."""
    return (
        "@inproceedings{rizvi2024simulating,\n"
        "  author = {Rizvi, Michael and Lizaire, Maude and Lacroce, Clara and "
        "Rabusseau, Guillaume},\n"
        "  title = {Simulating Weighted Automata over Sequences and Trees with Transformers},\n"
        "  booktitle = {AISTATS},\n  year = {2024},\n"
        f"  note = {{{escape(claim['cite'])}}},\n}}"
    )


def as_data(claim: Mapping[str, Any]) -> dict[str, Any]:
    """The sentence with what it rests on, as data."""
    keys = ("id", "verdict", "grade", "scope", "standing", "standing_because", "cite")
    return {key: claim[key] for key in keys}
