"""The weights of the log-depth construction: heads from linear forms, products from units.

Constructs    every head as pairs (query form, key form), every feed-forward as units
              (left form · right form → output form); a linear part is a unit with the constant
              one on its left
Notation      a form maps (block, offset) to a coefficient; E = length + 1 bounds every position;
              s = 1 where subtrees begin (opening brackets), -1 where they end (closing ones);
              near child: the one at position i + s; far child: the other one
Scores        for an inactive node i, up to terms that do not depend on j

    near      (i+s)² - (j-i-s)²                                   follows i + s
    far       -E (d_j - d_i - 1)² - E u_j - s j                   the nearest of that depth
    pointer   c_i² - (j-c_i)²                                     follows the pointer

    with u_j = 0 for the tokens that may be a far child. Tokens that are not inactive are sent
    to the end token, whose state is zero, by a term G (1 - g_i) e_j that outweighs the rest.
    On the circle, 2kj - j² becomes ⟨p_k, p_j⟩ = cos(π(j-k)/2E), and E becomes 2.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction

from constructions.core.exact import cos_pi, sin_pi
from constructions.core.forms import ONE, Form, Pairs, at, block, columns, plus, times
from constructions.core.layout import Layout
from constructions.core.matrix import Entry, Matrix, Tensor
from constructions.core.transformer import Attention, Bilinear, Head, Layer, Mask


class Scheme(StrEnum):
    """Positions as integers i, i², or as points (cos θi, sin θi) on a quarter of the circle."""

    INTEGERS = "integers"
    CIRCLE = "circle"


class Variant(StrEnum):
    """Choice of the tokens that carry the states, and of the masks.

    opening: at opening brackets; the far head is masked anti-causally.
    parent:  at opening brackets; causal masks in the preparation, none after it.
    closing: at closing brackets; every head is masked causally.
    """

    OPENING = "opening"
    PARENT = "parent"
    CLOSING = "closing"


@dataclass(frozen=True)
class LogDepthUnit:
    """One product of the feed-forward: (left · z)(right · z), sent to the output coordinates."""

    left: Form
    right: Form
    output: Form


@dataclass(frozen=True)
class LogDepthPlan:
    """Parameters of the weights: tensor, length, positions, masks, and saturation."""

    tensor: tuple[tuple[tuple[Entry, ...], ...], ...]
    length: int
    scheme: Scheme = Scheme.INTEGERS
    variant: Variant = Variant.OPENING
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

    @property
    def side(self) -> int:
        """s: the near child of the node at i is at i + s."""
        return -1 if self.variant is Variant.CLOSING else 1

    @property
    def has_integer_positions(self) -> bool:
        """True if positions are integers."""
        return self.scheme is Scheme.INTEGERS

    @property
    def width(self) -> int:
        """Coordinates of a pointer."""
        return 1 if self.has_integer_positions else 2

    @property
    def penalty(self) -> int:
        """Score that a token of a wrong depth loses: more than distance terms can differ."""
        return self.extent if self.has_integer_positions else 2

    def weight(self, state: int, near: int, far: int) -> Entry:
        """The tensor by parent, near and far child."""
        left, right = (near, far) if self.side == 1 else (far, near)
        return self.tensor[state][left][right]

    def sizes(self) -> dict[str, int]:
        """The blocks of a token, in order."""
        place = {"square": 1} if self.has_integer_positions else {"place": 2}
        family = {"parent": 1, "parent_squared": 1} if self.variant is Variant.PARENT else {}
        marks = dict.fromkeys(("end", "open", "close", "first", "depth", "depth_squared"), 1)
        return {"one": 1, "index": 1, **place, **marks, **family, **self.changing_sizes()}

    def changing_sizes(self) -> dict[str, int]:
        """The blocks that a step changes."""
        n = self.n
        return {"pebbled": 1, "inactive": 1, "pointer": self.width, "matrix": n * n, "state": n}

    def layout(self) -> Layout:
        """The coordinates of a token."""
        return Layout(**self.sizes())

    def own_position(self) -> list[Form]:
        """The position of a token, as a pointer."""
        return [at("index")] if self.has_integer_positions else block("place", 2)

    def neighbour_position(self, shift: int) -> list[Form]:
        """The position next to a token's own, as a pointer."""
        if self.has_integer_positions:
            return [plus(at("index"), times(shift, ONE))]
        angle = Fraction(shift, 2 * self.extent)
        cosine, sine = cos_pi(angle), sin_pi(angle)
        return [
            plus(at("place", 0, cosine), at("place", 1, -sine)),
            plus(at("place", 0, sine), at("place", 1, cosine)),
        ]

    def pointer_scores(self, pointer: Sequence[Form]) -> Pairs:
        """Scores that are largest at the position a pointer names."""
        if self.has_integer_positions:
            return [(times(2, pointer[0]), at("index")), (times(-1, ONE), at("square"))]
        return list(zip(pointer, self.own_position(), strict=True))

    def nearness_scores(self) -> Pairs:
        """Scores that fall with the distance, among positions on the far side s of a token."""
        if self.has_integer_positions:
            return [(times(-self.side, ONE), at("index"))]
        return self.pointer_scores(self.own_position())

    def depth_scores(self, more: int) -> Pairs:
        """-penalty · (d_j - d_i - more)², up to a term without j."""
        query = plus(at("depth", 0, 2 * self.penalty), times(2 * more * self.penalty, ONE))
        return [(times(-self.penalty, ONE), at("depth_squared")), (query, at("depth"))]

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
    before = plan.head(
        "previous", plan.pointer_scores(plan.neighbour_position(-1)), [at("open")], Mask.CAUSAL
    )
    seen = at("index") if plan.side == 1 else plus(at("index"), ONE)
    units = [
        LogDepthUnit(seen, at("mean"), at("depth")),
        LogDepthUnit(ONE, at("open", 0, -1), at("depth")),
        LogDepthUnit(ONE, at("was_open"), at("first")),
    ]
    kept = copies(plan, ("depth", "first"))
    return plan.layer((mean, before), {"mean": 1, "was_open": 1}, [*kept, *units])


