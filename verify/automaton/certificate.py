"""The certified error of a built model, in exact arithmetic and with rounding.

Exact         every construction: the error that the chosen constants keep, in exact arithmetic; 0
              with hard attention and exact products
Rounding      decoders for words, and models with hard attention and exact products (`rounding_exact`) for
              words and trees: certified, as long as the bound is below half the size of the states
              themselves; llama's code computes in float32 in part, whatever the weights are
Says nothing  a bound as large as half of the states, or a total variation of 1/2: not shown. What was
              measured is added once the model has been run (`trial`)
"""

from __future__ import annotations

from dataclasses import replace
from decimal import ROUND_CEILING, Context, Decimal
from fractions import Fraction
from typing import TYPE_CHECKING

import flint

from constructions.core.exact import ball
from constructions.exports.built_model import ErrorScale, ExportModel, Guarantee
from constructions.exports.order import HARD
from verify.automaton.constants import Decision, exact_error, format_precision, has_even_scale
from verify.automaton.significance import relative_sentence, scale_of, sizes_of
from verify.bounds.decoder_rounding import state_error
from verify.bounds.outward import rounded_up

if TYPE_CHECKING:
    from verify.automaton.language import LanguageDecision

CLAIMS = {
    "exact": ("thm1", "thm1.restated"),
    "soft": ("thm2", "thm2.choose"),
    "tree": ("thm3", "thm3.depth"),
    "logdepth": ("beyond.logdepth.encoder",),
    "decoder": ("beyond.decoder",),
}
SOFT_CLAIMS = {
    "tree": ("beyond.tree.soft",),
    "logdepth": ("beyond.logdepth.soft",),
    "decoder": ("beyond.decoder.soft",),
}
TREE_DECODER = ("beyond.decoder.trees", "beyond.decoder.trees.soft")
LIMITS = (
    "What is certified holds in exact arithmetic. MLPs with a step h divide by h², so that a format with "
    "unit roundoff u adds errors of about u/h² a product; of about u/h where the activation is 0 at 0.",
    "Errors are absolute. The general pass adds numbers as large as the largest state, so that a weight "
    "far below the format's unit roundoff times that size may lose its digits or come out as 0; the "
    "fused pass for trees follows the definition and keeps them where no weight is negative.",
    "torch.export and torch.compile(fullgraph=True) take the module as it is; the size of the batch "
    "and the length may be dynamic: torch.export.Dim, for the length with max= the length above. "
    "The example that torch.export is given then has at least two words of two letters, or two "
    "trees of two leaves. Longer words are refused by the graph's guard.",
    "A graph that was exported or compiled computes all scores of a head at once, unless it is the "
    "exact model for words, which copies the rows it attends to; current_pass() of the module says "
    "which pass a call takes.",
)
# Of a normalised stream the record has no statement.
ONE_HOT_CLAIMS = ("beyond.decoder", "beyond.language.logits")
GENERAL_CLAIMS = ("beyond.decoder", "beyond.language")
LANGUAGE_LIMITS = (
    "The certificate holds in exact arithmetic; what rounding adds is measured on the words named, not "
    "certified.",
    "After a prefix of probability 0 nothing is claimed. That no prefix has a negative weight is checked "
    "where no weight of the automaton is negative, and otherwise not.",
)
HALF = flint.arb("0.5")  # a total variation is at most 1, and a coin says as much as one beyond 1/2
DIGITS = 3
UPWARDS = Context(prec=DIGITS, rounding=ROUND_CEILING)
EUCLIDEAN = "in the Euclidean norm at every position"
TOGETHER = "in the norm of Definition 3.2 over all states of a word"
LARGEST = "in the largest entry of a state at every position"


def quantity(model: ExportModel) -> str:
    """Return the norm in which the errors of a model are measured."""
    if model.order.decoder:
        return EUCLIDEAN
    return TOGETHER if model.words else LARGEST


