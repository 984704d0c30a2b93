"""Trees of the re-checker by hand: places, depths, heads and states of trees that fit on a line."""

from fractions import Fraction

import flint
import pytest

from verify.recheck.errors import Refused
from verify.recheck.kernel import tree
from verify.recheck.kernel.tree import Automaton, Node

SHAPE = (("a", "b"), "c")
TOKENS = list("[[ab]c]")
OTHER = ("a", ("b", "c"))


@pytest.fixture(autouse=True)
def digits():
    with flint.ctx.workprec(300):
        yield


def ball(value: Fraction) -> flint.arb:
    return flint.arb(flint.fmpq(value.numerator, value.denominator))


def encloses(found, value: flint.arb, width: Fraction = Fraction(1, 1 << 60)) -> bool:
    """Whether narrow bounds surround a value that is known far more exactly."""
    inside = ball(found[0]) <= value.upper() and ball(found[1]) >= value.lower()
    return bool(inside) and 0 <= found[1] - found[0] <= width


# strings and nodes


@pytest.mark.parametrize("shape", ["a", ("a", "b"), SHAPE, OTHER, (SHAPE, OTHER)])
def test_a_tree_is_read_back_from_its_string_which_is_as_long_as_said(shape):
    tokens = tree.written(shape)
    assert tree.read(tokens) == shape
    assert tree.size(shape) == len(tokens)


def test_the_string_of_a_tree_has_brackets_around_its_two_subtrees():
    assert tree.written(SHAPE) == TOKENS
    assert tree.written("c") == ["c"]


@pytest.mark.parametrize(
    ("tokens", "because"),
    [
        ("", "the tokens are no tree"),
        ("]", "the tokens are no tree"),
        ("[a", "the tokens are no tree"),
        ("[ab", "a closing bracket is missing"),
        ("[abc]", "a closing bracket is missing"),
        ("ab", "1 tokens after the end"),
        ("[ab]]]", "2 tokens after the end"),
        (["[", "a", 1, "]"], "the tokens are no tree"),
        ([""], "the tokens are no tree"),
    ],
)
def test_what_is_no_tree_is_refused(tokens, because):
    with pytest.raises(Refused, match=because):
        tree.read(tokens)


def test_nodes_know_their_places_levels_heights_and_children():
    assert tree.nodes(SHAPE) == [
        Node(1, 0, 2, SHAPE, 2, 6),
        Node(2, 1, 1, ("a", "b"), 3, 4),
        Node(3, 2, 0, "a"),
        Node(4, 2, 0, "b"),
        Node(6, 1, 0, "c"),
    ]
    assert tree.nodes("a") == [Node(1, 0, 0, "a", 0, 0)]


def test_nodes_of_the_other_shape_have_the_higher_child_on_the_right():
    found = [(node.start, node.level, node.height, node.right) for node in tree.nodes(OTHER)]
    assert found == [(1, 0, 2, 3), (2, 1, 0, 0), (3, 1, 1, 5), (4, 2, 0, 0), (5, 2, 0, 0)]


def test_shapes_are_counted_by_the_numbers_of_catalan():
    assert [len(tree.shapes(leaves)) for leaves in (1, 2, 3, 4, 5)] == [1, 1, 2, 5, 14]
    assert set(tree.shapes(3)) == {(("a", "a"), "a"), ("a", ("a", "a"))}
    assert len(set(tree.shapes(5))) == 14 and tree.shapes(0) == ()


def test_shapes_with_at_most_some_leaves_come_with_the_smaller_ones_first():
    assert list(tree.shapes_within(3)) == [*tree.shapes(1), *tree.shapes(2), *tree.shapes(3)]
    assert list(tree.shapes_within(0)) == []


def test_letters_are_put_on_the_leaves_from_left_to_right():
    for shape in tree.shapes(4):
        assert [c for c in tree.written(tree.labelled(shape, iter("wxyz"))) if c.isalpha()] == [
            *"wxyz"
        ]


