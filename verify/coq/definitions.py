"""Read from Coq what the statements of the development mean, when theorems are pinned.

Coq prints the kind of a name (`About`), its type (`Check`) and, unless it is opaque, its body (`Print`);
for an inductive type its induction principle. The names in these texts come next, until nothing new
appears. All is printed by `Set Printing All`, in which every constant is visible.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from verify.coq.pins import (
    CONSTRUCTOR,
    DEFINITION,
    INDUCTIVE,
    OPAQUE,
    THEOREM,
    Meaning,
    scheme,
)
from verify.coq.session import UNFOLDED, answers, printed_type
from verify.coq.sources import Refused

EXPANDS = re.compile(r"Expands to: (Constant|Inductive|Constructor) (\S+)")
BODY = re.compile(r"\S+ =\s(.*?)\n     : ", re.DOTALL)


def theorem_types(build: Path, names: Sequence[str]) -> dict[str, Meaning]:
    """Return the types of theorems, without notations."""
    questions = {name: f"Check @{name}." for name in names}
    printed = answers(build, "Types", questions, [UNFOLDED])
    return {name: Meaning(THEOREM, printed_type(text)) for name, text in printed.items()}


def meanings_behind(
    build: Path, theorems: Sequence[str], modules: Iterable[str]
) -> dict[str, Meaning]:
    """Return the types of theorems and all that they unfold to within the development."""
    own = set(modules)
    new = result = theorem_types(build, theorems)
    while pending := {name for entry in new.values() for name in entry.names(own)} - result.keys():
        new = _ask(build, sorted(pending))
        result = result | new
    return result


def _ask(build: Path, names: Sequence[str]) -> dict[str, Meaning]:
    """Return what some names mean."""
    kinds = _kinds(build, names)
    questions = {f"type {name}": f"Check @{name}." for name in names}
    before = [UNFOLDED]
    for place, name in enumerate(names):
        if kinds[name] == DEFINITION:
            questions[f"content {name}"] = f"Print {name}."
        elif kinds[name] == INDUCTIVE:
            before.append(scheme(name, f"principle{place}"))
            questions[f"content {name}"] = f"Check @principle{place}."
    printed = answers(build, "Meanings", questions, before)
    return {name: _meaning(kinds[name], name, printed) for name in names}


def _kinds(build: Path, names: Sequence[str]) -> dict[str, str]:
    """Return the kind of each name: definition, inductive type, constructor, or opaque."""
    printed = answers(build, "Kinds", {name: f"About {name}." for name in names})
    return {name: _kind(name, text) for name, text in printed.items()}


def _kind(name: str, printed: str) -> str:
    expansion = EXPANDS.search(printed)
    if expansion is None:
        raise Refused(f"{name}: About answered {printed[:200]!r}")
    if expansion[1] != "Constant":
        return INDUCTIVE if expansion[1] == "Inductive" else CONSTRUCTOR
    return OPAQUE if f"{name.partition('.')[2]} is opaque" in printed else DEFINITION


def _meaning(kind: str, name: str, printed: dict[str, str]) -> Meaning:
    type_text = printed_type(printed[f"type {name}"])
    answer = printed.get(f"content {name}", "")
    if kind == DEFINITION:
        body = BODY.match(answer)
        if body is None:
            raise Refused(f"{name}: Print answered {answer[:200]!r}")
        return Meaning(kind, type_text, " ".join(body[1].split()))
    return Meaning(kind, type_text, printed_type(answer) if kind == INDUCTIVE else "")
