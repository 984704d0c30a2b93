"""Needs of facts that a machine may lack; missing ones are reported, never ignored."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

from constructions.core.bounded_files import check_file
from constructions.core.errors import InputError
from constructions.core.installing import how_to_install
from verify.facts.registry import Inputs
from verify.judge.about import FULL, About
from verify.judge.data import Paper
from verify.record.chosen_paper import ChosenPaper
from verify.record.plan import entries_asking
from verify.record.runner import fingerprint

PAPER = "ASSAY_PAPER"
SEED = "ASSAY_SEED"
MOST_SEED = 10**9


def inputs(
    about: ChosenPaper, paper: Path | None, data: Sequence[str], seed: int | None = None
) -> Inputs:
    """The material a user gave by options or by environment variables; a seed follows from the sources.

    `ASSAY_PAPER` names the source of this package's paper, not that of another one.
    """
    paper = paper or (_from_environment(PAPER) if about.folder is None else None)
    if paper and not paper.is_file():
        raise InputError("--paper", str(paper), "the paper's LaTeX source")
    if paper:
        check_file(paper)
    seed = default_seed() if seed is None else seed
    return replace(about.inputs(paper, _data(about.paper.about, data)), seed=seed)


def default_seed() -> int:
    """Return the seed that the program's sources decide: another version draws other examples."""
    given = os.environ.get(SEED, "")
    return int(given) if given.isdecimal() else int(fingerprint()[:16], 16) % MOST_SEED


def _data(about: About, given: Sequence[str]) -> dict[str, Path]:
    """Path of each of the paper's data sets."""
    named = dict(_name_and_folder(text, about) for text in given)
    found = {}
    for name, material in about.data.items():
        path = named.get(name) or _from_environment(material.variable)
        if path and not path.is_dir():
            raise InputError("--data", f"{name}={path}", f"a folder with {material.name}")
        if path:
            found[name] = path
    return found


def _name_and_folder(text: str, about: About) -> tuple[str, Path]:
    name, sign, path = text.partition("=")
    if not sign or name not in about.data:
        known = ", ".join(f"{each}=DIR" for each in about.data) or "nothing: this paper has no data"
        raise InputError("--data", text, known)
    return name, Path(path)


def missing_needs(paper: Paper, given: Inputs, profile: str) -> dict[str, str]:
    """The missing prerequisites of the paper's facts, each with a remedy."""
    about = paper.about
    wanted = {*about.needs, *(FULL for _, each in entries_asking(paper) if each.profile == "full")}
    there: Mapping[str, object] = {
        "coq": shutil.which("coqc"),
        "paper": given.paper,
        "torch": find_spec("torch"),
        FULL: profile == "full",
        **{name: name in given.data for name in about.data},
    }
    lacking = {name: reason for name, reason in need_reasons(about).items() if name in wanted}
    return {name: reason for name, reason in lacking.items() if not there[name]}


def need_reasons(about: About) -> dict[str, str]:
    """Reason for each need that is not met."""
    return {
        "coq": "coqc is not installed (Debian package coq)",
        "paper": f"the paper's source not given (--paper FILE, or {PAPER})",
        "torch": f"torch is not installed; {how_to_install('torch')}",
        FULL: "long computations are left to --profile full",
        **{
            name: f"data not given (--data {name}=DIR, or {material.variable})"
            for name, material in about.data.items()
        },
    }


def _from_environment(variable: str) -> Path | None:
    value = os.environ.get(variable)
    return Path(value) if value else None
