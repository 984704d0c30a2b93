"""The tree decoder: every WTA in an ordinary decoder with 2 + O(log N) layers, on every tree.

Claimed       by us: the paper asks (Section 4.2) whether O(log T) layers suffice for all trees
Constructs    token and position embeddings, BOS, causal heads, gated blocks without biases,
              positions given once: 2 + k layers, k = max{k : P_k - 1 ≤ N} (`pebbling`), three heads,
              and at every leaf and closing bracket the state of the subtree that ends there
Invariant     μ(v) = M μ(c) + b for each node v, named by where its subtree ends: f (state known), g
              (inactive: M = I, b = 0), else active with a pointer c to a node below
Stream        one, index i, square i²; left (where the left child ends); known f, inactive g, pointer c;
              matrix M, state b; scratch: near, near_state, far, far_state (f and b of the right and
              the left child), read_matrix, read_state, read_known, read_pointer (M, b, f, c of the
              node pointed to). Weights, and the order of units, are those of `TreeDecoderModel.v`
Heads         follow a pointer q: 2qj - j², largest at j = q, and at BOS where q ≤ 0. Who is not
              inactive is sent to BOS, whose vector is 0, by a shift of q by -(T+1)
  mean        all tokens alike: the mean of 1 - f - 2g ([ and BOS +1, ] -1, leaf 0) gives the depth
  previous    i - 1: f and b of the token before
  match       -W (d_j - d_i - 1)² - W g_j + j, W = T + 1: where the right child begins, hence where the
              left one ends, and its f and b at once
  near, far   the right child at i - 1, the left child at `left`;  pointer: the node at c
Layers        1 depth and token before, 2 depth squared, 3 match and first step, then one step a layer.
              In layers 1 and 2 read_pointer contains depth, read_matrix its square
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product as pairs
from typing import Any

from constructions.automata.pebbling import most_steps
from constructions.automata.trees import CLOSE, OPEN, ends, most_leaves
from constructions.automata.wta import WTA
from constructions.blocks import gated
from constructions.blocks.gated import GatedUnit
from constructions.core.embedding import BOS, DecoderEmbedding
from constructions.core.errors import check_fits, symbol_numbers
from constructions.core.forms import ONE, Form, at, block, columns, plus, times
from constructions.core.layout import Layout
from constructions.core.matrix import Entry, Matrix
from constructions.core.one_line import of_simulation, one_line
from constructions.core.transformer import (
    Arithmetic,
    Attention,
    Head,
    Layer,
    Mask,
    Transformer,
    run,
)
from constructions.theorem1 import check_length

Copies = list[tuple[Form, Form]]


def depth(length: int) -> int:
    """2 + k layers for every tree with |str(t)| ≤ length; at least 3, where step 1 is made."""
    return max(3, 2 + most_steps(most_leaves(check_length(length))))


def minus(form: Form) -> Form:
    """The opposite form."""
    return times(-1, form)


@dataclass(frozen=True)
class TreeDecoderBuilder:
    """The weights for a tensor and a length; C is given where attention is soft."""

    tensor: tuple[tuple[tuple[Entry, ...], ...], ...]
    length: int
    activation: str = "silu"
    saturation: Entry | None = None

    @property
    def n(self) -> int:
        """The number of states."""
        return len(self.tensor)

    @cached_property
    def layout(self) -> Layout:
        """The coordinates of the stream."""
        n, ones = self.n, dict.fromkeys
        own = ones(("one", "index", "square", "left", "known", "inactive", "pointer"), 1)
        near = {"near": 1, "near_state": n, "far": 1, "far_state": n}
        read = {"read_matrix": n * n, "read_state": n, "read_known": 1, "read_pointer": 1}
        return Layout(**own, matrix=n * n, state=n, **near, **read)

    @property
    def gate(self) -> Form:
        """0 for inactive nodes, -(T+1) for all others."""
        return times(self.length + 1, plus(at("inactive"), minus(ONE)))

    def head(self, name: str, query: list[Form], key: list[Form], copies: Copies) -> Head[Matrix]:
        """A head from the forms of its queries, keys and values."""
        hard = Attention.SATURATED if not query else Attention.HARD
        factor = 1 if self.saturation is None else self.saturation
        return Head(
            columns(self.layout, [times(factor, form) for form in query]),
            columns(self.layout, key),
            columns(self.layout, [value for value, _ in copies]),
            hard if self.saturation is None else Attention.SOFT,
            Mask.CAUSAL,
            name,
        )

    def pointer_scores(self, pointer: Form) -> tuple[list[Form], list[Form]]:
        """Queries and keys of 2qj - j²."""
        return [times(2, pointer), ONE], [at("index"), minus(at("square"))]

    def block_copies(self, *names: tuple[str, str]) -> Copies:
        """Blocks copied to blocks."""
        return [
            pair
            for source, target in names
            for pair in zip(self.coordinates(source), self.coordinates(target), strict=True)
        ]

    def coordinates(self, name: str) -> list[Form]:
        """The coordinates of a block."""
        return block(name, len(self.layout[name]))

    def layer(
        self, heads: Sequence[tuple[Head[Matrix], Copies]], units: list[GatedUnit]
    ) -> Layer[Matrix]:
        """Heads with their targets, and a gated block."""
        targets = [target for _, copies in heads for _, target in copies]
        combine = columns(self.layout, targets).transpose
        ordered = sorted(units, key=lambda unit: unit.gate == ONE)  # products first
        made = gated.gated_block(self.layout, ordered, self.activation)
        return Layer(tuple(head for head, _ in heads), combine, made, True)

    def pointer_reading(
        self, name: str, pointer: Form, copies: Copies
    ) -> tuple[Head[Matrix], Copies]:
        """A head that follows a pointer."""
        return self.head(name, *self.pointer_scores(pointer), copies), copies

    def near_head(self) -> tuple[Head[Matrix], Copies]:
        """f and b of the right child, at i - 1."""
        pointer = plus(at("index"), minus(ONE), self.gate)
        return self.pointer_reading(
            "near", pointer, self.block_copies(("known", "near"), ("state", "near_state"))
        )

    def far_head(self) -> tuple[Head[Matrix], Copies]:
        """f and b of the left child."""
        copies = self.block_copies(("known", "far"), ("state", "far_state"))
        return self.pointer_reading("far", plus(at("left"), self.gate), copies)

    def pointer_head(self) -> tuple[Head[Matrix], Copies]:
        """M, b, f and c of the node pointed to."""
        names = ("matrix", "state", "known", "pointer")
        copies = self.block_copies(*((name, f"read_{name}") for name in names))
        return self.pointer_reading("pointer", at("pointer"), copies)

    def match_head(self) -> tuple[Head[Matrix], Copies]:
        """The last token that is no ] one level deeper: the right child begins there."""
        weight = self.length + 1
        query = [times(2 * weight, plus(at("read_pointer"), ONE, self.gate)), ONE]
        key = plus(at("read_matrix", 0, -weight), at("inactive", 0, -weight), at("index"))
        copies = [(plus(at("index"), minus(ONE)), at("left"))]
        copies += self.block_copies(("read_known", "far"), ("read_state", "far_state"))
        return self.head("match", query, [at("read_pointer"), key], copies), copies

    def linear_units(self, form: Form, output: Form) -> list[GatedUnit]:
        """One unit with an open gate."""
        return gated.linear_units(form, output, ONE, self.activation)

    def erasing_units(self, *names: str) -> list[GatedUnit]:
        """Blocks set to 0."""
        forms = [form for name in names for form in self.coordinates(name)]
        return [unit for form in forms for unit in self.linear_units(form, minus(form))]

    def depth_layer(self) -> Layer[Matrix]:
        """d = (i+1) · mean - 2 + f + g, -1 for BOS; and f, b of the token before."""
        counted = plus(ONE, minus(at("known")), times(-2, at("inactive")))
        mean = [(counted, at("near"))]
        before = self.block_copies(("known", "read_known"), ("state", "read_state"))
        previous = self.pointer_reading("previous", plus(at("index"), minus(ONE)), before)
        units = gated.product_units(plus(at("index"), ONE), at("near"), at("read_pointer"))
        offset = plus(at("known"), at("inactive"), times(-2, ONE))
        units += [*self.erasing_units("near"), *self.linear_units(offset, at("read_pointer"))]
        return self.layer([(self.head("mean", [], [], mean), mean), previous], units)

    def square_layer(self) -> Layer[Matrix]:
        """d²."""
        depth = at("read_pointer")
        return self.layer([], gated.product_units(depth, depth, at("read_matrix")))

    def step_units(self) -> list[GatedUnit]:
        """The units that compute M, b, marks and pointer of an inactive node from its children."""
        near, far, one = at("near"), at("far"), plus(*(at("matrix", a * self.n + a)
                                                       for a in range(self.n)))  # fmt: skip
        units = self._maps()
        units += gated.product_units(near, far, plus(one, at("known"), at("inactive")))
        units += gated.product_units(near, plus(at("left"), minus(at("index"))), at("pointer"))
        lost = plus(minus(one), minus(at("inactive")))
        units += self.linear_units(near, plus(minus(near), lost))
        units += self.linear_units(far, plus(minus(far), lost, minus(at("pointer"))))
        return units + self.erasing_units(
            "near_state", "far_state", "read_matrix", "read_state", "read_known"
        )

    def _maps(self) -> list[GatedUnit]:
        """M += (1-F) T(·, near) + (1-N) T(far, ·) and b += T(far, near)."""
        units, r = [], range(self.n)
        for j in r:
            right = plus(
                *(at("matrix", a * self.n + q, self.tensor[a][q][j]) for a, q in pairs(r, r))
            )
            left = plus(
                *(at("matrix", a * self.n + q, self.tensor[a][j][q]) for a, q in pairs(r, r))
            )
            units += gated.product_units(plus(ONE, minus(at("far"))), at("near_state", j), right)
            units += gated.product_units(plus(ONE, minus(at("near"))), at("far_state", j), left)
        for i, j in pairs(r, r):
            both = plus(*(at("state", a, self.tensor[a][i][j]) for a in r))
            units += gated.product_units(at("far_state", i), at("near_state", j), both)
        return units

    def jump_units(self) -> list[GatedUnit]:
        """The units that follow the pointer: M ← M M_c, b ← b + M b_c, f, c ← c_c."""
        units, n = [], self.n
        for a, k, q in pairs(range(n), repeat=3):
            read = plus(at("read_matrix", k * n + q), times(-int(k == q), ONE))
            units += gated.product_units(at("matrix", a * n + k), read, at("matrix", a * n + q))
        for a, k in pairs(range(n), repeat=2):
            units += gated.product_units(
                at("matrix", a * n + k), at("read_state", k), at("state", a)
            )
        active = plus(ONE, minus(at("known")), minus(at("inactive")))
        units += gated.product_units(active, at("read_known"), at("known"))
        read = at("read_pointer")
        units += self.linear_units(read, plus(at("pointer"), minus(read)))
        return units + self.erasing_units("pointer")

    def layers(self) -> tuple[Layer[Matrix], ...]:
        """Preparation, the first step, then the step that is repeated."""
        first = self.layer([self.match_head(), self.near_head()],
                           [*self.step_units(), *self.erasing_units("read_pointer")])  # fmt: skip
        jump = self.layer([self.near_head(), self.far_head(), self.pointer_head()],
                          [*self.step_units(), *self.jump_units()])  # fmt: skip
        before = (self.depth_layer(), self.square_layer(), first)
        return (*before, *((depth(self.length) - 3) * (jump,)))


@one_line(of_simulation)
@dataclass(frozen=True)
class TreeDecoderSimulation(DecoderEmbedding):
    """A decoder that simulates a WTA on every tree whose string has at most `length` tokens."""

    automaton: WTA
    length: int
    builder: TreeDecoderBuilder
    transformer: Transformer[Matrix]

    @property
    def layout(self) -> Layout:
        """The coordinates of the stream."""
        return self.builder.layout

    @property
    def symbols(self) -> tuple[str, ...]:
        """The tokens by their numbers: letters, brackets, BOS."""
        return (*self.automaton.alphabet, OPEN, CLOSE, BOS)

    def token_rows(self) -> list[list[Entry]]:
        """W_E: leaves are known, closing brackets inactive; [ and BOS are the zero vector."""
        n = self.automaton.n
        one = [int(a == b) for a in range(n) for b in range(n)]
        states = [self.automaton.leaf(symbol) for symbol in self.automaton.alphabet]
        leaves = [self.layout.vector({"known": [1], "state": state}) for state in states]
        closing = self.layout.vector({"inactive": [1], "matrix": one})
        return [*leaves, self.layout.vector({}), closing, self.layout.vector({})]

    def position_rows(self) -> list[list[Entry]]:
        """W_pos: 1, i, i², and the pointer to oneself, for i = 0 … T."""
        return [
            self.layout.vector({"one": [1], "index": [i], "square": [i * i], "pointer": [i]})
            for i in range(self.length + 1)
        ]

    def tokens(self, string: Sequence[str]) -> list[int]:
        """BOS, then the tokens of str(t) by their numbers."""
        check_fits(len(string), self.length, "tree", "tokens")
        return [self.bos, *symbol_numbers("tree", string, self.symbols[:-1])]

    def states(self, string: Sequence[str], arithmetic: Arithmetic) -> dict[int, Any]:
        """{position of I_t: state of its subtree}, read where the subtree ends."""
        outputs = run(self.transformer, arithmetic, self.encode(string))
        return {begin: outputs[end] for begin, end in ends(string).items()}


def build(
    automaton: WTA, length: int, activation: str = "silu", saturation: Entry | None = None
) -> TreeDecoderSimulation:
    """The decoder for all trees with |str(t)| ≤ length: hard attention, or softmax with C.

    Examples:
        >>> from constructions.arithmetic import Rational
        >>> from constructions.automata.trees import from_text, tokens
        >>> adder = WTA.of([1, 0], [[[0, 1], [1, 0]], [[0, 0], [0, 1]]], {"a": [1, 1], "b": [5, 1]})
        >>> states = build(adder, 7, "relu").states(tokens(from_text("[a[ab]]")), Rational())
        >>> {i: str(state[0]) for i, state in sorted(states.items())}
        {1: '7', 2: '1', 3: '6', 4: '1', 5: '5'}

    """
    builder = TreeDecoderBuilder(
        automaton.tensor, check_length(length), gated.check_gate(activation), saturation
    )
    readout = columns(builder.layout, builder.coordinates("state"))
    model = Transformer(builder.layers(), readout)
    return TreeDecoderSimulation(automaton, length, builder, model)


def sizes(n: int, length: int) -> dict[str, int]:
    """The sizes as formulas in n and T."""
    return {
        "layers": depth(length),
        "heads": 3 if depth(length) > 3 else 2,
        "d_model": 2 * n * n + 4 * n + 11,
        "d_head": n * n + n + 2,
        "d_mlp": 2 * n**3 + 5 * n * n + 7 * n + 11,
        "context": length + 1,
    }
