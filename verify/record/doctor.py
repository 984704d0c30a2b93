"""Installed parts with their versions, and the cost of each missing part.

Parts      required packages; what some facts need (Coq, torch, the paper's source, data); libraries
           that load exported models; programs that only a test or a document needs
Cost       of what facts need: how many verdicts would be others without it, computed by the judge
           from the expected outcomes, in the full profile, all other parts being there
"""

from __future__ import annotations

import platform
import re
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, requires, version

from constructions import __version__
from constructions.core.atomic_files import cache_folder
from constructions.core.installing import how_to_install
from verify.coq import build
from verify.facts.registry import Inputs, registered
from verify.judge.verdict import changes, expected_judgements
from verify.record.chosen_paper import ChosenPaper
from verify.record.plan import make
from verify.record.prerequisites import need_reasons

DISTRIBUTION = "assay-wfa"
LIBRARIES = {
    "transformers": ("loads exports for gpt2 and llama", "pip install transformers"),
    "transformer-lens": ("loads exports for transformerlens", "pip install transformer-lens"),
    "hypothesis": ("assay.strategies", how_to_install("testing")),
    "automata-lib": ("regular expressions as automata", how_to_install("regex")),
}
ALSO = {"torch": ", and no model can be exported or loaded"}
PROGRAMS = {
    "lake": ("runs Lean proofs of a paper's folder, else their logs are trusted", "lean-lang.org"),
    "pdflatex": ("the erratum as a PDF", "Debian package texlive-latex-base"),
    "chromium": ("tests that look at pages", "Debian package chromium"),
}


@dataclass(frozen=True)
class Part:
    """A part that may be installed: its version or place, its purpose, and how to get it."""

    name: str
    found: str
    purpose: str
    remedy: str = ""

    @property
    def line(self) -> str:
        """One line for a screen."""
        get = f": {self.remedy}" if self.remedy and not self.found else ""
        return f"{self.found or 'not here'}; {self.purpose}{get}"


def parts(about: ChosenPaper, given: Inputs) -> Iterator[Part]:
    """Everything that this program can use, requirements first."""
    yield Part("python", platform.python_version(), "3.11 or later is needed")
    yield Part("assay", __version__, "this program")
    for name in sorted(required_packages()):
        yield Part(name, installed(name), "needed", "pip install assay-wfa")
    yield Part("results", str(cache_folder()), "results of earlier runs (ASSAY_CACHE)")
    yield from needed_parts(about, given)
    for name, (purpose, remedy) in LIBRARIES.items():
        yield Part(name, installed(name), purpose, remedy)
    for name, (purpose, remedy) in PROGRAMS.items():
        yield Part(name, shutil.which(name) or "", purpose, remedy)


def required_packages() -> set[str]:
    """The packages that this one requires; those of extras are not."""
    try:
        lines = requires(DISTRIBUTION) or []
    except PackageNotFoundError:  # run from its sources
        lines = ["numpy", "sympy", "mpmath", "python-flint"]
    return {re.split(r"[^\w.-]", line)[0] for line in lines if "extra ==" not in line}


def installed(name: str) -> str:
    """The version of a package, or "" if it is not installed."""
    try:
        return version(name)
    except PackageNotFoundError:
        return ""


def needed_parts(about: ChosenPaper, given: Inputs) -> Iterator[Part]:
    """Needs of the paper's facts, with the number of verdicts that rest on each."""
    there = {
        "coq": coq_version(),
        "torch": installed("torch"),
        "paper": str(given.paper or ""),
        **{name: str(given.data.get(name, "")) for name in about.paper.about.data},
    }
    for name, reason in need_reasons(about.paper.about).items():
        if name in there and name in about.paper.about.needs:
            purpose = f"without it {verdicts(cost(about, {name: reason}))}{ALSO.get(name, '')}"
            yield Part(name, there[name], purpose, reason)


def coq_version() -> str:
    """The version of Coq, or "" if it is not installed."""
    number = re.search(r"version (\S+)", build.version()) if build.available() else None
    return number[1] if number else ""


def cost(about: ChosenPaper, absent: Mapping[str, str]) -> int:
    """Number of verdicts or citation statuses that change without the absent facts."""
    facts = registered(about.facts)
    whole, less = (
        expected_judgements(about.paper, make(about.paper, facts, lacking, None, {}).lack)
        for lacking in ({}, absent)
    )
    return len(changes(whole, less))


def verdicts(count: int) -> str:
    """A number of verdicts, in words."""
    return {0: "no verdict changes", 1: "1 verdict changes"}.get(count, f"{count} verdicts change")
