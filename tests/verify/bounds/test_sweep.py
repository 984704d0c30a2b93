"""One row of a sweep by hand: layers of known errors, and the words and constants that are chosen."""

from dataclasses import FrozenInstanceError
from fractions import Fraction
from types import SimpleNamespace

import flint
import pytest

from constructions.families import counting, k_counting, scalar
from verify.bounds import sweep
from verify.bounds.sweep import Row


def balls(*values):
    return tuple(map(flint.arb, values))


def row_of(*errors) -> Row:
    run = SimpleNamespace(layers=[SimpleNamespace(error=flint.arb(e)) for e in errors])
    return Row(run, (), (), (), ())


def test_a_row_is_within_where_every_layer_certainly_is():
    seen = row_of(1, 2, 0)
    assert seen.errors == balls(1, 2, 0)
    assert seen.within(balls(1, 2, 0)) and not seen.within(balls(1, "1.5", 0))
    assert not seen.within((flint.arb(1), flint.arb(2, 1), flint.arb(0)))
    assert row_of().within(())


def test_a_row_cannot_be_changed():
    with pytest.raises(FrozenInstanceError):
        row_of(1).printed = ()


@pytest.mark.parametrize("mlp", [None, SimpleNamespace(norm_bound=Fraction(1, 8))])
def test_the_bounds_of_a_row_are_the_four_recursions(mlp):
    """Layers with errors 3 and 5, incoming 1 and 2, attention 4 and 7, norms 2 and 9; M = 6."""
    made = zip((3, 5), (1, 2), (4, 7), (2, 9), strict=True)
    names = ("error", "incoming", "attention", "norm")
    layers = [SimpleNamespace(**dict(zip(names, balls(*values), strict=True))) for values in made]
    found = sweep._bounds(scalar(3), SimpleNamespace(layers=layers, bits=64), mlp)
    more = Fraction(0) if mlp is None else mlp.norm_bound

    def step(factor, delta):
        return factor * delta + delta**2 + more

    first, corrected = step(6, 4), step(4, 4)
    wanted = {
        "printed": (first, step(6, first)),
        "stepwise": (first, step(6, 3)),
        "redefined": (step(6, 1), step(6, 3 + 2)),
        "corrected": (corrected, step(18, corrected + 7)),
    }
    for name, values in wanted.items():
        assert [float(x) for x in getattr(found, name)] == [float(v) for v in values], name


def test_one_letter_has_no_layer_and_no_bound():
    seen = sweep.row(scalar(2), [("a",)], 1, Fraction(5))
    assert seen.errors == seen.printed == seen.stepwise == seen.redefined == seen.corrected == ()


def test_all_words_are_taken_up_to_the_limit():
    words, every = sweep.chosen_words(counting(), 3, 8)
    assert every and len(words) == len(set(words)) == 8 and ("0", "1", "0") in words
    assert sweep.chosen_words(counting(), 3, 7)[1] is False
    assert sweep.chosen_words(counting(), 8)[1] and not sweep.chosen_words(counting(), 9)[1]


def test_a_choice_of_words_has_constant_ones_halves_and_turns():
    words, every = sweep.chosen_words(k_counting(3, 4), 5, 1)
    assert not every and len(set(words)) == len(words)
    assert all(len(word) == 5 for word in words)
    for word in ("00000", "22222", "00111", "22000", "01010", "20202"):
        assert tuple(word) in words
    assert ("3",) * 5 not in words
    patterned = 9 + 6  # halves, of which three are constant, and turns that are not
    assert patterned <= len(words) <= patterned + 4
    assert words == sweep.chosen_words(k_counting(3, 4), 5, 1)[0]
    drawn = [word for word in words if "3" in word]
    assert drawn


def test_a_grid_is_even_and_one_point_is_the_first():
    assert sweep.grid(Fraction(1), Fraction(3), 5) == [1, Fraction(3, 2), 2, Fraction(5, 2), 3]
    assert sweep.grid(Fraction(1), Fraction(3), 2) == [1, 3]
    assert sweep.grid(Fraction(1), Fraction(3), 1) == [1]


def test_the_rate_is_the_fall_of_the_logarithm_over_that_of_c():
    def at(c, error):
        run = SimpleNamespace(saturation=Fraction(c), layers=[SimpleNamespace(error=error)])
        return Row(run, (), (), (), ())

    e = flint.arb(1).exp()
    rates = sweep.decay_rate([at(10, e), at(14, 1 / e), at(15, 1 / (e * e * e))])
    assert abs(rates[0] - flint.arb("0.5")) < 1e-12 and abs(rates[1] - 2) < 1e-12
    assert len(rates) == 2


def test_a_ratio_needs_a_bound_that_is_certainly_positive():
    assert sweep.ratio(flint.arb(6), flint.arb(4)) == flint.arb("1.5")
    assert sweep.ratio(flint.arb(6), flint.arb(0)) is None
    assert sweep.ratio(flint.arb(6), flint.arb(1, 2)) is None
    assert sweep.ratio(flint.arb(1), flint.arb("0.5")) == 2