def square_layer(plan: LogDepthPlan) -> Layer[Matrix]:
    """The square of the depth."""
    square = LogDepthUnit(at("depth"), at("depth"), at("depth_squared"))
    return plan.layer((), {}, [*copies(plan, ("depth_squared",)), square])


def parent_layer(plan: LogDepthPlan) -> Layer[Matrix]:
    """The parent: the last token before that is one level up."""
    pairs = [*plan.depth_scores(-1), (ONE, at("index"))]
    head = plan.head("parent", pairs, [at("index")], Mask.CAUSAL)
    units = [
        LogDepthUnit(ONE, at("above"), at("parent")),
        LogDepthUnit(at("above"), at("above"), at("parent_squared")),
    ]
    kept = copies(plan, ("parent", "parent_squared"))
    return plan.layer((head,), {"above": 1}, [*kept, *units])


def match_layer(plan: LogDepthPlan) -> Layer[Matrix]:
    """A closing bracket learns from its opening one whether its subtree is a first child."""
    pairs = [
        *plan.depth_scores(0),
        (times(-plan.penalty, ONE), at("close")),
        *plan.nearness_scores(),
    ]
    head = plan.head("match", pairs, [at("first")], Mask.CAUSAL)
    kept = copies(plan, ("first",))
    return plan.layer(
        (head,), {"matched": 1}, [*kept, LogDepthUnit(ONE, at("matched"), at("first"))]
    )


def preparation(plan: LogDepthPlan) -> tuple[Layer[Matrix], ...]:
    """Two layers, or three where only causal masks are used."""
    more: dict[Variant, Callable[[LogDepthPlan], Layer[Matrix]]] = {
        Variant.PARENT: parent_layer,
        Variant.CLOSING: match_layer,
    }
    extra = [more[plan.variant](plan)] if plan.variant in more else []
    return (depth_layer(plan), square_layer(plan), *extra)
