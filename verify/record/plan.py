"""Plan of a run: facts to compute, facts to take over from an earlier record, facts without their needs.

A run of some statements computes the facts that these and what they rest on are bound to; all
other facts are taken over from earlier certificates, and the record says so.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

from constructions.core.errors import InputError
from verify.facts.registry import Fact
from verify.judge.about import FULL
from verify.judge.data import Binding, Figure, Observation, Paper, Plain
from verify.judge.outcome import Outcome

Asking = Binding | Observation | Figure


@dataclass(frozen=True)
class Plan:
    """The facts to run, those inherited, and those that are missing, by certificate name."""

    wanted: tuple[tuple[str, Mapping[str, Plain]], ...]
    inherited: Mapping[str, Outcome]
    missing: Mapping[str, Outcome]

    def lack(self, binding: Binding) -> str:
        """Missing need of a binding's fact in this run; empty if none."""
        return self.missing[binding.key].missing if binding.key in self.missing else ""


def make(
    paper: Paper,
    facts: Mapping[str, Fact],
    absent: Mapping[str, str],
    wanted: set[str] | None,
    earlier: Mapping[str, Mapping[str, Any]],
    update: bool = False,
) -> Plan:
    """The plan for a run of the wanted statements (None: all) without what is absent.

    `earlier` are certificates by name, from which the facts of other statements are taken over; an
    update takes over what it cannot run itself, too.
    """
    check_facts(paper, facts)
    needs = _needs(paper, facts, wanted)
    run: dict[str, tuple[str, Mapping[str, Plain]]] = {}
    inherited: dict[str, Outcome] = {}
    missing: dict[str, Outcome] = {}
    for each, chosen in asking(paper, wanted):
        need = next((n for n in needs[each.key] if n in absent), "")
        if chosen and not need:
            run[each.key] = (each.fact, each.parameters)
        elif (update or not chosen) and each.key in earlier:
            inherited[each.key] = outcome_of(earlier[each.key])
        else:
            missing[each.key] = Outcome(missing=need or "a run of this statement")
    left = {key: item for key, item in inherited.items() if key not in run}
    gone = {key: item for key, item in missing.items() if key not in run and key not in left}
    return Plan(tuple(run.values()), left, gone)


def asking(paper: Paper, wanted: set[str] | None = None) -> Iterator[tuple[Asking, bool]]:
    """Every entry that needs a fact, and whether it is wanted (None: all are)."""
    closure = set(paper.statements) if wanted is None else _below(paper, wanted)
    for name, statement in paper.statements.items():
        for binding in statement.binding:
            yield binding, name in closure
    for observation in paper.observations.values():
        if observation.fact:
            yield observation, wanted is None
    for figure in paper.figures.values():
        yield figure, bool(closure & set(figure.statements))


def _below(paper: Paper, wanted: set[str]) -> set[str]:
    found: set[str] = set()
    pending = list(wanted)
    while pending:
        name = pending.pop()
        if name not in found:
            found.add(name)
            pending.extend(paper.statements[name].rests_on)
            pending.extend(_twins(paper, name))
    return found


def _twins(paper: Paper, name: str) -> Iterator[str]:
    """Yield the statements that say the same as this one; their verdicts must agree."""
    for other, statement in paper.statements.items():
        if statement.same_as == name:
            yield other
        elif other == name and statement.same_as:
            yield statement.same_as


def _needs(
    paper: Paper, facts: Mapping[str, Fact], wanted: set[str] | None
) -> dict[str, tuple[str, ...]]:
    """Need of each certificate; a fact is left to the full profile only if every entry says so."""
    profiles: dict[str, set[str]] = {}
    names: dict[str, str] = {}
    for each, _ in asking(paper, wanted):
        profiles.setdefault(each.key, set()).add(each.profile)
        names[each.key] = each.fact
    return {
        key: (*facts[name].needs, *((FULL,) if profiles[key] == {"full"} else ()))
        for key, name in names.items()
    }


def check_facts(paper: Paper, facts: Mapping[str, Fact]) -> None:
    """Refuse data that name a missing fact, or a method that is not the fact's."""
    if line := next(misfits(paper, facts), ""):
        raise InputError("paper", line, "")


def misfits(paper: Paper, facts: Mapping[str, Fact]) -> Iterator[str]:
    """Mismatches between entries of the data and the facts, one line each."""
    for where, each in entries_asking(paper):
        if each.fact not in facts:
            near = get_close_matches(each.fact, facts, 3, 0.4)
            like = f"; near it: {', '.join(near)}" if near else ""
            yield f"{where}: no fact {each.fact!r}{like}"
        elif each.method != facts[each.fact].method:
            own = facts[each.fact].method
            yield f"{where}: method {each.method}, but the fact {each.fact} is {own}"
        elif (need := "".join(facts[each.fact].needs[:1])) != paper.about.need_of(each.fact):
            table = f'{need} = ["{each.fact}"]' if need else f"nothing for {each.fact}"
            yield f"paper.toml: needs: expected {table}"


def entries_asking(paper: Paper) -> Iterator[tuple[str, Asking]]:
    """Every entry that needs a fact, with its place in the data."""
    for name, statement in paper.statements.items():
        for number, binding in enumerate(statement.binding, 1):
            yield f"{paper.where.get(name, name)}: binding {number}", binding
    others: list[Observation | Figure] = [*paper.observations.values(), *paper.figures.values()]
    for each in others:
        if each.fact:
            yield paper.where.get(each.id, each.id), each


def outcome_of(certificate: Mapping[str, Any]) -> Outcome:
    """Outcome that a certificate states."""
    return Outcome(certificate["holds"], certificate["values"], certificate["witness"])
