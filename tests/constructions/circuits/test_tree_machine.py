"""The exact machine of a tree circuit, held against the automaton, the forward pass and the pebbling game."""

from itertools import product
from random import Random

import pytest
from export_support import model_of
from grid_support import quick_or_full

from constructions import decoder_tree
from constructions.arithmetic import Rational
from constructions.automata.trees import ends, parse, relabelled_tree, shapes, tokens
from constructions.automata.wta import WTA
from constructions.circuits import interventions as act
from constructions.core.errors import InputError
from constructions.core.transformer import realise
from constructions.exports.order import Order
from constructions.exports.tree_circuit import tree_circuit_of

RANDOM = WTA.of(
    [1, 0],
    [[["1/2", 1], [-1, "1/3"]], [[1, 0], [2, 1]]],
    {"a": [1, "1/2"], "b": [-1, 1]},
)
LENGTH = 16
CIRCUIT = tree_circuit_of(model_of(RANDOM, Order(LENGTH)))


def trees(most=6):
    """Every shape with so many leaves, with random labels."""
    random = Random(3)
    return [tokens(relabelled_tree(shape, [random.choice("ab") for _ in range(leaves)]))
            for leaves in range(1, most + 1) for shape in shapes(leaves)]  # fmt: skip


def newly_known(word, layer):
    """The ends of subtrees that are inactive before a layer and known after it: none has jumped over them."""
    trace = CIRCUIT.values(word)
    before = trace.embedded if layer == 0 else trace.after[layer - 1]
    return [t for t in range(len(word) + 1)
            if trace.after[layer]["known"][t, 0] and before["inactive"][t, 0]]  # fmt: skip


def test_the_outputs_are_the_states_of_the_subtrees_where_they_end():
    for word in trees():
        outputs, end = CIRCUIT.values(word).outputs, ends(word)
        for begin, state in RANDOM.states(word).items():
            assert outputs[end[begin]] == tuple(state)


def test_the_features_are_the_coordinates_of_the_exact_forward_pass():
    """Hard attention in rationals, written elsewhere: every feature after every block."""
    model = decoder_tree.build(RANDOM, LENGTH, "relu")
    arithmetic = Rational()
    for word in trees()[::6]:
        trace = CIRCUIT.values(word)
        rows = arithmetic.array(model.encode(word))
        streams = list(realise(model.transformer, arithmetic).states(arithmetic, rows))[1:]
        for layer, stream in enumerate(streams):
            features = trace[f"blocks.{layer}.hook_resid_post"]
            for name in model.layout:
                where = model.layout[name]
                exact = [tuple(map(str, row[where.start : where.stop])) for row in stream]
                assert exact == [tuple(map(str, row)) for row in features[name]], (layer, name)


def test_every_head_reads_where_the_string_of_the_tree_says():
    for word in trees():
        trace, positions = CIRCUIT.values(word), CIRCUIT.positions(word)
        assert positions.keys() == trace.readings.keys()
        for name, reading in trace.readings.items():
            assert list(reading.positions) == positions[name], (name, word)


def test_scores_that_compete_are_the_same_or_differ_by_one_or_more():
    assert all(CIRCUIT.values(word).gap in (None, *range(1, 100)) for word in trees())


def test_the_state_of_another_subtree_gives_the_tree_with_that_subtree():
    """Exchanged after the layer at which it is known, before anything has read it or jumped over it."""
    checked, others = 0, (("a",), tuple("[ab]"), tuple("[b[aa]]"))
    for word, other in product(trees()[:: quick_or_full(7, 3)], others):
        begins = {end: begin for begin, end in ends(word).items()}
        source = len(other)
        for layer in range(2, CIRCUIT.layers):
            if CIRCUIT.values(other).after[layer]["known"][source, 0] != 1:
                continue
            for t in newly_known(word, layer):
                patch = act.Interchange(layer, t, other, source, ("state",))
                spliced = (*word[: begins[t] - 1], *other, *word[t:])
                parse(spliced)
                outputs = CIRCUIT.values(word, [patch]).outputs
                assert outputs[len(word)] == tuple(RANDOM.states(spliced)[1])
                checked += 1
    assert checked > quick_or_full(20, 60)


def test_a_subtree_exchanged_too_late_no_longer_changes_the_root():
    word = tuple("[[ab]a]")
    patch = act.Interchange(CIRCUIT.layers - 1, 4, tuple("[aa]"), 4, ("state",))
    trace = CIRCUIT.values(word, [patch])
    exact = CIRCUIT.values(word).outputs
    assert trace.outputs[7] == exact[7] and trace.outputs[4] != exact[4]


def test_an_ablated_match_head_leaves_left_children_unread():
    word = tuple("[ab]")
    trace = CIRCUIT.values(word, [act.AblateHead(2, 0)])
    assert trace.outputs[4] != CIRCUIT.values(word).outputs[4]
    assert trace.after[2]["left"][4, 0] == 0 and trace.after[2]["known"][4, 0] == 0


def test_an_edge_that_carries_nothing_changes_nothing_and_most_others_do():
    word = tokens(relabelled_tree(list(shapes(6))[17], "abbaab"))
    exact, changed = CIRCUIT.values(word).outputs, 0
    for edge in CIRCUIT.edges:
        removal = act.RemoveEdge(edge.source, edge.target, edge.input)
        if edge.carries:
            changed += CIRCUIT.values(word, [removal]).outputs != exact
    idle = next(edge for edge in CIRCUIT.edges if not edge.carries)
    removal = act.RemoveEdge(idle.source, idle.target, idle.input)
    assert CIRCUIT.values(word, [removal]).outputs == exact
    assert changed > 60


@pytest.mark.parametrize(("tree", "message"), [
    ("[a c]", "tree: found c, expected a symbol"), ("[a", "expected a closing"),
    (tokens(relabelled_tree(next(shapes(7)), "a" * 7)), "found 19 tokens, expected at most 16"),
])  # fmt: skip
def test_a_tree_that_does_not_fit_is_refused(tree, message):
    with pytest.raises(InputError, match=message.replace("[", r"\[")):
        CIRCUIT.values(tree)


def test_a_hook_that_is_not_there_is_refused():
    with pytest.raises(InputError, match=r"hook: found blocks\.9"):
        CIRCUIT.values("a")["blocks.9"]
