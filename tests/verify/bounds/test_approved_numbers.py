"""Bounds with many digits, as they were approved: none changes without being noticed."""

from fractions import Fraction
from pathlib import Path

import flint
import pytest
from approved_support import agree_with_approved, plain_data

from constructions import decoder, logdepth, theorem3
from constructions.automata.families import counting, hmm
from constructions.automata.prediction import predictor
from constructions.automata.processes import mess3
from constructions.automata.trees import most_leaves
from constructions.automata.wfa import WFA
from constructions.automata.wta import WTA
from constructions.blocks.logarithm import fit_logarithm
from constructions.core.matrix import Matrix
from constructions.decoder_tree import depth
from constructions.language_model import LanguageDesign
from constructions.normalised import stochastic_form
from verify.bounds import (
    budget,
    circulant,
    decoder_entries,
    decoder_rounding,
    decoder_scores,
    decoder_sweep,
    decoder_tree,
    decoder_tree_nodes,
    decoder_tree_rounding,
    decoder_windows,
    format_setting,
    growth,
    language,
    language_rounding,
    leak,
    neighbours,
    normalised,
    norms,
    reachable,
    recursion,
    saturation,
    scaled,
    state_sizes,
    states,
    summation,
    sweep,
    tree_budget,
    window_classes,
    windows,
)
from verify.bounds import decoder as bounds
from verify.bounds import logdepth as logdepth_bounds
from verify.bounds.floating import ONCE

APPROVED = Path(__file__).with_suffix(".json")
EPS = Fraction(1, 10**4)
WEATHER = hmm([["1/2", "1/2"], ["1/4", "3/4"]], [["1/3", "1/2"], ["2/3", "1/2"]], [1, 0], "ab")
GAPS = hmm([["1/2", "1/2", 0], [0, "1/2", "1/2"], ["1/2", 0, "1/2"]],
           [["9/10", "1/2", "1/10"], ["1/10", "1/2", "9/10"]], [1, 0, 0], "ab")  # fmt: skip
SIGNED = WFA.of([1, "-1/2", 2], {"a": [["1/2", -1, 0], [0, "2/3", "1/3"], [1, 0, "-1/4"]],
                                 "b": [[0, 1, "1/5"], ["-1/2", 0, 1], ["1/3", "1/3", 0]]},
                [1, 2, "-1/3"])  # fmt: skip
LEAVES = WTA.of([1, 0], [[["3/4", "-1/3"], ["1/2", "1/5"]], [["1/4", "2/3"], ["1/2", "4/5"]]],
                {"a": ["1/2", "1/2"], "b": ["1/5", "4/5"]})  # fmt: skip
WORDS = {"counting": counting(), "weather": WEATHER, "signed": SIGNED}
ADDER = WTA.of([1, 0], [[[0, 1], [1, 0]], [[0, 0], [0, 1]]], {"a": [1, 1], "b": [5, 1]})
TREES = {"leaves": LEAVES, "adder": ADDER}
FORMS = (ONCE["float32"], ONCE["float64"])
CONSTANTS = (Fraction(20), Fraction(55))
SIZES = (flint.arb(3), flint.arb(2) ** -66)  # below 1/G the norm's ε is felt
NORMED = decoder.Design("silu", norm=decoder.Normalisation.RMS, large=1 << 20, epsilon=EPS)
EIGHTH, BITS = flint.arb(2) ** -3, 96


def gated(automaton, length=6):
    """A certified setting of a gated decoder."""
    found = bounds.word_bounds(automaton, length)
    return found, bounds.required_setting(found, EPS, decoder.Design("silu"))


def of_words(automaton):
    """What is bounded for all words of an automaton, part by part."""
    grown = growth.growth(automaton, 8)
    yield "growth", [grown, growth.products(automaton, 8)]
    yield "few listed", growth.growth(automaton, 8, 20)
    found, choice = gated(automaton)
    yield "decoder", [found, choice, bounds.errors(found, choice.setting)]
    rotary = bounds.required_setting(found, EPS, decoder.Design("silu"), True)
    yield "rotary", [rotary, bounds.errors(found, rotary.setting)]
    uniform = saturation.uniform_bounds(automaton, 6)
    errors = [uniform.states(constant, EPS) for constant in CONSTANTS]
    yield "uniform", [uniform, errors, saturation.required_saturation(automaton, 6, EPS)]
    yield "fineness", saturation.required_fineness(automaton, 6, EPS, "gelu")
    made = windows.window_bounds(automaton, 6)
    yield "windows", [made, [[made.errors(c), made.states(c)] for c in CONSTANTS]]
    sizes = decoder_windows.window_sizes(automaton, 8, grown, flint.arb(2))
    yield "neighbours", [neighbours.window_distances(automaton, 3, grown), sizes]
    yield (
        "scaled",
        [scaled.least_saturation(automaton, 6, EPS), scaled.scaled_products(automaton, 6)],
    )
    yield "sizes", [state_sizes.word_sizes(automaton, 6, weights) for weights in (False, True)]
    yield "needed", decoder_sweep.needed_saturations(automaton, [2, 6], EPS)
    yield "needed by layers", decoder_sweep.needed_saturations(automaton, [5], EPS, True)
    factor = recursion.printed_factor(automaton)
    printed = recursion.printed_errors(factor, flint.arb(2), 3, flint.arb("0.25"))
    yield "recursion", [factor, printed, recursion.readout_factor(automaton, 6)]
    words, every = sweep.chosen_words(automaton, 4, 3)
    yield "sweep", [words, every, sweep.rows(automaton, words, 4, CONSTANTS)]
    yield "soft runs", circulant.state_error(automaton, words, 4, CONSTANTS[0])


