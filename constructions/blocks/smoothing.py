"""Smooth MLPs in place of bilinear layers: each product x·y becomes a few hidden units.

Claimed       (Section 4, Appendix C) an MLP of ½(2n+1)(2n+2), O(n³) or O(n⁴) hidden units
              approximates the map of a layer; print cites a theorem, here the weights are written
Constructs    for every product of two linear forms of a bilinear block
              four units      s (σ(b+h(x+y)) + σ(b-h(x+y)) - σ(b+h(x-y)) - σ(b-h(x-y))) for every
                              smooth σ, s ≈ 1/(4h² σ''(b))
              softplus units  (4/h²)(σ(h(x+y)) - σ(hx) - σ(hy) + σ(0)): factors are shared among
                              products, and a product with the constant one is the exact copy
                              σ(x) - σ(-x) = x
Notation      σ activation, h > 0 step, s scale, b a rational point with σ''(b) ≠ 0
Unlike print  no residuals: with four units, what a layer keeps is a product with the constant one,
              and the one is itself copied by a product

Error of four units, |x| ≤ p, |y| ≤ q. Taylor at b with K ≥ |σ''''| on |u| ≤ h(p+q) gives
|σ(b+u) + σ(b-u) - 2σ(b) - σ''(b)u²| ≤ K u⁴/12, and (x+y)⁴ + (x-y)⁴ = 2x⁴ + 12x²y² + 2y⁴, so they
miss xy by at most |s| K h⁴ (2p⁴ + 12p²q² + 2q⁴)/12 + |4h² σ''(b) s - 1| pq.

Error of a softplus product. σ(z) - z/2 is even, with second derivative 1/4 at 0 and fourth
derivative at most 1/8 in absolute value everywhere (it is s''' for the sigmoid s, largest at 0). By
Taylor's theorem |σ(hz) - σ(0) - hz/2 - h²z²/8| ≤ h⁴z⁴/192. In the sum above the linear terms cancel,
the squares give xy, and for |x|, |y| ≤ B the rest is at most (4/h²)(h⁴/192)(16 + 1 + 1)B⁴ = (3/8)h²B⁴.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Protocol

import flint

from constructions.core.activations import smooth_activation
from constructions.core.activations.record import SmoothActivation
from constructions.core.exact import ball, ceiling
from constructions.core.matrix import Entry, Matrix
from constructions.core.transformer import MLP, Attention, Bilinear, Layer, Mask, Transformer

Form = Mapping[int, Entry]
SIGNS = ((1, 1, 1), (-1, -1, 1), (1, -1, -1), (-1, 1, -1))


@dataclass(frozen=True)
class Product:
    """(left form)·(right form), times a weight for each coordinate of the output."""

    left: Form
    right: Form
    output: Form


def products(block: Bilinear[Matrix]) -> list[Product]:
    """The products of a bilinear block, one for each pair of forms it multiplies."""
    left, right = block.left.columns(), block.right.columns()
    outward = block.output.transpose.columns()
    outputs: dict[tuple[int, int], dict[int, Entry]] = {}
    for (a, b, c), weight in block.tensor.entries.items():
        sums = outputs.setdefault((a, b), {})
        for target, factor in outward[c].items():
            sums[target] = sums[target] + weight * factor if target in sums else weight * factor
    return [Product(left[a], right[b], output) for (a, b), output in outputs.items()]


def constants(layer: Layer[Matrix], one: int) -> frozenset[int]:
    """The inputs of a layer's feed-forward that are the token's own constant one."""
    found, start = set(), 0
    for head in layer.heads:
        if head.mask is Mask.SELF:
            forms = enumerate(head.value.columns(), start)
            found |= {place for place, form in forms if form == {one: 1}}
        start += head.value.shape[1]
    return frozenset(found)


def is_copy(product: Product, ones: frozenset[int]) -> bool:
    """True if one of the two forms is the constant one."""
    return any(form == {one: 1} for form in (product.left, product.right) for one in ones)


class HiddenUnits(Protocol):
    """A way to multiply with hidden units."""

    def block(self, block: Bilinear[Matrix], ones: frozenset[int]) -> MLP[Matrix]:
        """The MLP in place of a bilinear block; `ones` are the inputs that are always one."""


class BoundedUnits(HiddenUnits, Protocol):
    """The same with its error; `copies` if products with one are exact."""

    @property
    def copies(self) -> bool:
        """True if a product with the constant one is exact."""

    def error(self, x: Fraction, y: Fraction) -> flint.arb:
        """A bound on the error of a product of numbers up to x and y."""


@dataclass
class HiddenLayer:
    """Hidden units, collected one by one: what each reads, and where each writes."""

    reads: list[dict[int, Entry]] = field(default_factory=list)
    writes: list[dict[int, Entry]] = field(default_factory=list)

    def shared_unit(self, read: dict[int, Entry]) -> int:
        """Return the hidden unit that reads this linear form; add it if it is missing."""
        return self.reads.index(read) if read in self.reads else self.new_unit(read)

    def new_unit(self, read: dict[int, Entry]) -> int:
        """A new hidden unit that reads this linear form."""
        self.reads.append(read)
        self.writes.append({})
        return len(self.reads) - 1

    def add(self, unit: int, output: Form, weight: Entry) -> None:
        """weight · σ(unit) · output is added to the coordinates of the output."""
        sums = self.writes[unit]
        for target, factor in output.items():
            value = weight * factor
            sums[target] = sums[target] + value if target in sums else value

    def mlp(self, block: Bilinear[Matrix], point: Fraction, activation: str) -> MLP[Matrix]:
        """The MLP with these units, in the place of a block."""
        outputs = block.output.shape[1]
        return MLP(
            Matrix.of_columns(block.left.shape[0], self.reads),
            (point,) * len(self.reads),
            activation,
            Matrix.of_columns(outputs, self.writes).transpose,
            (0,) * outputs,
        )


def linear_combination(terms: Iterable[tuple[Entry, Form]]) -> dict[int, Entry]:
    """A linear combination of forms, without its zeros."""
    total: dict[int, Entry] = {}
    for factor, form in terms:
        for coordinate, value in form.items():
            total[coordinate] = total.get(coordinate, 0) + factor * value
    return {coordinate: value for coordinate, value in total.items() if value != 0}


def _interval(centre: Fraction, radius: Fraction) -> flint.arb:
    return ball(centre - radius).union(ball(centre + radius))


@dataclass(frozen=True)
class Rule:
    """Approximation of one product by units: the remainder, and 1/s = share · h² σ''(b)."""

    share: int
    order: int
    remainder: Callable[[Fraction, Fraction, Fraction], Fraction]


SLIM = Rule(4, 4, lambda h, p, q: h**4 * (2 * p**4 + 12 * p**2 * q**2 + 2 * q**4) / 12)


def product_error(
    rule: Rule, activation: SmoothActivation, h: Fraction, s: Fraction, p: Fraction, q: Fraction
) -> flint.arb:
    """The rigorous bound on the error of a product of units with |x| ≤ p, |y| ≤ q."""
    nearby = _interval(activation.point, h * (p + q))
    largest = abs(activation.derivative(nearby, rule.order))
    curvature = activation.derivative(ball(activation.point), 2)
    slope = abs(rule.share * ball(h * h * s) * curvature - 1)
    return abs(ball(s)) * largest * ball(rule.remainder(h, p, q)) + slope * ball(p * q)


def add_four_units(hidden: HiddenLayer, product: Product, step: Fraction, scale: Fraction) -> None:
    """Four units for a product, ±h(x+y) and ±h(x-y), weighted s, s, -s, -s."""
    for x_sign, y_sign, sign in SIGNS:
        pair = ((x_sign * step, product.left), (y_sign * step, product.right))
        hidden.add(hidden.new_unit(linear_combination(pair)), product.output, sign * scale)


def add_copy(hidden: HiddenLayer, product: Product, ones: frozenset[int]) -> None:
    """Two units for a product with one: σ(x) - σ(-x) = x, exactly, for softplus, GELU and SiLU."""
    kept = product.right if product.left in [{one: 1} for one in ones] else product.left
    for sign in (1, -1):
        hidden.add(hidden.shared_unit(linear_combination(((sign, kept),))), product.output, sign)


@dataclass(frozen=True)
class FourUnits:
    """Four units a product: the activation, the step h and the scale s."""

    activation: SmoothActivation
    step: Fraction
    scale: Fraction
    copies: bool = False

    @classmethod
    def of(cls, activation: str, bits: int) -> FourUnits:
        """h = 2^-bits, and s as close to 1/(4h² σ''(b)) as 8 bits + 256 binary digits allow."""
        sigma, step = smooth_activation(activation), Fraction(1, 1 << bits)
        with flint.ctx.workprec(8 * bits + 256):
            curvature = 4 * sigma.derivative(ball(sigma.point), 2) * flint.arb(2) ** (-2 * bits)
            return cls(sigma, step, ceiling((1 / curvature).mid()))

    def block(self, block: Bilinear[Matrix], ones: frozenset[int]) -> MLP[Matrix]:
        """Units ±h(x+y), ±h(x-y) for every product, weighted s, s, -s, -s."""
        hidden = HiddenLayer()
        for product in products(block):
            add_four_units(hidden, product, self.step, self.scale)
        return hidden.mlp(block, self.activation.point, self.activation.name)

    def error(self, x: Fraction, y: Fraction) -> flint.arb:
        """The remainder above, at a precision that sees h⁴."""
        with flint.ctx.workprec(8 * self.step.denominator.bit_length() + 256):
            return product_error(SLIM, self.activation, self.step, self.scale, x, y)


@dataclass(frozen=True)
class SoftplusUnits:
    """One softplus unit a product, one a factor, and exact copies; the step h."""

    step: Fraction
    copies: bool = True

    def block(self, block: Bilinear[Matrix], ones: frozenset[int]) -> MLP[Matrix]:
        """Products share the units of their factors; copies take two units."""
        hidden = HiddenLayer()
        for product in products(block):
            if is_copy(product, ones):
                add_copy(hidden, product, ones)
            else:
                self._product(hidden, product)
        return hidden.mlp(block, Fraction(0), "softplus")

    def _product(self, hidden: HiddenLayer, product: Product) -> None:
        """(4/h²)(σ(h(x+y)) - σ(hx) - σ(hy) + σ(0))."""
        x, y, scale = product.left, product.right, 4 / self.step**2
        both = linear_combination(((self.step, x), (self.step, y)))
        single = [linear_combination(((self.step, form),)) for form in (x, y)]
        for read, sign in ((both, 1), (single[0], -1), (single[1], -1), ({}, 1)):
            hidden.add(hidden.shared_unit(read), product.output, sign * scale)

    def error(self, x: Fraction, y: Fraction) -> flint.arb:
        """(3/8) h² B⁴ with B the larger of the two."""
        return ball(Fraction(3, 8) * self.step**2 * max(x, y) ** 4)


def smooth_layer(layer: Layer[Matrix], units: HiddenUnits, one: int) -> Layer[Matrix]:
    """A layer with its bilinear block replaced by an MLP; `one` is the constant of a token."""
    if not isinstance(layer.feedforward, Bilinear):
        raise TypeError("the layer already has an MLP")
    return replace(layer, feedforward=units.block(layer.feedforward, constants(layer, one)))


def soft_transformer(model: Transformer[Matrix], saturation: Entry) -> Transformer[Matrix]:
    """The transformer with softmax(C · score) in place of its hard heads; soft ones stay."""
    return _with_layers(model, lambda layer: _soft_layer(layer, saturation))


def _soft_layer(layer: Layer[Matrix], saturation: Entry) -> Layer[Matrix]:
    soft = Attention.SOFT
    heads = [
        h if h.attention is soft else replace(h, query=h.query.scaled(saturation), attention=soft)
        for h in layer.heads
    ]
    return replace(layer, heads=tuple(heads))


def smooth_transformer(
    model: Transformer[Matrix], units: HiddenUnits, one: int
) -> Transformer[Matrix]:
    """The transformer with an MLP in every layer."""
    return _with_layers(model, lambda layer: smooth_layer(layer, units, one))


def greatest_width(layers: Sequence[Layer[Matrix]]) -> int:
    """The largest number of hidden units among the MLPs of some layers."""
    blocks = [layer.feedforward for layer in layers]
    return max(block.hidden.shape[1] for block in blocks if isinstance(block, MLP))


def _with_layers(
    model: Transformer[Matrix], change: Callable[[Layer[Matrix]], Layer[Matrix]]
) -> Transformer[Matrix]:
    """The transformer with other layers; one that is repeated is changed once and repeated."""
    known = {id(layer): layer for layer in model.layers}
    changed = {key: change(layer) for key, layer in known.items()}
    return replace(model, layers=tuple(changed[id(layer)] for layer in model.layers))
