"""The axioms that theorems may use: those of Coq's real numbers, by full path and by type.

`Print Assumptions` answers with the shortest names that fit. `About` gives the full path of such a name
in the same session, and Coq checks its type by a term; so an axiom of a file that is named like a file
of the library is not taken for the library's.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from verify.coq.session import answers
from verify.coq.sources import Refused

# The library is called Coq up to version 8 and Corelib or Stdlib in Rocq 9.
ROOT = re.compile(r"^(?:Stdlib|Corelib)\.")


@dataclass(frozen=True)
class Axiom:
    """An axiom of the library: its full path, and its type."""

    path: str
    type: str

    @property
    def name(self) -> str:
        """The name that `Print Assumptions` prints: with its file."""
        return ".".join(self.path.split(".")[-2:])


REALS = {
    axiom.path: axiom
    for axiom in (
        Axiom(
            "Coq.Logic.FunctionalExtensionality.functional_extensionality_dep",
            "forall (A : Type) (B : A -> Type) (f g : forall x : A, B x),"
            " (forall x : A, f x = g x) -> f = g",
        ),
        Axiom(
            "Coq.Reals.ClassicalDedekindReals.sig_forall_dec",
            "forall P : nat -> Prop, (forall n : nat, {P n} + {~ P n}) ->"
            " {n : nat | ~ P n} + {forall n : nat, P n}",
        ),
        Axiom(
            "Coq.Reals.ClassicalDedekindReals.sig_not_dec",
            "forall P : Prop, {~ ~ P} + {~ P}",
        ),
    )
}
BY_NAME = {axiom.name: axiom for axiom in REALS.values()}


def parse_assumptions(printed: str) -> tuple[str, ...]:
    """Return the names in the answer to `Print Assumptions`; refuse an answer of another form."""
    lines = printed.strip().splitlines()
    if lines == ["Closed under the global context"]:
        return ()
    if not lines or lines[0] != "Axioms:":
        raise Refused(f"Print Assumptions answered {printed[:200]!r}")
    matches = [
        re.match(r"([\w.']+)(?:\s*:.*)?$", line) for line in lines[1:] if not line[:1].isspace()
    ]
    names = [match.group(1) for match in matches if match]
    if not names or len(names) < len(matches):
        raise Refused(f"Print Assumptions answered {printed[:200]!r}")
    return tuple(sorted(names))


def assumptions(build: Path, session: str, terms: Mapping[str, str]) -> dict[str, tuple[str, ...]]:
    """Return the axioms that each term uses, by full path if they are those of the real numbers."""
    before = [
        f"Definition assumption{k} : {axiom.type} := @{axiom.name}."
        for k, axiom in enumerate(REALS.values())
    ]
    before += [f"Definition term{k} := {term}." for k, term in enumerate(terms.values())]
    questions = {f"about {axiom.name}": f"About {axiom.name}." for axiom in REALS.values()}
    questions |= {key: f"Print Assumptions term{k}." for k, key in enumerate(terms)}
    printed = answers(build, session, questions, before)
    for axiom in REALS.values():
        _check_path(axiom, printed.pop(f"about {axiom.name}"))
    return {key: _paths(parse_assumptions(text)) for key, text in printed.items()}


def _check_path(axiom: Axiom, printed: str) -> None:
    """Refuse a session in which an axiom's name has a different meaning."""
    place = re.search(r"Expands to: Constant (\S+)", printed)
    path = ROOT.sub("Coq.", place[1]) if place else printed[:200]
    if path != axiom.path:
        raise Refused(f"{axiom.name} is {path}, not {axiom.path}")


def _paths(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted(BY_NAME[name].path if name in BY_NAME else name for name in names))
