"""Every layer of the tree decoder, tree by tree, against the pebbling game; changes are refuted."""

import pytest
from trees_support import caterpillar

from constructions.automata.pebbling import extremal_tree
from constructions.automata.random_trees import labelled_shape, random_tree, random_wta
from constructions.automata.trees import balanced_tree, comb, from_text, shapes, zigzag
from constructions.decoder_tree import TreeDecoderBuilder, build
from verify.facts.tree_decoder_invariant import first_violation


@pytest.mark.parametrize("leaves", range(1, 7))
def test_every_layer_is_as_the_game_says_on_all_shapes_up_to_six_leaves(leaves):
    model = build(random_wta(1 if leaves == 7 else 2, 7), 3 * leaves - 2, "relu")
    for shape in shapes(leaves):
        assert first_violation(model, labelled_shape(shape, leaves)) is None


@pytest.mark.slow
@pytest.mark.parametrize("leaves", [7, 8, 9])
def test_every_layer_is_as_the_game_says_on_all_shapes_up_to_nine_leaves(leaves):
    model = build(random_wta(1, 7), 3 * leaves - 2, "relu")
    for shape in shapes(leaves):
        assert first_violation(model, labelled_shape(shape, leaves)) is None


LARGE = {
    "comb": comb(["a"] * 30),
    "zigzag": zigzag(["a"] * 30),
    "balanced": balanced_tree(["a"] * 30),
    "caterpillar": caterpillar(["a"] * 30),
    "extremal": extremal_tree(9),
    "random": random_tree(30, 11),
}


@pytest.mark.parametrize("name", LARGE)
def test_every_layer_is_as_the_game_says_on_large_trees_of_every_family(name):
    model = build(random_wta(2, 3), 88, "relu")
    assert first_violation(model, labelled_shape(LARGE[name], 5)) is None


@pytest.mark.slow
@pytest.mark.parametrize("make", [comb, zigzag, balanced_tree, caterpillar])
def test_every_layer_is_as_the_game_says_on_trees_with_sixty_leaves(make):
    model = build(random_wta(2, 3), 178, "relu")
    assert first_violation(model, labelled_shape(make(["a"] * 60), 5)) is None


@pytest.mark.parametrize("mutant", ["gate", "match", "jump"])
def test_a_changed_construction_is_refuted(mutant, monkeypatch):
    if mutant == "gate":
        monkeypatch.setattr(TreeDecoderBuilder, "gate", property(lambda self: {}))
    elif mutant == "match":
        monkeypatch.setattr(TreeDecoderBuilder, "match_head", TreeDecoderBuilder.near_head)
    else:
        monkeypatch.setattr(
            TreeDecoderBuilder, "jump_units", lambda self: self.erasing_units("read_pointer")
        )
    model = build(random_wta(2, 3), 13, "relu")
    assert any(first_violation(model, labelled_shape(shape, 2)) is not None for shape in shapes(5))


def test_a_tree_in_text_is_read_like_its_tokens():
    model = build(random_wta(2, 7), 10, "relu")
    assert first_violation(model, from_text("[a[b[ab]]]")) is None
