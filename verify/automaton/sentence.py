"""The report in one sentence: the model that simulates the automaton, its size and its error."""

from __future__ import annotations

from fractions import Fraction
from math import ceil

from constructions.automata.wfa import WFA
from constructions.automata.wta import WTA
from constructions.theorem1 import depth
from verify.automaton.classes import name
from verify.automaton.numbers import count, named, shown
from verify.automaton.report_data import Construction
from verify.automaton.soft import Softened
from verify.bounds.saturation import Fineness, Saturation


def for_words(
    wfa: WFA,
    length: int,
    eps: Fraction,
    activation: str,
    needed: Saturation,
    smooth: Fineness | None,
) -> str:
    """The sentence for an automaton over sequences."""
    width = 2 * wfa.n**2 + 2
    if length == 1:
        return (
            f"Your {wfa.n}-state {name(wfa)} is simulated exactly at T = 1 by the embedding alone, of "
            f"width {width}, without a layer."
        )
    exact = (
        f"Your {wfa.n}-state {name(wfa)} is simulated exactly by {count(depth(length), 'layer')} of "
        f"width {width} at T = {length}"
    )
    words = _all_words(len(wfa.alphabet), length)
    if smooth is None:
        return (
            f"{exact}; softmax with exact products and C = {ceil(needed.constant):,} keeps all "
            f"states within {shown(eps)} {words}; {_piecewise(named(activation))}."
        )
    return (
        f"{exact}; with softmax and {named(activation)} units, C = {ceil(smooth.constant):,} and "
        f"h = 2^-{smooth.bits} keep all states within {shown(eps)} {words}, in exact arithmetic."
    )


def _all_words(symbols: int, length: int) -> str:
    if symbols == 1:
        return f"on the only word of length {length}"
    return f"on all {symbols}^{length} words"


def _piecewise(activation: str) -> str:
    """State that Theorem 2's proof excludes units without a second derivative."""
    return (
        f"{activation} is piecewise linear, so the proof of Theorem 2 does not apply; whether the "
        f"theorem holds for {activation} is open"
    )


def for_trees(
    wta: WTA, length: int, eps: Fraction, sizes: tuple[Construction, ...], soft: Softened
) -> str:
    """The sentence for a tree automaton."""
    by_name = {row.name: row for row in sizes}
    what = f"Your {wta.n}-state tree automaton"
    where = f"every tree with |str(t)| ≤ {length}"
    if "tree" not in by_name:
        return f"{what} is simulated exactly on {where}; it is too large to give sizes."
    tree, log = by_name["tree"], by_name["logdepth"]
    exact = (
        f"{what} is simulated exactly on {where} by {tree.depth} layers of width {tree.embedding} "
        f"(Theorem 3, repaired) or by {log.depth} of width {log.embedding} (log-depth)"
    )
    return f"{exact}; {_softly(soft, eps)}."


def _softly(soft: Softened, eps: Fraction) -> str:
    found = soft.found.get("tree")
    if found is None:
        return f"no C was certified for softmax ({soft.reason})"
    if found.fineness is None:
        return (
            f"softmax with exact products and C = {found.saturation:,} keeps every entry of every "
            f"state within {shown(eps)}, and no step of {named(soft.activation)} units was certified"
        )
    return (
        f"with softmax and {named(soft.activation)} units, C = {found.saturation:,} and "
        f"h = 2^-{found.fineness} keep every entry of every state within {shown(eps)} "
        "(Theorem 3's model, exact arithmetic)"
    )
