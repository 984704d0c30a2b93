"""Families by name: each is the automaton that its line says, and a wrong parameter is refused."""

from fractions import Fraction
from itertools import product

import pytest
from tests_support import SWEPT, is_pfa

from constructions.automata.named import FAMILIES, automaton_by_name
from constructions.core.errors import InputError


@pytest.mark.parametrize("n", [1, 2, 3, 5])
def test_letters_of_a_permutation_exchange_two_states_and_move_all_on_by_one(n):
    automaton = automaton_by_name(f"permutation:{n}")
    moves = {
        letter: [row.index(1) for row in automaton.transitions[letter]] for letter in automaton.alphabet
    }  # fmt: skip
    assert moves["b"] == [(q + 1) % n for q in range(n)]
    assert moves["a"] == ([1, 0, *range(2, n)] if n > 1 else [0])
    assert automaton.weight("b" * n) == 1 and (n == 1 or automaton.weight("b") == 0)


@pytest.mark.parametrize("n", [1, 2, 4])
def test_products_of_n_letters_of_a_nilpotent_automaton_vanish_and_shorter_ones_do_not(n):
    automaton = automaton_by_name(f"nilpotent:{n}")
    assert all(automaton.weight(word) == 0 for word in product("ab", repeat=n))
    assert all(automaton.weight(word) > 0 for word in product("ab", repeat=n - 1))


def test_a_scalar_has_the_powers_of_its_weight_and_counting_counts():
    assert automaton_by_name("scalar:2/3").weight("aaa") == Fraction(8, 27)
    assert automaton_by_name("counting").weight("0010") == 3
    assert automaton_by_name("k-counting:2").alphabet == ("0", "1", "2")
    assert automaton_by_name("k-counting:3").alphabet == ("0", "1", "2", "3")
    assert automaton_by_name("k-counting:2:5").alphabet == ("0", "1", "2", "3", "4")
    assert automaton_by_name("k-counting:2").weight("00122") == 3


def test_a_rotation_comes_back_after_its_whole_turn():
    automaton = automaton_by_name("rotation:1/8")
    assert automaton.weight("a" * 8) == 1 and automaton.weight("a" * 4) == -1
    assert automaton.weight("a" * 2) == 0
    assert [automaton.transitions["a"][i][j].ball() > 0 for i in (0, 1) for j in (0, 1)] == [
        True, True, False, True,
    ]  # fmt: skip


@pytest.mark.parametrize("name", ["hmm", "pfa", "random"])
def test_random_families_depend_on_their_seed_alone(name):
    assert (
        automaton_by_name(f"{name}:3:7")
        == automaton_by_name(f"{name}:3:7")
        != automaton_by_name(f"{name}:3:8")
    )
    assert automaton_by_name(f"{name}:3:7").n == 3


def test_a_pfa_is_one_and_an_hmm_gives_the_words_of_each_length_the_weight_one():
    assert is_pfa(automaton_by_name("pfa:3:1"))
    assert sum(automaton_by_name("hmm:3:1").weight(word) for word in product("ab", repeat=3)) == 1


def test_weights_of_random_automata_are_quarters_of_size_at_most_one():
    automaton = automaton_by_name("random:4:3")
    weights = {w for rows in automaton.transitions.values() for row in rows for w in row}
    assert weights <= {Fraction(k, 4) for k in range(-4, 5)} and len(weights) > 3


@pytest.mark.parametrize(
    "text",
    ["none", "scalar", "scalar:1:2", "hmm:2", "permutation:0", "permutation:9", "permutation:-1",
     "permutation:٣", "permutation:1.0", "hmm:2:1000000001", "k-counting:3:2", "counting:1",
     "nilpotent:" + "9" * 5000, "scalar:1e²", "",
     "rotation:1/99999999999", "rotation:1/2002", "k-counting", "k-counting:1:17", "k-counting:9",
     "k-counting:1:0", "hmm:2:00000000001", "counting:", "nilpotent", "rotation",
     "hmm:1:2:3", "pfa:1:2:3", "random:1:2:3", "permutation:2:3", "nilpotent:2:3", "rotation:1:2",
     "k-counting:1:2:3", "pfa:1", "random:1"],
)  # fmt: skip
def test_what_is_no_family_is_refused(text):
    with pytest.raises(InputError):
        automaton_by_name(text)


@pytest.mark.parametrize(
    ("text", "because"),
    [
        ("hmm:2", "hmm with 2 parameters after colons"),
        ("k-counting", "k-counting with 1 to 2 parameters after colons"),
        ("permutation:9", "a whole number from 1 to 8"),
        ("hmm:2:-1", "a whole number from 0 to 1000000000"),
        ("k-counting:1:17", "a whole number from 1 to 16"),
        ("rotation:1/2002", "a denominator up to 1000"),
        ("none", "one of scalar, counting"),
    ],
)
def test_a_refusal_says_what_is_expected(text, because):
    with pytest.raises(InputError, match=because):
        automaton_by_name(text)


def test_the_longest_and_finest_parameters_are_read():
    assert automaton_by_name("hmm:2:0000000001") == automaton_by_name("hmm:2:1")
    assert automaton_by_name("rotation:1/2000").n == 2
    assert len(automaton_by_name("k-counting:8:16").alphabet) == 16


def test_every_family_is_swept():
    assert {text.partition(":")[0] for text in SWEPT} == set(FAMILIES)
    assert all(automaton_by_name(text).n >= 1 for text in SWEPT)


PINNED = {
    "hmm:2:1": (["2/3", "1/3"], [["3/10", "1/5"], ["8/21", "16/105"]], ["1", "1"]),
    "pfa:2:1": (["8/9", "1/9"], [["3/20", "1/10"], ["8/29", "8/29"]], ["2/5", "2/29"]),
    "random:2:1": (["-1/4", "-3/4"], [["-1/2", "-3/4"], ["0", "-3/4"]], ["3/4", "-1"]),
}


@pytest.mark.parametrize("text", PINNED)
def test_a_seed_names_the_same_automaton_for_ever(text):
    """A random automaton is reproducible from its name."""
    automaton, (alpha, rows, beta) = automaton_by_name(text), PINNED[text]
    assert automaton.alpha == tuple(map(Fraction, alpha))
    assert automaton.beta == tuple(map(Fraction, beta))
    assert automaton.transitions["a"] == tuple(tuple(map(Fraction, row)) for row in rows)
