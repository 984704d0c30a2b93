"""The constants of a model: a C, h and K that certainly keep every state of every input within ε.

reduce     the automata from which a decoder for words may be built: the given one on the space of its
           reachable states (or the minimal one), and the same in scaled coordinates. Every other
           model takes the automaton as it is. What is too large is refused here
choose     the constants, by the bound of the construction; with two candidates, the cheaper one. A
           plain decoder whose format cannot keep ε with these has those that lose least in the format
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from math import ceil

import flint

from constructions.automata.balancing import scaled_reduction, scalings
from constructions.automata.reduction import (
    Reduction,
    least_states,
    minimal_automaton,
    reachable_reduction,
)
from constructions.automata.wfa import WFA
from constructions.automata.wta import WTA
from constructions.core.errors import InputError
from constructions.core.exact import ball
from constructions.core.matrix import Matrix
from constructions.exports.build import decoder_length
from constructions.exports.built_model import Constants
from constructions.exports.limit import checked_size
from constructions.exports.order import HARD, MLP, Order
from verify.bounds.budget import TooSoft, sufficient_saturation
from verify.bounds.decoder import WordBounds, word_bounds
from verify.bounds.decoder_rounding import state_error
from verify.bounds.decoder_settings import (
    MOST_LARGE,
    CertifiedSetting,
    required_setting,
    setting_for_format,
)
from verify.bounds.floating import EXACT, ONCE, Precision
from verify.bounds.scaled import grading_steps

Bounds = Callable[[Reduction, int], WordBounds]
LONGEST = 4096  # to certify a C
BEYOND = f"at most {LONGEST}, to certify a C; beyond, give a saturation C with feedforward=exact"


@dataclass(frozen=True)
class Decision:
    """The constants of a model, and the error that they certainly keep, if one is certified.

    Where C was rounded up that error is ε itself: no smaller one is computed for it.
    A decoder for words has a reduced automaton, and what rounding is certified from.
    """

    constants: Constants
    error: flint.arb | Fraction | None = None
    reduction: Reduction | None = None
    facts: WordBounds | None = None
    choice: CertifiedSetting | None = None


def reduce(automaton: WFA | WTA, order: Order) -> tuple[Reduction, ...]:
    """The candidates of a settled order; none where the model takes the automaton as it is."""
    words, symbols = isinstance(automaton, WFA), len(automaton.alphabet)
    if not (order.decoder and isinstance(automaton, WFA)):
        checked_size(automaton.n, symbols, order, words)
        return ()
    least = least_states(automaton, order.minimise)
    checked_size(least, symbols, order, words, None, automaton.n)
    small = _smaller(automaton, order)
    checked_size(small.automaton.n, symbols, order, words, None, automaton.n)
    steps = grading_steps(decoder_length(order))
    scaled = [scaled_reduction(small, powers) for powers in scalings(small.automaton, steps)]
    return (small, *scaled)


def _smaller(automaton: WFA, order: Order) -> Reduction:
    """The automaton on its reachable space, or the minimal one with its weights as outputs."""
    if not order.minimise:
        return reachable_reduction(automaton)
    least = minimal_automaton(automaton)
    return Reduction(least, Matrix.dense([[weight] for weight in least.beta]))


def choose(automaton: WFA | WTA, order: Order, candidates: tuple[Reduction, ...]) -> Decision:
    """The constants of a settled order; `TooSoft` where none keeps ε."""
    if order.decoder:
        if isinstance(automaton, WTA):
            return _tree_decoder(automaton, order)
        return choose_decoder(order, candidates)
    if order.attention == HARD:
        return Decision(Constants(), Fraction(0))
    if order.saturation is not None:
        return Decision(Constants(Fraction(order.saturation)))
    return _words(automaton, order) if isinstance(automaton, WFA) else _trees(automaton, order)


def reduced_bounds(candidate: Reduction, length: int) -> WordBounds:
    """Return bounds that hold for all words of a candidate, read by its outputs."""
    return word_bounds(candidate.automaton, length, candidate.outputs)


def choose_decoder(
    order: Order, candidates: tuple[Reduction, ...], bounds: Bounds = reduced_bounds
) -> Decision:
    """The candidate with the coarsest step, then the least C, then the least K."""
    decisions = list[Decision]()
    last: TooSoft | None = None
    for candidate in candidates:
        facts = bounds(candidate, decoder_length(order))
        try:
            decisions.append(_candidate(order, candidate, facts, candidate is not candidates[0]))
        except TooSoft as error:
            last = error
    if last is not None and not decisions:
        raise last
    return _for_format(order, min(decisions, key=_cost))


def _for_format(order: Order, decision: Decision) -> Decision:
    """A plain decoder's constants: those of exact arithmetic, unless its format cannot keep ε so."""
    facts, choice, form = decision.facts, decision.choice, format_precision(order)
    if not order.plain or facts is None or choice is None:
        return decision
    even = has_even_scale(facts.n)
    if state_error(facts, choice.setting, form, even) <= ball(order.error):
        return decision
    choice = setting_for_format(facts, choice, form, even)
    design = choice.setting.design
    large = None if decision.constants.large is None else design.large
    constants = replace(decision.constants, fineness=design.fineness, large=large)
    return replace(decision, constants=constants, error=choice.error, choice=choice)


