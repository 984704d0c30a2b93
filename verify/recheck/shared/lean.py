"""Theorems of Lean, as a build log says: the log is read again where the report carries it along.

That Lean wrote the log is taken on trust, also where the run had `lake` to compare it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from verify.recheck.data import Data
from verify.recheck.declarations import confirms
from verify.recheck.errors import Recomputed, Refused, abbreviate, list_in, text

STANDARD = ("Classical.choice", "Quot.sound", "propext")


def statement_of(log: str, name: str) -> str:
    """Text of a log after `@name :`, with the indented lines below it."""
    lines = log.splitlines()
    for number, line in enumerate(lines):
        _, mark, rest = line.partition(f"@{name} :")
        if mark:
            below = []
            for more in lines[number + 1 :]:
                if not more[:1].isspace() or not more.strip():
                    break
                below.append(more)
            return " ".join(" ".join([rest, *below]).split())
    return ""


def axioms_of(log: str, name: str) -> list[str]:
    """The axioms that the log names for a theorem; refuses a log that names none."""
    _, mark, rest = log.partition(f"'{name}' ")
    rest = rest.lstrip()
    if mark and rest.startswith("does not depend on any axioms"):
        return []
    if not mark or not rest.startswith("depends on axioms:"):
        raise Refused(f"the log does not print the axioms of {abbreviate(name)}")
    inside = rest.partition("[")[2].partition("]")[0]
    return sorted(inside.replace(",", " ").split())


@confirms(
    "lean.theorem", "machine-checked-lean", "Lean, taken from a build log",
    log=str, theorem=str, says=str, file=str,
)  # fmt: skip
def theorem(
    log: str,
    theorem: str,
    says: str,
    certificate: Mapping[str, Any],
    data: Data,
    file: str = "",
) -> Recomputed:
    """The theorem with this statement and no axiom but Lean's three."""
    if log in data.texts:
        printed = data.texts[log]
        statement, axioms = statement_of(printed, theorem), axioms_of(printed, theorem)
    else:
        values = certificate["values"]
        statement, axioms = text(values, "statement"), list_in(values, "axioms", 0, 3)
    holds = statement == " ".join(says.split()) and all(each in STANDARD for each in axioms)
    values = {"statement": statement, "axioms": axioms}
    return Recomputed(holds, values, None if holds else values)
