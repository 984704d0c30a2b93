"""Rounding of the exported models with hard attention and exact products, over all inputs.

Words     `rounding`: the Frobenius norm of the errors of all states of a word, in scaled coordinates too
Trees     every entry of every state of every tree up to the length: by coordinates (`rounding_trees`), and
          for Theorem 3's model by the number of leaves too (`rounding_leaves`)
Limits    nothing is computed for long inputs or many states, which would take longer than the export;
          nothing is certified where a head may look elsewhere, or where the bound is no less than the
          states themselves may be. Both the pass that is run and the general one keep the bound
"""

from __future__ import annotations

import flint

from constructions.automata.trees import most_leaves
from constructions.automata.wfa import WFA
from constructions.automata.wta import WTA
from constructions.exports.built_model import ExportModel
from constructions.exports.order import HARD
from constructions.theorem1 import span
from verify.automaton import rounding, rounding_leaves, rounding_trees, soft
from verify.bounds.budget import BudgetSubject
from verify.bounds.floating import FORMATS, Precision
from verify.bounds.growth import listed_products
from verify.bounds.norms import largest
from verify.bounds.recursion import readout_factor
from verify.bounds.scaled import scaled_products
from verify.bounds.states import StateBounds, state_bounds

LONGEST_WORD, LONGEST_TREE, MOST_STATES = 256, 100, 16
BITS = 128
EXACT = "exact"


def exact_rounding(model: ExportModel) -> flint.arb | None:
    """Return the certified error with rounding, or None."""
    order, automaton = model.order, model.weighted
    if order.attention != HARD or order.feedforward != EXACT or automaton.n > MOST_STATES:
        return None
    form = next(form for form in FORMATS if form.name == order.dtype)
    with flint.ctx.workprec(BITS):
        if isinstance(automaton, WFA):
            return _of_words(automaton, order.length, form)
        return _of_trees(automaton, order.length, form, order.construction)


def _of_words(automaton: WFA, length: int, form: Precision) -> flint.arb | None:
    if length > LONGEST_WORD or not rounding.attention_is_right(form, length):
        return None
    norms = listed_products(automaton, span(length))
    scaled = scaled_products(automaton, length)
    error = rounding.state_error(form, automaton, length, norms, scaled)
    return error if error < readout_factor(automaton, length) * norms.up_to(length) else None


def _of_trees(automaton: WTA, length: int, form: Precision, name: str) -> flint.arb | None:
    if length > LONGEST_TREE or soft.too_large(automaton, length):
        return None
    found = state_bounds(automaton, most_leaves(length))
    error = rounded_tree_error(name, form, found, soft.subjects(automaton, length)[name])
    return error if error is not None and error < largest(found.largest()) else None


def rounded_tree_error(
    name: str, form: Precision, found: StateBounds, known: BudgetSubject
) -> flint.arb | None:
    """The least bound known on the rounding error of a state; None if heads may look elsewhere."""
    if not rounding_trees.attention_is_right(form, known):
        return None
    general = rounding_trees.state_error(form, known)
    if name == "tree" and rounding_leaves.within_reach(found):
        return general.min(rounding_leaves.state_error(form, found))
    return general
