"""Error bounds of the tree decoder with softmax, for all trees up to a length.

Claimed      by us: with C large the error at every position is below any ε; pointers of size T pass
             through softmax, so C grows with log T
Derivation   hard and soft pass run side by side; V bounds a coordinate of the hard pass over all
             trees, e its difference so far. What a layer does to a coordinate is one polynomial of
             degree 2 in the coordinates that its block reads (two gated units are a product, and
             the stream's own value belongs to it), so that what is erased leaves nothing:
  scores     move by at most η = Σ |q| e(k) + e(q) |k| + e(q) e(k); the largest of a row is 1 or more
             above the others, so a row gives at most λ = T e^{-C(1-2η)} to other tokens
  a read     adds e(v) + 2λ |v| to the coordinates it goes to; the mean of all tokens leaks nothing
  a block    Σ |w| e_a for linear terms, Σ |w| (V_a e_b + V_b e_a + e_a e_b) for products
Sizes        1 for marks, T for positions and depths, T² for squares, of which that of the depth is
             in read_matrix up to layer 3; the bounds of `states` for states and for the
             matrices M of μ(v) = M μ(c) + b
Beside       the bound by classes of nodes, `decoder_tree_nodes`; the lesser one counts
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction

import flint

from constructions import decoder_tree
from constructions.automata.trees import most_leaves
from constructions.automata.wta import WTA
from constructions.core.activations import GateInverse
from constructions.core.errors import InputError
from constructions.core.exact import ball, ceiling
from constructions.core.layout import Layout
from constructions.core.matrix import Matrix
from constructions.core.transformer import Gated, Layer
from verify.bounds.budget import (
    BITS,
    MOST_SATURATION,
    HeadRead,
    TooSoft,
    column_forms,
    least_number,
    propagated_sizes,
)
from verify.bounds.decoder_tree_nodes import MOST_LEAVES, NodeRecursion
from verify.bounds.reachable import reachable_bounds
from verify.bounds.states import context_bounds, state_bounds

Monomial = tuple[int, ...]
Polynomial = dict[Monomial, Fraction]
Weights = Mapping[int, Fraction]


def block_update(block: Gated[Matrix], width: int, one: int) -> list[Polynomial]:
    """Each coordinate after a gated block and the residual connection, as a polynomial."""
    polynomials: list[Polynomial] = [{(c,): Fraction(1)} if c != one else {(): Fraction(1)}
                               for c in range(width)]  # fmt: skip
    inward, gates = block.inward.columns(), block.gate.columns()
    outward, unit = block.output.transpose.columns(), 0
    while unit < len(inward):
        paired = unit + 1 < len(inward) and _are_opposite(gates[unit], gates[unit + 1])
        if paired:
            if inward[unit] != inward[unit + 1] or not _are_opposite(
                outward[unit], outward[unit + 1]
            ):
                raise TypeError(f"units {unit} and {unit + 1} are no product")
            terms = _expansion(inward[unit], gates[unit], one)
        elif gates[unit] == {one: 1}:
            terms = _expansion(inward[unit], {one: Fraction(1)}, one)
        else:
            raise TypeError(f"unit {unit} is neither a product nor linear")
        for target, weight in outward[unit].items():
            _add(polynomials[target], terms, _ungated_weight(weight))
        unit += 2 if paired else 1
    return polynomials


def _are_opposite(one: Weights, two: Weights) -> bool:
    return set(one) == set(two) and all(two[c] == -weight for c, weight in one.items())


def _ungated_weight(weight: Fraction | GateInverse) -> Fraction:
    """The weight of a unit; behind an open gate σ(1)/σ(1) is 1."""
    return weight.scale if isinstance(weight, GateInverse) else Fraction(weight)


def _expansion(left: Weights, right: Weights, one: int) -> Polynomial:
    total: Polynomial = {}
    for a, x in left.items():
        for b, y in right.items():
            monomial = tuple(sorted(c for c in (a, b) if c != one))
            total[monomial] = total.get(monomial, Fraction(0)) + Fraction(x) * Fraction(y)
    return total


def _add(total: Polynomial, terms: Polynomial, weight: Fraction) -> None:
    for monomial, value in terms.items():
        total[monomial] = total.get(monomial, Fraction(0)) + weight * value
        if not total[monomial]:
            del total[monomial]


class TreeDecoderStep:
    """One layer of the recursion."""

    def __init__(self, layer: Layer[Matrix], sizes: list[flint.arb], tokens: int, one: int) -> None:
        if not isinstance(layer.feedforward, Gated):
            raise TypeError("the recursion runs over gated blocks")
        self.sizes = sizes
        self.reads = [HeadRead(head, sizes, tokens) for head in layer.heads]
        self.combine = column_forms(layer.combine)
        block = block_update(layer.feedforward, len(sizes), one)
        self.update = [[(m, abs(ball(w))) for m, w in terms.items() if m] for terms in block]

    def after(self, errors: list[flint.arb], saturation: flint.arb) -> list[flint.arb]:
        """The errors after the layer, rounded up."""
        read = [e for head in self.reads for e in head.errors(errors, saturation)]
        if read:
            added = propagated_sizes(self.combine, read)
            errors = [e + more for e, more in zip(errors, added, strict=True)]
        return [flint.arb(self._error(terms, errors).upper()) for terms in self.update]

    def _error(self, terms: list[tuple[Monomial, flint.arb]], e: list[flint.arb]) -> flint.arb:
        total, size = flint.arb(0), self.sizes
        for monomial, weight in terms:
            if len(monomial) == 1:
                total += weight * e[monomial[0]]
            else:
                a, b = monomial
                total += weight * (size[a] * e[b] + size[b] * e[a] + e[a] * e[b])
        return total


def sizes(automaton: WTA, length: int, layout: Layout, squared: bool) -> list[flint.arb]:
    """V for each coordinate; `squared` where read_matrix may hold the square of the depth."""
    bounds = state_bounds(automaton, most_leaves(length))
    states = [ball(ceiling(bound)) for bound in bounds.largest()]
    matrix = [ball(ceiling(bound)) for row in context_bounds(bounds) for bound in row]
    blocks = {"state": states, "near_state": states, "far_state": states, "read_state": states}
    places, square = [flint.arb(length)], flint.arb(length) ** 2
    blocks |= dict.fromkeys(("index", "left", "pointer", "read_pointer"), places)
    first = matrix[0].max(square) if squared else matrix[0]
    blocks |= {"square": [square], "matrix": matrix, "read_matrix": [first, *matrix[1:]]}
    return layout.vector(blocks, flint.arb(1))


class TreeDecoderRecursion:
    """The errors of the tree decoder for any C; its layers are prepared once."""

    def __init__(self, automaton: WTA, length: int) -> None:
        simulation = decoder_tree.build(automaton, length)
        layout, steps_by_layer = simulation.layout, dict[int, TreeDecoderStep]()
        self.states, self.steps = layout["state"], list[TreeDecoderStep]()
        with flint.ctx.workprec(BITS):
            for number, layer in enumerate(simulation.transformer.layers, 1):
                if id(layer) not in steps_by_layer:
                    layer_sizes = sizes(automaton, length, layout, squared=number <= 3)
                    steps_by_layer[id(layer)] = TreeDecoderStep(
                        layer, layer_sizes, length + 1, layout.at("one")
                    )
                self.steps.append(steps_by_layer[id(layer)])

    def bound(self, saturation: Fraction) -> flint.arb:
        """A bound on the Euclidean error of every state of every tree."""
        with flint.ctx.workprec(BITS):
            errors = [flint.arb(0)] * len(self.steps[0].sizes)
            for step in self.steps:
                errors = step.after(errors, ball(saturation))
            total = sum((errors[c] * errors[c] for c in self.states), flint.arb(0))
            return flint.arb(total.sqrt().upper())


@dataclass(frozen=True)
class TreeDecoderBounds:
    """The bound by coordinates and, where trees are not too large, that by classes of nodes."""

    coordinates: TreeDecoderRecursion
    nodes: NodeRecursion | None

    @classmethod
    def of(cls, automaton: WTA, length: int) -> TreeDecoderBounds:
        """Return the bounds for all trees with |str(t)| ≤ length."""
        leaves, nodes = most_leaves(length), None
        if leaves <= MOST_LEAVES:
            reach = reachable_bounds(automaton, leaves)
            nodes = NodeRecursion(reach, length, decoder_tree.depth(length))
        return cls(TreeDecoderRecursion(automaton, length), nodes)

    def bound(self, saturation: Fraction) -> flint.arb:
        """Lesser of the two bounds on the Euclidean error of every state; infinite if neither holds."""
        least = flint.arb("inf")
        with suppress(TooSoft):
            least = self.coordinates.bound(saturation)
        if self.nodes is not None:
            with suppress(TooSoft):
                least = least.min(self.nodes.bound(saturation))
        return least

    def within(self, saturation: Fraction, eps: Fraction) -> bool:
        """True if the bound is at most ε."""
        return bool(self.bound(saturation) <= ball(eps))


@dataclass(frozen=True)
class CertifiedSaturation:
    """A C that certainly keeps ε, and the error that it certainly keeps."""

    saturation: Fraction
    error: flint.arb


def required_saturation(automaton: WTA, length: int, eps: Fraction) -> CertifiedSaturation:
    """The least whole C whose bound is at most ε, for all trees with |str(t)| ≤ length."""
    if eps <= 0:
        raise InputError("eps", str(eps), "a number > 0")
    recursion = TreeDecoderBounds.of(automaton, length)
    constant = least_number(lambda c: recursion.within(Fraction(c), eps), MOST_SATURATION, "C")
    return CertifiedSaturation(Fraction(constant), recursion.bound(Fraction(constant)))
