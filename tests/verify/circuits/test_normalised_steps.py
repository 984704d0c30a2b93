"""What a normalised stream may be off by, with numbers for which every term can be followed by hand."""

from fractions import Fraction
from types import SimpleNamespace as Part

import flint
import pytest

from constructions.blocks.logarithm import Logarithm
from constructions.circuits.directions import Direction
from constructions.core.errors import InputError
from verify.bounds.floating import ONCE
from verify.circuits import normalised_allowance
from verify.circuits.normalised_allowance import (
    ROUNDED,
    UNKNOWN,
    BoundedDirections,
    BoundedValue,
    NormalisedAllowance,
    max_of,
    top,
)

arb = flint.arb
FORM = Part(gamma=arb, normal=arb(0.5), smallest=arb(0.125))  # γ_k is k
FIVE = Direction(flint.fmpq_mat([[3, 4]]))
NOTHING = Direction(flint.fmpq_mat([[0, 0]]))


def value(exact=FIVE, ratio=0, rest=0, scale=0):
    return BoundedValue(exact, arb(ratio), arb(rest), arb(scale))


def parts(found):
    return found.ratio, found.rest, found.scale


def near(number):
    return pytest.approx(number, rel=1e-12)


# Values


def test_a_value_is_off_by_shares_of_its_entries_and_by_a_rest_in_another_scale():
    """|x| = 10, ρ = 1/2, a = 3, κ = 1/4."""
    own = value(Direction(FIVE.vector, Fraction(4)), 0.5, 3, 0.25)
    assert own.reach == 10 * 1.5 + 3
    share = 1.5 * 1.25 - 1
    assert list(own.bounds()) == [6 * share + 3 * 1.25, 8 * share + 3 * 1.25]
    assert list(value(Direction(-FIVE.vector), 0.5).bounds()) == [1.5, 2]


def test_a_value_is_0_where_nothing_is_left_beside_0():
    assert value(NOTHING).is_zero and not value(NOTHING, rest=1).is_zero and not value().is_zero
    plain = BoundedValue(FIVE)
    assert parts(plain) == (0, 0, 0)


def test_the_largest_of_bounds_is_no_less_than_0_and_ends_are_upper_ends():
    assert max_of([arb(2), arb(7), arb(3)]) == 7 and max_of([]) == max_of([arb(-2)]) == 0
    assert top(arb(3, 1)) >= 4 and top(arb("nan")) == UNKNOWN == arb("inf")


# The arithmetic


def directions(**constants):
    known = {"activation": "".join(["si", "lu"]), "computes_in": "float32", "epsilon": "1/4", "gain": 3,
             "saturation": "4000", "built_length": 7, "written_square": "9", **constants}  # fmt: skip
    space = Part(read=Part(shape=(64, 4)))
    return BoundedDirections(Part(n=2, constants=known, whole=known.__getitem__,
                                  subspaces={"window0": space}))  # fmt: skip


def test_constants_of_the_arithmetic_are_those_of_the_file():
    own, form = directions(), ONCE["float32"]
    assert own.form == form and own.width == 64 and own.size == 3
    assert float(own.floor) == near(4 / 3)  # √(64/4)/3
    assert float(own.rounding) == near(30 * 2**-24 / (1 - 30 * 2**-24))
    assert float(own.lost) == near(2 * float(form.normal))
    assert not directions(activation="gelu").rounding.is_finite()
    assert float(own.leak) == near(2 * 7 * 2.0**-149)
    zero = own.zero((1, 2))
    assert not zero.exact and parts(zero) == (0, 0, 0)


def test_other_tokens_leak_nothing_where_their_weights_are_too_small_for_the_format(monkeypatch):
    for gap, known in ((104 / 4000, False), (105 / 4000, True)):
        monkeypatch.setattr(
            normalised_allowance, "rounded_gap", lambda length, form, gap=gap: arb(gap)
        )
        assert directions().leak.is_finite() is known


