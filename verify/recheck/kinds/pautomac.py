"""PAutomaC automata: their files are not here, so all is taken on trust; what Tables 1 and 2 print of
them is, so that no certificate may contradict the print or itself.

    pautomac.descriptors     every difference names an automaton and a row of the parameters
    pautomac.sparsity        shares round to the printed sparsity, or the one of the witness misses it
                             by less than one unit of its last place: no other share does either
    pautomac.no-type         every automaton found is among the parameters
    pautomac.probabilities   the worst error is at most, or above, what is allowed
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from verify.recheck.declarations import Different, confirms
from verify.recheck.errors import (
    Recomputed,
    Refused,
    abbreviate,
    boolean,
    comparison,
    fraction,
    list_in,
    one_of,
    only,
    text,
)
from verify.recheck.kernel.decimal_cells import SCALE, cell, half, rows, units

Table = Mapping[str, Any]
SHARE = re.compile(r"[1-9][0-9]{0,4}", re.ASCII)


def automaton(value: Any) -> str:
    """The name of an automaton with a column in Table 1."""
    cell(1, "states", text({"automaton": value}, "automaton"))
    return str(value)


AUTOMATA = Different(automaton, 1, 100)


def _some(given: Table, name: str, among: list[str]) -> list[str]:
    """A sublist of a list, in the same order."""
    found = list_in(given, name, 0)
    if found != [entry for entry in among if entry in found]:
        raise Refused(f"{name} = {abbreviate(found)}, expected some of {abbreviate(among)}")
    return found


@confirms("pautomac.descriptors", "exact", "pautomac", automata=AUTOMATA, rows=[str])
def descriptors(automata: list[str], rows: list[str], certificate: Table) -> Recomputed:
    """Check that every stated difference names an automaton and a row of the parameters."""
    places = [f"{a}: {row} " for a in automata for row in rows]
    differing = list_in(certificate["values"], "differing", 0, len(places))
    for entry in differing:
        if not any(text({"differing": entry}, "differing").startswith(each) for each in places):
            raise Refused(f"differing: {abbreviate(entry)} is none of the parameters")
    return comparison(not differing, automata=len(automata), differing=differing)


def _off_by(share: Any, automaton: str) -> Fraction:
    """Distance of a share of pairs (state, symbol) from the print, in halves of the print's last place."""
    table = rows(1)
    pairs = int(table["states"][automaton]) * int(table["alphabet"][automaton])
    count, _, of = text({"share": share}, "share").partition("/")
    if not SHARE.fullmatch(count) or int(count) > pairs or of != str(pairs):
        raise Refused(f"share = {abbreviate(share)}, expected a share of {pairs} pairs")
    printed = table["sparsity"][automaton]
    return abs(Fraction(int(count), pairs) * SCALE - units(printed)) / half(printed)


@confirms("pautomac.sparsity", "exact", "pautomac", automata=AUTOMATA)
def sparsity(automata: list[str], certificate: Table) -> Recomputed:
    """Check that every share rounds to the print, or that the share of the witness was cut off."""
    if boolean(certificate, "holds"):
        shares = certificate["values"]["shares"]
        only(shares, set(automata))
        if not all(_off_by(shares[a], a) <= 1 for a in automata):
            raise Refused("shares: one does not round to the print")
        return Recomputed(True, {"shares": shares})
    automaton = one_of(certificate["witness"], "automaton", automata)
    share, printed = certificate["witness"]["share"], cell(1, "sparsity", automaton)
    if not 1 < _off_by(share, automaton) < 2:
        raise Refused(f"share = {abbreviate(share)}, which {printed} neither rounds nor cuts off")
    return Recomputed(False, {}, {"automaton": automaton, "share": share, "printed": printed})


@confirms("pautomac.no-type", "exact", "pautomac", automata=AUTOMATA, type=object)
def no_type(automata: list[str], type: Any, certificate: Table) -> Recomputed:
    """Check that the automata found are among the parameters."""
    found = _some(certificate["values"], "found", automata)
    return comparison(not found, automata=len(automata), found=found)


@confirms("pautomac.probabilities", "enclosure", "pautomac", automata=AUTOMATA, allowed=fraction)
def probabilities(automata: list[str], allowed: Fraction, certificate: Table) -> Recomputed:
    """Compare the worst error with the largest allowed one."""
    worst = fraction(certificate["values"].get("worst"))
    if worst < 0:
        raise Refused(f"worst = {worst}, expected the size of an error")
    return comparison(worst <= allowed, worst=str(worst))
