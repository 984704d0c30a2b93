"""From an automaton to a folder: reduce, choose, build, certify, write.

    export(automaton, Order(64, format="gpt2"), "model")

reduce    a smaller automaton with the same states, and coordinates that ask for less   (`choosing`)
choose    C, h and K that certainly keep every state of every input within ε            (`choosing`)
build     the exact simulation with these constants            (`constructions.exports.build`)
certify   the error kept, with rounding, or what was measured                          (`certifying`)
write     weights, description, card and script                  (`constructions.exports.folder`)
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from constructions.automata.wfa import WFA
from constructions.automata.wta import WTA
from constructions.core.atomic_files import vacant
from constructions.core.embedding import BOS
from constructions.core.errors import InputError
from constructions.exports.build import build
from constructions.exports.built_model import ExportModel, Guarantee
from constructions.exports.folder import write
from constructions.exports.limit import checked_size
from constructions.exports.order import HARD, LEVELS, Order, settle
from verify.automaton.certificate import certify, certify_language_model
from verify.automaton.constants import choose, reduce
from verify.automaton.language import choose_language_model
from verify.automaton.normalised import choose_normalised_model
from verify.bounds.budget import TooSoft

NORMALISED = "--format olmo2, whose stream is normalised, where no weight is negative"


@dataclass(frozen=True)
class Export:
    """What was written, where, and what is guaranteed of it."""

    folder: Path
    model: ExportModel
    guarantee: Guarantee

    def summary(self) -> str:
        """What a user wants to know of it, in a few lines."""
        return "\n".join(_lines(self))


def export(automaton: WFA | WTA, order: Order, folder: Path | str, force: bool = False) -> Export:
    """Write the model that an order asks for; a folder that holds something only with `force`.

    Examples:
        >>> import assay, tempfile
        >>> written = export(assay.families.counting(), Order(8, eps="1/1000"), tempfile.mkdtemp())
        >>> written.guarantee.error
        '9.93e-4'
        >>> sorted(path.name for path in written.folder.glob("*.json"))
        ['automaton.json', 'circuit.json', 'model.json', 'stream.json']

    """
    folder = Path(folder)
    vacant(folder, force)
    model, guarantee = make(automaton, order)
    try:
        return Export(write(model, guarantee, folder), model, guarantee)
    except OverflowError:
        what = "weights beyond the largest float"
        raise InputError("automaton", what, "an automaton or a length with smaller ones") from None


def make(automaton: WFA | WTA, order: Order) -> tuple[ExportModel, Guarantee]:
    """The model and its guarantee, not written yet."""
    order = settle(order, isinstance(automaton, WFA))
    if order.decoder and BOS in automaton.alphabet:
        raise InputError("symbol", BOS, "another name: this one is the token before every word")
    if order.language and isinstance(automaton, WFA):
        return _make_language_model(automaton, order)
    candidates = reduce(automaton, order)
    try:
        decision = choose(automaton, order, candidates)
    except TooSoft as error:
        expected = f"an error that can be kept: {error}"
        raise InputError("--eps", order.error, expected) from None
    model = build(automaton, order, decision.constants, decision.reduction)
    return model, certify(model, decision)


def _make_language_model(automaton: WFA, order: Order) -> tuple[ExportModel, Guarantee]:
    """A language model: its readout and its last layer depend on what was chosen."""
    checked_size(automaton.n, len(automaton.alphabet) + 1, order, words=True)
    try:
        choose_model = choose_normalised_model if order.target.normalised else choose_language_model
        decision = choose_model(automaton, order)
    except TooSoft as error:
        other = "" if order.target.normalised else f"; {NORMALISED}"
        expected = f"a total variation that can be kept: {error}{other}"
        raise InputError("--eps", order.error, expected) from None
    model = ExportModel(automaton, order, decision.constants, decision.model)
    return model, certify_language_model(model, decision)


def _lines(export: Export) -> Iterator[str]:
    model, guarantee = export.model, export.guarantee
    sizes = ("layers", "heads", "d_model", "d_head", "d_mlp", "context")
    listed = ", ".join(f"{name} {model.sizes[name]}" for name in sizes)
    constants = [f"{name} = {decimal(text)}" for name, text in model.constants.rows().items()]
    yield f"Written: {export.folder}"
    yield f"Model: {model.theorem}, {blocks(model)}"
    yield f"States: {model.automaton.n}, in the model {model.stream.n}"
    yield f"Sizes: {listed}"
    if constants:
        yield f"Constants: {', '.join(constants)}"
    yield from _errors(model, guarantee)
    yield from () if guarantee.scale is None else guarantee.scale.sentences


def blocks(model: ExportModel) -> str:
    """How the model multiplies."""
    order, name = model.order, model.order.activation
    if order.feedforward == "exact":
        return "exact products"
    if order.feedforward == "gated":
        return f"gated {name} units"
    return f"{4 * model.constants.levels} {name} units a product"


def _errors(model: ExportModel, guarantee: Guarantee) -> Iterator[str]:
    """The certified error: with rounding in the format asked for, or else in exact arithmetic."""
    own = model.order.target.computes_in
    where = model.order.dtype if own is None else f"{own}, as the library's own code has it"
    of = f"{guarantee.quantity}, for every {model.inputs}"
    if guarantee.rounded is not None:
        line = f"Certified error: {guarantee.rounded}, {of}, with rounding in {where}; "
        line += f"{guarantee.error} in exact arithmetic"
        if guarantee.measured is not None:
            line += f"; measured on {guarantee.sample}: {guarantee.measured}"
        yield line + _warning(model, guarantee.rounded)
        return
    if guarantee.error is None:
        yield "Certified error: none, for a C that was given"
    else:
        yield f"Certified error: {guarantee.error}, {of}, in exact arithmetic"
    if guarantee.measured is None:
        yield f"With rounding in {where}: not certified"
        return
    line = f"With rounding in {where}: measured on {guarantee.sample}, not certified: "
    worst = max(guarantee.measured, guarantee.error or "0", key=float)
    yield f"{line}{guarantee.measured}" + _warning(model, worst)


def _warning(model: ExportModel, error: str) -> str:
    """That a format costs more than was asked for, and what costs less."""
    order = model.order
    if order.attention == HARD or order.saturation is not None or float(error) <= order.error:
        return ""
    return (f". WARNING: this is larger than ε = {float(order.error):g}, as asked; "
            f"use {_instead(model)}")  # fmt: skip


def _instead(model: ExportModel) -> str:
    """What loses less to rounding."""
    order = model.order
    if order.target.normalised:
        return (
            "a larger --eps, a --window or a shorter --length: the library's norms round to float32"
        )
    if order.language and model.constants.least_weight is not None:
        return NORMALISED
    if order.target.computes_in is not None:
        return "--format safetensors or transformerlens, which compute in the type of their weights"
    if order.dtype != "float64":
        return f"--dtype float64{_more_levels(order)}"
    if order.decoder:
        gated = " or a gated block (without --plain, not gpt2)" if order.plain else ""
        return f"a shorter --length{_more_levels(order)}{gated}"
    return "--activation gelu, a larger --eps, or --feedforward exact"


def _more_levels(order: Order) -> str:
    """That another level of steps lets the step be coarser, for the same error of a product."""
    if not (order.decoder and order.plain and not order.language) or (order.levels or 1) >= LEVELS:
        return ""
    return f", --levels {(order.levels or 1) + 1}"


def decimal(value: str) -> str:
    """A constant p/q, with its decimal beside it."""
    return f"{value} = {float(Fraction(value)):.10g}" if "/" in value else value
