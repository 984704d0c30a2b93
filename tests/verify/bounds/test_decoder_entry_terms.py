"""A layer by entries with made-up sizes, a coarse format and a norm far from 1: every term is seen.

Runs in real formats lose nothing below the least normal number, and most entries of a real layer are alike;
therefore the terms are written down here a second time, from the derivation in the module.
"""

from dataclasses import dataclass
from fractions import Fraction
from random import Random

import flint
import pytest
from balls_support import precision_fixture

from constructions.core.activations import activation_by_name, smooth_activation
from constructions.decoder import Design
from verify.bounds.decoder_entry_layers import EntryLayer, HeadError, LayerSizes
from verify.bounds.decoder_scores import MovedSetting
from verify.bounds.floating import Precision
from verify.bounds.norm_reading import NormReading, exact_reading
from verify.bounds.norms import identity
from verify.bounds.window_classes import CommonErrors, WindowClass, absolute, least

working = precision_fixture(128)
COARSE = Precision("coarse", 9, -20, 127, twice=False)  # u = 2^-9, τ = 2^-12
UNIT, TINY, LENGTH, SEEDS = flint.arb(2) ** -9, flint.arb(2) ** -12, 6, range(8)
ONE, SIGN = identity(2), flint.arb(0, 1)
PATTERN = flint.arb_mat([[1, 0], [1, 1]])
GATES = {"silu": (8, 6), "relu": (0, 0), "gelu": (16, 10)}  # g and h


class MadeUp:
    """Numbers between 0 and 1, and matrices with entries of very different sizes."""

    def __init__(self, seed):
        self.random = Random(seed)

    def number(self, scale=1):
        return flint.arb(self.random.randint(1, 1 << 16)) / (1 << 16) * flint.arb(scale)

    def entries(self, scale=1):
        return flint.arb_mat(2, 2, [self.number(scale) * flint.arb(2) ** -self.random.choice((0, 0, 12))
                                    for _ in range(4)])  # fmt: skip

    def signed(self, scale=1):
        return flint.arb_mat(
            2, 2, [self.number(scale) * self.random.choice((1, -1)) for _ in range(4)]
        )

    def common(self):
        return CommonErrors(
            self.signed(), self.signed(), self.entries("0.125"), self.entries("0.25")
        )

    def window(self, common=None):
        return WindowClass(self.signed(), self.entries("0.25"), self.entries("0.25"), common)

    def head(self):
        parts = [self.entries("0.25"), self.entries(), self.entries()]
        return HeadError(*parts, self.signed() + SIGN * self.entries("0.125"))


def reading(of):
    theta, each, lost = (of.number(flint.arb(2) ** -k) for k in (6, 7, 8))
    return NormReading(theta, flint.arb(0), each, lost)


def layer(of, read=None, gate="silu"):
    sizes = LayerSizes(*(of.number("0.25") for _ in range(3)), of.entries(), of.entries("0.25"))
    setting = MovedSetting(Design(gate), Fraction(3))
    return EntryLayer(sizes, LENGTH, PATTERN, setting, COARSE, read or exact_reading())


def gamma(count):
    return count * UNIT / (1 - count * UNIT)


def agree(found, wanted, end=flint.arb.upper):
    for one, other in zip(found.entries(), wanted.entries(), strict=True):
        assert abs(end(one) - end(other)) <= abs(end(other)) * flint.arb(2) ** -24, (one, other)


def agree_at_both_ends(found, wanted):
    for end in (flint.arb.lower, flint.arb.upper):
        agree(found, wanted, end)


def wanted_head(made, left, lost):
    """F of the derivation, with R = 7 tokens."""
    read, sizes = made.reading, made.sizes
    many, factor = gamma(7), read.theta + read.each

    def value(size, error):
        off = factor * size + read.lost * PATTERN
        return size + off, error + off

    top, error_top = value(sizes.windows, sizes.errors)
    own, error = flint.arb_mat(2, 2), flint.arb_mat(2, 2)
    if left is not None:
        distance = absolute(left.matrix - ONE)
        own, error = value(distance + sizes.before * PATTERN + left.error, left.error)
    mu = gamma(17) * lost + 14 * TINY
    given = lost + mu
    share = (1 + UNIT) ** 4 / (1 - many.min((1 + 2 * many) * given)) - 1
    below = 14 * TINY * (top + PATTERN)
    others = (1 + share) * given * top + below
    sums = least((1 + 2 * many) * others, many * (others + (1 + share) * own))
    return (
        error + lost * error_top + 2 * mu * (top + own) + share * (own + given * top) + below + sums
    )


@pytest.mark.parametrize("lost", ["0.25", "0.0001"])
@pytest.mark.parametrize("seed", SEEDS)
def test_a_head_by_entries_misses_what_the_derivation_says(seed, lost):
    """A leak that is larger than the roundings of the sums, and one that is far below them."""
    of, lost = MadeUp(seed), flint.arb(lost)
    made, left = layer(of, reading(of)), of.window()
    near = made.sizes.brought * PATTERN
    found, missed = made.head(left, lost), wanted_head(made, left, lost)
    agree(found.error, missed)
    agree(found.size, absolute(left.matrix - ONE) + near + missed)
    agree(found.product, absolute(left.matrix) + near)
    agree_at_both_ends(found.matrix, left.matrix - ONE + SIGN * near)
    begin, missed = made.head(None, lost), wanted_head(made, None, lost)
    size = least(near, lost * made.sizes.windows)
    agree(begin.error, missed)
    agree(begin.size, size + missed)
    agree(begin.product, ONE + size)
    agree_at_both_ends(begin.matrix, SIGN * size)


