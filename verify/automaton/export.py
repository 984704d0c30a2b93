"""Export an automaton as a folder: reduce, choose, build, certify, run, write.

    export(automaton, Order(64, format="gpt2"), "model")

reduce    a smaller automaton with the same states, and coordinates that ask for less  (`constants`)
choose    C, h and K that certainly keep every state of every input within ε           (`constants`)
build     the exact simulation with these constants           (`constructions.exports.build`)
certify   the error, in exact arithmetic and with rounding                             (`certificate`)
run       the model, in the class that loads it, on chosen words                       (`trial_run`)
write     weights, description, card and script                 (`constructions.exports.folder`)

A model that is useless (not finite, or a certificate or a measurement that says nothing) is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from constructions.automata.entries import check_rational, entries
from constructions.automata.ngram import Ngram
from constructions.automata.prediction import predictor
from constructions.automata.processes import is_process
from constructions.automata.wfa import WFA
from constructions.automata.wta import WTA
from constructions.core.atomic_files import vacant, write_folder
from constructions.core.embedding import BOS
from constructions.core.errors import InputError
from constructions.core.one_line import one_line
from constructions.exports.build import build, decoder_length
from constructions.exports.built_model import ExportModel, Guarantee
from constructions.exports.folder import contents, model_files, write
from constructions.exports.formats import Files
from constructions.exports.limit import checked_size, model_size
from constructions.exports.order import HARD, LEVELS, NEXT, NGRAM_FORMATS, Order, settle
from constructions.language_model import deterministic, table_of, with_short_memory
from constructions.normalised import stochastic_form
from verify.automaton.certificate import certify, certify_language_model
from verify.automaton.constants import choose, reduce
from verify.automaton.ngram import make_ngram
from verify.bounds.budget import TooSoft

if TYPE_CHECKING:
    from verify.automaton.language import LanguageDecision

LARGEST_SCAN = 1 << 24  # bytes; above, a definite automaton is an n-gram table
USELESS = 0.5  # a total variation that a coin has too


@one_line(lambda self: f"{self.folder}: {self.guarantee.headline(self.model)}")
@dataclass(frozen=True)
class Export:
    """The folder that was written, its model, and what is guaranteed of it."""

    folder: Path
    model: ExportModel
    guarantee: Guarantee

    def summary(self) -> str:
        """Summarise the export in a few lines."""
        return "\n".join(_lines(self))

    @property
    def within(self) -> bool:
        """Return whether the measured error, if the model was run, is at most ε."""
        return within(self.model, self.guarantee)


def within(model: ExportModel, guarantee: Guarantee) -> bool:
    """Return whether the measured error, if there is one, is finite and at most ε, if one was given."""
    if guarantee.measured is None:
        return True
    order, error = model.order, float(guarantee.measured)
    free = order.attention == HARD or order.saturation is not None
    return error < float("inf") and (free or error <= order.error)


def export(
    automaton: WFA | WTA | Ngram, order: Order, folder: Path | str, force: bool = False
) -> Export:
    """Write the model of an order, after running it; `force` overwrites, and writes a useless model.

    Examples:
        >>> import assay, tempfile
        >>> written = export(assay.families.counting(), Order(8, eps="1/1000"), tempfile.mkdtemp())
        >>> written.guarantee.error, written.within
        ('7.21e-4', True)
        >>> sorted(path.name for path in written.folder.glob("*.json"))
        ['automaton.json', 'circuit.json', 'model.json', 'stream.json']

    """
    folder = Path(folder)
    vacant(folder, force)
    model, guarantee = make(automaton, order)
    if not force:
        _refuse_useless_certificate(automaton, model, guarantee)
    try:
        files = model_files(model)
    except OverflowError:
        what = "weights beyond the largest float"
        raise InputError("automaton", what, "smaller weights, or a shorter length") from None
    guarantee = _run(model, guarantee, files)
    if guarantee.useless and not force:
        found = f"an error of {guarantee.measured} measured in {guarantee.ran_in}"
        raise _useless(automaton, model, found)
    return Export(write(model, guarantee, folder, files), model, guarantee)


def _run(model: ExportModel, guarantee: Guarantee, files: Files) -> Guarantee:
    """The guarantee with the error measured on the model, written to a temporary folder."""
    if find_spec("torch") is None:
        return replace(guarantee, not_run="torch is not installed")
    from verify.automaton.trial_run import with_trial_run

    with TemporaryDirectory() as trial:
        write_folder(Path(trial), contents(model, guarantee, files), "--out")
        return with_trial_run(Path(trial), model, guarantee)


def _refuse_useless_certificate(
    automaton: WFA | WTA | Ngram, model: ExportModel, guarantee: Guarantee
) -> None:
    """Refuse a total variation that says nothing of a distribution."""
    best = guarantee.rounded or guarantee.error
    if model.order.language and best is not None and float(best) >= USELESS:
        raise _useless(automaton, model, f"a certified total variation of {best}")


def _useless(automaton: WFA | WTA | Ngram, model: ExportModel, found: str) -> InputError:
    expected = "an error that is small beside the outputs: "
    return InputError(
        "order", found, f"{expected}{remedies(automaton, model.order)}, or force=True"
    )


def remedies(automaton: WFA | WTA | Ngram, order: Order) -> str:
    """The first change of an order with which constants are found; each is tried."""
    if isinstance(automaton, Ngram):
        return "dtype=float64" if order.dtype != "float64" else "a shorter length"
    found = (text for text, other in _others(order) if _can_be_made(automaton, other))
    return next(found, "a larger eps or a shorter length")


def _others(order: Order) -> Iterator[tuple[str, Order]]:
    """Orders that lose less to rounding or to a norm."""
    if order.language and not order.target.normalised:
        yield "format=olmo2", replace(order, format="olmo2", plain=False, activation="auto")
    if order.dtype != "float64":
        yield "dtype=float64", replace(order, dtype="float64")
    if order.decoder and order.target.norm != "none" and not order.target.normalised:
        other = replace(order, format="safetensors", plain=False, activation="auto", levels=None)
        yield "format=safetensors", other
        if order.dtype != "float64":
            both = replace(other, dtype="float64")
            yield "format=safetensors with dtype=float64", both


def _can_be_made(automaton: WFA | WTA, order: Order) -> bool:
    """Return whether constants are found for an order and its certificate is not vacuous."""
    unsettled = replace(order, attention="auto", feedforward="auto")
    try:
        settled = settle(unsettled, isinstance(automaton, WFA))
        if isinstance(automaton, WFA) and settled.language:
            best = language_choice(settled)(automaton, settled).error
            return bool(best < USELESS)
        choose(automaton, settled, reduce(automaton, settled))
    except (InputError, TooSoft):
        return False
    return True


def make(automaton: WFA | WTA | Ngram, order: Order) -> tuple[ExportModel, Guarantee]:
    """The model and its guarantee, before it is run or written."""
    if isinstance(automaton, Ngram):
        return make_ngram(automaton, order)
    order = settle(order, isinstance(automaton, WFA))
    check_rational(automaton)
    if order.decoder and BOS in automaton.alphabet:
        raise InputError("symbol", BOS, "another name: this one is the token before every word")
    if order.language and isinstance(automaton, WFA):
        return _make_language_model(automaton, order)
    candidates = reduce(automaton, order)
    try:
        decision = choose(automaton, order, candidates)
    except TooSoft as error:
        expected = f"an error that can be kept: {error}; take {remedies(automaton, order)}"
        raise InputError("eps", order.error, expected) from None
    model = build(automaton, order, decision.constants, decision.reduction)
    return model, certify(model, decision)


def language_choice(order: Order) -> Callable[[WFA, Order], LanguageDecision]:
    """Return the function that chooses the constants of a language model."""
    if order.target.normalised:
        from verify.automaton.normalised import choose_normalised_model

        return choose_normalised_model
    from verify.automaton.language import choose_language_model

    return choose_language_model


def _check_generates(automaton: WFA) -> None:
    """Refuse an acceptor: all its weights are 0 or 1, and they are no distribution of words."""
    if is_process(automaton) or any(weight not in (0, 1) for _, weight in entries(automaton)):
        return
    expected = (
        "head=states: a DFA accepts, it does not generate; or give probabilities, as a PFA or HMM"
    )
    raise InputError("head", NEXT, expected)


def _for_table(order: Order) -> Order:
    """The order of an automaton as one of its n-gram table."""
    names = ("format", "eps", "dtype", "large", "head")
    return Order(order.length, **{name: getattr(order, name) for name in names})


def _make_language_model(automaton: WFA, order: Order) -> tuple[ExportModel, Guarantee]:
    """A language model: its readout and its last layer depend on what was chosen."""
    _check_generates(automaton)
    source = predictor(automaton)
    process = None if order.target.normalised else deterministic(source)
    n = (stochastic_form(source) if order.target.normalised else source.automaton).n
    size: tuple[int, int, Order, bool, int | None] = (n, len(source.symbols), order, True, 0)
    if process is not None:
        layers = with_short_memory(process, decoder_length(order))[1]
        size = (n, len(source.symbols), replace(order, window=1 << layers), True, None)
        large = order.format in NGRAM_FORMATS and model_size(*size) > LARGEST_SCAN
        if large and (table := table_of(process)):
            return make_ngram(table, _for_table(order))
    checked_size(*size)
    try:
        decision = language_choice(order)(automaton, order)
    except TooSoft as error:
        expected = f"a total variation that can be kept: {error}; take {remedies(automaton, order)}"
        raise InputError("eps", order.error, expected) from None
    model = ExportModel(automaton, order, decision.constants, decision.model)
    return model, certify_language_model(model, decision)


def _lines(export: Export) -> Iterator[str]:
    model, guarantee = export.model, export.guarantee
    sizes = ("layers", "heads", "d_model", "d_head", "d_mlp", "context")
    listed = ", ".join(f"{name} {model.sizes[name]}" for name in sizes)
    constants = [f"{name} = {decimal(text)}" for name, text in model.constants.rows().items()]
    yield guarantee.headline(model)
    yield from _beyond(export)
    yield f"Written: {export.folder}"
    yield f"Model: {model.theorem}, {blocks(model)}"
    if isinstance(model.automaton, Ngram):
        yield f"Table: {model.automaton!r}"
    else:
        yield f"States: {model.weighted.n}, in the model {model.stream.n}"
    yield f"Sizes: {listed}"
    if constants:
        yield f"Constants: {', '.join(constants)}"
    yield f"Error: {guarantee.quantity}, for every {model.inputs}"
    if guarantee.measured is not None:
        yield f"Measured on: {guarantee.sample}"
    yield from () if guarantee.scale is None else guarantee.scale.sentences


def blocks(model: ExportModel) -> str:
    """Name the units or blocks with which the model multiplies."""
    order, name = model.order, model.order.activation
    if isinstance(model.automaton, Ngram):
        return f"one {name} unit a context"
    if order.feedforward == "exact":
        return "exact products"
    if order.feedforward == "gated":
        return f"gated {name} units"
    return f"{4 * model.constants.levels} {name} units a product"


def _beyond(export: Export) -> Iterator[str]:
    """Yield a warning if the model misses ε, or may miss it, with a remedy."""
    model, guarantee = export.model, export.guarantee
    order = model.order
    if order.attention == HARD or order.saturation is not None:
        if not export.within:
            yield "WARNING: the outputs are not finite"
        return
    eps = f"eps = {float(order.error):g}"
    if not export.within:
        yield f"WARNING: the measured error is larger than {eps}; use {_instead(model)}"
    elif guarantee.rounded is not None and float(guarantee.rounded) > order.error:
        yield f"Certified with rounding is more than {eps}; to certify it, use {_instead(model)}"


def _instead(model: ExportModel) -> str:
    """Name options that lose less to rounding."""
    order = model.order
    if order.target.normalised:
        return "a larger eps or a shorter length: the library's norms round to float32"
    if order.language and model.constants.least_weight is not None:
        return "format=olmo2, whose stream is normalised, where no weight is negative"
    if order.target.computes_in is not None:
        return "format=safetensors or transformerlens, which compute in the type of their weights"
    if order.dtype != "float64":
        return f"dtype=float64{_more_levels(order)}"
    if order.decoder:
        gated = " or a gated block (not plain, not gpt2)" if order.plain else ""
        return f"a shorter length{_more_levels(order)}{gated}"
    return "activation=gelu, a larger eps, or feedforward=exact"


def _more_levels(order: Order) -> str:
    """Suggest one more level of steps, which allows a coarser step for the same error of a product."""
    if not (order.decoder and order.plain and not order.language) or (order.levels or 1) >= LEVELS:
        return ""
    return f", levels={(order.levels or 1) + 1}"


def decimal(value: str) -> str:
    """A constant p/q, with its decimal beside it."""
    return f"{value} = {float(Fraction(value)):.10g}" if "/" in value else value
