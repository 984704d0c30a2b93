"""Proofs by letters of a free monoid name the layer, the state or the entry that is wrong."""

from dataclasses import replace

from constructions import theorem1
from constructions.arithmetic import MonoidWord
from verify.exactness import generic


def test_a_letter_is_the_character_of_its_position_and_no_end_is_special() -> None:
    found = generic.letter_automaton(2)
    assert (found.alpha, found.beta) == ((1,), (1,))
    assert found.transitions == {"1": ((MonoidWord("\x01"),),), "2": ((MonoidWord("\x02"),),)}


def test_a_product_that_lacks_letters_is_named_with_its_state() -> None:
    """After one of two layers a position holds the product of two letters."""

    def shorter(automaton, length):
        simulation = theorem1.build(automaton, length)
        first, _ = simulation.transformer.layers
        return replace(simulation, transformer=replace(simulation.transformer, layers=(first,)))

    found = generic.prove_words(4, shorter)
    assert found == generic.Mismatch(3, 0, "state 3: the output is another product")
