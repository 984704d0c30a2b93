"""One layer that counts: its tokens, its induction and its inequalities, each term by hand."""

from fractions import Fraction

import pytest
import sympy
from tests_support import arguments_of_calls

from constructions.automata.wfa import WFA
from verify.exactness import one_layer


def test_a_token_has_its_letter_its_place_and_powers_of_the_base():
    assert one_layer.PLACES.size == 6 and one_layer.tokens("") == [[0, 1, 1, 1, 1, 1]]
    assert one_layer.tokens("01", 3) == [
        [0, 1, 1, 1, 9, Fraction(1, 27)],
        [1, 2, 4, 1, 81, Fraction(1, 243)],
        [0, 3, 9, 1, 729, Fraction(1, 2187)],
    ]


def test_the_block_multiplies_mean_and_place_and_keeps_the_one():
    tensor = one_layer.times_place().tensor
    assert (tensor.shape, tensor.entries) == ((3, 3, 2), {(0, 1, 0): 1, (2, 2, 1): 1})


def test_all_words_up_to_a_length_are_run_and_the_first_that_differs_is_named(monkeypatch):
    model = one_layer.one_layer(one_layer.masked_head())
    call = lambda: one_layer.first_mismatch(model, 2)  # noqa: E731
    found = arguments_of_calls(monkeypatch, one_layer, "exact_states", call)
    assert ["".join(word) for word, _ in found] == ["", "0", "1", "00", "01", "10", "11"]
    found.clear()
    assert one_layer.first_mismatch(model, 1) is None
    assert ["".join(word) for word, _ in found] == ["", "0", "1"]
    right = one_layer.exact_states
    wrong = lambda word, model: [] if len(word) == 2 else right(word, model)  # noqa: E731
    monkeypatch.setattr(one_layer, "exact_states", wrong)
    assert one_layer.first_mismatch(model, 1) is None
    assert one_layer.first_mismatch(model, 2) == ("0", "0")


def test_an_induction_begins_at_no_letter():
    """The last term is nothing before the first letter, and something after it."""
    output = lambda t, mean: sympy.Matrix([[(t + 1) * mean + t, 1]])  # noqa: E731
    assert one_layer.induction(output) == (True, False)


@pytest.mark.parametrize("letter", ["0", "1"])
@pytest.mark.parametrize("adds", [-1, 2])
def test_an_induction_is_about_the_letters_of_the_automaton(letter, adds, monkeypatch):
    steps = {"0": [[1, 0], [1, 1]], "1": [[1, 0], [0, 1]], letter: [[1, 0], [adds, 1]]}
    monkeypatch.setattr(one_layer, "counting", lambda: WFA.of([0, 1], steps, [1, 0]))
    assert one_layer.induction() == (True, False)


def test_the_inequalities_say_how_far_a_soft_count_is_off(monkeypatch):
    """K = 2, eight tokens, four zeros: 24 is allowed, (4 + 8/3) 2 - 4 above, 4 - 2 + 8/3 below."""
    found = arguments_of_calls(monkeypatch, one_layer, "_nonnegative", one_layer.inequalities)
    assert [
        expression.subs(dict(zip(symbols, (0, 4, 4), strict=True))) for expression, symbols in found
    ] == [24 - sympy.Rational(28, 3), 24 - sympy.Rational(14, 3)]
    assert one_layer._nonnegative(sympy.S.Zero, sympy.symbols("x y"))


def test_one_inequality_that_is_not_shown_is_enough_to_fail(monkeypatch):
    for shown in ([True, False], [False, True]):
        answers = iter(shown)
        monkeypatch.setattr(one_layer, "_nonnegative", lambda *_, answers=answers: next(answers))
        assert not one_layer.inequalities()