def claims(model: ExportModel) -> tuple[str, ...]:
    """The statements that speak of a model's construction."""
    order = model.order
    if order.decoder and not model.words:
        return TREE_DECODER
    soft = () if order.attention == HARD else SOFT_CLAIMS.get(order.construction, ())
    return (*CLAIMS[order.construction], *soft)


def limits(model: ExportModel) -> tuple[str, ...]:
    """Return the limits of the certificate, as sentences for the card."""
    if not model.order.decoder:
        return LIMITS
    step = model.constants.fineness
    if step is None:
        return ()
    return (f"Rounding of the plain block is about the format's unit over h = 2^-{step}.",)


def rounded_error(model: ExportModel, decision: Decision) -> flint.arb | None:
    """The error with rounding, where it is below half the size of the states."""
    facts, choice, order = decision.facts, decision.choice, model.order
    if not order.decoder:
        from verify.automaton.rounding_exact import exact_rounding

        return exact_rounding(model)
    if facts is None or choice is None:
        return None
    error = state_error(facts, choice.setting, format_precision(order), has_even_scale(facts.n))
    return error if error < facts.readout * facts.reach / 2 else None


def certify(model: ExportModel, decision: Decision) -> Guarantee:
    """The guarantee of a model whose constants were decided so."""
    decision = replace(decision, error=exact_error(decision))
    rounded = rounded_error(model, decision)
    return Guarantee(
        quantity(model),
        None if decision.error is None else upper(decision.error),
        None if rounded is None else upper(rounded),
        claims=claims(model),
        limits=limits(model),
        scale=scale(model, decision, rounded),
    )


def certify_language_model(model: ExportModel, decision: LanguageDecision) -> Guarantee:
    """The guarantee of a language model, with rounding where that is certified."""
    known = decision.rounded is not None and decision.rounded < HALF
    rounded = upper(decision.rounded) if known and decision.rounded is not None else None
    limits = (*decision.limits, *LANGUAGE_LIMITS[int(rounded is not None) :])
    claims = () if model.order.target.normalised else language_claims(decision)
    return Guarantee(
        decision.quantity, upper(decision.error), rounded, claims=claims, limits=limits
    )


def language_claims(decision: LanguageDecision) -> tuple[str, ...]:
    """The statements behind a language model: those of its decoder and of its total variation."""
    return ONE_HOT_CLAIMS if decision.constants.least_weight is None else GENERAL_CLAIMS


def scale(model: ExportModel, decision: Decision, rounded: flint.arb | None) -> ErrorScale | None:
    """Return the sizes of the outputs to compare a certified error with; None if no error is certified."""
    if decision.error is None:
        return None
    order, error = model.order, decision.error
    bound = ball(error) if isinstance(error, Fraction) else error
    largest_entry = not (model.words or order.decoder)
    sizes = sizes_of(model.weighted, order.length, order.minimise, largest_entry)
    together = quantity(model) == TOGETHER
    errors = {upper(error): bound} | ({} if rounded is None else {upper(rounded): rounded})
    keeps = model.words and order.construction == "exact"
    made = scale_of(model.weighted, sizes, errors, together, keeps)
    if order.relative is None:
        return made
    weight, lines = Fraction(order.relative), list(made.sentences)
    lines.append(relative_sentence(bound, weight, "in exact arithmetic"))
    if rounded is not None:
        lines.append(relative_sentence(rounded, weight, f"with rounding in {order.dtype}"))
    return replace(made, sentences=tuple(lines))


def upper(value: flint.arb | Fraction) -> str:
    """A decimal with three digits at or above a ball, or a fraction."""
    if isinstance(value, Fraction):
        decimal = UPWARDS.divide(Decimal(value.numerator), Decimal(value.denominator))
    elif not value.is_finite():
        return "unbounded"
    else:
        decimal = rounded_up(value, DIGITS)
    return f"{decimal:.{DIGITS - 1}e}" if decimal else "0"