# depths and rules


def test_markers_and_depths_of_a_small_string():
    assert tree.markers(TOKENS) == [1, 1, 0, 0, -1, 0, -1]
    assert tree.before_depths(TOKENS) == [0, 1, 2, 2, 2, 1, 1]
    assert tree.printed_depths(TOKENS) == [1, 1, 1, 0, 0, -1, -1]
    assert tree.before_depths(["a"]) == tree.printed_depths(["a"]) == [0]


def test_depths_before_a_token_are_the_levels_of_the_nodes():
    for shape in tree.shapes_within(5):
        depths = tree.before_depths(tree.written(shape))
        assert all(depths[node.start - 1] == node.level for node in tree.nodes(shape))


@pytest.mark.parametrize(
    ("x", "wanted"),
    [("0", "0"), ("1/3", "1/3"), ("-1/3", "1/3"), ("1", "1"), ("-1", "1"), ("4/3", "2/3"),
     ("2", "0"), ("-7/3", "1/3"), ("3", "1")],
)  # fmt: skip
def test_an_angle_is_folded_into_the_half_circle(x, wanted):
    assert tree.folded(Fraction(x)) == Fraction(wanted)


@pytest.mark.parametrize(
    ("target", "length", "nearest"),
    [(3, 5, [3]), (6, 5, [5]), (8, 5, [1, 5]), (-1, 5, [1]), (-2, 5, [1, 5]), (7, 4, [1]),
     (10, 4, [2]), (1, 1, [1]), (0, 1, [1])],
)  # fmt: skip
def test_beyond_the_ends_of_a_half_circle_the_nearer_end_is_taken_and_both_on_a_tie(
    target, length, nearest
):
    """The circle has 2T places, of which 1 … T are taken."""
    assert tree.nearest_on_circle(target, length) == nearest


def test_the_running_rule_takes_the_positions_one_level_deeper():
    depths = [0, 1, 2, 2, 2, 1, 1]
    assert tree.running(1, depths) == [2, 6, 7]
    assert tree.running(2, depths) == [3, 4, 5]
    assert tree.running(3, depths) == [3, 4, 5]


@pytest.mark.parametrize("leaves", [1, 2, 3, 4, 5])
def test_the_right_rule_finds_the_right_child_of_every_inner_node(leaves):
    for shape in tree.shapes(leaves):
        children = {node.start: node.right for node in tree.nodes(shape) if node.height}
        assert tree.right_rule(tree.written(shape)) == children


def test_the_right_rule_by_hand_and_without_an_answer():
    assert tree.right_rule(TOKENS) == {1: 6, 2: 4}
    assert tree.right_rule(["[", "["]) == {1: 0, 2: 0}
    assert tree.right_rule(["a"]) == {}
    assert tree.right_rule(list("[A[BC]]")) == {1: 3, 3: 5}


# sines and steps


@pytest.mark.parametrize("whole", [0, 1, -1, 7, -1000, 10**6])
@pytest.mark.parametrize("turns", [Fraction(0), Fraction(1, 6), Fraction(-5, 4), Fraction(13, 7)])
def test_sines_of_radians_and_turns_lie_within_narrow_bounds(whole, turns):
    found = tree.sine(whole, turns)
    assert encloses(found, (whole + flint.arb.pi() * ball(turns)).sin())


def test_the_sine_of_half_a_turn_is_one_at_its_top():
    low, high = tree.sine(0, Fraction(1, 2))
    assert low <= 1 <= high
    low, high = tree.sine(0, Fraction(1, 6))
    assert low <= Fraction(1, 2) <= high


def series(angle, terms: int) -> flint.arb:
    """Σ sin(k · angle)/k over the first `terms` + 1 odd k."""
    odd = range(1, 2 * terms + 2, 2)
    return sum(((k * angle).sin() / k for k in odd), flint.arb(0))