def test_an_embedding_is_rounded_twice_and_an_entry_that_is_taken_out_leaves_the_rest():
    own = directions()
    found = own.embed(((Fraction(3), Fraction(4)), (Fraction(0), Fraction(0))))
    assert [float(part) for part in parts(found)] == near([2 / (2**24 - 2), 2 * 2.0**-126, 0])
    left = own.without(value(ratio=0.5, rest=3, scale=0.25), 1)
    assert left.exact.vector == flint.fmpq_mat([[3, 0]]) and parts(left) == (0.5, 3, 0.25)
    assert parts(own.without(value(ratio=0.5, rest=3, scale=0.25), None)) == (0, 0, 0)


def arithmetic(**more):
    """λ = 8, what is lost is 2, rounding 1/2; a norm changes nothing."""
    made = Part(leak=arb(8), lost=arb(2), rounding=arb(0.5), form=FORM, circuit=Part(n=3),
                exact=Part(gather=lambda values, read: FIVE), normalise=lambda before, exact: before,
                **more)  # fmt: skip
    for name in ("with_rounding", "mean"):
        method = getattr(BoundedDirections, name)
        setattr(made, name, lambda *given, method=method: method(made, *given))
    return made


def test_a_head_gains_what_leaks_from_all_that_it_can_see():
    """The largest of them is 5 · 3/2 + 1 in a scale of at most 5/4."""
    one, other = value(ratio=0.25, rest=3, scale=0.5), value(ratio=0.5, rest=1, scale=0.25)
    found = BoundedDirections.gather(arithmetic(), [other, one, other], [1])
    reach = max((5 * 1.25 + 3) * 1.5, (5 * 1.5 + 1) * 1.25)
    assert parts(found) == (1.25 * 1.5 - 1, 3 + (8 * reach + 2) / 0.5, 0.5)
    assert found.exact is FIVE
    silent = BoundedDirections.gather(arithmetic(), [other, value(NOTHING)], [1])
    assert silent.rest == 8 * 8.5 * 1.25 and silent.ratio == 0.5


def test_a_mean_has_no_scale_of_its_own():
    one, other = value(ratio=0.25, rest=3, scale=0.5), value(ratio=1, rest=1, scale=0.25)
    with flint.ctx.workprec(300):
        found = BoundedDirections.gather(arithmetic(), [one, other, value()], [0, 1])
        ratio = max(1.25 * 1.5, 2 * 1.25) * 1.5 * (1 + 2 * 2 + 8) - 1
        assert parts(found) == (ratio + ROUNDED, 3 * 1.5 + 2, 0)
        assert ROUNDED * flint.fmpz(2) ** 200 == 1
    assert found.exact == Direction(FIVE.vector)


def test_a_product_has_the_errors_of_both_sides_and_loses_something_unless_one_is_0():
    """|X| = 5 and |W| = 10, and what stands before them is of size 7."""
    left = value(ratio=0.25, rest=3, scale=0.5)
    right = value(Direction(FIVE.vector, Fraction(4)), 0.5, 1, 0.25)
    found = BoundedDirections.multiply(arithmetic(), left, right, arb(7), FIVE)
    rest = 3 * (10 * 1.5 + 1) + 1 * 5 * 1.25
    lost = 4 * 3 * 2 * (1 + 7) / (0.5 * 0.75)
    assert found.ratio == 1.25 * 1.5 * 1.5 - 1 and found.scale == 1.5 * 1.25 - 1
    assert float(found.rest) == near(7 * rest * 1.5 + lost)
    assert found.exact == Direction(FIVE.vector, Fraction(4))
    for pair in ((left, value(NOTHING)), (value(NOTHING), left)):
        none = BoundedDirections.multiply(arithmetic(), *pair, arb(7), NOTHING)
        assert none.rest == 0


