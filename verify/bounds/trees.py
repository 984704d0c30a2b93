"""How far soft attention and smooth MLPs take the repaired Theorem 3 from the exact states.

Claimed       "to arbitrary precision", for any number of layers; print gives no analysis
Proves        a recursion for the error ε_l of the state coordinates after l parse layers:

                  δ = ε_l + 2Sλ,      ε_{l+1} = τ (Sδ + δ²) + max(τSδ, ε_l) + ε_mlp,    ε_0 = 0

              with S the largest norm of a subtree's state, τ the norm of the tensor (the least
              number with ‖T(x, y)‖ ≤ τ ‖x‖ ‖y‖; its Frobenius norm is taken), λ the largest weight
              that a head gives away, ε_mlp the error of one feed-forward block
Notation      N tokens, C saturation, g the gap of the scores, H parse layers; all norms Euclidean

Proof. The exact model holds, at every token, either 0 or a subtree's state, so ‖x_j‖ ≤ S. A head
with weights w whose right position is j* returns Σ w_j x̂_j. Its distance to x_{j*} is at most
Σ w_j ‖x̂_j - x_j‖ + Σ_{j≠j*} w_j ‖x_j - x_{j*}‖ ≤ ε_l + λ · 2S = δ. At an opening bracket
T(l + a, r + b) - T(l, r) = T(a, r) + T(l, b) + T(a, b) with ‖a‖, ‖b‖ ≤ δ: at most τ(2Sδ + δ²). At
any other token the exact left value is 0, so the product is at most τδ(S + δ) (the right value is a
mean of vectors of norm at most S + ε_l), and the own state, kept, is off by ε_l. The feed-forward
block adds ε_mlp. Both cases are below the recursion's right-hand side.

Leak. All scores but one are at least g below the largest, so λ ≤ (N - 1) exp(-C g). On the circle
g = 1 - cos(π/N): cos falls by at least that much between neighbours on the half circle, and terms
with β = 3 or the end token's 3 differ by at least 1. On the line g = 1. The head that flags left
children leaks too: flags are off by at most 2λ', λ' = (N - 1) exp(-C g), so scores of the right
head are off by 2βλ' and its gap is at least g - 4βλ'. Means are exact: equal scores.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

import flint

from constructions.theorem3 import Places, depth_weight
from constructions.theorem3_smooth import product_error
from constructions.wta import WTA

MOST_BITS = 1 << 14


def ball(value: Fraction | int) -> flint.arb:
    """A rational as a ball."""
    return flint.arb(flint.fmpq(value.numerator, value.denominator))


def norm(vector: Sequence[Fraction]) -> flint.arb:
    """The Euclidean norm of a rational vector."""
    return ball(sum((Fraction(x) ** 2 for x in vector), Fraction(0))).sqrt()


def tensor_norm(automaton: WTA) -> flint.arb:
    """τ: the Frobenius norm of the tensor, at least ‖T(x, y)‖ for unit x, y."""
    return norm([weight for rows in automaton.tensor for row in rows for weight in row])


def largest_state(automaton: WTA, symbols: Sequence[str]) -> flint.arb:
    """S for one tree: the largest norm of a subtree's state."""
    largest = flint.arb(0)
    for state in automaton.states(symbols).values():
        largest = largest.max(norm(state))
    return largest


def largest_within(automaton: WTA, leaves: int) -> list[flint.arb]:
    """S for all trees with 1 … `leaves` leaves: τ times the best split."""
    tau = tensor_norm(automaton)
    found = [flint.arb(0)]
    for vector in automaton.leaves.values():
        found[0] = found[0].max(norm(vector))
    for size in range(2, leaves + 1):
        best = flint.arb(0)
        for k in range(1, size):
            best = best.max(found[k - 1] * found[size - k - 1])
        found.append(tau * best)
    return found


def gap(tokens: int, places: Places) -> flint.arb:
    """g: how far the right position's score is above all others."""
    if places is Places.LINE:
        return flint.arb(1)
    return 1 - flint.arb.cos_pi_fmpq(flint.fmpq(1, tokens))


def leak(saturation: flint.arb, tokens: int, places: Places) -> flint.arb:
    """λ: an upper bound on the weight that the left and right heads give away."""
    g = gap(tokens, places)
    flags = (tokens - 1) * (-saturation * g).exp()
    beta = depth_weight(tokens, places)
    return (tokens - 1) * (-saturation * (g - 4 * beta * flags)).exp()


@dataclass(frozen=True)
class Amplifier:
    """The recursion for one automaton and one set of trees: its constants τ and S."""

    tensor: flint.arb
    state: flint.arb

    def step(self, error: flint.arb, leak: flint.arb, block: flint.arb) -> flint.arb:
        """ε_{l+1} from ε_l."""
        delta = error + 2 * self.state * leak
        carried = (self.tensor * self.state * delta).max(error)
        return self.tensor * (self.state * delta + delta * delta) + carried + block

    def errors(self, leak: flint.arb, block: flint.arb, layers: int) -> Iterator[flint.arb]:
        """ε_0, ε_1, …, ε_H."""
        error = flint.arb(0)
        yield error
        for _ in range(layers):
            error = self.step(error, leak, block)
            yield error

    def after(self, leak: flint.arb, block: flint.arb, layers: int) -> flint.arb:
        """ε_H."""
        return list(self.errors(leak, block, layers))[-1]


def amplifier(automaton: WTA, symbols: Sequence[str]) -> Amplifier:
    """The recursion's constants for one tree."""
    return Amplifier(tensor_norm(automaton), largest_state(automaton, symbols))


def amplifier_within(automaton: WTA, leaves: int) -> Amplifier:
    """The recursion's constants for all trees with at most so many leaves."""
    largest = flint.arb(0)
    for value in largest_within(automaton, leaves):
        largest = largest.max(value)
    return Amplifier(tensor_norm(automaton), largest)


def affordable_leak(constants: Amplifier, layers: int, target: Fraction) -> int:
    """The least b such that a leak of 2^-b, with exact blocks, keeps the error below the target."""
    for bits in range(1, MOST_BITS):
        with flint.ctx.workprec(bits + 128):
            error = constants.after(flint.arb(2) ** -bits, flint.arb(0), layers)
            if error < ball(target):
                return bits
    raise ValueError(f"no leak down to 2^-{MOST_BITS} brings the error below {target}")


def required_saturation(bits: int, tokens: int, places: Places) -> int:
    """A whole C, at most twice and one more than the least, whose leak is below 2^-bits."""
    with flint.ctx.workprec(bits + 256):
        wanted = flint.arb(2) ** -bits
        high = 1
        while not leak(flint.arb(high), tokens, places) < wanted:
            high *= 2
        low = high // 2
        while high - low > max(1, high // 64):
            middle = (low + high) // 2
            if leak(flint.arb(middle), tokens, places) < wanted:
                high = middle
            else:
                low = middle
    return high


def block_error(automaton: WTA, step: Fraction, bound: Fraction) -> flint.arb:
    """ε_mlp of a softplus parse layer on inputs up to B: √n (max_a Σ|T_abc| + 1) · (3/8)h²B⁴."""
    rows = [sum(abs(w) for row in rows for w in row) for rows in automaton.tensor]
    each = product_error(step, bound) * (max(rows) + 1)
    return flint.arb(automaton.n).sqrt() * ball(each)
