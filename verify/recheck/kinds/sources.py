"""Facts read in a text or in code: taken on trust, and compared with the committed data.

code.line       the lines listed in `verify/experiments/authors_code.toml` have these values
cited.says      the entries listed in `verify/experiments/cited_works.toml`
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


@cache
def listed(name: str) -> dict[str, Any]:
    """Committed data on texts: `authors_code` has lines of code, `cited_works` what works say."""
    return tomllib.loads((files("verify") / "experiments" / f"{name}.toml").read_text("utf-8"))


@confirms("code.line", "source", "code", values=ByName(str, 1, 20))
def code_line(values: dict[str, str]) -> Recomputed:
    """Compare every listed line with the stated value."""
    listing = listed("authors_code")
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
    """Compare the entry on a cited work with the stated value."""
    entry = listed("cited_works").get(work, {})
    if about not in entry or about == "where":
        raise Refused(f"nothing is known of {abbreviate(about)} in {abbreviate(work)}")
    said = entry[about]
    return comparison(said == value, work=work, where=entry["where"], about=about, says=said)


@confirms("table.printed", "source", "paper", numbers=[(1, 4), 1, 4])
def printed(numbers: list[int], certificate: Table) -> Recomputed:
    """Check that a failure names what differs, and that nothing else does."""
    differing = [] if boolean(certificate, "holds") else list_in(certificate["values"], "differing")
    return comparison(not differing, differing=differing)
