"""The exact weights of every construction, as they were approved: a digest for each part of a layer.

A weight that is off may be the same model at the sizes that are run, where a larger one is wrong.
"""

import json
from dataclasses import fields
from fractions import Fraction
from functools import partial
from hashlib import sha256
from pathlib import Path

import pytest
from approved_support import agree_with_approved, plain_data

from constructions import (
    decoder,
    decoder_tree,
    language_model,
    logdepth,
    normalised,
    theorem1,
    theorem2,
    theorem3,
)
from constructions.automata.families import hmm
from constructions.automata.prediction import predictor
from constructions.automata.processes import ngram
from constructions.automata.wta import WTA
from constructions.blocks.logarithm import fit_logarithm
from constructions.blocks.logdepth_weights import Scheme, Variant
from constructions.core.sizes import sizes
from constructions.core.transformer import Attention
from constructions.decoder import Design, Normalisation
from constructions.theorem3 import Places
from constructions.variants import (
    carried_positions,
    logdepth_clean,
    nopads,
    residual,
    theorem2_clean,
    theorem3_clean,
    theorem3_depths,
    theorem3_variants,
    unrolled,
)

APPROVED = Path(__file__).with_suffix(".json")
WEATHER = hmm([["1/2", "1/2"], ["1/4", "3/4"]], [["1/3", "1/2"], ["2/3", "1/2"]], [1, 0], "ab")
LEAVES = WTA.of([1, 0], [[["3/4", "-1/3"], ["1/2", "1/5"]], [["1/4", "2/3"], ["1/2", "4/5"]]],
                {"a": ["1/2", "1/2"], "b": ["1/5", "4/5"]})  # fmt: skip
NORMED = Design("silu", norm=Normalisation.RMS, large=1 << 20, epsilon=Fraction(1, 1000))
WORDS = {
    "theorem 1": theorem1.build,
    "theorem 2": lambda automaton, length: theorem2.build(automaton, length, 30),
    "decoder": decoder.build,
    "decoder, norms": lambda automaton, length: decoder.build(automaton, length, NORMED, 40),
    "carried": carried_positions.build,
    "without pads": nopads.build,
    "residual": residual.build,
    "theorem 2, clean": theorem2_clean.build,
    "unrolled": unrolled.build,
}
TREES = {
    "theorem 3": theorem3.build,
    "theorem 3, clean": theorem3_clean.build,
    "maskless": theorem3_variants.build_maskless,
    "causal": theorem3_variants.build_causal,
    "tree decoder": decoder_tree.build,
    "log-depth": logdepth.build,
    "log-depth, clean": logdepth_clean.build,
    "log-depth, short": logdepth_clean.build_short,
}


def parts(transformer):
    """Digests of all that is not a layer, then of the parts of each layer."""
    yield {each.name: digest(getattr(transformer, each.name))
           for each in fields(transformer) if each.name != "layers"}  # fmt: skip
    for layer in dict.fromkeys(map(id, transformer.layers)):
        own = next(each for each in transformer.layers if id(each) == layer)
        heads = {f"head {number}": digest(head) for number, head in enumerate(own.heads)}
        rest = {each.name: digest(getattr(own, each.name))
                for each in fields(own) if each.name != "heads"}  # fmt: skip
        yield heads | rest


def rows(simulation, inputs):
    """For each input the digests of its embedded tokens."""
    return {each: [digest(row) for row in simulation.encode(list(each))] for each in inputs}


def digest(value):
    text = json.dumps(plain_data(value), sort_keys=True, ensure_ascii=False)
    return sha256(text.encode()).hexdigest()[:12]


@pytest.mark.parametrize("name", WORDS)
def test_weights_of_a_model_of_words_are_as_approved(name):
    simulation = WORDS[name](WEATHER, 5)
    agree_with_approved(APPROVED, name, list(parts(simulation.transformer)))
    agree_with_approved(APPROVED, f"{name}, sizes", plain_data(sizes(simulation.transformer)))
    agree_with_approved(APPROVED, f"{name}, rows", rows(simulation, ["b", "abbab"]))


