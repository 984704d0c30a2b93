"""The statements behind a number, with their standings in the published record.

Standings come from the published record; a package without one (or with the record of another
version) names the statements and leaves their standings empty.
"""

from __future__ import annotations

from functools import cache

from constructions.core.errors import InputError
from verify.automaton.report_data import Citable
from verify.judge.paper import load
from verify.record import source as record_source


@cache
def recorded() -> dict[str, str]:
    """The standings that the published record has, by statement."""
    try:
        rows = record_source.rows(record_source.load())
    except InputError:
        return {}
    return {name: row["standing"] or row["verdict"] for name, row in rows.items()}


def by_statement(*statements: str) -> str:
    """List statements, each with its recorded standing if it has one."""
    known = recorded()
    return ", ".join(f"{name} ({known[name]})" if name in known else name for name in statements)


AS_PRINTED = {
    "eq1": "Equation (1), on which the printed proof of Theorem 2 rests, does not hold as printed",
    "thm3.proof": "The printed proof of Theorem 3 does not hold as printed",
}


def as_printed(statement: str) -> str:
    """Return a sentence if the record refutes or repairs the printed argument, else ""."""
    if recorded().get(statement) not in ("repaired", "refuted"):
        return ""
    return f"{AS_PRINTED[statement]}, whatever the automaton: assay show {statement}."


def citable(statements: tuple[str, ...]) -> tuple[Citable, ...]:
    """Statements with their titles and standings, in the order given."""
    known, paper = recorded(), load()
    return tuple(
        Citable(name, paper.statements[name].title, known.get(name, "")) for name in statements
    )
