"""How many pads Theorem 1 needs: the outputs that count begin at α, or at the first letter."""

import pytest

from verify.facts import identity_pads
from verify.recheck.kinds.sequences import with_pads


def test_without_pads_the_first_output_is_that_of_the_first_letter():
    """T = 1 has no layer: the only row is the letter itself, and there is no row of α."""
    assert identity_pads.pads_suffice(1, 0)


@pytest.mark.parametrize("length", [2, 4])
def test_as_many_pads_as_letters_suffice_and_none_do_not(length):
    assert length in identity_pads.sufficient_counts(length)
    assert not identity_pads.pads_suffice(length, 0)


@pytest.mark.parametrize("length", [1, 2, 3, 5, 6, 8])
def test_the_numbers_of_pads_that_suffice_are_those_of_another_computation(length):
    """Powers of two or not; up to M pads, which are always enough."""
    span = 1 << (length - 1).bit_length()
    found = {count: identity_pads.pads_suffice(length, count) for count in range(span + 1)}
    assert found == {count: with_pads(length, count) for count in range(span + 1)}
    assert found[span]
