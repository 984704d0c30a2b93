"""C needed against T: the decoder's grows with the logarithm, the circle's with the square."""

from fractions import Fraction
from itertools import pairwise

from constructions.automata.families import counting, hmm
from verify.bounds.decoder_sweep import needed_saturations, share

WEATHER = hmm([["1/2", "1/2"], ["1/4", "3/4"]], [["1/3", "1/2"], ["2/3", "1/2"]], [1, 0], "ab")
EPS = Fraction(1, 10**6)


def test_the_circle_needs_about_four_times_as_much_at_twice_the_length_and_the_decoder_does_not():
    for automaton in (WEATHER, counting()):
        rows = needed_saturations(automaton, (8, 16, 32, 64), EPS)
        for one, two in pairwise(rows):
            assert Fraction(7, 2) < two.circle / one.circle < 5
            assert two.decoder - one.decoder < 6
            assert two.decoder <= two.decoder_closed and two.circle <= two.circle_closed
        assert rows[-1].ratio > 400


def test_the_share_of_one_state_is_below_its_part_of_the_whole():
    for length in (1, 2, 7, 64, 1000):
        assert share(EPS, length) ** 2 * (length + 1) <= EPS**2
        assert share(EPS, length) ** 2 * (length + 1) > EPS**2 * Fraction(99, 100)