@pytest.mark.parametrize("name", TREES)
def test_weights_of_a_model_of_trees_are_as_approved(name):
    simulation = TREES[name](LEAVES, 10)
    agree_with_approved(APPROVED, name, list(parts(simulation.transformer)))
    agree_with_approved(APPROVED, f"{name}, sizes", plain_data(sizes(simulation.transformer)))
    agree_with_approved(APPROVED, f"{name}, rows", rows(simulation, ["b", "[a[ba]]", "[[ab]a]"]))


def test_weights_of_other_models_are_as_approved():
    agree_with_approved(APPROVED, "depths", list(parts(theorem3_depths.build(3))))
    log = fit_logarithm("silu", Fraction(1, 1000), Fraction(1, 20))
    stream = normalised.build(predictor(WEATHER), 5, Fraction(4000), log)
    fitted = len(stream.transformer.layers)  # the last layer, of which floats decide
    agree_with_approved(APPROVED, "normalised", list(parts(stream.transformer))[1:fitted])


def language_models():
    """With one-hot states, digital or not, with norms, with fewer layers; then of any process."""
    trigram = predictor(ngram(["abba", "ab", "b"], 2))
    designs = {"gated": Design(), "norms": NORMED, "units": Design("gelu", fineness=6)}
    for name, design in designs.items():
        yield name, language_model.build_one_hot(trigram, 5, design, 30)
    digital = Design("gelu", fineness=6)
    yield "digital", language_model.build_one_hot(trigram, 5, digital, 30, 1, digital=True)
    log, source = fit_logarithm("silu", Fraction(1, 1000), Fraction(1, 20)), predictor(WEATHER)
    for name, design in designs.items():
        if name != "units":
            general = language_model.build_general(source, 5, design, 30, log, Fraction(2), 2)
            yield f"general, {name}", general


def test_weights_of_language_models_are_as_approved():
    """But for the logarithms: the last layer of a general one, and the readouts, are fitted."""
    for name, model in language_models():
        last = len(model.transformer.layers) + (not name.startswith("general"))
        layers = list(parts(model.transformer))[1:last]
        agree_with_approved(APPROVED, f"language, {name}", layers)
        agree_with_approved(APPROVED, f"language, {name}, rows", rows(model, ["b", "abba"]))
        agree_with_approved(APPROVED, f"language, {name}, symbols", list(model.symbols))


THREE = hmm([["1/2", "1/4", "1/4"], ["1/3", 0, "2/3"], [0, "1/5", "4/5"]],
            [["1/3", "1/2", "1/7"], ["2/3", "1/2", "6/7"]], ["1/2", "1/3", "1/6"], "ab")  # fmt: skip
TENSOR = [[[f"{1 + a}/{2 + b + 2 * c}" for c in range(3)] for b in range(3)] for a in range(3)]
PARSED = WTA.of([1, 0, 2], TENSOR, {"a": ["1/2", "1/3", "1/6"], "b": ["1/5", "4/5", 0]})


OTHERS = {
    "theorem 3, line": lambda wta, length: theorem3.build(wta, length, places=Places.LINE),
    "theorem 3, soft": lambda wta, length: theorem3.build(
        wta, length, attention=Attention.SOFT, saturation=7
    ),
    "tree decoder, soft": lambda wta, length: decoder_tree.build(wta, length, "gelu", 9),
    "log-depth, soft": lambda wta, length: logdepth.soft_simulation(logdepth.build(wta, length), 5),
    **{
        f"log-depth, {scheme} and {variant}": partial(
            logdepth.build, scheme=scheme, variant=variant
        )
        for scheme in Scheme
        for variant in Variant
        if (scheme, variant) != (Scheme.CIRCLE, Variant.PARENT)
    },
}


def three_states():
    """A model of each construction for an automaton with three states, and inputs for it."""
    for name, build in WORDS.items():
        yield name, build(THREE, 3), ["b", "aba"]
    for name, build in (TREES | OTHERS).items():
        yield name, build(PARSED, 4), ["b", "[ab]"]


def test_weights_of_three_states_are_as_approved():
    """With two states n² is 2n and nⁿ: a size that is another one is not seen there."""
    found = {
        name: [digest(list(parts(model.transformer))), digest(rows(model, inputs))]
        for name, model, inputs in three_states()
    }
    agree_with_approved(APPROVED, "three states", found)