def test_products_and_states_are_normalised_with_the_size_of_what_stands_before_them():
    own = Part(exact=Part(product=lambda left, right: "XW", state=lambda alpha, left, right: "state"),
               multiply=lambda *given: given, normalise=lambda before, exact: (*before, exact))  # fmt: skip
    left, right = value(), value(rest=1)
    assert BoundedDirections.product(own, left, right) == (left, right, 1, "XW", "XW")
    alpha = [Fraction(-3), Fraction(4)]
    assert BoundedDirections.state(own, alpha, left, right) == (left, right, 5, "state", "state")


def normalised(before, exact=FIVE, floor=3.75, size=6):
    own = Part(size=arb(size), floor=arb(floor), form=FORM, circuit=Part(n=3))
    return BoundedDirections.normalise(own, before, exact)


@pytest.mark.parametrize(("floor", "change"), [(0, 1 / 0.75 - 1), (11.25, 1 - 1 / 3.25)])
def test_a_norm_keeps_shares_and_gives_a_scale_between_two_ends(floor, change):
    """t = 1/8 + (5/8)/5 = 1/4; with h = 45/4 and κ = 1/4 the root is that of (5/4)² + 3²."""
    found = normalised(value(ratio=0.125, rest=0.625, scale=0.25), floor=floor)
    assert (found.ratio, found.rest) == (0.125, 0.75)
    assert float(found.scale) == near((1 + change) * (1 + 9 + 16) - 1)


@pytest.mark.parametrize(
    ("ratio", "rest", "scale", "known"),
    [(0.5, 0, 0, False), (0.25, 1.25, 0, False), (0.49, 0, 0, True), (0.25, 1, 0.49, True),
     (0, 0, 0.5, False), (0, 0, 0.75, False), (0.75, 0, 0, False)],
)  # fmt: skip
def test_where_half_of_a_vector_is_unknown_all_that_is_known_is_its_size(ratio, rest, scale, known):
    found = normalised(value(ratio=ratio, rest=rest, scale=scale))
    assert (parts(found) == (0, 18, 0)) is not known
    assert float(found.rest) == near(rest * 6 / 5 if known else 18)
    assert not normalised(value(ratio="inf")).rest.is_finite()


def test_what_is_beside_0_grows_by_the_norm_up_to_three_times_its_size():
    assert parts(normalised(value(NOTHING, rest=0.5, scale=0.5), NOTHING, 2)) == (0, 2.25, 0)
    assert normalised(value(NOTHING, rest=5), NOTHING, 1).rest == 18
    assert not normalised(value(NOTHING, rest="inf"), NOTHING, 1).rest.is_finite()


def test_bounds_are_computed_with_256_bits(monkeypatch):
    seen = []
    monkeypatch.setattr(
        normalised_allowance, "run_stream", lambda *given: seen.append(flint.ctx.prec)
    )
    allowed = normalised_allowance.normalised_allowance(Part(circuit=None), (), ())
    own = Part(run=Part(final=[1, 2]), position=lambda t: (t, flint.ctx.prec))
    assert NormalisedAllowance.outputs.func(own) == ((0, 256), (1, 256))
    assert seen == [256] and allowed.run is None


# Outputs

LOG = Logarithm("silu", Fraction(6), Fraction(1, 9), (Fraction(2),), (Fraction(5),), Fraction(-2),
                Fraction(-3), Fraction(1))  # fmt: skip


def outputs(**more):
    constants = {"epsilon": "1/4", "large": 4}
    readout = Part(logarithm=LOG, scale=Fraction(4), outputs=((1, 2), (3, 5)))
    circuit = Part(n=3, constants=constants, whole=constants.__getitem__, readout=readout)
    return Part(trace=Part(circuit=circuit, **more.pop("trace", {})),
                arithmetic=Part(form=FORM, width=8), logarithm=LOG, **more)  # fmt: skip