def of_rounding(automaton):
    """What rounding adds to a decoder."""
    found, choice = gated(automaton)
    plain = [decoder.Design("gelu", fineness=12, levels=levels) for levels in (1, 2)]
    settings = [
        choice.setting,
        *(bounds.Setting(design, Fraction(90)) for design in (NORMED, *plain)),
    ]
    for setting in settings:
        name = f"{setting.design.norm.value} {setting.design.fineness} {setting.design.levels}"
        yield name, [bounds.errors(found, setting), bounds.state_error(found, setting)]
        for form in FORMS:
            rounding = decoder_rounding.DecoderRounding(found, setting, form)
            lost = decoder_rounding.state_error(found, setting, form, True)
            yield f"{name} in {form.name}", [rounding.layers(), rounding.state_error(), lost]
    chosen = bounds.CertifiedSetting(settings[2], flint.arb(0), flint.arb(1))
    yield "for a format", format_setting.setting_for_format(found, chosen, FORMS[0])


def of_trees(automaton):
    """What is bounded for all trees of an automaton."""
    reach = reachable.reachable_bounds(automaton, 4)
    yield "reachable", reach
    yield "entries", [states.state_bounds(automaton, 4), states.context_tables(reach.entrywise)]
    yield "sizes", [state_sizes.tree_sizes(automaton, 4, largest) for largest in (False, True)]
    found = decoder_tree.required_saturation(automaton, 10, EPS)
    both = decoder_tree.TreeDecoderBounds.of(automaton, 10)
    yield "decoder", [found, both.bound(found.saturation), both.coordinates.bound(found.saturation)]
    nodes = decoder_tree_nodes.NodeRecursion(reach, 10, 4)
    yield "nodes", [nodes.bound(constant) for constant in (Fraction(60), Fraction(200))]
    for name, subject in subjects(automaton):
        least = budget.sufficient_saturation(subject, EPS)
        yield name, [subject.sizes, subject.gap, least, budget.error_bound(subject, least + 1)]


def of_tree_rounding(automaton):
    """What rounding adds to a tree decoder, for one leaf and for more, and what its parts are."""
    saturation = Fraction(60)
    for length in (1, 10):
        reach = reachable.reachable_bounds(automaton, most_leaves(length))
        for form in FORMS:
            nodes = decoder_tree_rounding.RoundedNodes(reach, length, depth(length), form)
            heads = [nodes.match_leak, nodes.match_leak_to_others]
            parts = [nodes.largest_depth, nodes.depth_error, nodes.tiny, nodes.sizes.tensor]
            parts += [nodes.match_rounding(3), *(head(saturation) for head in heads)]
            parts += [nodes.score_growth(saturation, SIZES[0]), nodes.match_light(saturation)]
            parts += [
                nodes.rounded_read(*SIZES, *few) for few in ((EIGHTH, EIGHTH), (EIGHTH, EIGHTH**9))
            ]
            yield f"{length} in {form.name}", parts
            before, reads = nodes.third_reads(saturation)
            parts = [before, reads, nodes.left_by_third(before, reads), nodes.bound(saturation)]
            yield f"{length} in {form.name}, errors", parts if length > 1 else parts[-1]


def of_entries(automaton):
    """What rounding adds entry by entry, and the classes of words that it is followed by."""
    found, choice = gated(automaton)
    for form in FORMS:
        setting = decoder_scores.moved_setting(choice.setting, form, 6, True)
        each = decoder_entries.entry_error(found, setting, form)
        rounding = decoder_entries.EntryRounding(found, found.reduction, setting, form)
        table = rounding.table(bounds.errors(found, setting))
        few = window_classes.fewer(table[2], 2)
        yield form.name, [setting, each, rounding.terms, rounding.pairs, [*map(len, table)], few]


def subjects(automaton):
    """The constructions for trees whose errors a budget counts."""
    yield "tree", tree_budget.subject(theorem3.build(automaton, 7))
    yield "log-depth", logdepth_bounds.subject(logdepth.build(automaton, 7))


