"""The exact simulation that an order asks for, once its constants are chosen.

decoder    `constructions.decoder` on a reduced automaton, or `constructions.decoder_tree`
exact      Theorem 1          soft      Theorem 2
tree       Theorem 3 repaired logdepth  log-depth trees; both with softmax where there is a C
Products   exact where there is no step; else MLP units with step h = 2^-k, at several steps h, 2h, …
           for trees: with softmax that is the model of Theorem 2, or of Theorem 3
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from constructions import decoder, decoder_tree, logdepth, theorem1, theorem2, theorem3
from constructions.automata.reduction import Reduction
from constructions.automata.wfa import WFA
from constructions.automata.wta import WTA
from constructions.blocks.refined import RefinedUnits
from constructions.blocks.smoothing import FourUnits
from constructions.core.errors import InputError
from constructions.core.matrix import Matrix
from constructions.core.transformer import Attention
from constructions.exports.built_model import Constants, ExportModel
from constructions.exports.order import Order

SHORTEST = 2  # a decoder has at least one layer


def decoder_length(order: Order) -> int:
    """The length that a decoder for words is built for."""
    return max(order.length, SHORTEST)


def build(
    automaton: WFA | WTA, order: Order, constants: Constants, reduction: Reduction | None = None
) -> ExportModel:
    """Return the model of a settled order; a decoder for words is built on a reduced automaton."""
    if not order.decoder:
        return ExportModel(automaton, order, constants, paper(automaton, order, constants))
    simulation: Any
    if isinstance(automaton, WFA):
        small = reduction or Reduction(automaton, Matrix.identity(automaton.n))
        simulation = decoder.build(
            small.automaton,
            decoder_length(order),
            with_constants(order, constants),
            constants.saturation,
            small.outputs,
        )
    else:
        simulation = decoder_tree.build(
            automaton, order.length, order.activation, constants.saturation
        )
    return ExportModel(automaton, order, constants, simulation)


def with_constants(order: Order, constants: Constants) -> decoder.Design:
    """The decoder's design with its step and its K."""
    design = order.target.design(order.activation, order.plain, order.levels or 1)
    return replace(design, fineness=constants.fineness, large=constants.large or design.large)


def paper(automaton: WFA | WTA, order: Order, constants: Constants) -> Any:
    """One of the paper's constructions."""
    if isinstance(automaton, WFA):
        return _words(automaton, order, constants)
    return _trees(automaton, order, constants)


def _units(order: Order, constants: Constants) -> RefinedUnits | None:
    """The hidden units of a product, if products are MLPs."""
    if constants.fineness is None:
        return None
    return RefinedUnits(FourUnits.of(order.activation, constants.fineness), constants.levels)


def _words(automaton: WFA, order: Order, constants: Constants) -> theorem1.WordSimulation:
    """Theorem 1's or Theorem 2's simulation."""
    if order.construction == "exact":
        return theorem1.build(automaton, order.length)
    if constants.saturation is None:
        raise InputError("saturation", None, "a constant C > 0 for soft attention")
    units, products = _units(order, constants), theorem1.product_block(automaton.n)
    block = theorem2.PRODUCT if units is None else units.block(products, frozenset())
    return theorem2.build(automaton, order.length, constants.saturation, block)


def _trees(automaton: WTA, order: Order, constants: Constants) -> Any:
    """Theorem 3's repaired or the log-depth simulation, with MLPs where there is a step."""
    simulation = _exact_products(automaton, order, constants)
    units = _units(order, constants)
    if units is None:
        return simulation
    from constructions.modules.tree_module import with_units

    return with_units(simulation, units)


def _exact_products(automaton: WTA, order: Order, constants: Constants) -> Any:
    """Return Theorem 3's repaired or the log-depth simulation with exact products."""
    length, saturation = order.length, constants.saturation
    if order.construction == "logdepth":
        hard = logdepth.build(automaton, length)
        return hard if saturation is None else logdepth.soft_simulation(hard, saturation)
    if saturation is None:
        return theorem3.build(automaton, length)
    return theorem3.build(automaton, length, attention=Attention.SOFT, saturation=saturation)
