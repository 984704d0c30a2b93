"""Certificates that a record must hold, and the weight of each.

    a whole run      holds a certificate exactly where its fact had what it needs
    a partial run    takes the rest over from the published certificates, whatever it lacks itself;
                     what it ran itself follows the rule of a whole run
    an update        takes the rest over from an earlier record, which is not at hand: what it
                     holds without what that needs is marked as inherited; rows that it leaves
                     without evidence are not confirmed
    one certificate  has the parameters, the method and the outcome that every binding asks for

The paper's data (`[needs]`) name what a fact needs to run, separately from what the re-checker takes
on trust of it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files

from verify.recheck.data import CANONICAL, Data, Table, key
from verify.recheck.errors import Refused, abbreviate, agree, boolean, only
from verify.recheck.files import parse
from verify.recheck.header import FULL

CERTIFICATE = {"key", "fact", "parameters", "method", "holds", "values", "witness"}
MAY_NOT_DECIDE = ("enclosure", "sampled", "observed")
NOT_RUN = "a run of this statement"


@dataclass(frozen=True)
class Evidence:
    """The certificates by name; what each absent one lacked; which rows are inherited."""

    held: Mapping[str, Table]
    lack: Mapping[str, str]
    inherited: Collection[str] = field(default_factory=frozenset)

    def worth(self, name: str) -> str:
        """Return "absent", "open" or "decided" for a certificate."""
        if name in self.lack:
            return "absent"
        return "open" if self.held[name]["holds"] is None else "decided"


def gather(record: Table, certificates: Table, data: Data) -> Evidence:
    """The evidence of a record, which must be complete for what the run had."""
    held = _by_key(certificates["certificates"])
    asking = entries_by_key(data)
    for name, entries in asking.items():
        if name in held:
            _as_asked(name, held[name], entries)
    if strangers := sorted(set(held) - set(asking)):
        raise Refused(f"certificate {abbreviate(strangers[0])}: no binding uses it")
    missing = record["missing"]
    lacking = {
        name: lacking_need(entries, data.need_of(entries[0]["fact"]), missing)
        for name, entries in asking.items()
    }
    stated = {row["id"] for row in record["statements"] if boolean(row, "inherited")}
    if stated and not record["base"]:
        raise Refused(f"{sorted(stated)[0]}: inherited, but the record names no base")
    if record["base"] == "earlier":
        return _of_an_update(data, held, lacking, stated)
    if record["base"]:
        return _of_a_part(data, held, lacking, stated)
    for name, need in lacking.items():
        if (name in held) == bool(need):
            raise Refused(_amiss(asking[name][0], need))
    return Evidence(held, {name: need for name, need in lacking.items() if need})


def _amiss(entry: Table, need: str) -> str:
    which = f"the certificate of {entry['fact']} {abbreviate(entry.get('parameters', {}))}"
    return f"{which} is there without {need}" if need else f"{which} is missing"


def _by_key(certificates: list[Table]) -> dict[str, Table]:
    held: dict[str, Table] = {}
    for certificate in certificates:
        only(certificate, CERTIFICATE)
        name = key(certificate["fact"], certificate["parameters"])
        agree("key of a certificate", certificate["key"], name)
        if name in held:
            raise Refused(f"certificate {abbreviate(name)} occurs twice")
        held[name] = certificate
    agree("order of the certificates", list(held), sorted(held))
    return held


def entries_by_key(data: Data) -> dict[str, list[Table]]:
    """For each certificate the bindings, observations and figures that ask for it, with their id."""
    found: dict[str, list[Table]] = {}
    bindings = [
        {**b, "of": name} for name, s in data.statements.items() for b in s.get("binding", ())
    ]
    others = [{**o, "of": o["id"]} for o in (*data.observations.values(), *data.figures.values())]
    for entry in [*bindings, *(o for o in others if o.get("fact"))]:
        found.setdefault(key(entry["fact"], entry.get("parameters", {})), []).append(entry)
    return found


def has_long_facts(data: Data) -> bool:
    """Return True if some fact is left to the full profile."""
    return any(
        entry.get("profile") == FULL.split()[0]
        for e in entries_by_key(data).values()
        for entry in e
    )


def _as_asked(name: str, certificate: Table, entries: list[Table]) -> None:
    """Check that the certificate has the fact, the method and the outcome of each of its bindings."""
    holds, method = certificate["holds"], certificate["method"]
    if holds is None and method not in MAY_NOT_DECIDE:
        raise Refused(f"{name}: undecided, but the method {abbreviate(method)} always decides")
    if holds is not None:
        boolean(certificate, "holds")
    for each in entries:
        agree(f"{name}: parameters", certificate["parameters"], each.get("parameters", {}))
        agree(f"{name}: method", method, each["method"])
        if "because" in each and holds is not None:
            wanted = each.get("outcome", "holds") == "holds"
            agree(f"{name}: outcome", holds, wanted)
            if not wanted and not certificate["witness"]:
                raise Refused(f"{name}: a failure without a witness")


def lacking_need(entries: list[Table], need: str, missing: Mapping[str, str]) -> str:
    """Need of a fact that the run did not have; the full profile only if every entry leaves it so."""
    if need in missing:
        return need
    left = all(entry.get("profile") == "full" for entry in entries)
    return FULL if left and FULL in missing else ""


@cache
def published() -> dict[str, Table]:
    """The certificates that a partial run takes over."""
    text = (files("reports") / "published" / "certificates.json").read_bytes()
    return {item["key"]: item for item in parse(text)["certificates"]}


def _of_an_update(
    data: Data, held: Mapping[str, Table], lacking: Mapping[str, str], stated: set[str]
) -> Evidence:
    """Evidence of a record whose base is not at hand: a row is marked as inherited, or it ran."""
    for name in stated:
        if not set(held) & set(_keys(data.statements[name])):
            raise Refused(f"{name}: inherited, but it has no certificate")
    lack = {name: need or NOT_RUN for name, need in lacking.items() if name not in held}
    there = {name for name in held if lacking[name]}
    inherited = {n for n, s in data.statements.items() if n in stated or there & set(_keys(s))}
    return Evidence(held, lack, inherited)


def _of_a_part(
    data: Data, held: Mapping[str, Table], lacking: Mapping[str, str], stated: set[str]
) -> Evidence:
    taken = {name for name in held if _same_as_published(name, held[name])}
    lack = {name: need or NOT_RUN for name, need in lacking.items() if name not in held}
    for name, need in lacking.items():
        if name in held and need and name not in taken:
            raise Refused(f"{name}: neither run without {need} nor taken over")
        if name not in held and not need and name in published():
            raise Refused(f"{name}: neither run nor taken over")
    _ran_together(data, held, lacking)
    inherited = {name for name in data.statements if _inherits(name, data, taken, lacking, stated)}
    return Evidence(held, lack, inherited)


def _same_as_published(name: str, certificate: Table) -> bool:
    known = published().get(name)
    return known is not None and CANONICAL.encode(known) == CANONICAL.encode(certificate)


def _inherits(
    name: str, data: Data, taken: set[str], lacking: Mapping[str, str], stated: set[str]
) -> bool:
    """Return True for an inherited row: required if a fact could not run, allowed if one is taken over."""
    mine = taken & set(_keys(data.statements[name]))
    return any(lacking[each] for each in mine) or (bool(mine) and name in stated)


def _keys(statement: Table) -> list[str]:
    return [key(b["fact"], b.get("parameters", {})) for b in statement.get("binding", ())]


def _ran_together(data: Data, held: Mapping[str, Table], lacking: Mapping[str, str]) -> None:
    """Check that a statement run without its needs was run with all statements that it rests on."""
    left_out = {name for name in published() if name not in held}
    ran = _below(data, {n for n, s in data.statements.items() if left_out & set(_keys(s))})
    others = [o for o in data.observations.values() if o.get("fact")]
    others += [f for f in data.figures.values() if not ran & set(f["statements"])]
    elsewhere = {name for n, s in data.statements.items() if n not in ran for name in _keys(s)}
    elsewhere |= set(_keys({"binding": others}))
    for statement in sorted(ran):
        for name in _keys(data.statements[statement]):
            if name in held and lacking[name] and name not in elsewhere:
                raise Refused(f"{name}: there without {lacking[name]}, though others are left out")


def _below(data: Data, names: Collection[str]) -> set[str]:
    """Statements with all that they rest on and all that say the same."""
    found: set[str] = set()
    pending = list(names)
    while pending:
        name = pending.pop()
        if name not in found:
            found.add(name)
            pending.extend(_beside(data, name))
    return found


def _beside(data: Data, name: str) -> Iterator[str]:
    statement = data.statements[name]
    yield from statement.get("rests_on", ())
    if statement.get("same_as"):
        yield statement["same_as"]
    yield from (other for other, s in data.statements.items() if s.get("same_as") == name)
