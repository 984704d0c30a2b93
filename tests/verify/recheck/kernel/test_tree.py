"""Laws of trees of the re-checker: strings, places, heads, steps and states."""

from fractions import Fraction

import flint
import pytest
from hypothesis import given
from hypothesis import strategies as st

from constructions.automata import trees as oracle
from verify.recheck.errors import Refused
from verify.recheck.kernel import tree
from verify.recheck.kernel.tree import Automaton

shapes = st.recursive(st.sampled_from("abc"), lambda inner: st.tuples(inner, inner), max_leaves=8)
small = st.fractions(-50, 50, max_denominator=60)


@pytest.fixture(autouse=True)
def digits():
    with flint.ctx.workprec(300):
        yield


def ball(value) -> flint.arb:
    return flint.arb(flint.fmpq(*Fraction(value).as_integer_ratio()))


def encloses(found, value: flint.arb, width: Fraction = Fraction(1, 1 << 60)) -> bool:
    """Return True if narrow bounds surround a value that is known far more exactly."""
    inside = ball(found[0]) <= value.upper() and ball(found[1]) >= value.lower()
    return bool(inside) and 0 <= found[1] - found[0] <= width


@given(shapes)
def test_strings_places_and_heights_are_those_of_the_other_implementation(shape):
    tokens = tree.written(shape)
    assert tokens == list(oracle.tokens(shape)) and len(tokens) == tree.size(shape)
    assert tree.read(tokens) == shape
    nodes, pairs = tree.nodes(shape), oracle.children(tokens)
    assert [node.start for node in nodes] == list(oracle.positions(tokens))
    assert {node.start: (node.left, node.right) for node in nodes if node.right} == pairs
    assert all(node.height == oracle.height(node.tree) for node in nodes)


@given(shapes)
def test_depths_are_levels_and_the_right_rule_finds_right_children(shape):
    tokens, nodes = tree.written(shape), tree.nodes(shape)
    depths = tree.before_depths(tokens)
    assert all(depths[node.start - 1] == node.level for node in nodes)
    assert tree.printed_depths(tokens)[:-1] == [d - 1 for d in [*depths, 0][2:]]
    assert tree.right_rule(tokens) == {node.start: node.right for node in nodes if node.right}
    for node in nodes:
        deeper = [j for j, d in enumerate(depths, 1) if d == node.level + 1]
        assert tree.running(node.start, depths) == deeper or not node.right


@given(st.lists(st.sampled_from(["[", "]", "a", "b"]), max_size=8))
def test_what_is_no_tree_is_refused(tokens):
    try:
        assert tree.written(tree.read(tokens)) == tokens
    except Refused:
        with pytest.raises(ValueError, match="expected"):
            oracle.parse(tuple(tokens))


@pytest.mark.parametrize("tokens", [["[", "a", 1, "]"], [""], [None]])
def test_tokens_that_are_no_text_are_refused(tokens):
    with pytest.raises(Refused, match="no tree"):
        tree.read(tokens)


def test_shapes_are_those_of_the_other_implementation():
    for leaves in range(1, 7):
        assert {str(s) for s in tree.shapes(leaves)} == {
            str(oracle.relabelled_tree(s, ["a"] * leaves)) for s in oracle.shapes(leaves)
        }
    assert list(tree.shapes_within(3)) == [*tree.shapes(1), *tree.shapes(2), *tree.shapes(3)]


@given(small, st.integers(1, 12))
def test_the_nearest_position_has_the_largest_cosine(target, length):
    target = round(target)
    found = tree.nearest_on_circle(target, length)
    cosines = {
        j: flint.arb.cos_pi_fmpq(flint.fmpq(target - j, length)) for j in range(1, length + 1)
    }
    best = max(cosines.values(), key=float)
    assert found == [j for j, value in cosines.items() if value.overlaps(best)]


@given(st.integers(-(10**6), 10**6), small)
def test_sines_of_radians_and_turns_lie_within_narrow_bounds(whole, turns):
    found = tree.sine(whole, turns)
    assert encloses(found, (whole + flint.arb.pi() * ball(turns)).sin())


@given(st.integers(1, 9), st.integers(1, 9), st.integers(2, 9), st.integers(0, 5))
def test_sums_and_scores_are_those_of_their_formulas(i, j, length, terms):
    pi = flint.arb.pi()
    angles = {
        "literal": i - j - 5 * pi / (4 * length),
        "scaled": pi * (i - j) / length - 5 * pi / (4 * length),
        "repaired": pi * (2 * (j - i) - 3) / (2 * (length + 1)),
    }
    cosine = (pi * (i + 2 - j) / length).cos()
    for kind, angle in angles.items():
        total = sum(((k * angle).sin() / k for k in range(1, 2 * terms + 2, 2)), flint.arb(0))
        wanted = (1 + total * (4 / pi if kind == "repaired" else 1)) / 2
        assert encloses(tree.step(i, j, length, terms, kind), wanted), kind
        assert encloses(tree.near(i, j, length, terms, kind), cosine + 2 * wanted), kind
    assert tree.step(i, j, length, terms, "exact") == (int(j >= i + 2),) * 2
    with pytest.raises(Refused, match="step 'other' is not known"):
        tree.step(i, j, length, terms, "other")


# μ(x, y) = (x₁ y₁, x₁ y₂ + 2 x₂ y₁): an automaton in which left and right differ.
AUTOMATON = Automaton((((1, 0), (0, 0)), ((0, 1), (2, 0))), {"a": (1, 3), "b": (2, 5)})


def test_a_product_contracts_the_left_state_first():
    assert AUTOMATON.product((1, 3), (2, 5)) == AUTOMATON.state(("a", "b")) == (2, 17)
    assert AUTOMATON.product((2, 5), (1, 3)) == (2, 16)
    with pytest.raises(Refused, match="leaf 'c' is not in the alphabet"):
        AUTOMATON.state(("a", "c"))


@given(shapes)
def test_after_as_many_layers_as_it_is_high_every_node_has_its_state(shape):
    automaton = Automaton(AUTOMATON.tensor, {**AUTOMATON.leaves, "c": (-1, 2)})
    nodes = tree.nodes(shape)
    layers = list(tree.layers_of(automaton, tree.written(shape), nodes[0].height))
    for number, layer in enumerate(layers):
        for node in nodes:
            known = automaton.state(node.tree) if node.height <= number else None
            assert known is None or layer[node.start - 1] == known
