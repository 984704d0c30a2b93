"""What is pinned: statements, the definitions behind them, the axioms that they may use.

`statements.json`   each theorem that something rests on: its closed statement as Coq prints it after
                    all sections are closed, the axioms that it may use, and a digest of what it means
`definitions.json`  what the statements mean: each theorem's type and, for all constants of the
                    development that occur in it or in what these unfold to, type and body, all
                    printed without notations and implicit arguments (`Set Printing All`)

Nothing is compared as printed text. Coq checks a term for each entry, so that another version that
prints otherwise agrees:

    a theorem            `Definition _ : <statement> := @name.`
    a definition         `Definition _ : @name = <body> := eq_refl.`
    an inductive type    `Scheme s := Induction for name Sort Prop. Definition _ : <principle> := @s.`
    another constant     `Definition _ : <type> := @name.` for a constructor, or for what is opaque

By induction on what unfolds to what, a statement that passes means what the pinned one means, up to
Coq's conversion: a definition that became `True`, or lost a conjunct, does not pass.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import asdict, astuple, dataclass
from pathlib import Path

from verify.coq.sources import COQ, Refused, digest

STATEMENTS = "statements.json"
DEFINITIONS = "definitions.json"
NAME = re.compile(r"(?<![\w.'])([A-Z]\w*)\.([A-Za-z_][\w']*)")
DEFINITION, INDUCTIVE = "definition", "inductive"
THEOREM, CONSTRUCTOR, OPAQUE = "theorem", "constructor", "opaque"


@dataclass(frozen=True)
class Pin:
    """What is recorded of a theorem: statement, axioms that it may use, digest of its meaning."""

    statement: str
    assumptions: tuple[str, ...]
    definitions: str


@dataclass(frozen=True)
class Meaning:
    """What a name of the development means: its kind and type, and what it is.

    `content` is the body of a definition and the induction principle of an inductive type.
    """

    kind: str
    type: str
    content: str = ""

    def names(self, modules: Iterable[str]) -> set[str]:
        """The names of the development in its text."""
        return names_in(f"{self.type} {self.content}", modules)

    def sentences(self, name: str, label: str) -> list[str]:
        """What Coq must accept if the name means this."""
        match self.kind:
            case "definition":
                return [
                    f"Definition {label} : @eq ({self.type}) (@{name}) ({self.content}) :="
                    f" @eq_refl ({self.type}) ({self.content})."
                ]
            case "inductive":
                return [
                    f"Definition {label} : {self.type} := @{name}.",
                    f"{scheme(name, f'{label}_scheme')}"
                    f" Definition {label}_principle : {self.content} := @{label}_scheme.",
                ]
        return [f"Definition {label} : {self.type} := @{name}."]


def scheme(name: str, label: str) -> str:
    """The sentence that makes the induction principle of an inductive type."""
    return f"Scheme {label} := Induction for {name} Sort Prop."


def names_in(printed: str, modules: Iterable[str]) -> set[str]:
    """The names of the development in what Coq printed: those that are named with one of its files."""
    own = set(modules)
    return {f"{module}.{name}" for module, name in NAME.findall(printed) if module in own}


def file_of(name: str) -> str:
    """The file of a theorem that is named `File.name`."""
    module, dot, theorem = name.partition(".")
    if not (dot and re.fullmatch(r"\w+", module) and re.fullmatch(r"[\w']+", theorem)):
        raise Refused(f"theorem {name!r}: expected a name like Theorem1.theorem1")
    return f"{module}.v"


def pins(folder: Path = COQ) -> dict[str, Pin]:
    """The pinned statements, by the theorem's name."""
    data = json.loads((folder / STATEMENTS).read_text("utf-8"))
    return {
        name: Pin(entry["statement"], tuple(entry["assumptions"]), entry.get("definitions", ""))
        for name, entry in data.items()
    }


def meanings(folder: Path = COQ) -> dict[str, Meaning]:
    """What the names behind the pinned statements mean; nothing where none was pinned."""
    if not (folder / DEFINITIONS).exists():
        return {}
    data = json.loads((folder / DEFINITIONS).read_text("utf-8"))
    return {name: Meaning(**entry) for name, entry in data.items()}


def unfolding(
    names: Iterable[str], table: Mapping[str, Meaning], modules: Iterable[str]
) -> dict[str, Meaning]:
    """Some names and all that they unfold to; refuses a name of which nothing is recorded."""
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
    """A digest of what a theorem says, down to the constants of Coq's library."""
    parts = unfolding([name], table, modules)
    return digest(*(text for key, entry in parts.items() for text in (key, *astuple(entry))))


def write_pins(
    statements: Mapping[str, Pin], table: Mapping[str, Meaning], folder: Path = COQ
) -> None:
    """Write both files."""
    entries = {name: {k: v for k, v in asdict(m).items() if v} for name, m in table.items()}
    for file, data in (
        (STATEMENTS, {name: asdict(pin) for name, pin in statements.items()}),
        (DEFINITIONS, entries),
    ):
        ordered = dict(sorted(data.items()))
        (folder / file).write_text(
            json.dumps(ordered, indent=1, ensure_ascii=False) + "\n", "utf-8"
        )
