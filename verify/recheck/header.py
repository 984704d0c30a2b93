"""Header of a record: the paper, the version, the profile and the missing needs.

assay, paper         must be this version and this paper
missing              known needs with their known reasons; the full profile is among them
                     exactly where the profile is another one and some fact is left to it
rechecker            cannot be derived from a record: the last line reports a difference
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from importlib.resources import files

from verify.recheck.data import Table
from verify.recheck.errors import (
    Refused,
    abbreviate,
    agree,
    integer_in,
    one_of,
    only,
    text,
)

FULL = "full profile"
MISSING = {
    "coq": "coqc is not installed (Debian package coq)",
    "paper": "the paper's source not given (--paper FILE, or ASSAY_PAPER)",
    FULL: "long computations are left to --profile full",
}
NEEDS = {"coq": "Coq", "paper": "the paper's source", "torch": "PyTorch", FULL: "the full profile"}
BASES = {"": "", "published": "the published record", "earlier": "an earlier record"}
CODE = re.compile(r"(?:[0-9a-f]{64})?")


def check_header(record: Table, about: Table, erratum: str, long: bool) -> None:
    """Refuse a header that is not that of a run of this version on this paper.

    `long` says that the paper has facts that are left to the full profile.
    """
    agree("assay", record["assay"], version())
    agree("paper", record["paper"], head(about))
    agree("erratum", record["erratum"], erratum)
    only(record["rechecker"], {"lines"})
    integer_in(record["rechecker"], "lines", 1, 10**6)
    one_of(record, "base", BASES)
    if not CODE.fullmatch(text(record, "code")):
        raise Refused(f"code = {abbreviate(record['code'])}, expected a SHA-256 or nothing")
    lacking, reasons = record["missing"], reasons_of(about)
    for name in lacking:
        if name not in reasons:
            raise Refused(f"missing: {abbreviate(name)} is no known need of a run")
    agree("missing", lacking, {name: reasons[name] for name in lacking})
    quick = one_of(record, "profile", ("quick", "full")) != "full"
    agree(f"missing: {FULL}", FULL in lacking, quick and long)


def head(about: Table) -> Table:
    """Head of a record on the paper, from the data."""
    source = {"name": "", "file": "", **about["source"]}
    check = {"name": "Assay", **about["check"]}
    return {
        **{name: about[name] for name in ("title", "venue", "year", "authors")},
        "url": about.get("url", ""),
        "tools": about.get("tools", {}),
        "first_figures": about.get("first_figures", []),
        "source": source,
        "paper": _versioned(about["paper"]),
        "check": _versioned(check),
    }


def _versioned(reference: Table) -> Table:
    return {name: text.strip().replace("{version}", version()) for name, text in reference.items()}


def reasons_of(about: Table) -> Table:
    """Reason for each need that a run may lack."""
    data = {
        name: f"data not given (--data {name}=DIR, or {each['variable']})"
        for name, each in about.get("data", {}).items()
    }
    address = _setting("url")
    what = f"'assay-wfa[torch] @ git+{address}'" if address else "'.[torch]' in the clone"
    return {**MISSING, "torch": f"torch is not installed; pip install {what}", **data}


def need_names(about: Table) -> Table:
    """Names of the needs in the words of a sentence."""
    return {**NEEDS, **{name: each["name"] for name, each in about.get("data", {}).items()}}


def version() -> str:
    """The version of the package."""
    return _setting("version")


def _setting(name: str) -> str:
    """A setting of the package, read from its source file."""
    source = (files("constructions") / "__init__.py").read_text("utf-8")
    found = re.search(rf'^__{name}__ = "([^"]*)"', source, re.MULTILINE)
    return found[1] if found else ""


def claims_on_trust(record: Table) -> Iterator[str]:
    """Claims of a record on its run that cannot be recomputed."""
    stated, here = record["rechecker"]["lines"], lines()
    if stated != here:
        yield f"the record counts {stated} lines of re-checker, this one has {here}"
    lacking = ", ".join(name for name in record["missing"] if name != FULL)
    if lacking:
        yield f"that the run did not have {lacking} is taken on trust"
    inherited = sum(row["inherited"] for row in record["statements"])
    if inherited:
        taken = f"which facts were taken over from {BASES[record['base']]} is taken on trust"
        yield f"{taken} ({inherited} statements were not run again)"


def lines() -> int:
    """Number of lines of the re-checker."""
    pending, count = [files("verify") / "recheck"], 0
    while pending:
        for path in pending.pop().iterdir():
            if path.is_dir():
                pending.append(path)
            elif path.name.endswith(".py"):
                count += path.read_text("utf-8").count("\n")
    return count
