"""Theorem 3 with MLPs: each bilinear block of the parse layers becomes one softplus layer.

Claimed       an MLP of ½(2n+1)(2n+2), O(n³) or O(n⁴) hidden units approximates the map of a layer
Constructs    for every block of units x_a · x_b an MLP with one hidden unit for each product, one
              for each factor, one constant unit, and two for each coordinate that is copied:
              n² + 6n + 10 hidden units for a parse layer
Notation      σ(z) = log(1 + e^z) softplus; h > 0 the step; x·y ≈ (4/h²)(σ(h(x+y)) - σ(hx) -
              σ(hy) + σ(0)); copies use σ(z) - σ(-z) = z, which is exact
Unlike print  print cites a theorem; here the weights are written down and the error is proved

Error of a product. σ(z) - z/2 is even, with second derivative 1/4 at 0 and fourth derivative
at most 1/8 in absolute value everywhere (it is s''' for the sigmoid s, largest at 0). By Taylor's
theorem |σ(hz) - σ(0) - hz/2 - h²z²/8| ≤ h⁴z⁴/192. In the sum above the linear terms cancel, the
squares give xy, and for |x|, |y| ≤ B the rest is at most (4/h²)(h⁴/192)(16 + 1 + 1)B⁴ = (3/8)h²B⁴.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction

from constructions.matrix import Entry, Matrix
from constructions.theorem3 import TreeSimulation, joined
from constructions.transformer import MLP, Bilinear, Layer


@dataclass
class Hidden:
    """Hidden units, collected one by one: what each reads, and where each writes."""

    reads: list[dict[int, Entry]] = field(default_factory=list)
    writes: list[dict[int, Entry]] = field(default_factory=list)

    def unit(self, read: dict[int, Entry]) -> int:
        """The hidden unit that reads this linear form; made where there is none yet."""
        if read not in self.reads:
            self.reads.append(read)
            self.writes.append({})
        return self.reads.index(read)

    def add(self, read: dict[int, Entry], target: int, weight: Entry) -> None:
        """weight · σ(read) is added to the target."""
        outputs = self.writes[self.unit(read)]
        outputs[target] = outputs[target] + weight if target in outputs else weight

    def product(self, a: int, b: int, target: int, weight: Entry, step: Fraction) -> None:
        """weight · x_a · x_b, approximately."""
        scale = 4 / step**2 * weight
        both = {a: 2 * step} if a == b else {a: step, b: step}
        for read, sign in ((both, 1), ({a: step}, -1), ({b: step}, -1), ({}, 1)):
            self.add(read, target, sign * scale)

    def copy(self, a: int, target: int, weight: Entry) -> None:
        """weight · x_a, exactly: σ(x) - σ(-x) = x."""
        self.add({a: 1}, target, weight)
        self.add({a: -1}, target, -weight)


def softplus_block(block: Bilinear[Matrix], one: int, step: Fraction) -> MLP[Matrix]:
    """The MLP that approximates a bilinear block whose factors are coordinates of its input.

    `one` is the coordinate that is always 1: products with it are copies. The output matrix of
    the block must be the identity, as in `theorem3`.
    """
    left, right = _rows(block.left), _rows(block.right)
    hidden = Hidden()
    for (a, b, target), weight in block.tensor.entries.items():
        if left[a] == one or right[b] == one:
            hidden.copy(right[b] if left[a] == one else left[a], target, weight)
        else:
            hidden.product(left[a], right[b], target, weight, step)
    return _mlp(hidden, block.left.shape[0], block.output.shape[1])


def _rows(selector: Matrix) -> dict[int, int]:
    """Which coordinate each column of a selector reads."""
    return {column: row for row, column in selector.entries}


def _mlp(hidden: Hidden, inputs: int, outputs: int) -> MLP[Matrix]:
    units = len(hidden.reads)
    reads = {(row, k): v for k, read in enumerate(hidden.reads) for row, v in read.items()}
    writes = {
        (k, target): v for k, write in enumerate(hidden.writes) for target, v in write.items()
    }
    weights = Matrix((inputs, units), reads), Matrix((units, outputs), writes)
    return MLP(weights[0], [0] * units, "softplus", weights[1], [0] * outputs)


def smooth_layer(layer: Layer[Matrix], simulation: TreeSimulation, step: Fraction) -> Layer[Matrix]:
    """A layer with its bilinear block replaced by a softplus MLP."""
    block = layer.feedforward
    if isinstance(block, MLP):
        return layer
    one = joined(simulation.plan.layout, layer.heads).at("one")
    return replace(layer, feedforward=softplus_block(block, one, step))


def smooth(simulation: TreeSimulation, step: Fraction) -> TreeSimulation:
    """The same transformer with softplus MLPs in its parse layers."""
    layers = simulation.transformer.layers
    parsing = tuple(smooth_layer(layer, simulation, step) for layer in layers[2:])
    model = replace(simulation.transformer, layers=(*layers[:2], *parsing))
    return replace(simulation, transformer=model)


def product_error(step: Fraction, bound: Fraction) -> Fraction:
    """(3/8) h² B⁴: how far an approximate product of two numbers up to B can be off."""
    return Fraction(3, 8) * step**2 * bound**4


def hidden_units(n: int) -> int:
    """n² + 6n + 10: n² + n products, 3n + 1 factors, one constant, 2(n + 4) for copies."""
    return n * n + n + 3 * n + 1 + 1 + 2 * (n + 4)


def printed_units(n: int) -> int:
    """½(2n+1)(2n+2), the width of the footnote."""
    return (2 * n + 1) * (2 * n + 2) // 2


def widest(layers: Sequence[Layer[Matrix]]) -> int:
    """The largest number of hidden units among the MLPs of some layers."""
    blocks = [layer.feedforward for layer in layers]
    return max(block.hidden.shape[1] for block in blocks if isinstance(block, MLP))