def exact_error(decision: Decision) -> flint.arb | Fraction | None:
    """The error in exact arithmetic; of a decoder for words the lesser of the bounds by norms and entries."""
    if decision.facts is None or decision.choice is None or decision.error is None:
        return decision.error
    error = state_error(decision.facts, decision.choice.setting, EXACT)
    return error.min(decision.choice.error)


def format_precision(order: Order) -> Precision:
    """The format that the library computes in, or that of the weights."""
    return ONCE[order.target.computes_in or order.dtype]


def most_large(order: Order) -> int:
    """The largest k for which the square of K = 2^k, which a norm computes, does not overflow."""
    return min(MOST_LARGE, (format_precision(order).most - 1) // 2)


def has_even_scale(n: int) -> bool:
    """Return whether √d = n, by which libraries scale queries and scores, is a power of two and so exact."""
    return n > 1 and n & (n - 1) == 0


def _candidate(order: Order, candidate: Reduction, facts: WordBounds, scaled: bool) -> Decision:
    """C, h and K of one candidate."""
    design = order.target.design(order.activation, order.plain, order.levels or 1)
    choice = required_setting(facts, order.error, design, order.target.rotary, most_large(order))
    chosen = choice.setting.design
    large = None if order.target.norm == "none" else chosen.large
    constants = Constants(choice.setting.saturation, chosen.fineness, chosen.levels, large, scaled)
    return Decision(constants, choice.error, candidate, facts, choice)


def _cost(decision: Decision) -> tuple[int, Fraction, int]:
    constants = decision.constants
    return constants.fineness or 0, constants.saturation or Fraction(0), constants.large or 0


def _tree_decoder(automaton: WTA, order: Order) -> Decision:
    """C of the decoder for trees."""
    from verify.bounds.decoder_tree import required_saturation

    saturation, error = required_saturation(automaton, order.length, order.error)
    return Decision(Constants(Fraction(saturation)), error)


def _words(automaton: WFA, order: Order) -> Decision:
    """C, rounded up, and the k of the MLPs' step 2^-k if products are MLPs, for all words."""
    from verify.bounds.saturation import required_fineness
    from verify.bounds.scaled import least_saturation

    if order.length > LONGEST:
        raise InputError("length", order.length, BEYOND)
    exact, bits = order.feedforward != MLP, None
    if exact:
        constant = least_saturation(automaton, order.length, order.error).constant
    else:
        needed = required_fineness(automaton, order.length, order.error, order.activation)
        constant, bits = needed.constant, needed.bits
    return Decision(Constants(Fraction(max(1, ceil(constant))), bits), order.error)


def _trees(automaton: WTA, order: Order) -> Decision:
    """C, and the k of the MLPs' step 2^-k if products are MLPs, for all trees."""
    from verify.automaton import soft

    reason = soft.too_large(automaton, order.length)
    if reason:
        raise InputError("saturation", f"nothing, and C was {reason}", "a constant C > 0, with "
                         "feedforward=exact")  # fmt: skip
    subject = soft.subjects(automaton, order.length)[order.construction]
    if order.feedforward != MLP:
        return Decision(
            Constants(Fraction(sufficient_saturation(subject, order.error / 2))), order.error
        )
    levels = order.levels or 1
    model = soft.required(subject, order.error, order.activation, levels)
    if model.fineness is None:
        raise InputError("eps", order.error, "an error that some step of the MLPs can keep")
    return Decision(Constants(Fraction(model.saturation), model.fineness, levels), model.error)
