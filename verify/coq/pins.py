"""Pins: the statements of theorems, the definitions behind them, the axioms that they may use.

`statements.json`   each theorem that something rests on: its closed statement as Coq prints it after
                    all sections are closed, the axioms that it may use, and a digest of what it means
`definitions.json`  what the statements mean: each theorem's type and, for all constants of the
                    development that occur in it or in what these unfold to, type and body, all
                    printed without notations and implicit arguments (`Set Printing All`)
`examples.json`     the statement of each `Example` in the files of the group `Instances`, which apply
                    the theorems to automata that are written out

Nothing is compared as printed text. Coq checks a term for each entry, so that another version that
prints otherwise agrees. A digest of what is printed would not do: Rocq 9.2 prints 120 of 1,340 entries in
another way than Coq 8.16 does (arguments of constructors in patterns, names of bound variables). Nor would
the statement do in place of a theorem's type without notations: implicit arguments hide constants.

    a theorem            `Definition _ : <statement> := @name.`
    a definition         `Definition _ : @name = <body> := eq_refl.`
    an inductive type    `Scheme s := Induction for name Sort Prop. Definition _ : <principle> := @s.`
    a constructor        `Definition _ : <type> := @name.`, and that it is a constructor
    an opaque constant   `Definition _ : <type> := @name.`, and that its type is a proposition

By induction on what unfolds to what, a statement that passes means what the pinned one means, up to
Coq's conversion: a definition that became `True`, or lost a conjunct, does not pass. A definition cannot
be pinned as opaque, which would leave its body open, because only proofs may be. Every pinned text must
be one term (`parsing.check_term`), so that none can smuggle a command into a session.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import asdict, astuple, dataclass
from pathlib import Path
from typing import Any

from verify.coq.parsing import Unreadable, check_term
from verify.coq.sources import COQ, Refused, digest

STATEMENTS = "statements.json"
DEFINITIONS = "definitions.json"
EXAMPLES = "examples.json"
NAME = re.compile(r"(?<![\w.'])(\w+)\.([^\W\d][\w']*)")
DEFINITION, INDUCTIVE = "definition", "inductive"
THEOREM, CONSTRUCTOR, OPAQUE = "theorem", "constructor", "opaque"


@dataclass(frozen=True)
class Pin:
    """A theorem's statement, the axioms that it may use, and a digest of its meaning."""

    statement: str
    assumptions: tuple[str, ...]
    definitions: str


@dataclass(frozen=True)
class Meaning:
    """The meaning of a name of the development: its kind, type and content.

    `content` is the body of a definition and the induction principle of an inductive type.
    """

    kind: str
    type: str
    content: str = ""

    def names(self, modules: Iterable[str]) -> set[str]:
        """Return the names of the development in its text."""
        return names_in(f"{self.type} {self.content}", modules)

    def sentences(self, name: str, label: str) -> list[str]:
        """Return sentences that Coq accepts exactly if the name means this."""
        typed = f"Definition {label} : ({self.type}) := @{name}."
        match self.kind:
            case "definition":
                return [
                    f"Definition {label} : @eq ({self.type}) (@{name}) ({self.content}) :="
                    f" @eq_refl ({self.type}) ({self.content})."
                ]
            case "inductive":
                return [
                    typed,
                    f"{scheme(name, f'{label}_scheme')}"
                    f" Definition {label}_principle : ({self.content}) := @{label}_scheme.",
                ]
            case "constructor":
                proof = f"Proof. is_constructor (@{name}). exact I. Qed."
                return [typed, f"Lemma {label}_kind : True. {proof}"]
        return [typed, f"Definition {label}_kind : Prop := ({self.type})."]


def scheme(name: str, label: str) -> str:
    """Return the sentence that makes the induction principle of an inductive type."""
    return f"Scheme {label} := Induction for {name} Sort Prop."


def names_in(printed: str, modules: Iterable[str]) -> set[str]:
    """Return the names in what Coq printed that begin with a file of the development."""
    own = set(modules)
    return {f"{module}.{name}" for module, name in NAME.findall(printed) if module in own}


def file_of(name: str) -> str:
    """Return the file of a theorem that is named `File.name`."""
    module, dot, theorem = name.partition(".")
    if not (
        dot and re.fullmatch(r"[A-Za-z]\w*", module, re.A) and re.fullmatch(r"[\w']+", theorem)
    ):
        raise Refused(f"theorem {name!r}: expected a name like Theorem1.theorem1")
    return f"{module}.v"


def pins(folder: Path = COQ) -> dict[str, Pin]:
    """Return the pinned statements, by the theorem's name."""
    data = _read(folder / STATEMENTS)
    return {
        name: Pin(entry["statement"], tuple(entry["assumptions"]), entry.get("definitions", ""))
        for name, entry in data.items()
    }


def meanings(folder: Path = COQ) -> dict[str, Meaning]:
    """Return what the names behind the pinned statements mean; empty if none was pinned."""
    return {name: Meaning(**entry) for name, entry in _read(folder / DEFINITIONS).items()}


def examples(folder: Path = COQ) -> dict[str, str]:
    """Return the pinned statements of the examples, by their names."""
    pinned: dict[str, str] = _read(folder / EXAMPLES)
    return pinned


def _read(path: Path) -> dict[str, Any]:
    """Return the entries of a file of pins; refuse a text that is not one term of Coq."""
    if not path.exists():
        return {}
    data: dict[str, Any] = json.loads(path.read_text("utf-8"))
    for name, entry in data.items():
        file_of(name)
        fields = entry if isinstance(entry, dict) else {"statement": entry}
        for field in fields.keys() & {"statement", "type", "content"}:
            try:
                check_term(fields[field])
            except Unreadable as error:
                raise Refused(f"{path.name}: {name}: {field}: {error}") from None
    return data


def unfolding(
    names: Iterable[str], table: Mapping[str, Meaning], modules: Iterable[str]
) -> dict[str, Meaning]:
    """Return some names and all that they unfold to; refuse a name without a pinned meaning."""
    own = set(modules)
    result: dict[str, Meaning] = {}
    pending = set(names)
    while pending:
        name = pending.pop()
        if name not in table:
            raise Refused(f"{name}: no pinned meaning in {DEFINITIONS}")
        result[name] = table[name]
        pending |= table[name].names(own) - result.keys()
    return dict(sorted(result.items()))


def meaning_digest(name: str, table: Mapping[str, Meaning], modules: Iterable[str]) -> str:
    """Return a digest of what a theorem says, down to the constants of Coq's library."""
    parts = unfolding([name], table, modules)
    return digest(*(text for key, entry in parts.items() for text in (key, *astuple(entry))))


def write_pins(
    statements: Mapping[str, Pin],
    table: Mapping[str, Meaning],
    folder: Path = COQ,
    examples: Mapping[str, str] | None = None,
) -> None:
    """Write the files of pins; a file of examples only if there are or were any."""
    data: dict[str, dict[str, Any]] = {
        STATEMENTS: {name: asdict(pin) for name, pin in statements.items()},
        DEFINITIONS: {
            name: {field: text for field, text in asdict(entry).items() if text}
            for name, entry in table.items()
        },
    }
    if examples or (examples is not None and (folder / EXAMPLES).exists()):
        data[EXAMPLES] = dict(examples)
    for file, entries in data.items():
        ordered = dict(sorted(entries.items()))
        (folder / file).write_text(
            json.dumps(ordered, indent=1, ensure_ascii=False) + "\n", "utf-8"
        )
