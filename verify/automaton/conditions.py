"""The conditions of the theorems for one automaton, each with the number that decides it.

    conditions_met(automaton, 16)      all of them, as `assay conditions FILE --length 16` shows them
    of_words(…)                        those of an automaton over words whose norms are known

Added to the hypotheses of `word_hypotheses`: the readout's factor, attention errors of later layers,
the factor by which Equation (1) is exceeded, and the floats in which attention looks where it should.
The errors are enclosed in balls, with softmax and exact products, on some words; an error above a
bound is certain, that none of the words exceeds it decides nothing on the others.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from math import ceil

import flint

from constructions.automata.wfa import WFA
from constructions.automata.wta import WTA
from constructions.core.activations import SMOOTH
from constructions.theorem1 import depth, span
from constructions.theorem3 import most_leaves
from verify.automaton import rounding, tree_hypotheses, word_hypotheses
from verify.automaton.numbers import BITS, at_least, at_most, count, named, shown
from verify.automaton.report_data import Hypothesis, Status
from verify.automaton.soft import GROWING, Softened
from verify.automaton.word_hypotheses import EQUATION, ONE, TWO
from verify.bounds import recursion
from verify.bounds.floating import FORMATS
from verify.bounds.growth import ProductNorms, Witness, products, witnesses
from verify.bounds.leak import gap
from verify.bounds.reachable import reachable_bounds
from verify.bounds.saturation import Fineness, Saturation, required_fineness, uniform_bounds
from verify.bounds.scaled import least_saturation
from verify.bounds.states import maximum
from verify.bounds.sweep import SweepRow, Word, chosen_words, row

DECAYED = 20  # C times the gap: softmax leaks about exp(-20)
MOST_WORDS = 16
LONGEST = 128  # letters, for the errors
MOST_ENTRIES = 40_000  # entries of matrices at all positions of all words: about two seconds
EPS = Fraction(1, 10**6)


def conditions_met(
    automaton: WFA | WTA, length: int, activation: str = "gelu", eps: Fraction = EPS
) -> tuple[Hypothesis, ...]:
    """Return the conditions that concern an automaton at a length, each with what decides it.

    Examples:
        >>> from constructions.automata.families import counting
        >>> [each.status.value for each in conditions_met(counting(), 4) if each.condition == "products"]
        ['not met', 'not met']

    """
    with flint.ctx.workprec(BITS):
        if isinstance(automaton, WTA):
            return of_trees(
                automaton, length, activation, Softened(automaton, length, eps, activation)
            )
        found, known = products(automaton, span(length)), uniform_bounds(automaton, length)
        needed = least_saturation(automaton, length, eps, known)
        smooth = activation in SMOOTH
        fine = required_fineness(automaton, length, eps, activation, known) if smooth else None
        words = witnesses(automaton, [1 << layer for layer in range(depth(length))])
        return of_words(automaton, length, activation, eps, (found, words, needed, fine))


Known = tuple[ProductNorms, list[Witness], Saturation, Fineness | None]


def of_words(
    automaton: WFA, length: int, activation: str, eps: Fraction, known: Known
) -> tuple[Hypothesis, ...]:
    """Return the conditions of Theorems 1 and 2 and of Equation (1), from norms, C and step."""
    found, words, needed, smooth = known
    return (
        *word_hypotheses.theorem_one(automaton, length),
        _floats(length),
        *word_hypotheses.theorem_two(automaton, length, found, words, activation),
        *_errors(automaton, length, words),
        _saturation(needed, smooth, eps, activation),
        _readout(automaton, length),
    )


def of_trees(
    automaton: WTA, length: int, activation: str, soft: Softened
) -> tuple[Hypothesis, ...]:
    """Return the conditions of Theorem 3."""
    states = maximum(reachable_bounds(automaton, most_leaves(length)).states)
    return (
        word_hypotheses.smooth_activation(automaton.n, activation, tree_hypotheses.THREE),
        soft.hypothesis(),
        *tree_hypotheses.hypotheses(automaton, length, states),
    )


def _saturation(
    needed: Saturation, smooth: Fineness | None, eps: Fraction, activation: str
) -> Hypothesis:
    witness = (
        f"with exact products, C = {ceil(needed.constant)} keeps the states of every word within "
        f"{shown(eps)} (the closed-form bound would require C = {ceil(needed.closed_form)})"
    )
    if smooth is not None:
        witness += f"; with {named(activation)} MLPs, C = {ceil(smooth.constant)} does"
    name = "a finite C for ε"
    return Hypothesis(TWO, name, Status.MET, witness, ("thm2.choose",), GROWING)


def _readout(automaton: WFA, length: int) -> Hypothesis:
    """The printed proof bounds products; states differ by at most this factor more."""
    factor = recursion.readout_factor(automaton, length)
    text = "errors of states are up to ‖α‖ √(T+1) times those of products, which is {}"
    if factor <= 1:
        status, text = Status.MET, text.format(f"at most {at_most(factor)}")
    elif factor > 1:
        status, text = Status.NOT_MET, text.format(f"at least {at_least(factor)}")
    else:
        status, text = Status.UNDECIDED, text.format(f"about {at_most(factor)}")
    name = "a readout that adds no error"
    return Hypothesis(TWO, name, status, text, ("thm2.proof",), "readout-factor")


def _floats(length: int) -> Hypothesis:
    """Rounded scores keep their largest entry where twice their error is below the gap."""
    right = [each.name for each in FORMATS if rounding.attention_is_right(each, length)]
    text = f"the right score is ahead by 1 - cos(π/{span(length)}) ≥ {at_least(gap(span(length)))}"
    status = Status.MET if "float32" in right else Status.NOT_MET
    shown_in = f"certainly enough in {', '.join(right)}" if right else "too little in every format"
    name = "hard attention that float32 does not change"
    return Hypothesis(
        ONE, name, status, f"{text}: {shown_in}", ("beyond.precision",), "real-numbers"
    )


def _errors(automaton: WFA, length: int, words: Sequence[Witness]) -> Iterator[Hypothesis]:
    """Errors of the soft model in balls, beside Equation (1)."""
    chosen = _sampled(automaton, length, words)
    if depth(length) < 1 or not chosen:
        why = "the model has no layer" if depth(length) < 1 else "too much to compute"
        status = Status.MET if depth(length) < 1 else Status.UNDECIDED
        yield Hypothesis(EQUATION, "errors within Equation (1)", status, why, ("eq1",))
        return
    seen = row(automaton, chosen, length, Fraction(ceil(DECAYED / float(gap(span(length)).mid()))))
    with flint.ctx.workprec(seen.run.bits):
        yield _later(seen)
        yield _exceeded(seen, len(chosen))


def _sampled(automaton: WFA, length: int, words: Sequence[Witness]) -> list[Word]:
    """As many of the words of a sweep as are computed in about two seconds; large products first."""
    if length > LONGEST:
        return []
    large = [(one.word * length)[:length] for one in words]
    every = dict.fromkeys([*reversed(large), *chosen_words(automaton, length, MOST_WORDS)[0]])
    most = MOST_ENTRIES // (automaton.n**2 * span(length))
    return list(every)[: min(most, MOST_WORDS)]


def _later(seen: SweepRow) -> Hypothesis:
    first, *later = [layer.attention for layer in seen.run.layers]
    name, statements = "no attention error after layer 1", ("eq1",)
    worst = max(later, key=lambda share: float(share.mid()), default=flint.arb(0))
    if worst > 0 and first > 0:
        text = f"in a later layer it is at least {at_least(worst / first)} times that of layer 1"
        status = Status.NOT_MET
    elif worst > 0:
        status, text = Status.NOT_MET, f"it is at least {at_least(worst)} in a later layer"
    else:
        status = Status.MET if not later else Status.UNDECIDED
        text = "there is one layer" if not later else "none was found on the words looked at"
    return Hypothesis(EQUATION, name, status, text, statements, "later-attention")


def _exceeded(seen: SweepRow, words: int) -> Hypothesis:
    """The largest ratio of an error to Equation (1), over layers."""
    pairs = zip(seen.errors, seen.printed, strict=True)
    ratios = [error / bound for error, bound in pairs if bound > 0]
    constant = f"C = {seen.run.saturation}, exact products, {count(words, 'word')}"
    name, statements = "errors within Equation (1)", ("eq1",)
    if not ratios:
        text = f"no error was found ({constant})"
        return Hypothesis(EQUATION, name, Status.UNDECIDED, text, statements, "")
    worst = max(ratios, key=lambda ratio: float(ratio.mid()))
    if worst > 1:
        text = f"an error is at least {at_least(worst)} times the printed bound ({constant})"
        return Hypothesis(EQUATION, name, Status.NOT_MET, text, statements, "")
    text = f"no error found exceeds {at_most(worst)} times the printed bound ({constant})"
    return Hypothesis(EQUATION, name, Status.UNDECIDED, text, statements, "")
