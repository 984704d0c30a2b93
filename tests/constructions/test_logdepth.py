"""The log-depth construction: exact on small trees, and every mutant of it is wrong somewhere."""

from dataclasses import replace
from fractions import Fraction

import pytest

from constructions import logdepth
from constructions.arithmetic import Balls, Floats, Rational
from constructions.arithmetic.torch import Torch
from constructions.automata.pebbling import extremal_tree
from constructions.automata.trees import comb, from_text, relabelled_tree, shapes, tokens
from constructions.automata.wta import WTA
from constructions.blocks.smoothing import FourUnits, smooth_transformer
from constructions.core.transformer import Mask, Tie

MACHINE = WTA.of(
    [1, 0],
    [[[1, 1], [-1, 1]], [[0, 1], [1, -1]]],
    {"a": [1, 2], "b": [-1, 1], "c": [2, 1], "d": [1, -1]},
)
HALVES = WTA.of([1], [[["1/2"]]], {"a": ["1/3"], "b": ["-2/7"]})


def are_same(found, wanted) -> bool:
    element = Rational().element
    return set(found) == set(wanted) and all(
        one - element(other) == 0
        for i in wanted
        for one, other in zip(found[i], wanted[i], strict=True)
    )


def labelled_trees(leaves):
    for m, shape in enumerate(shapes(leaves)):
        yield relabelled_tree(shape, ["abcd"[(m + k * k) % 4] for k in range(leaves)])


def test_more_layers_than_needed_change_nothing():
    symbols = tokens(from_text("[a[bc]]"))
    simulation = logdepth.build(MACHINE, 7).cut(9)
    assert are_same(simulation.states(symbols, Rational()), MACHINE.states(symbols))


def test_one_layer_less_leaves_the_root_of_an_extremal_tree_without_its_state():
    for k in range(1, 5):
        tree = extremal_tree(k)
        symbols = tokens(tree)
        simulation = logdepth.build(MACHINE, len(symbols))
        enough = simulation.layers_for(tree)
        assert enough == len(simulation.transformer.layers) == 2 + k
        short = simulation.cut(enough - 1).states(symbols, Rational())
        assert not are_same(short, MACHINE.states(symbols))


def test_floats_agree_on_a_comb_of_twenty_leaves():
    parity = WTA.of([1, 0], [[[1, 0], [0, 1]], [[0, 1], [1, 0]]], {"a": [1, 0], "b": [0, 1]})
    symbols = tokens(comb("abbab" * 4))
    simulation, wanted = logdepth.build(parity, len(symbols)), parity.states(symbols)
    for arithmetic in (Floats(), Torch()):
        found = simulation.states(symbols, arithmetic)
        assert all(
            abs(float(x) - float(y)) < 1e-9
            for i in wanted
            for x, y in zip(found[i], wanted[i], strict=True)
        )


def test_soft_attention_and_mlps_come_close_and_a_small_saturation_does_not():
    symbols, coin = tokens(from_text("[a[ba]]")), WTA.of([1], [[[1]]], {"a": [1], "b": ["1/2"]})
    wanted = coin.states(symbols)

    def error(simulation):
        with Balls(1024) as balls:
            found = simulation.states(symbols, balls)
            return max(float(abs(found[i][0] - balls.element(wanted[i][0]))) for i in wanted)

    hard = logdepth.build(coin, 7)
    assert error(logdepth.soft_simulation(hard, 30)) < 1e-9
    soft = logdepth.soft_simulation(hard, 30)
    units, one = FourUnits.of("tanh", 48), hard.plan.layout().at("one")
    smooth = replace(soft, transformer=smooth_transformer(soft.transformer, units, one))
    assert error(smooth) < 1e-9
    assert error(logdepth.soft_simulation(hard, Fraction(1, 10))) > 1e-2


def is_wrong_somewhere(model, leaves=5):
    """True if a mutant errs, or ties, on some tree with at most `leaves` leaves."""
    for size in range(1, leaves + 1):
        for tree in labelled_trees(size):
            symbols = tokens(tree)
            simulation = logdepth.build(MACHINE, 3 * leaves - 2)
            changed = replace(simulation, transformer=model(simulation.transformer))
            try:
                if not are_same(changed.states(symbols, Rational()), MACHINE.states(symbols)):
                    return True
            except Tie:
                return True
    return False


def mutant_of_every_head(name, change):
    """A mutant in which every head of that name is changed."""

    def mutant(model):
        layers = tuple(
            replace(
                layer,
                heads=tuple(change(head) if head.name == name else head for head in layer.heads),
            )
            for layer in model.layers
        )
        return replace(model, layers=layers)

    return mutant


def without_key(block):
    """A change that removes from a head the pair whose key looks at a block."""
    row = logdepth.build(MACHINE, 4).plan.layout().at(block)

    def change(head):
        columns = {j for (i, j) in head.key.entries if i == row}
        kept = {at: w for at, w in head.key.entries.items() if at[1] not in columns}
        return replace(head, key=replace(head.key, entries=kept))

    return change


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("near", without_key("end")),
        ("far", without_key("end")),
        ("far", without_key("first")),
        ("far", without_key("depth")),
        ("far", lambda head: replace(head, mask=Mask.NONE)),
        ("mean", lambda head: replace(head, mask=Mask.NONE)),
        ("pointer", without_key("square")),
    ],
    ids=["near gate", "far gate", "left child's key", "depth", "mask", "causal mean", "pointer"],
)
def test_a_mutant_of_a_head_is_caught(name, change):
    assert is_wrong_somewhere(mutant_of_every_head(name, change))


def test_a_transposed_tensor_is_caught():
    turned = [[list(row) for row in zip(*rows, strict=True)] for rows in MACHINE.tensor]
    other = WTA.of(MACHINE.alpha, turned, MACHINE.leaves)
    assert is_wrong_somewhere(lambda _: logdepth.build(other, 13).transformer)


def test_depth_is_the_preparation_and_the_steps_of_the_worst_tree():
    lengths = (1, 3, 4, 7, 10, 100)
    assert [logdepth.depth(length) for length in lengths] == [2, 2, 3, 4, 5, 11]
    for length in lengths[:4]:
        layers = logdepth.build(HALVES, length).transformer.layers
        assert len(layers) == logdepth.depth(length)


@pytest.mark.parametrize("layers", [0, 1, 3, 5, 6, 9])
def test_a_cut_model_has_the_given_layers(layers):
    model = logdepth.build(HALVES, 10)
    cut = model.cut(layers).transformer
    assert len(cut.layers) == layers
    assert cut.layers[:2] == model.transformer.layers[:layers][:2]
    assert all(layer == model.step for layer in cut.layers[2:])
    assert cut.readout == model.transformer.readout
