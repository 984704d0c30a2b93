"""The decoder's facts hold on what is built and fail on mutants of it."""

from dataclasses import replace

import pytest

from constructions import decoder as made
from constructions import decoder_tree
from verify.exactness import decoder as engine
from verify.facts import decoders


def test_the_decoder_is_exact_at_small_sizes():
    assert decoders.words_at_positions(5).holds
    assert decoders.layer_multiplies([1, 2]).holds


def test_layers_in_reverse_order_are_seen(monkeypatch):
    def reverse(automaton, length, *more):
        right = made.build(automaton, length, *more)
        turned = tuple(reversed(right.transformer.layers[:-1])) + right.transformer.layers[-1:]
        return replace(right, transformer=replace(right.transformer, layers=turned[::-1]))

    original = engine.prove_words
    monkeypatch.setattr(engine, "prove_words", lambda length: original(length, reverse))
    assert decoders.words_at_positions(4).holds is False


def test_the_tree_decoder_is_right_on_all_small_shapes():
    assert decoders.tree_decoder(4, 2, 1).values == {"shapes": 9}


def test_a_layer_too_few_of_the_tree_decoder_is_seen(monkeypatch):
    original = decoder_tree.build

    def short(*arguments):
        right = original(*arguments)
        layers = right.transformer.layers[:-1]
        return replace(right, transformer=replace(right.transformer, layers=layers[1:]))

    monkeypatch.setattr(decoder_tree, "build", short)
    assert decoders.tree_decoder(3, 1, 1).holds is False


@pytest.mark.parametrize("eps", ["1/1000"])
def test_the_circle_needs_more_than_the_decoder(eps):
    found = decoders.saturation("counting", eps, [4, 8])
    assert found.holds and [curve["label"] for curve in found.values["curves"]][1] == "decoder"
