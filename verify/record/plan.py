"""Which facts a run computes, which it takes over from the published record, which it cannot have.

A run of some statements computes the facts that these and what they rest on are bound to; all
other facts are inherited from the published certificates, and the record says so.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from verify.facts.registry import registered
from verify.judge.model import Binding, Figure, Observation, Paper, Plain
from verify.judge.outcome import Outcome
from verify.record.prerequisites import FULL

Asking = Binding | Observation | Figure


class UnknownFact(LookupError):
    """A binding names a fact that is not registered, or another method than the fact declares."""


@dataclass(frozen=True)
class Plan:
    """The facts to run, those inherited, and those that are missing, by certificate name."""

    wanted: tuple[tuple[str, Mapping[str, Plain]], ...]
    inherited: Mapping[str, Outcome]
    missing: Mapping[str, Outcome]

    def lack(self, binding: Binding) -> str:
        """What a binding's fact could not have in this run; empty if nothing."""
        return self.missing[binding.key].missing if binding.key in self.missing else ""


def make(
    paper: Paper,
    absent: Mapping[str, str],
    wanted: set[str] | None,
    published: Mapping[str, Mapping[str, Any]],
) -> Plan:
    """The plan for a run of the wanted statements (None: all) without what is absent."""
    _check_facts(paper)
    asked = _needs(paper, wanted)
    run: dict[str, tuple[str, Mapping[str, Plain]]] = {}
    inherited: dict[str, Outcome] = {}
    missing: dict[str, Outcome] = {}
    for each, chosen in asking(paper, wanted):
        need = next((n for n in asked[each.key] if n in absent), "")
        if chosen and not need:
            run[each.key] = (each.fact, each.parameters)
        elif not chosen and each.key in published:
            inherited[each.key] = _revived(published[each.key])
        else:
            missing[each.key] = Outcome(missing=need or "a run of this statement")
    left = {key: item for key, item in inherited.items() if key not in run}
    gone = {key: item for key, item in missing.items() if key not in run and key not in left}
    return Plan(tuple(run.values()), left, gone)


def asking(paper: Paper, wanted: set[str] | None = None) -> Iterator[tuple[Asking, bool]]:
    """Everything that asks for a fact, and whether it is wanted (None: all is)."""
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
    """The statements that say the same, whose verdicts must agree."""
    for other, statement in paper.statements.items():
        if statement.same_as == name:
            yield other
        elif other == name and statement.same_as:
            yield statement.same_as


def _needs(paper: Paper, wanted: set[str] | None) -> dict[str, tuple[str, ...]]:
    """What each certificate needs; a fact is left to the full profile only if everyone says so."""
    known = registered()
    profiles: dict[str, set[str]] = {}
    facts: dict[str, str] = {}
    for each, _ in asking(paper, wanted):
        profiles.setdefault(each.key, set()).add(each.profile)
        facts[each.key] = each.fact
    return {
        key: (*known[fact].needs, *((FULL,) if profiles[key] == {"full"} else ()))
        for key, fact in facts.items()
    }


def _check_facts(paper: Paper) -> None:
    known = registered()
    for each, _ in asking(paper):
        if each.fact not in known:
            raise UnknownFact(f"no fact {each.fact!r}")
        if each.method != known[each.fact].method:
            raise UnknownFact(f"fact {each.fact} is {known[each.fact].method}, not {each.method}")


def _revived(certificate: Mapping[str, Any]) -> Outcome:
    return Outcome(certificate["holds"], certificate["values"], certificate["witness"])
