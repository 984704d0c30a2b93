"""The decoder's facts hold on what is built and fail on mutants of it."""

from dataclasses import replace
from fractions import Fraction
from types import SimpleNamespace

import pytest
from tests_support import arguments_of_calls

from constructions import decoder as made
from constructions import decoder_tree
from constructions.automata.families import counting
from verify.exactness import decoder as engine
from verify.facts import decoders


def test_the_decoder_is_exact_at_small_sizes():
    assert decoders.outputs_are_states([1, 2], [1, 2, 3]).holds
    assert decoders.words_at_positions(5).holds
    assert decoders.layer_multiplies([1, 2]).holds


def test_layers_in_reverse_order_are_seen(monkeypatch):
    def reverse(automaton, length, *more):
        right = made.build(automaton, length, *more)
        turned = tuple(reversed(right.transformer.layers[:-1])) + right.transformer.layers[-1:]
        return replace(right, transformer=replace(right.transformer, layers=turned[::-1]))

    for name in ("prove", "prove_words"):
        original = getattr(engine, name)
        monkeypatch.setattr(engine, name, lambda *a, original=original: original(*a, build=reverse))
    assert (
        decoders.outputs_are_states([1], [4]).holds is False
        or decoders.words_at_positions(4).holds is False
    )


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


def test_curves_are_rounded_up_by_less_than_a_thousandth():
    """What is drawn keeps the tolerance, too."""
    (row,) = decoders.needed_saturations(counting(), [4], Fraction(1, 1000), by_layers=True)
    third = replace(row, circle=Fraction(22, 3), decoder=Fraction(9, 4))
    found = [curve["y"] for curve in decoders._curves([row, third])]
    for curve, values in zip(found, ((row.circle, third.circle), (row.decoder, third.decoder)),
                             strict=True):  # fmt: skip
        for drawn, value in zip(curve, values, strict=True):
            assert 0 <= Fraction(drawn) - value < Fraction(1, 1000)
    assert [curve[1] for curve in found] == ["7.334", "2.250"]


def test_a_circle_that_grows_slowly_would_be_seen(monkeypatch):
    original = decoders.needed_saturations
    monkeypatch.setattr(
        decoders,
        "needed_saturations",
        lambda *a, **k: [replace(row, circle=row.decoder) for row in original(*a, **k)],
    )
    assert decoders.saturation("counting", "1/1000", [4, 8]).holds is False


@pytest.mark.parametrize(
    ("circles", "decoder", "holds"),
    [((3, 12), 64, True), ((3, 13), 1, True), ((3, 11), 64, False), ((3, 12), 65, False)],
)
def test_a_circle_grows_like_the_square_and_a_decoder_stays_at_64(
    circles, decoder, holds, monkeypatch
):
    rows = [
        SimpleNamespace(length=length, circle=Fraction(circle), decoder=Fraction(decoder))
        for length, circle in zip((4, 8), circles, strict=True)
    ]
    monkeypatch.setattr(decoders, "needed_saturations", lambda *_, **__: rows)
    found = decoders.saturation("counting", "1/1000", [4, 8])
    numbers = {"circle": [str(c) for c in circles], "decoder": [str(decoder)] * 2}
    assert found.holds is holds and found.witness == (None if holds else numbers)


def test_all_shapes_up_to_the_number_of_leaves_are_run_in_one_model(monkeypatch):
    call = lambda: decoders.tree_decoder(3, 1, 1)  # noqa: E731
    violation = lambda simulation, tree: None  # noqa: E731
    asked = arguments_of_calls(
        monkeypatch, decoders.tree_decoder_invariant, "first_violation", call, violation
    )
    assert [len(decoders.tokens(tree)) for _, tree in asked] == [1, 4, 7, 7]
    assert len({id(model) for model, _ in asked}) == 1 and call().holds
