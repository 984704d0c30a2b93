"""Rounding on the cards of exact models: certified where it can be, and never exceeded."""

import flint
import pytest

from constructions.automata.families import hmm
from constructions.automata.named import automaton_by_name
from constructions.automata.random_trees import rational_wta
from constructions.automata.wta import WTA
from constructions.exports.order import Order
from verify.automaton.export import export, make
from verify.automaton.inputs import trees, words
from verify.automaton.sampling import Measurement

WEATHER = hmm([["1/2", "1/2"], ["1/4", "3/4"]], [["1/3", "1/2"], ["2/3", "1/2"]], [1, 0], "ab")
TREE = rational_wta(2, 2, "ab")
CASES = {
    "words": (WEATHER, Order(16, "exact"), 1000),
    "words, float32": (WEATHER, Order(16, "exact", dtype="float32"), 1000),
    "trees": (TREE, Order(13, "tree"), 1000),
    "trees of logarithmic depth": (TREE, Order(13, "logdepth"), 10**8),
    "trees of logarithmic depth, float32": (TREE, Order(7, "logdepth", dtype="float32"), 10**5),
}


@pytest.mark.parametrize("name", CASES)
def test_no_run_in_either_pass_exceeds_what_the_card_certifies(name):
    automaton, order, most = CASES[name]
    model, guarantee = make(automaton, order)
    bound, draw = flint.arb(guarantee.rounded), words if model.words else trees
    chosen = list(draw(automaton, order.length).values())
    worst = max(max(Measurement(model, dense).errors(chosen)) for dense in (False, True))
    assert 0 < worst <= bound < most * worst
    assert guarantee.error == "0"


def test_the_card_of_a_tree_model_has_the_certified_rounding(tmp_path):
    written = export(TREE, Order(13, "logdepth"), tmp_path / "tree")
    card = (written.folder / "README.md").read_text()
    assert written.guarantee.rounded in card and "not certified" not in card
    assert "certified" in written.summary()


def test_a_bound_above_the_states_themselves_is_not_said():
    wild = WTA.of([1], [[[-1]]], {"a": [1], "b": ["1e-30"]})
    assert make(wild, Order(7, "tree", dtype="float32"))[1].rounded is not None
    large = WTA.of([1, 1], [[[3, -3], [3, -3]], [[3, -3], [3, -3]]], {"a": [1, 1]})
    assert make(large, Order(97, "tree", dtype="float32"))[1].rounded is None


def test_a_word_whose_products_are_numbers_of_the_format_is_certified_to_lose_nothing():
    """Weights are quarters: 2^-32 divides all products of 16 letters, not those of 64 in float64."""
    quarters = automaton_by_name("random:2:7")
    for length, exact in ((16, True), (64, False)):
        model, guarantee = make(quarters, Order(length, "exact"))
        chosen = list(words(quarters, length).values())
        worst = max(Measurement(model, dense=True).errors(chosen))
        assert (worst == 0) is exact
        assert (guarantee.rounded == "0") is exact
        assert worst <= flint.arb(guarantee.rounded)
