"""Theorems of Lean, as a build log says: the log is read again where the report carries it along.

That Lean wrote the log is taken on trust, also where the run had `lake` to compare it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from verify.recheck.data import Data
from verify.recheck.declarations import confirms
from verify.recheck.errors import Recomputed, Refused, abbreviate, list_in, text

STANDARD = ("Classical.choice", "Quot.sound", "propext")


def messages(log: str) -> Iterator[str]:
    """Messages of a log, each on one line, without the places that Lake writes before them."""
    message: list[str] = []
    for line in log.splitlines():
        if line[:1].isspace():
            message.append(line)
            continue
        yield " ".join(" ".join(message).split())
        _, placed, rest = line.partition("info: ")
        message = [rest.split(": ", 1)[-1] if placed and line.startswith("info: ") else line]
    yield " ".join(" ".join(message).split())


def only(found: Iterable[str], name: str) -> str:
    """The common value of some texts; refuse an empty list and different texts."""
    texts = set(found)
    if len(texts) != 1:
        raise Refused(f"the log says {len(texts)} things of {abbreviate(name)}, expected one")
    return texts.pop()


def statement_of(log: str, name: str) -> str:
    """The statement that `#check @name` printed; Lean writes `@` before implicit arguments only."""
    starts = (f"{name} : ", f"@{name} : ")
    return only(
        (line.partition(" : ")[2] for line in messages(log) if line.startswith(starts)), name
    )


def axioms_of(log: str, name: str) -> list[str]:
    """The axioms that the log names for a theorem; refuses a log that names none."""
    none, some = f"'{name}' does not depend on any axioms", f"'{name}' depends on axioms: ["
    lines = (line for line in messages(log) if line.startswith((none, some)))
    said = only(lines, name)
    if said.startswith(none):
        return []
    inside = said.removeprefix(some).partition("]")[0]
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
