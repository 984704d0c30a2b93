"""Membership of an automaton in PFA, HMM and DFA, each with a witness; no theorem requires one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from constructions.automata.families import TOLERANCE
from constructions.automata.wfa import WFA
from constructions.automata.wta import WTA
from verify.automaton.numbers import shown
from verify.automaton.report_data import Class

ACCEPTED = shown(TOLERANCE)
SUMS = "non-negative, and every sum that must be 1 is 1"


def classes(automaton: WFA | WTA) -> Iterator[Class]:
    """Yield the families of Appendix A.2 (words) or of Corollary 1 (trees), with their witnesses."""
    if isinstance(automaton, WTA):
        yield _tree_automaton(automaton)
        return
    yield _class("probabilistic automaton (PFA)", "def.A.3", _pfa(automaton), SUMS)
    yield _class("hidden Markov model (HMM)", "def.A.2", _hmm(automaton), SUMS)
    one = "one initial state, and one next state at most for every state and symbol"
    yield _class("deterministic automaton (DFA)", "pre.subsumes", _dfa(automaton), one)


def _tree_automaton(automaton: WTA) -> Class:
    """Return whether no weight is negative, so that not 0 can mean true."""
    weights = [w for rows in automaton.tensor for row in rows for w in row]
    weights += [w for leaf in automaton.leaves.values() for w in leaf]
    low = min(weights)
    witness = (
        "no weight is negative, so nothing cancels and not 0 means true"
        if low >= 0
        else f"a weight of {shown(low)}: terms may cancel, and 0 need not mean false"
    )
    return Class("weights of a tree automaton", low >= 0, witness, ("cor1.subsume",))


def name(automaton: WFA) -> str:
    """Return the most special class that an automaton belongs to."""
    for found, look in (("DFA", _dfa), ("HMM", _hmm), ("PFA", _pfa)):
        if not look(automaton).trouble:
            return found
    return "weighted automaton"


@dataclass(frozen=True)
class Membership:
    """The reason why an automaton is not in a class, or ""; and the rounding error of its sums."""

    trouble: str = ""
    off: Fraction = Fraction(0)


def _class(name: str, statement: str, look: Membership, reason: str) -> Class:
    if look.trouble or not look.off:
        return Class(name, not look.trouble, look.trouble or reason, (statement,))
    return Class(name, True, f"{reason} up to {ACCEPTED}", (statement,), f"{float(look.off):.2g}")


def _dfa(automaton: WFA) -> Membership:
    """Find a reason why the automaton is no DFA."""
    for i, weight in enumerate((*automaton.alpha, *automaton.beta)):
        if weight not in (0, 1):
            where = "alpha" if i < automaton.n else "beta"
            return Membership(f"{where}[{i % automaton.n}] = {shown(weight)}, expected 0 or 1")
    if sum(automaton.alpha) != 1:
        return Membership(f"{sum(automaton.alpha)} initial states")
    for symbol, rows in automaton.transitions.items():
        for i, row in enumerate(rows):
            if set(row) - {0, 1} or sum(row) > 1:
                return Membership(
                    f"{symbol} leads from state {i} to more than one state, or by a weight"
                )
    return Membership()


def _negative(automaton: WFA) -> str:
    for name, vector in (("alpha", automaton.alpha), ("beta", automaton.beta)):
        for i, weight in enumerate(vector):
            if weight < 0:
                return f"{name}[{i}] = {shown(weight)} is negative"
    for symbol, rows in automaton.transitions.items():
        for i, row in enumerate(rows):
            for j, weight in enumerate(row):
                if weight < 0:
                    return f"the weight of {symbol} from {i} to {j} is {shown(weight)}"
    return ""


def _pfa(automaton: WFA) -> Membership:
    """Find a reason why the automaton is no PFA."""
    if trouble := _negative(automaton):
        return Membership(trouble)
    leaving = [b + move for b, move in zip(automaton.beta, _moves(automaton), strict=True)]
    return _sums(automaton, leaving, "leaves state {}, with stopping,")


def _hmm(automaton: WFA) -> Membership:
    """Find a reason why the automaton is no HMM with β = 1."""
    for i, weight in enumerate(automaton.beta):
        if weight != 1:
            return Membership(f"beta[{i}] = {shown(weight)}, expected 1")
    if trouble := _negative(automaton):
        return Membership(trouble)
    return _sums(automaton, _moves(automaton), "leaves state {}")


def _moves(automaton: WFA) -> list[Fraction]:
    return [
        sum(
            (sum(rows[q], start=Fraction(0)) for rows in automaton.transitions.values()),
            start=Fraction(0),
        )
        for q in range(automaton.n)
    ]


def _sums(automaton: WFA, leaving: list[Fraction], text: str) -> Membership:
    """Check the sums that must be 1, up to the tolerance of the readers of files."""
    first = sum(automaton.alpha, start=Fraction(0))
    if abs(first - 1) > TOLERANCE:
        return Membership(f"alpha sums to {_near_one(first)}")
    for q, total in enumerate(leaving):
        if abs(total - 1) > TOLERANCE:
            return Membership(f"what {text.format(q)} sums to {_near_one(total)}")
    return Membership(off=max(abs(total - 1) for total in (first, *leaving)))


def _near_one(total: Fraction) -> str:
    """Write a sum that is not 1, by its distance from 1 if that is small."""
    off = total - 1
    if abs(off) >= Fraction(1, 1000):
        return shown(total)
    return f"1 {'+' if off > 0 else '-'} {shown(abs(off)).removeprefix('about ')}"
