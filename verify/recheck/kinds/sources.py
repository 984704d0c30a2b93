"""What is read in somebody's text or code: taken on trust, but not against what is committed here.

code.line       the lines listed in `verify/experiments/authors_code.toml` have these values
cited.says      the entries on cited works, kept here a second time
text.nowhere    only the paper's source can tell; what the certificate repeats of the question
                must be the question
table.printed   the same
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

from verify.recheck.errors import (
    Answer,
    Refused,
    agree,
    boolean,
    brief,
    compared,
    listed,
    only,
    text,
    whole,
)
from verify.recheck.header import PAPER

Table = Mapping[str, Any]
LIU = "Liu et al. 2023, Transformers Learn Shortcuts to Automata"
CHONG = "Chong 2020, A closer look at the approximation capabilities of neural networks"
LI = "Li et al. 2022, Connecting Weighted Automata, Tensor Networks and RNNs"
WHERE = {
    LIU: "abstract, arXiv 2210.10749",
    CHONG: "abstract, ICLR 2020, arXiv 2002.06505",
    LI: "abstract, arXiv 2010.10029",
}
SAID = {
    (LIU, "depth for all automata"): "log T",
    (LIU, "depth for solvable automata"): "1",
    (LIU, "size for all automata"): "polynomial in T",
    (CHONG, "hidden units for polynomials of degree d in n variables"): "C(n+d, d)",
    (CHONG, "domain"): "compact",
    (CHONG, "bias weights"): "yes",
    (CHONG, "activations"): "continuous, no polynomial",
    (LI, "second-order RNNs equivalent to WFAs"): "those with linear activation",
}


@cache
def authors_code() -> dict[str, Any]:
    """The listed lines of the authors' code, and their commit."""
    path = files("verify") / "experiments" / "authors_code.toml"
    return tomllib.loads(path.read_text("utf-8"))


def code_line(parameters: Table, certificate: Table) -> Answer:
    """Every listed line beside the value that is asked for."""
    only(parameters, {"values"})
    asked = parameters["values"]
    if not isinstance(asked, dict) or not asked:
        raise Refused(f"values = {brief(asked)}, expected values by line")
    listing = authors_code()
    lines = {name: listing["line"][name] for name in sorted(asked)}
    places = [f"{line['file']}:{line['line']}: {line['value']}" for line in lines.values()]
    for name, line in lines.items():
        if line["value"] != asked[name]:
            commit = line.get("commit", listing["commit"])[:7]
            shown = {"place": f"{line['file']}:{line['line']}", "commit": commit}
            shown |= {"does": line["does"], "value": line["value"]}
            return Answer(False, {"places": places}, shown)
    return Answer(True, {"places": places})


def says(parameters: Table, certificate: Table) -> Answer:
    """The entry on a cited work beside the value that is asked for."""
    only(parameters, {"work", "about", "value"})
    work, about = text(parameters, "work"), text(parameters, "about")
    if (work, about) not in SAID:
        raise Refused(f"nothing is known of {brief(about)} in {brief(work)}")
    said = SAID[work, about]
    right = said == text(parameters, "value")
    return compared(right, work=work, where=WHERE[work], about=about, says=said)


def nowhere(parameters: Table, certificate: Table) -> Answer:
    """The question repeated; where it fails, lines of the range that was asked for."""
    only(parameters, {"words", "lines", "sha256"})
    agree("sha256 of the paper", parameters["sha256"], PAPER["sha256"])
    first, last = listed(parameters, "lines", 2, 2)
    shown = {"first": first, "last": last, "words": listed(parameters, "words")}
    if boolean(certificate, "holds"):
        return Answer(True, shown)
    hits = [whole({"line": hit}, "line", first, last)
            for hit in listed(certificate["witness"], "lines")]  # fmt: skip
    agree("order of the lines", hits, sorted(set(hits)))
    return Answer(False, shown, {"lines": hits})


def printed(parameters: Table, certificate: Table) -> Answer:
    """Nothing differs, or something does, which is named."""
    only(parameters, {"numbers"})
    for number in listed(parameters, "numbers", 1, 4):
        whole({"number": number}, "number", 1, 4)
    differing = [] if boolean(certificate, "holds") else listed(certificate["values"], "differing")
    return compared(not differing, differing=differing)


TRUST = {
    "code.line": "code",
    "cited.says": "cited works",
    "text.nowhere": "paper",
    "table.printed": "paper",
}
CONFIRM = {
    "code.line": ("source", code_line),
    "cited.says": ("source", says),
    "text.nowhere": ("exhaustive", nowhere),
    "table.printed": ("source", printed),
}
