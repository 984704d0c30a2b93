"""How far soft attention and smooth MLPs take the repaired Theorem 3 from the exact states.

Claimed       "to arbitrary precision", for any number of layers; print gives no analysis
Proves        a recursion for the error ε_l of the state coordinates after l parse layers:

                  δ = ε_l + 2Sλ,      ε_{l+1} = τ (Sδ + δ²) + max(τSδ, 2ε_l) + ε_mlp,    ε_0 = 0

              with S the largest norm of a subtree's state, τ the norm of the tensor (the least
              number with ‖T(x, y)‖ ≤ τ ‖x‖ ‖y‖; its Frobenius norm is taken), λ the largest weight
              that a head gives away, ε_mlp the error of one feed-forward block
Notation      N tokens, C saturation, g the gap of the scores, H parse layers; all norms Euclidean

Proof. The exact model holds, at every token, either 0 or a subtree's state, so ‖x_j‖ ≤ S. A head
with weights w whose right position is j* returns Σ w_j x̂_j. Its distance to x_{j*} is at most
Σ w_j ‖x̂_j - x_j‖ + Σ_{j≠j*} w_j ‖x_j - x_{j*}‖ ≤ ε_l + λ · 2S = δ. At an opening bracket
T(l + a, r + b) - T(l, r) = T(a, r) + T(l, b) + T(a, b) with ‖a‖, ‖b‖ ≤ δ: at most τ(2Sδ + δ²). At
any other token the exact left value is 0, so the product is at most τδ(S + δ) (the right value is a
mean of vectors of norm at most S + ε_l), and the own state, times 1 - kind, is off by ε_l at letters
and closing brackets and by 2ε_l at the end token, whose kind is -1. The feed-forward block adds
ε_mlp. All cases are at most the recursion's right-hand side.

Leak. All scores but one are at least g below the largest, so λ ≤ (N - 1) exp(-C g). On the circle
g = 1 - cos(π/N): cos falls by at least that much between neighbours on the half circle, and terms
with β = 3 or the end token's 3 differ by at least 1. On the line g = 1. The head that flags left
children leaks too: flags are off by at most 2λ', λ' = (N - 1) exp(-C g), so scores of the right
head are off by 2βλ' and its gap is at least g - 4βλ'. Means are exact: equal scores.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

import flint

from constructions.exact import ball
from constructions.layout import Layout
from constructions.multiplication import ceiling
from constructions.theorem3 import Places, TreeSimulation, depth_weight, leaves_within
from constructions.theorem3_variants import Variant, free_layout
from constructions.wta import WTA
from verify.bounds.budget import Subject
from verify.bounds.states import state_bounds

MOST_BITS = 1 << 14
BITS = 256


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
        carried = (self.tensor * self.state * delta).max(2 * error)
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


def subject(simulation: TreeSimulation) -> Subject:
    """What `budget` asks of the repaired construction with hard heads.

    Every head has a unique maximum at every token, g above the rest: see above for the left and
    the right head; the head that flags left children is largest at i - 1, and at 1 for i = 1.
    Before the first layer count is i and mark a marker, afterwards they are at most d and d² + 1.
    """
    plan, tokens = simulation.plan, simulation.plan.tokens
    leaves = leaves_within(simulation.length)
    far = {Places.CIRCLE: (1, 1), Places.LINE: (tokens, tokens**2)}[plan.places]
    known = {"place": far, "state": largest_states(simulation.automaton, leaves)}
    later = {**known, "count": (leaves,), "mark": (leaves**2 + 1,)}
    with flint.ctx.workprec(BITS):
        least = floor(gap(tokens, plan.places))
    return Subject(
        transformer=simulation.transformer,
        embedded=_sizes(plan.layout, {**known, "count": (tokens,)}),
        sizes=_sizes(plan.layout, later),
        tokens=tokens,
        gap=least,
        states=plan.layout["state"],
        one=plan.layout.at("one"),
    )


def free_subject(variant: Variant) -> Subject:
    """What `budget` asks of the construction without masks, whose scores are integers.

    The left head is that of the line; the right one is largest at the integer that `target`
    holds, or at the end token where that lies beyond it.
    """
    layout, tokens = free_layout(variant.automaton.n), variant.length + 1
    states = largest_states(variant.automaton, leaves_within(variant.length))
    known = {"place": (tokens, tokens**2), "size": (tokens,), "target": (tokens + 1,)}
    sizes = _sizes(layout, {**known, "state": states})
    return Subject(
        transformer=variant.transformer,
        embedded=sizes,
        sizes=sizes,
        tokens=tokens,
        gap=Fraction(1),
        states=layout["state"],
        one=layout.at("one"),
    )


Sizes = Sequence[Fraction | int]


def largest_states(automaton: WTA, leaves: int) -> Sizes:
    """The largest size of each entry of a state, over all trees with so many leaves."""
    with flint.ctx.workprec(BITS):
        return [ceiling(bound) for bound in state_bounds(automaton, leaves).largest()]


def _sizes(layout: Layout, known: Mapping[str, Sizes]) -> tuple[Fraction, ...]:
    """A bound on every coordinate; marks and kinds are at most 1."""
    ones: dict[str, Sizes] = {name: (1,) * len(layout[name]) for name in layout}
    return tuple(Fraction(v) for name in layout for v in known.get(name, ones[name]))


def floor(value: flint.arb) -> Fraction:
    """A rational at or below every number of a ball."""
    return -ceiling(-value)
