"""Theorem 1's construction in every arithmetic, for every T ≥ 1, and its errors."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
import torch
from balls_support import fraction_rows
from hypothesis import given, settings
from hypothesis import strategies as st

from constructions import theorem1
from constructions.arithmetic import Balls, Floats, Multiprecision, Rational
from constructions.arithmetic.torch import Torch
from constructions.automata.families import counting, k_counting
from constructions.automata.wfa import WFA
from constructions.core.errors import InputError
from constructions.core.exact import Exact, cos_pi
from constructions.core.sizes import sizes
from constructions.core.transformer import Attention
from constructions.modules.word_module import to_torch

RATIONAL = WFA.of(
    ["1/2", -1],
    {"a": [["1/3", 2], [-1, 0]], "b": [[0, "5/7"], [1, -2]], "z": [[0, 0], [0, 0]]},
    [1, 1],
)


def normal_forms(values) -> tuple:
    """Exact numbers by their normal forms, to find the same ones again."""
    return tuple(frozenset(Exact.of(value).terms.items()) for value in values)


class Remembering(Rational):
    """Exact rationals that compute and compare the same scores once: positions are those of all words."""

    def __init__(self) -> None:
        self.known: dict = {}

    def scores(self, queries, keys):
        """Q Kᵀ."""
        key = normal_forms(queries.flat), normal_forms(keys.flat)
        if key not in self.known:
            self.known[key] = super().scores(queries, keys)
        return self.known[key]

    def maximisers(self, row):
        """The indices of the largest scores."""
        key = normal_forms(row)
        if key not in self.known:
            self.known[key] = super().maximisers(row)
        return self.known[key]


@pytest.mark.parametrize("length", range(1, 7))
def test_all_states_of_all_words_are_exact_in_rationals(length):
    simulation, arithmetic = theorem1.build(counting(), length), Remembering()
    for word in product("01", repeat=length):
        expected = [list(state) for state in counting().states(word)]
        assert fraction_rows(simulation.states(word, arithmetic)) == expected


@settings(max_examples=25, deadline=None)
@given(st.integers(1, 6), st.data())
def test_short_words_and_rational_weights_are_exact(length, data):
    word = data.draw(st.text("abz", max_size=length))
    states = theorem1.build(RATIONAL, length).states(word, Rational())
    assert fraction_rows(states) == [list(state) for state in RATIONAL.states(word)]


def test_the_empty_word_gives_the_initial_state():
    assert fraction_rows(theorem1.build(RATIONAL, 1).states("", Rational())) == [
        [Fraction(1, 2), -1]
    ]


def test_one_state_and_length_one():
    scalar = WFA.of([3], {"a": [["1/2"]]}, [1])
    assert fraction_rows(theorem1.build(scalar, 1).states("a", Rational())) == [
        [3],
        [Fraction(3, 2)],
    ]


def expected_floats(automaton, word):
    return np.array([[float(w) for w in state] for state in automaton.states(word)])


@pytest.mark.parametrize(
    ("arithmetic", "digits"),
    [
        (Floats(np.float64), 53),
        (Floats(np.float32), 24),
        (Torch(torch.float64), 53),
        (Torch(torch.float32), 24),
        (Torch(torch.bfloat16), 8),
        (Multiprecision(40), 53),
    ],
    ids=["float64", "float32", "torch64", "torch32", "bfloat16", "mpmath"],
)
def test_counting_is_right_in_floating_point(arithmetic, digits):
    word = "01001011"
    states = theorem1.build(counting(), 8).states(word, arithmetic)
    found = np.array([[float(w) for w in row] for row in states])
    assert (found == expected_floats(counting(), word)).all(), digits


def test_balls_enclose_the_states():
    with Balls(100) as balls:
        states = theorem1.build(RATIONAL, 4).states("abba", balls)
        for row, exact in zip(states, RATIONAL.states("abba"), strict=True):
            for ball, value in zip(row, exact, strict=True):
                assert ball.contains(balls.element(value))


def test_the_module_saves_loads_and_runs_a_batch(tmp_path):
    module = to_torch(theorem1.build(k_counting(2, 3), 5))
    words = ["01201", "22222", "00000"]
    torch.save(module.state_dict(), tmp_path / "model.pt")
    loaded = to_torch(theorem1.build(k_counting(2, 3), 5))
    for parameter in loaded.parameters():
        torch.nn.init.zeros_(parameter)
    loaded.load_state_dict(torch.load(tmp_path / "model.pt", weights_only=True))
    states = loaded(loaded.encode(words)).detach().numpy()
    for word, found in zip(words, states, strict=True):
        assert (found == expected_floats(k_counting(2, 3), word)).all()


@pytest.mark.parametrize("length", [0, -1, True, 2.0, "4"])
def test_a_length_that_is_no_whole_number_is_refused(length):
    with pytest.raises(InputError, match="length"):
        theorem1.build(counting(), length)


def test_a_word_longer_than_the_model_is_refused():
    simulation = theorem1.build(counting(), 2)
    with pytest.raises(InputError, match="word: found 3 letters, expected at most 2"):
        simulation.states("000", Rational())
    module = to_torch(simulation)
    with pytest.raises(InputError, match="3 letters"):
        module(torch.zeros((1, 3), dtype=torch.int64))


def test_an_unknown_symbol_is_refused_by_model_and_module():
    simulation = theorem1.build(counting(), 2)
    with pytest.raises(InputError, match="found x"):
        simulation.states("0x", Rational())
    with pytest.raises(InputError, match="found x"):
        to_torch(simulation).encode(["0x"])


def test_the_sizes_are_those_of_the_theorem():
    found = sizes(theorem1.build(counting(), 16).transformer)
    assert (found.depth, found.embedding, found.attention, found.feedforward, found.heads) == (
        4,
        10,
        10,
        8,
        2,
    )
    assert found.nonzero < found.parameters
    assert found.largest == 1


def test_depth_and_span_are_those_of_the_next_power_of_two():
    lengths = (1, 2, 3, 4, 5, 8, 9)
    assert [theorem1.depth(length) for length in lengths] == [0, 1, 2, 2, 3, 3, 4]
    assert [theorem1.span(length) for length in lengths] == [1, 2, 4, 4, 8, 8, 16]
    assert [theorem1.theta(layer, 8) for layer in (1, 2, 3)] == [
        Fraction(-1, 8), Fraction(-1, 4), Fraction(-1, 2),
    ]  # fmt: skip


def test_the_weights_for_one_state_are_those_of_the_proof():
    """d = 4: the left and the right matrix, cosine and sine of the position."""
    one, root_half = theorem1.layers(1, 4)[0], cos_pi(Fraction(1, 4))
    left, right = one.heads
    assert (
        right.query.rows()
        == right.key.rows()
        == left.query.rows()
        == [[0, 0], [0, 0], [1, 0], [0, 1]]
    )
    assert left.key.rows()[:2] == [[0, 0], [0, 0]]
    assert left.key.rows()[2:] == [[root_half, root_half], [-root_half, root_half]]
    assert left.value.entries == {(0, 0): 1}
    assert right.value.entries == {(1, 1): 1}
    assert left.value.shape == right.value.shape == (4, 4)
    assert (left.name, right.name) == ("left", "right")
    assert one.combine.rows() == [*theorem1.Matrix.identity(4).rows()] * 2
    assert one.feedforward.left.rows() == [[1], [0], [0], [0]]
    assert one.feedforward.right.rows() == [[0], [1], [0], [0]]
    assert one.feedforward.output.rows() == [[1, 1, 0, 0]]
    assert theorem1.readout([3]).rows() == [[0], [3], [0], [0]]


def test_the_tensor_multiplies_matrices():
    assert theorem1.tensor(2).entries.keys() == {
        (0, 0, 0), (0, 1, 1), (1, 2, 0), (1, 3, 1), (2, 0, 2), (2, 1, 3), (3, 2, 2), (3, 3, 3),
    }  # fmt: skip
    assert set(theorem1.tensor(2).entries.values()) == {1}
    assert theorem1.tensor(3).shape == (9, 9, 9)


def test_the_readout_is_alpha_times_the_right_matrix():
    assert theorem1.readout([5, 0]).entries == {(4, 0): 5, (5, 1): 5}
    assert theorem1.readout([0, -1]).entries == {(6, 0): -1, (7, 1): -1}


def test_tokens_are_pads_letters_pads_with_their_positions():
    simulation = theorem1.build(counting(), 2)
    identity, zero = [1, 0, 0, 1], [1, 0, 1, 1]
    rows = simulation.encode("0")
    assert [row[:4] for row in rows] == [identity, identity, zero, identity]
    assert [row[4:8] for row in rows] == [row[:4] for row in rows]
    assert [[Exact.of(w).rational() for w in row[8:]] for row in rows] == [
        [0, -1],
        [1, 0],
        [0, 1],
        [-1, 0],
    ]
    assert simulation.positions == range(-1, 3)
    assert [simulation.row(t) for t in (-1, 0, 2)] == [0, 1, 3]
    assert simulation.names("0") == [simulation.names("0")[0]] * 2 + ["0"] + [
        simulation.names("0")[0]
    ]


def test_attention_is_hard_unless_another_is_asked_for():
    assert {head.attention for layer in theorem1.layers(1, 4) for head in layer.heads} == {
        Attention.HARD
    }
    soft = theorem1.layers(1, 4, Attention.SOFT)
    assert {head.attention for layer in soft for head in layer.heads} == {Attention.SOFT}


def test_what_each_token_holds_is_the_product_of_its_last_letters():
    assert theorem1.build(counting(), 4).contents("0110") == [
        ["I", "0", "1", "1", "0"],
        ["I", "0", "01", "11", "10"],
        ["I", "0", "01", "011", "0110"],
    ]


def test_long_products_are_named_by_their_first_and_last_letter():
    held = theorem1.build(counting(), 16).contents("0" * 16)
    assert held[3][8] == "0" * 8
    assert held[4][9] == "1–9"
    assert held[4][16] == "1–16"
    long = theorem1.build(WFA.of([1], {"a-long-symbol": [[1]]}, [1]), 2).contents(
        ["a-long-symbol"] * 2
    )
    assert long[0][2] == "a-long-symbol", "one letter is never shortened"
    assert long[1][2] == "1–2"
    short = theorem1.build(WFA.of([1], {"xy": [[1]]}, [1]), 2).contents(["xy"] * 2)
    assert short[1][2] == "xy xy"


@pytest.mark.parametrize(("length", "words"), [("4", "the text 4"), (True, "true"), (0, "0")])
def test_the_refused_length_is_named(length, words):
    with pytest.raises(InputError, match=f"length: found {words}, expected a whole number ≥ 1"):
        theorem1.check_length(length)
    assert theorem1.check_length(np.int64(3)) == 3
    assert type(theorem1.check_length(np.int64(3))) is int


def test_positions_are_written_anew_after_each_layer():
    assert theorem1.build(counting(), 4).transformer.positions == range(8, 10)


def test_three_states_are_exact_too():
    """With two states n², 2n and n^n are one number."""
    three = k_counting(2, 3)
    states = theorem1.build(three, 2).states("02", Rational())
    found = [[Fraction(int(w.p), int(w.q)) for w in row] for row in states]
    assert found == [list(state) for state in three.states("02")]


def test_up_to_eight_characters_of_a_factor_are_written_out():
    """Of more letters the first and the last are named; a single letter is written as it is."""
    word = "abcdefghij"
    assert [theorem1.factor(word, 8, 8), theorem1.factor(word, 9, 9)] == ["abcdefgh", "1–9"]
    assert [theorem1.factor(word, 10, 8), theorem1.factor(word, 10, 9)] == ["cdefghij", "2–10"]
    assert [theorem1.factor(word, 0, 4), theorem1.factor(word, 1, 4)] == ["I", "a"]
    assert theorem1.factor(["ab", "cd"], 2, 2) == "ab cd"
    assert theorem1.factor(["abcde", "fgh"], 2, 2) == "1–2"
    assert theorem1.factor(["a long symbol"], 1, 1) == "a long symbol"


def test_each_token_has_the_name_of_its_letter_and_pads_stand_around_the_word():
    model = theorem1.build(counting(), 4)
    assert model.names("011") == [*[theorem1.PAD] * 4, "0", "1", "1", theorem1.PAD]
    assert model.names("") == [theorem1.PAD] * 8