@pytest.mark.parametrize(("i", "j"), [(1, 1), (1, 3), (2, 5), (4, 1), (3, 4)])
@pytest.mark.parametrize("terms", [0, 1, 4])
def test_the_three_printed_sums_are_those_of_their_formulas(i, j, terms):
    pi, length = flint.arb.pi(), 5
    angles = {
        "literal": i - j - 5 * pi / (4 * length),
        "scaled": pi * (i - j) / length - 5 * pi / (4 * length),
        "repaired": pi * (2 * (j - i) - 3) / (2 * (length + 1)),
    }
    for kind, angle in angles.items():
        total = series(angle, terms) * (4 / pi if kind == "repaired" else 1)
        assert encloses(tree.step(i, j, length, terms, kind), (1 + total) / 2), kind


def test_the_exact_step_is_one_from_two_places_further_on():
    assert [tree.step(2, j, 9, 3, "exact") for j in (1, 2, 3)] == [(0, 0)] * 3
    assert [tree.step(2, j, 9, 3, "exact") for j in (4, 5)] == [(1, 1)] * 2


def test_the_repaired_step_comes_near_the_exact_one():
    for j in range(1, 7):
        low, high = tree.step(1, j, 6, 40, "repaired")
        assert abs((low + high) / 2 - int(j >= 3)) < Fraction(1, 20)


def test_an_unknown_step_is_refused():
    with pytest.raises(Refused, match="step 'other' is not known"):
        tree.step(1, 2, 3, 1, "other")


@pytest.mark.parametrize(("i", "j"), [(1, 1), (1, 3), (2, 5), (4, 1)])
def test_near_is_a_cosine_and_twice_the_step(i, j):
    cosine = (flint.arb.pi() * (i + 2 - j) / 5).cos()
    assert encloses(tree.near(i, j, 5, 0, "exact"), cosine + 2 * int(j >= i + 2))
    sine = (-5 * flint.arb.pi() / 20 + flint.arb.pi() * (i - j) / 5).sin()
    assert encloses(tree.near(i, j, 5, 0, "scaled"), cosine + 1 + sine)


# states

# μ(x, y) = (x₁ y₁, x₁ y₂ + 2 x₂ y₁): an automaton in which left and right differ.
AUTOMATON = Automaton((((1, 0), (0, 0)), ((0, 1), (2, 0))), {"a": (1, 3), "b": (2, 5)})


def test_a_product_contracts_the_left_state_first():
    assert AUTOMATON.n == 2
    assert AUTOMATON.product((1, 3), (2, 5)) == (2, 17)
    assert AUTOMATON.product((2, 5), (1, 3)) == (2, 16)


def test_the_state_of_a_tree_is_that_of_its_subtrees_multiplied():
    assert AUTOMATON.state("a") == (1, 3)
    assert AUTOMATON.state(("a", "b")) == (2, 17)
    assert AUTOMATON.state((("a", "b"), "b")) == (4, 78)
    with pytest.raises(Refused, match="leaf 'c' is not in the alphabet"):
        AUTOMATON.state(("a", "c"))


def test_layers_begin_with_the_leaves_and_end_with_the_state_of_the_tree():
    layers = list(tree.layers_of(AUTOMATON, list("[[ab]b]"), 2))
    zero = (0, 0)
    assert layers[0] == [zero, zero, (1, 3), (2, 5), zero, (2, 5), zero]
    assert layers[1] == [zero, (2, 17), (1, 3), (2, 5), zero, (2, 5), zero]
    assert layers[2] == [(4, 78), (2, 17), (1, 3), (2, 5), zero, (2, 5), zero]
    assert list(tree.layers_of(AUTOMATON, ["a"], 0)) == [[(1, 3)]]


def test_after_as_many_layers_as_it_is_high_every_node_has_its_state():
    for shape in tree.shapes(4):
        *_, last = tree.layers_of(AUTOMATON, tree.written(shape), 3)
        assert all(last[n.start - 1] == AUTOMATON.state(n.tree) for n in tree.nodes(shape))
