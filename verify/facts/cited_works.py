"""Statements of cited works, read off their abstracts: quantities with their orders, and conditions.

Only facts are kept here, none of the sentences. A work that was not at hand has no entry.
"""

from __future__ import annotations

from verify.facts.registry import fact
from verify.judge.outcome import Outcome, comparison

# For each work: where it was read, and which quantity it bounds for which models.
READ: dict[str, dict[str, str]] = {
    "Liu et al. 2023, Transformers Learn Shortcuts to Automata": {
        "where": "abstracts, ICLR 2023 and arXiv 2210.10749",
        "depth for all automata": "log T",
        "depth for solvable automata": "1",
        "size for all automata": "polynomial",
    },
    "Chong 2020, A closer look at the approximation capabilities of neural networks": {
        "where": "abstract, ICLR 2020, arXiv 2002.06505",
        "hidden units for polynomials of degree d in n variables": "C(n+d, d)",
        "domain": "compact",
        "bias weights": "yes",
        "activations": "continuous, no polynomial",
    },
    "Li et al. 2022, Connecting Weighted Automata, Tensor Networks and RNNs": {
        "where": "abstract, arXiv 2010.10029",
        "second-order RNNs equivalent to WFAs": "those with linear activation",
    },
    "Chung and Siegelmann 2021, Turing Completeness of Bounded-Precision Recurrent Neural Networks": {
        "where": "title and abstract, NeurIPS 2021",
        "precision of the neurons": "bounded",
    },
    "Chiang and Cholak 2022, Overcoming a Theoretical Limitation of Self-Attention": {
        "where": "abstract, ACL 2022, arXiv 2202.12172",
        "number of ones in a word of PARITY": "odd",
    },
    "Blelloch 1990, Prefix Sums and Their Applications": {
        "where": "descriptions by others; the report CMU-CS-90-190 itself was not at hand",
        "sums for n inputs": "n",
    },
}


@fact("cited.says", "source")
def work_says(work: str, about: str, value: str) -> Outcome:
    """A cited work says of a quantity what is printed of it."""
    entry = READ[work]
    return comparison(
        entry[about] == value, work=work, where=entry["where"], about=about, says=entry[about]
    )
