"""The weights of the log-depth construction: heads from linear forms, products from units.

Constructs    every head as pairs (query form, key form), every feed-forward as units
              (left form · right form → output form); a linear part is a unit with the constant
              one on its left
Notation      a form maps (block, offset) to a coefficient; E = length + 1 bounds every position;
              near child: the left one, at position i + 1; far child: the right one
Scores        for an inactive node i, up to terms that do not depend on j

    near      (i+1)² - (j-i-1)²                                   follows i + 1
    far       -E (d_j - d_i - 1)² - E u_j - j                     the nearest of that depth
    pointer   c_i² - (j-c_i)²                                     follows the pointer

    with u_j = 0 for the tokens that may be a far child. Tokens that are not inactive are sent
    to the end token, whose state is zero, by a term G (1 - g_i) e_j that outweighs the rest.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from constructions.core.forms import ONE, Form, Pairs, at, block, columns, plus, times
from constructions.core.layout import Layout
from constructions.core.matrix import Entry, Matrix, Tensor
from constructions.core.transformer import Attention, Bilinear, Head, Layer, Mask


@dataclass(frozen=True)
class LogDepthUnit:
    """One product of the feed-forward: (left · z)(right · z), sent to the output coordinates."""

    left: Form
    right: Form
    output: Form


@dataclass(frozen=True)
class LogDepthPlan:
    """Parameters of the weights: tensor, length, and saturation where attention is soft."""

    tensor: tuple[tuple[tuple[Entry, ...], ...], ...]
    length: int
    attention: Attention = Attention.HARD
    saturation: Entry = 1

    @property
    def n(self) -> int:
        """The number of states."""
        return len(self.tensor)

    @property
    def extent(self) -> int:
        """E: every position lies between 0 and E."""
        return self.length + 1

    def sizes(self) -> dict[str, int]:
        """The blocks of a token, in order."""
        marks = dict.fromkeys(("end", "open", "close", "first", "depth", "depth_squared"), 1)
        return {"one": 1, "index": 1, "square": 1, **marks, **self.changing_sizes()}

    def changing_sizes(self) -> dict[str, int]:
        """The blocks that a step changes."""
        n = self.n
        return {"pebbled": 1, "inactive": 1, "pointer": 1, "matrix": n * n, "state": n}

    def layout(self) -> Layout:
        """The coordinates of a token."""
        return Layout(**self.sizes())

    def pointer_scores(self, pointer: Form) -> Pairs:
        """Scores that are largest at the position that a pointer names."""
        return [(times(2, pointer), at("index")), (times(-1, ONE), at("square"))]

    def depth_scores(self, more: int) -> Pairs:
        """-E · (d_j - d_i - more)², up to a term without j: more than distances can differ."""
        query = plus(at("depth", 0, 2 * self.extent), times(2 * more * self.extent, ONE))
        return [(times(-self.extent, ONE), at("depth_squared")), (query, at("depth"))]

    def gate_scores(self, size: int) -> Pairs:
        """size · (1 - g_i) e_j: nodes that are not inactive look at the end token."""
        return [(plus(times(size, ONE), at("inactive", 0, -size)), at("end"))]

    def head(self, name: str, pairs: Pairs, values: Sequence[Form], mask: Mask) -> Head[Matrix]:
        """A head from its pairs of forms; the saturation multiplies the queries."""
        layout = self.layout()
        queries = [times(self.saturation, query) for query, _ in pairs]
        keys = columns(layout, [key for _, key in pairs])
        value = columns(layout, values)
        return Head(columns(layout, queries), keys, value, self.attention, mask, name)

    def own_head(self) -> Head[Matrix]:
        """The head that copies its own token."""
        size = self.layout().size
        none = Matrix.zeros(size, 0)
        value = Matrix.identity(size)
        return Head(none, none, value, Attention.HARD, Mask.SELF, "self")

    def layer(
        self, heads: Sequence[Head[Matrix]], reads: Mapping[str, int], units: Iterable[LogDepthUnit]
    ) -> Layer[Matrix]:
        """A layer: the copy and the heads side by side (W_O = I), then the products."""
        inputs = Layout(**self.sizes(), **reads)
        return Layer(
            (self.own_head(), *heads),
            Matrix.identity(inputs.size),
            bilinear(inputs, self, list(units)),
        )


def bilinear(inputs: Layout, plan: LogDepthPlan, units: Sequence[LogDepthUnit]) -> Bilinear[Matrix]:
    """x ← W_out ((U z) ∘ (V z)): a bilinear block with the diagonal tensor."""
    count = len(units)
    return Bilinear(
        columns(inputs, [unit.left for unit in units]),
        columns(inputs, [unit.right for unit in units]),
        Tensor((count, count, count), {(u, u, u): 1 for u in range(count)}),
        columns(plan.layout(), [unit.output for unit in units]).transpose,
    )


def copies(plan: LogDepthPlan, skip: Iterable[str]) -> Iterator[LogDepthUnit]:
    """Units that leave every block as it is, but for those named."""
    left_out = set(skip)
    for name, size in plan.sizes().items():
        if name not in left_out:
            yield from (LogDepthUnit(ONE, form, form) for form in block(name, size))


def depth_layer(plan: LogDepthPlan) -> Layer[Matrix]:
    """Depth from the mean of the brackets so far; `first` from the token before."""
    bracket = plus(at("open"), at("close", 0, -1))
    mean = Head(
        Matrix.zeros(plan.layout().size, 0),
        Matrix.zeros(plan.layout().size, 0),
        columns(plan.layout(), [bracket]),
        Attention.SATURATED if plan.attention is Attention.HARD else plan.attention,
        Mask.CAUSAL,
        "mean",
    )
    previous = plus(at("index"), times(-1, ONE))
    before = plan.head("previous", plan.pointer_scores(previous), [at("open")], Mask.CAUSAL)
    units = [
        LogDepthUnit(at("index"), at("mean"), at("depth")),
        LogDepthUnit(ONE, at("open", 0, -1), at("depth")),
        LogDepthUnit(ONE, at("was_open"), at("first")),
    ]
    kept = copies(plan, ("depth", "first"))
    return plan.layer((mean, before), {"mean": 1, "was_open": 1}, [*kept, *units])


def square_layer(plan: LogDepthPlan) -> Layer[Matrix]:
    """The square of the depth."""
    square = LogDepthUnit(at("depth"), at("depth"), at("depth_squared"))
    return plan.layer((), {}, [*copies(plan, ("depth_squared",)), square])


def preparation(plan: LogDepthPlan) -> tuple[Layer[Matrix], ...]:
    """The two layers before the first step."""
    return depth_layer(plan), square_layer(plan)