def test_the_last_norm_is_off_by_the_distance_of_all_features():
    """D² = 3² + 4² beside |x|² = 2 + 34 + 364; the norm has 8 coordinates."""
    other = Part(bounds=lambda: iter([arb(3)]), exact=Part(size=arb(364).sqrt()))
    first = Part(bounds=lambda: iter([arb(0), arb(4)]), exact=Part(size=arb(34).sqrt()))
    own = outputs(run=Part(features={"a": [None, first], "b": [None, other]}))
    assert float(NormalisedAllowance.factor_share(own, 1)) == near((1 + 0.25 / 0.75) * 25 - 1)
    for size, known in ((7.9, False), (8.1, True)):  # half of |x| is 5 between them
        other.exact.size = arb(size)
        assert NormalisedAllowance.factor_share(own, 1).is_finite() is known


def test_without_the_last_block_an_output_has_the_factor_of_the_last_norm():
    trace = {"last_factor": lambda t: arb(16), "linear": lambda t, column: arb(column)}
    own = outputs(units=lambda t, column: Part(error=arb(t)), factor_share=lambda t: arb(0.5),
                  trace=trace)  # fmt: skip
    size = 2 + 3 * (9 + 7)
    moved = (3 * 7 + (3 + 72) * size) * 1.5
    assert NormalisedAllowance.without_large(own, 7, 9) == 16 * (moved + size * 0.5)


def test_what_the_norms_behind_the_last_block_see_is_all_that_stands_beside_k():
    """2 + 3² + 5², (6 · 3/2)² and (1 · 1)², dε = 2, and K = 4."""
    rows = [Part(reach=arb(6), scale=arb(0.5)), Part(reach=arb(1), scale=arb(0))]
    own = outputs(run=Part(features={"a": [None, rows[0]], "b": [None, rows[1]]}))
    found = NormalisedAllowance.last_norms(own, 1, [arb(3), arb(5)])
    assert found.theta == arb(2 * (2 + 9 + 25 + 81 + 1 + 2)) / 16
    assert (found.mean, found.each, found.lost) == (0, 3 + 72, 4 * 0.5)


def test_a_logit_is_read_by_units_and_readout_and_the_larger_error_counts(monkeypatch):
    made = []
    monkeypatch.setattr(normalised_allowance, "LogarithmBounds", lambda *given: made.append(given))
    run = Part(arguments=[None, "seen"], final=[None, "read"])
    trace = {"argument": lambda t, c: arb(7), "linear": lambda t, c: arb(10 * t + c)}
    own = outputs(run=run, trace=trace, weight_error=lambda value, weights: arb(
        sum(weights) * {"seen": 1, "read": 2}[value]))  # fmt: skip
    NormalisedAllowance.units(own, 1, 1)
    ((log, n, form, read, error, wide),) = made
    assert (log, n, form) == (LOG, 3, FORM) and read.exact
    assert (error, wide) == (14 / 4, 11 + 14 / 4)


def test_a_belief_is_off_by_its_bounds_times_weights():
    own = Part(bounds=lambda: iter([arb(2), arb(3)]))
    found = NormalisedAllowance.weight_error(None, own, [Fraction(1, 2), Fraction(5)])
    assert found == 1 + 15
    with pytest.raises(ValueError, match="zip"):
        NormalisedAllowance.weight_error(None, own, [Fraction(1, 2)])


def test_logits_of_a_position_have_one_last_norm(monkeypatch):
    def units(t, c):
        return Part(sizes=lambda value, linear: (value, linear), bound=lambda *given: given)

    own = Part(run=Part(has_large=True), units=units, last_norms=lambda t, sizes: (t, sizes),
               trace=Part(outputs=[(), (1, 2)], argument=lambda t, c: arb(t + c),
                          linear=lambda t, c: arb(10 * c)),
               without_large=lambda t, c: (t, c))  # fmt: skip
    last = (1, [1 + 0, 2 + 10])
    assert NormalisedAllowance.position(own, 1) == ((1, 0, last), (2, 10, last))
    own.run.has_large = False
    assert NormalisedAllowance.position(own, 1) == ((1, 0), (1, 1))


def test_a_readout_without_units_has_no_logits():
    own = outputs()
    own.trace.circuit.readout.logarithm = None
    with pytest.raises(InputError, match="readout: found no logarithm, expected its units"):
        NormalisedAllowance.logarithm.fget(own)
