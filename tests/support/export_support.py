"""Models for the tests of exports: built with given constants, nothing certified."""

from fractions import Fraction
from pathlib import Path
from typing import Any

from constructions import normalised
from constructions.automata.families import counting
from constructions.automata.prediction import predictor
from constructions.automata.processes import mess3
from constructions.automata.wfa import WFA
from constructions.automata.wta import WTA
from constructions.blocks.logarithm import fit_logarithm
from constructions.exports.build import build
from constructions.exports.built_model import Constants, ExportModel, Guarantee
from constructions.exports.folder import write
from constructions.exports.formats import NAMES, format_of
from constructions.exports.order import STATES, Order, settle

ADDER = WTA.of([1, 0], [[[0, 1], [1, 0]], [[0, 0], [0, 1]]], {"a": [1, 1], "b": [5, 1]})
STATE_FORMATS = [name for name in NAMES if STATES in format_of(name).heads]
NOTHING = Guarantee("in the Euclidean norm", "0.0004")


def model_of(automaton: WFA | WTA, order: Order, saturation: int = 300) -> ExportModel:
    """The model of an order with C as given, a fine step and a large K where it has them."""
    order = settle(order, isinstance(automaton, WFA))
    soft = Fraction(saturation) if order.attention == "soft" else None
    step = 12 if order.feedforward == "mlp" else None
    large = None if order.target.norm == "none" else 1 << 20
    return build(automaton, order, Constants(soft, step, order.levels or 1, large))


def normalised_model(length: int) -> ExportModel:
    """A model of the next symbol with a normalised stream, whose logarithm has few units."""
    order = settle(Order(length, format="olmo2", head="next"), words=True)
    logarithm = fit_logarithm("silu", Fraction(1, 1000), Fraction(1, 20))
    simulation = normalised.build(predictor(mess3()), length, Fraction(4000), logarithm)
    return ExportModel(mess3(), order, Constants(Fraction(4000)), simulation)


def written(folder: Path, automaton: WFA | WTA, length: int, **asked: Any) -> Path:
    """The folder of such a model."""
    return write(model_of(automaton, Order(length, **asked)), NOTHING, folder)


def counter(folder: Path, length: int = 6, **asked: Any) -> Path:
    """The folder of a model that counts zeros."""
    return written(folder, counting(), length, **asked)
