"""Statements of cited works, as listed in `verify/experiments/cited_works.toml`.

cited.says   a cited work says of a quantity what is printed of it
"""

from __future__ import annotations

import tomllib
from importlib.resources import files

from verify.facts.registry import fact
from verify.judge.outcome import Outcome, comparison


@fact("cited.says", "source")
def work_says(work: str, about: str, value: str) -> Outcome:
    """A cited work says of a quantity what is printed of it."""
    text = (files("verify.experiments") / "cited_works.toml").read_text("utf-8")
    entry = tomllib.loads(text)[work]
    return comparison(
        entry[about] == value, work=work, where=entry["where"], about=about, says=entry[about]
    )
