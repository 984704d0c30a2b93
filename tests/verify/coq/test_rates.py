"""The C and h that the program chooses meet the hypotheses of the theorems on rates.

`Theorem2Rates.theorem2_rate` asks for F e_L < ε, e_L the budget of `Rates.v` with any μ_l, D_l that bound
norms and distances of products of at most 2^l letters, and p the leak of C. Here these are computed anew,
from all words, in ball arithmetic; nothing of `verify.bounds` is used but the answers.
"""

from fractions import Fraction
from itertools import product

import flint
import pytest
from balls_support import ball

from constructions.automata.families import counting
from constructions.automata.wfa import WFA
from constructions.blocks.smoothing import FourUnits
from constructions.core.activations import smooth_activation
from constructions.core.exact import ceiling
from verify.bounds.saturation import required_fineness, required_saturation

HALF = WFA.of(
    ["1/2", "1/3"], {"a": [["1/2", "1/2"], [0, 1]], "b": [[1, 0], ["1/4", "3/4"]]}, [1, 0]
)
TURN = WFA.of([1, 0], {"a": [[0, 1], [-1, 0]], "b": [[1, 1], [0, 1]]}, [1, 0])
SAMPLES = [(counting(), 2), (counting(), 4), (HALF, 3), (HALF, 8), (TURN, 4), (TURN, 5)]
EPS = [Fraction(1, 2), Fraction(1, 1000)]
BITS = 256


def words(automaton, most):
    """The products of all words of at most `most` letters, two states."""
    letters = [
        flint.fmpq_mat(
            [
                [flint.fmpq(Fraction(x).numerator, Fraction(x).denominator) for x in row]
                for row in automaton.matrix(a)
            ]
        )
        for a in automaton.alphabet
    ]
    for length in range(most + 1):
        for chosen in product(letters, repeat=length):
            total = flint.fmpq_mat([[1, 0], [0, 1]])
            for letter in chosen:
                total = total * letter
            yield total


def spectral(matrix):
    """The larger singular value of a 2 × 2 matrix."""
    gram = matrix.transpose() * matrix
    trace, det = flint.arb(gram[0, 0] + gram[1, 1]), flint.arb(gram.det())
    return ((trace + (trace * trace - 4 * det).max(flint.arb(0)).sqrt()) / 2).sqrt()


def most(values):
    largest = flint.arb(0)
    for value in values:
        largest = largest.max(value)
    return largest


class Hypotheses:
    """μ_l, D_l, F and the leak, from their definitions."""

    def __init__(self, automaton, length):
        self.layers = (length - 1).bit_length()
        self.span = 1 << self.layers
        known = [list(words(automaton, 1 << layer)) for layer in range(self.layers)]
        self.mu = [most(map(spectral, found)) for found in known]
        self.d = [most(spectral(u - v) for u in found for v in found) for found in known]
        square = sum((Fraction(x) ** 2 for x in automaton.alpha), Fraction(0))
        self.readout = (ball(square) * (length + 1)).sqrt()

    def leak(self, constant):
        """1 - exp(C) / Σ_m exp(C cos(πm/M)), without cancellation."""
        down = [
            (-ball(constant) * 2 * flint.arb.sin_pi_fmpq(flint.fmpq(m, 2 * self.span)) ** 2).exp()
            for m in range(2 * self.span)
        ]
        return sum(down[1:], flint.arb(0)) / sum(down, flint.arb(0))

    def budget(self, p, eta=0):
        """e_0 … e_L of `Rates.budget`."""
        errors = [flint.arb(0)]
        for mu, d in zip(self.mu, self.d, strict=True):
            delta = errors[-1] + p * d
            errors.append(2 * mu * delta + delta**2 + eta)
        return errors

    def gain(self):
        """G_L of `Rates.gain`."""
        total = flint.arb(0)
        for mu, d in zip(self.mu, self.d, strict=True):
            total = 3 * mu * (total + d)
        return total


@pytest.fixture(autouse=True)
def precision():
    with flint.ctx.workprec(BITS):
        yield


@pytest.mark.parametrize("eps", EPS)
@pytest.mark.parametrize("place", range(len(SAMPLES)))
def test_the_program_s_c_meets_the_hypothesis_of_theorem2_rate(place, eps):
    automaton, length = SAMPLES[place]
    asked, constant = (
        Hypotheses(automaton, length),
        required_saturation(automaton, length, eps).constant,
    )
    assert asked.readout * asked.budget(asked.leak(constant))[-1] < ball(eps)


@pytest.mark.parametrize("place", range(len(SAMPLES)))
def test_a_quarter_of_that_c_does_not_meet_it(place):
    automaton, length = SAMPLES[place]
    asked = Hypotheses(automaton, length)
    constant = required_saturation(automaton, length, EPS[1]).constant / 4
    assert asked.readout * asked.budget(asked.leak(constant))[-1] > ball(EPS[1])


@pytest.mark.parametrize("eps", EPS)
@pytest.mark.parametrize("place", range(len(SAMPLES)))
def test_the_program_s_closed_form_meets_the_hypothesis_of_theorem2_rate_closed(place, eps):
    automaton, length = SAMPLES[place]
    asked = Hypotheses(automaton, length)
    constant = ball(required_saturation(automaton, length, eps).closed_form)
    gap = 2 * flint.arb.sin_pi_fmpq(flint.fmpq(1, 2 * asked.span)) ** 2
    factor = (asked.readout / ball(eps)).max(flint.arb(1))
    assert (2 * asked.span - 1) * asked.gain() * factor < (constant * gap).exp()


def remainder(units, size):
    """|s| K h⁴ · 16 B⁴ / 12 + |4h² σ''(b) s - 1| B²: `FourUnits.four_units_rate` with P = Q = B."""
    sigma, h, s = units.activation, ball(units.step), ball(units.scale)
    reach = 2 * units.step * size
    nearby = ball(sigma.point - reach).union(ball(sigma.point + reach))
    fourth = abs(sigma.derivative(nearby, 4))
    bend = sigma.derivative(ball(sigma.point), 2)
    return (
        abs(s) * fourth * h**4 * 16 * ball(size) ** 4 / 12
        + abs(4 * h * h * bend * s - 1) * ball(size) ** 2
    )


@pytest.mark.parametrize("place", [0, 2, 5])
def test_the_program_s_c_and_h_meet_the_hypotheses_of_theorem2_mlp_rate(place):
    (automaton, length), eps = SAMPLES[place], Fraction(1, 100)
    found = required_fineness(automaton, length, eps, "tanh")
    asked, units = Hypotheses(automaton, length), FourUnits.of("tanh", found.bits)
    assert smooth_activation("tanh").point == units.activation.point
    size = ceiling(most(asked.mu)) + 1
    with flint.ctx.workprec(8 * found.bits + BITS):
        eta = automaton.n**2 * remainder(units, size)
        p = asked.leak(found.constant)
        errors = asked.budget(p, eta)
        assert all(e + p * d < 1 for e, d in zip(errors, asked.d, strict=False))
        assert asked.readout * errors[-1] < ball(eps)
        coarse = automaton.n**2 * remainder(FourUnits.of("tanh", max(found.bits // 2, 1)), size)
        assert not asked.readout * asked.budget(p, coarse)[-1] < ball(eps)
