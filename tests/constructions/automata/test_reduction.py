"""Reductions keep what they promise, exactly; equality is decided, with a shortest witness."""

from fractions import Fraction
from itertools import product

import flint
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from constructions.automata.families import counting, dfa, k_counting
from constructions.automata.named import automaton_by_name
from constructions.automata.reduction import (
    Basis,
    difference,
    least_states,
    minimal_automaton,
    reachable_reduction,
    reversed_automaton,
)
from constructions.automata.wfa import WFA
from constructions.core.errors import InputError


def image(state, outputs):
    rows = outputs.rows()
    return tuple(sum((a * row[j] for a, row in zip(state, rows, strict=True)), Fraction(0))
                 for j in range(outputs.shape[1]))  # fmt: skip


def words(automaton, longest):
    return [w for k in range(longest + 1) for w in product(automaton.alphabet, repeat=k)]


entries = st.integers(-2, 2)


@st.composite
def automata(draw, most=4):
    n = draw(st.integers(1, most))
    row = st.lists(entries, min_size=n, max_size=n)
    square = st.lists(row, min_size=n, max_size=n)
    return WFA.of(draw(row), {"a": draw(square), "b": draw(square)}, draw(row))


@settings(max_examples=60, deadline=None)
@given(automata())
def test_the_reduced_automaton_delivers_all_states(automaton):
    made = reachable_reduction(automaton)
    assert made.automaton.n <= automaton.n
    for word in words(automaton, 4):
        states = zip(made.automaton.states(word), automaton.states(word), strict=True)
        assert all(image(small, made.outputs) == big for small, big in states)
        assert made.automaton.weight(word) == automaton.weight(word)


@settings(max_examples=60, deadline=None)
@given(automata())
def test_the_minimal_automaton_has_the_same_weights_and_cannot_be_reduced(automaton):
    least = minimal_automaton(automaton)
    assert difference(least, automaton) is None
    assert all(least.weight(w) == automaton.weight(w) for w in words(automaton, 4))
    assert (
        reachable_reduction(least).automaton.n
        == least.n
        == reachable_reduction(reversed_automaton(least)).automaton.n
    )


@settings(max_examples=60, deadline=None)
@given(automata(3), automata(3))
def test_the_witness_is_a_shortest_word_that_tells_them_apart(one, two):
    found = difference(one, two)
    apart = [w for w in words(one, 4) if one.weight(w) != two.weight(w)]
    if found is None:
        assert not apart
    else:
        assert one.weight(found) != two.weight(found)
        assert not apart or len(found) == len(apart[0])


def test_an_unreachable_state_goes_and_a_full_space_stays():
    idle = WFA.of([1, 0], {"a": [[2, 0], [3, 1]]}, [1, 1])
    assert reachable_reduction(idle).automaton.n == 1
    assert reachable_reduction(counting()).automaton == counting()
    assert reachable_reduction(WFA.of([0, 0], {"a": [[1, 0], [0, 1]]}, [1, 1])).automaton.n == 1


def test_one_changed_weight_is_found():
    one = k_counting(2, 3)
    two = WFA.of(one.alpha, {**one.transitions, "1": [[1, 0, 0], [0, 1, 0], [0, 2, 1]]}, one.beta)
    assert difference(one, two) == ("1",)
    parity = dfa(2, 0, [1], {"a": [1, 0], "b": [0, 1]})
    assert difference(parity, automaton_by_name("permutation:2")) is not None


def test_a_basis_refuses_what_depends_on_it():
    basis = Basis()
    assert basis.add(row(1, 2)) and not basis.add(row(2, 4))
    assert basis.add(row(0, 1)) and basis.pivots == [0, 1]


def test_other_alphabets_are_refused():
    with pytest.raises(InputError, match="alphabet"):
        difference(counting(), k_counting(1, 3))


def row(*values):
    return [flint.fmpq(value) for value in values]


def test_an_automaton_that_begins_with_nothing_has_one_state_of_weight_zero():
    nothing = WFA.of([0, 0], {"a": [[1, 1], [1, 1]]}, [1, 1])
    reduced = reachable_reduction(nothing)
    assert reduced.automaton == WFA((0,), {"a": ((0,),)}, (0,))
    assert reduced.outputs.rows() == [[0, 0]]
    assert minimal_automaton(nothing).weight("aa") == 0


def test_reversed_words_have_the_same_weight():
    automaton = WFA.of([1, 2], {"a": [[0, 1], [3, 0]], "b": [[1, 1], [0, 5]]}, [7, 1])
    assert (
        reversed_automaton(automaton).weight("ba")
        == automaton.weight("ab")
        != automaton.weight("ba")
    )


def test_the_first_symbol_that_only_one_automaton_has_is_named():
    one = WFA.of([1], {"a": [[1]], "z": [[1]], "b": [[1]]}, [1])
    with pytest.raises(InputError, match="alphabet: found b, expected a symbol of both automata"):
        difference(one, WFA.of([1], {"a": [[1]]}, [1]))


@settings(max_examples=100, deadline=None)
@given(automata())
def test_the_states_modulo_a_prime_are_those_of_the_reductions(automaton):
    assert least_states(automaton, minimise=False) == reachable_reduction(automaton).automaton.n
    assert least_states(automaton, minimise=True) == minimal_automaton(automaton).n
