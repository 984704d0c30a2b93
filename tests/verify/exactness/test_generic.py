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


def test_a_layer_that_is_no_product_is_named_with_its_entry(monkeypatch) -> None:
    """Of three states the last entry of the right half is left out."""
    layers = theorem1.layers

    def wrong(n, length):
        first, *others = layers(n, length)
        block = first.feedforward
        output = {
            at: value
            for at, value in block.output.entries.items()
            if at[1] != theorem1.layout(n)["right"][7]
        }
        changed = replace(block, output=replace(block.output, entries=output))
        return (replace(first, feedforward=changed), *others)

    assert generic.prove_layer(3) is None
    monkeypatch.setattr(theorem1, "layers", wrong)
    assert generic.prove_layer(3) == generic.Mismatch(
        1, 7, "right entry (2, 1) is no matrix product"
    )


def test_a_row_that_is_routed_elsewhere_is_named_with_its_layer(monkeypatch) -> None:
    build = theorem1.build

    def turned(automaton, length):
        simulation = build(automaton, length)
        first, *others = simulation.transformer.layers
        layers = (first, *(replace(each, heads=each.heads[::-1]) for each in others))
        return replace(simulation, transformer=replace(simulation.transformer, layers=layers))

    assert generic.prove_routing(4) is None
    monkeypatch.setattr(theorem1, "build", turned)
    assert generic.prove_routing(4) == generic.Mismatch(0, -1, "layer 2: row 0 attends row 0")
