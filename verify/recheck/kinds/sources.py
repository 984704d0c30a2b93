"""Facts read in a text or in code: taken on trust, and compared with the committed data.

code.line       the lines listed in `verify/experiments/authors_code.toml` have these values
cited.says      the entries on cited works, kept here a second time
table.printed   only the paper's source can tell; what differs is named
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

from verify.recheck.declarations import ByName, confirms
from verify.recheck.errors import Recomputed, Refused, abbreviate, boolean, comparison, list_in

Table = Mapping[str, Any]
LIU = "Liu et al. 2023, Transformers Learn Shortcuts to Automata"
CHONG = "Chong 2020, A closer look at the approximation capabilities of neural networks"
LI = "Li et al. 2022, Connecting Weighted Automata, Tensor Networks and RNNs"
CHUNG = (
    "Chung and Siegelmann 2021, Turing Completeness of Bounded-Precision Recurrent Neural Networks"
)
CHIANG = "Chiang and Cholak 2022, Overcoming a Theoretical Limitation of Self-Attention"
BLELLOCH = "Blelloch 1990, Prefix Sums and Their Applications"
WHERE = {
    LIU: "abstracts, ICLR 2023 and arXiv 2210.10749",
    CHONG: "abstract, ICLR 2020, arXiv 2002.06505",
    LI: "abstract, arXiv 2010.10029",
    CHUNG: "title and abstract, NeurIPS 2021",
    CHIANG: "abstract, ACL 2022, arXiv 2202.12172",
    BLELLOCH: "descriptions by others; the report CMU-CS-90-190 itself was not at hand",
}
SAID = {
    (LIU, "depth for all automata"): "log T",
    (LIU, "depth for solvable automata"): "1",
    (LIU, "size for all automata"): "polynomial",
    (CHONG, "hidden units for polynomials of degree d in n variables"): "C(n+d, d)",
    (CHONG, "domain"): "compact",
    (CHONG, "bias weights"): "yes",
    (CHONG, "activations"): "continuous, no polynomial",
    (LI, "second-order RNNs equivalent to WFAs"): "those with linear activation",
    (CHUNG, "precision of the neurons"): "bounded",
    (CHIANG, "number of ones in a word of PARITY"): "odd",
    (BLELLOCH, "sums for n inputs"): "n",
}


@cache
def authors_code() -> dict[str, Any]:
    """The listed lines of the authors' code, and their commit."""
    path = files("verify") / "experiments" / "authors_code.toml"
    return tomllib.loads(path.read_text("utf-8"))


@confirms("code.line", "source", "code", values=ByName(str, 1, 20))
def code_line(values: dict[str, str]) -> Recomputed:
    """Every listed line beside the value that is asked for."""
    listing = authors_code()
    lines = {name: listing["line"][name] for name in sorted(values)}
    places = [f"{line['file']}:{line['line']}: {line['value']}" for line in lines.values()]
    for name, line in lines.items():
        if line["value"] != values[name]:
            commit = line.get("commit", listing["commit"])[:7]
            shown = {"place": f"{line['file']}:{line['line']}", "commit": commit}
            shown |= {"does": line["does"], "value": line["value"]}
            return Recomputed(False, {"places": places}, shown)
    return Recomputed(True, {"places": places})


@confirms("cited.says", "source", "cited works", work=str, about=str, value=str)
def says(work: str, about: str, value: str) -> Recomputed:
    """The entry on a cited work beside the value that is asked for."""
    if (work, about) not in SAID:
        raise Refused(f"nothing is known of {abbreviate(about)} in {abbreviate(work)}")
    said = SAID[work, about]
    return comparison(said == value, work=work, where=WHERE[work], about=about, says=said)


@confirms("table.printed", "source", "paper", numbers=[(1, 4), 1, 4])
def printed(numbers: list[int], certificate: Table) -> Recomputed:
    """Nothing differs, or something does, which is named."""
    differing = [] if boolean(certificate, "holds") else list_in(certificate["values"], "differing")
    return comparison(not differing, differing=differing)