@dataclass
class Block:
    """What a block makes of a token, in the notation of the module."""

    made: EntryLayer
    head: HeadError
    right: WindowClass

    def __post_init__(self):
        made, head, right = self.made, self.head, self.right
        read, before = made.reading, made.sizes.before * PATTERN
        self.theta, self.each, self.lost = read.theta, read.each, read.lost
        self.h, self.brought = head.size, head.product + head.error
        self.w = absolute(right.matrix - ONE) + before + right.error
        self.whole = absolute(right.matrix) + before + right.error
        rho = right.scratch
        self.z = least(UNIT * (self.w + self.h), self.h, self.w)
        self.added_rest = least(UNIT * (rho + self.h), rho, self.h)
        self.r = rho + self.added_rest
        self.scratch, self.window = self.h + self.r, self.w + self.z + self.r
        # of S, of size W + H + z, and of the scratch, each with its own error
        self.own = self.each * (self.w + self.h + self.z + self.scratch) + 2 * self.lost * PATTERN
        apart = self.theta * self.window + self.own
        self.d = apart + UNIT * (self.window + apart)
        self.a = (self.theta + self.each) * self.scratch + self.lost * PATTERN
        self.x, self.y = self.scratch + self.a, self.window + self.d
        gate, self.units = GATES[made.setting.design.activation]
        below = 4 * TINY * (self.x * PATTERN + PATTERN * PATTERN)
        self.product = self.x * self.y
        self.rounded = gamma(4 + gate) * self.product + below

    def before(self):
        """|I + G̃|E and Δ; or with the factor in common, enclosed as one matrix."""
        head, right, r = self.head, self.right, self.r
        crossed = r * (self.z + r + self.d)
        delta = least(self.h * r + r * self.y, r * self.whole + crossed + self.brought * r)
        apart = head.product * right.error + delta
        if right.common is None:
            return apart
        p, s, own = right.common.window, right.common.scratch, right.common.rest + self.added_rest
        near = right.matrix + SIGN * (self.made.sizes.before * PATTERN)
        joint = absolute((ONE + head.matrix) * (p - s) + s * near)
        joint = joint + absolute(s) * right.error + head.error * absolute(s)
        together = head.product * right.common.error + self.theta * joint
        return least(apart, together + own * self.whole + self.brought * own + crossed)

    def shared(self):
        return self.head.error * self.whole + self.rounded + self.before() + self.brought * self.z

    def omega(self):
        """|1 - k σ(k)/σ(1)| for reads k of 1."""
        off = self.theta + self.each
        sigma, k = (
            activation_by_name(self.made.setting.design.activation).enclosure,
            (1 - off).union(1 + off),
        )
        return abs(1 - k * sigma(k) / sigma(flint.arb(1))).upper()

    def erasing(self):
        """γ_{h+5}(1 + ω) and 4τ + 2o."""
        return gamma(self.units + 5) * (1 + self.omega()), 4 * TINY + 2 * self.lost

    def common(self):
        made, head, right, theta, each = self.made, self.head, self.right, self.theta, self.each
        sigma, off = smooth_activation(made.setting.design.activation), theta + each
        slope = sigma.derivative((1 - off).union(1 + off), 1) / sigma.enclosure(flint.arb(1))
        own = self.own + UNIT * (self.window + theta * self.window + self.own)
        unread = each * self.scratch + self.lost * PATTERN
        crossed = 2 * (head.error * self.w + self.h * right.error)
        crossed = crossed + self.h * (2 * self.z + 2 * self.r + self.d) + self.r * self.y
        error = self.shared() + self.h * own + unread * self.y + theta * crossed
        near = right.matrix - ONE + SIGN * (made.sizes.before * PATTERN)
        share, loss = self.erasing()
        share = each * (1 + slope) + slope * off * off + share
        rest = share * self.scratch + theta * (1 + slope) * (head.error + self.r) + loss * PATTERN
        return 2 * head.matrix * near, -(1 + slope) * head.matrix, error, rest

    def result(self, matrix):
        """The error of the window, with the last sum, what is left in the scratch, and the common parts."""
        missed = self.shared() + self.h * self.d + self.a * self.y
        share, loss = self.erasing()
        left = (self.omega() + share) * self.scratch + loss * PATTERN
        kinked = self.made.setting.design.activation == "relu"
        if kinked and self.made.reading.exact:
            left = flint.arb_mat(2, 2)
        parts = None if kinked or self.theta.is_zero() else self.common()
        if parts is not None:
            missed = least(missed, parts[2] + self.theta * absolute(parts[0]))
            left = least(left, parts[3] + self.theta * absolute(parts[1]))
        after = absolute(matrix - ONE) + self.made.sizes.after * PATTERN + missed
        last = least(UNIT * after, self.product + self.rounded)
        return missed + last, left, parts and (*parts[:2], parts[2] + last, parts[3])


@pytest.mark.parametrize("gate", GATES)
@pytest.mark.parametrize("kind", ["without a norm", "with a norm", "with common errors"])
@pytest.mark.parametrize("seed", SEEDS)
def test_a_block_by_entries_misses_and_leaves_what_the_derivation_says(seed, kind, gate):
    of = MadeUp(f"{seed} {kind}")
    made = layer(of, None if kind == "without a norm" else reading(of), gate)
    right = of.window(of.common() if kind == "with common errors" else None)
    head, matrix = of.head(), of.signed()
    found = made.longer(head, matrix, right)
    error, left, parts = Block(made, head, right).result(matrix)
    assert found.matrix == matrix
    agree(found.error, error)
    agree(found.scratch, left)
    assert (found.common is None) == (parts is None)
    if parts is not None:
        agree_at_both_ends(found.common.window, parts[0])
        agree_at_both_ends(found.common.scratch, parts[1])
        agree(found.common.error, parts[2])
        agree(found.common.rest, parts[3])
