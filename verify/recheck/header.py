"""What a record says of itself: the paper it is about, the version, the profile, what was lacking.

assay, paper         must be this version and this paper
missing              known needs with their known reasons; the full profile is among them
                     exactly where the profile is another one
rechecker, cluster   cannot be known from a record: a difference is said in the last line
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from importlib.resources import files

from verify.recheck.data import Table
from verify.recheck.errors import Refused, agree, boolean, brief, one_of, only, whole

PAPER = {
    "title": "Simulating Weighted Automata over Sequences and Trees with Transformers",
    "authors": ["Michael Rizvi", "Maude Lizaire", "Clara Lacroce", "Guillaume Rabusseau"],
    "venue": "AISTATS 2024",
    "sha256": "f4c4ba0a91ffd817f0bf49d3fdfac62ed34e8a6d00420ebf296bae88e325f889",
}
FULL = "full profile"
MISSING = {
    "coq": "coqc is not installed (Debian package coq)",
    "pautomac": "data not given (--pautomac DIR, or ASSAY_PAUTOMAC)",
    "paper": "the paper's source not given (--paper FILE, or ASSAY_PAPER)",
    "torch": "torch is not installed (the extra assay-wfa[torch])",
    FULL: "long computations are left to --profile full",
}
VERSION = re.compile(r'^__version__ = "([^"]+)"$', re.MULTILINE)


def check_header(record: Table) -> None:
    """Refuse a header that is not that of a run of this version on this paper."""
    agree("assay", record["assay"], version())
    agree("paper", record["paper"], PAPER)
    only(record["rechecker"], {"lines"})
    whole(record["rechecker"], "lines", 1, 10**6)
    boolean(record, "cluster")
    lacking = record["missing"]
    for name in lacking:
        if name not in MISSING:
            raise Refused(f"missing: {brief(name)} is nothing that a run can lack")
    agree("missing", lacking, {name: MISSING[name] for name in lacking})
    quick = one_of(record, "profile", ("quick", "full")) != "full"
    agree(f"missing: {FULL}", FULL in lacking, quick)


def version() -> str:
    """The version of the package, read off its source."""
    found = VERSION.search((files("constructions") / "__init__.py").read_text("utf-8"))
    return found[1] if found else ""


def said_of_itself(record: Table) -> Iterator[str]:
    """What the record says of its run and nobody can compute again."""
    stated, here = record["rechecker"]["lines"], lines()
    if stated != here:
        yield f"the record counts {stated} lines of re-checker, this one has {here}"
    used = "a cluster was used" if record["cluster"] else "no cluster was used"
    yield f"that {used} is taken on trust"
    lacking = ", ".join(name for name in record["missing"] if name != FULL)
    if lacking:
        yield f"that the run did not have {lacking} is taken on trust"
    if any(row["inherited"] for row in record["statements"]):
        yield "which facts were taken over from the published record is taken on trust"


def lines() -> int:
    """How many lines the re-checker has."""
    pending, count = [files("verify") / "recheck"], 0
    while pending:
        for path in pending.pop().iterdir():
            if path.is_dir():
                pending.append(path)
            elif path.name.endswith(".py"):
                count += path.read_text("utf-8").count("\n")
    return count