def of_streams(automaton):
    """A normalised stream: its belief, its logits, the constants that it needs."""
    form = stochastic_form(automaton)
    facts, log = normalised.shares(form), fit_logarithm("silu", EPS, EPS)
    yield "shares", [facts, normalised.forgotten(facts, 8) if facts.positive else None]
    for precision in (None, FORMS[0]):
        stream = normalised.NormalisedStream(form.n, 6, 2, facts, Fraction(2000), precision)
        parts = [stream.bounds(), stream.leak(), stream.rounding(), *map(stream.written, SIZES)]
        parts += [normalised.logit_error(stream, log)]
        yield f"stream {precision and precision.name}", parts
        variation = normalised.normalised_variation(stream, log, Fraction(1, 100))
        yield f"variation {precision and precision.name}", variation
    needed = normalised.required_stream(form, 6, 2, Fraction(1, 100), FORMS[0])
    yield "needed", [needed, normalised.least_ratio(needed, EPS)]


KINDS = {
    **{f"{name}, words": (of_words, automaton) for name, automaton in WORDS.items()},
    **{f"{name}, rounding": (of_rounding, automaton) for name, automaton in WORDS.items()},
    **{f"{name}, trees": (of_trees, automaton) for name, automaton in TREES.items()},
    **{
        f"{name}, tree rounding": (of_tree_rounding, automaton) for name, automaton in TREES.items()
    },
    **{f"{name}, entries": (of_entries, automaton) for name, automaton in WORDS.items()},
    "weather, stream": (of_streams, predictor(WEATHER)),
    "gaps, stream": (of_streams, predictor(GAPS)),
    "mess3, stream": (of_streams, predictor(mess3())),
}


@pytest.mark.parametrize("name", KINDS)
def test_bounds_are_as_approved(name):
    parts, automaton = KINDS[name]
    with flint.ctx.workprec(BITS):
        for part, value in parts(automaton):
            agree_with_approved(APPROVED, f"{name}: {part}", plain_data(value))


def test_losses_of_sums_are_as_approved():
    with flint.ctx.workprec(BITS):
        terms = [flint.arb(size) for size in ("0.5", "3", "0", "1.25")]
        found = [summation.TermSizes.of(terms, most) for most in (None, flint.arb(4))]
        losses = [[sizes.loss(FORMS[0], count), sizes.loss_beside_one(FORMS[0], count)]
                  for sizes in found for count in (0, 3)]  # fmt: skip
        agree_with_approved(APPROVED, "sums", plain_data([found, losses]))


def test_leaks_and_norms_are_as_approved():
    with flint.ctx.workprec(BITS):
        spans = [
            [leak.gap(m), leak.leak(CONSTANTS[0], m), leak.ceiling(CONSTANTS[0], m)] for m in (1, 4)
        ]
        agree_with_approved(APPROVED, "leaks", plain_data(spans))
        maps = [norms.matrix(rows) for rows in SIGNED.transitions.values()]
        sizes = [[f(a) for f in (norms.spectral_norm, norms.frobenius_norm, norms.simple_bound,
                                 norms.rough_bound)] for a in maps]  # fmt: skip
        agree_with_approved(APPROVED, "norms", plain_data([sizes, norms.largest_norm(maps)]))


@pytest.mark.parametrize("norm", list(decoder.Normalisation))
def test_digital_models_are_as_approved(norm):
    large = 0 if norm is decoder.Normalisation.NONE else 1 << 24
    design = LanguageDesign("gelu", 0, norm, large, EPS, slope=40)
    setting, logits = (
        bounds.Setting(design, Fraction(80)),
        Matrix.dense([[1, -3], [Fraction(1, 2), 7]]),
    )
    with flint.ctx.workprec(BITS):
        exact = language.digital_logit_error(2, 8, 3, setting, logits)
        rounded = [
            language_rounding.rounded_digital_error(2, 8, 3, setting, logits, form)
            for form in FORMS
        ]
        found = [exact, *rounded, language.variation_of_logits(flint.arb("0.01"), 3)]
    agree_with_approved(APPROVED, f"digital: {norm.value}", plain_data(found))


def test_variations_by_logarithms_are_as_approved():
    log = fit_logarithm("silu", Fraction(1, 10**6), Fraction(1, 1000))
    of = language.LogarithmRange(Fraction(1, 10), Fraction(2), log)
    found, choice = gated(WEATHER)
    normed = bounds.Setting(NORMED, choice.setting.saturation)
    with flint.ctx.workprec(BITS):
        error = flint.arb(2) ** -30
        moved = language.norms_of_logits(found, normed, log, 3)
        values = [of.below(error), of.below(flint.arb("0.1")), moved,
                  *(language.general_variation(3, error, of, by) for by in (None, moved))]  # fmt: skip
    agree_with_approved(APPROVED, "variations by logarithms", plain_data(values))
