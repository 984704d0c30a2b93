"""What a user asks of a simulation: states, weights, who reads whom, a drawing.

    model = theorem1.build(automaton, 64)
    model.states("abba")                     exact rationals, T + 1 of them
    model.states("abba", dtype="float32")    the same transformer in floating point
    model.weight("abba")
    model.attention("abba")                  one `Pattern` for each layer and head
    model.draw("abba")                       an SVG: which token reads which, what each holds

Exactness     hard attention and products run in rationals; softmax and smooth activations have no exact
              value, so they run in balls that enclose it (`flint.arb`), 1024 bits wide
Conventions   a word is a sequence of symbols, or a string if every symbol is one character; a tree is a
              pair, a string with [ ] or ( ), tokens of str(t), or an nltk tree. States of a word are a
              list from α on; states of a tree are a dictionary by the position of a subtree in str(t),
              counted from 1 as in the paper (`WFA.states`, `WTA.states` do the same)
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import flint
import numpy as np

from constructions.arithmetic import Balls, Floats, RationalStates
from constructions.drawing import Node, draw
from constructions.errors import InputError, shown
from constructions.exact import Exact
from constructions.transformer import (
    Arithmetic,
    Attention,
    Bilinear,
    Head,
    Mask,
    Transformer,
    realise,
)
from constructions.trees import CLOSE, positions, string
from constructions.wfa import letters

BITS = 1024
FLOATS = ("float64", "float32", "float16")
MOST_TOKENS = 64


@dataclass(frozen=True)
class Pattern:
    """The attention of one head: `weights[i][j]` is what token i gives to token j.

    Layers count from 1, tokens from 0; `tokens` names them, pads and end token included.

    Examples:
        >>> Pattern(1, "left", ("a", "b"), ((0, 1), (1, 0))).targets()
        [1, 0]

    """

    layer: int
    head: str
    tokens: tuple[str, ...]
    weights: tuple[tuple[Any, ...], ...]

    def targets(self) -> list[int]:
        """For each token the one that it gives most to.

        Examples:
            >>> Pattern(1, "own", ("a", "b"), ((1, 0), (0, 1))).targets()
            [0, 1]

        """
        return [max(range(len(row)), key=lambda j: _size(row[j])) for row in self.weights]

    def reads(self) -> list[tuple[int, int]]:
        """(i, j) where token i gives more than half to token j: a mean reads no single token.

        Examples:
            >>> Pattern(1, "mean", ("a", "b"), ((1, 0), (0.5, 0.5))).reads()
            [(0, 0)]

        """
        pairs = enumerate(self.targets())
        return [(i, j) for i, j in pairs if 2 * _size(self.weights[i][j]) > 1]


def is_hard(model: Transformer[Any]) -> bool:
    """Whether every head is hard and every block a product: then the model runs in rationals."""
    return all(
        isinstance(layer.feedforward, Bilinear)
        and all(head.attention is not Attention.SOFT for head in layer.heads)
        for layer in model.layers
    )


@contextmanager
def arithmetic_for(model: Transformer[Any], dtype: Any = None) -> Iterator[Arithmetic]:
    """Rationals or balls, or the floating-point type asked for."""
    if dtype is not None:
        yield floats(dtype)
    elif is_hard(model):
        with RationalStates() as exact:
            yield exact
    else:
        with Balls(BITS) as balls:
            yield balls


def floats(dtype: Any) -> Arithmetic:
    """The arithmetic of a floating-point type: a name, a NumPy type or a torch type."""
    name = str(dtype).removeprefix("torch.")
    if name == "bfloat16":
        import torch

        from constructions.arithmetic.torch import Torch

        return Torch(torch.bfloat16)
    try:
        found = np.dtype(name if isinstance(dtype, str) or "torch" in str(dtype) else dtype).name
    except TypeError:
        found = name
    if found not in FLOATS:
        raise InputError("dtype", name, f"one of {', '.join(FLOATS)}, bfloat16")
    return Floats(found)


def plain(value: Any) -> Any:
    """A number as Python has it: `Fraction`, `float`, or a ball."""
    if isinstance(value, Exact):
        rational = value.rational()
        return value if rational is None else rational
    if isinstance(value, flint.fmpq):
        return Fraction(int(value.p), int(value.q))
    if isinstance(value, (int, Fraction)):
        return Fraction(value)
    return value if isinstance(value, flint.arb) else float(value)


def attention(
    model: Transformer[Any],
    arithmetic: Arithmetic,
    rows: Sequence[Sequence[Any]],
    names: Sequence[str],
) -> list[Pattern]:
    """The pattern of every head on embedded tokens."""
    realised, found = realise(model, arithmetic), []
    states = realised.states(arithmetic, arithmetic.array(rows))
    for number, (layer, x) in enumerate(zip(realised.layers, states, strict=False), 1):
        read = x if layer.norm is None else layer.norm(arithmetic, x)
        for index, head in enumerate(layer.heads):
            name = head.name or f"head {index + 1}"
            weights = _weights(head, arithmetic, read, len(names))
            found.append(Pattern(number, name, tuple(names), weights))
    return found


def _weights(head: Head[Any], arithmetic: Arithmetic, x: Any, count: int) -> Any:
    """What each token gives to each: the head's own mixing of unit vectors."""
    unit = arithmetic.array([[int(i == j) for j in range(count)] for i in range(count)])
    mixed = unit
    if head.mask is not Mask.SELF:
        mixed = arithmetic.mix(head.scores(arithmetic, x), unit, head.attention, head.mask)
    return tuple(tuple(plain(value) for value in row) for row in mixed)


def _size(value: Any) -> Any:
    return value.mid() if isinstance(value, flint.arb) else value


def _dot(left: Iterable[Any], right: Iterable[Any]) -> Any:
    """Σ l r, in the numbers of the right side."""
    pairs = [(a, b) for a, b in zip(left, right, strict=True)]
    if all(isinstance(b, float) for _, b in pairs):
        return sum(float(a) * b for a, b in pairs)
    if any(isinstance(b, flint.arb) for _, b in pairs):
        with flint.ctx.workprec(BITS):
            return sum((flint.fmpq(a.numerator, a.denominator) * b for a, b in pairs), flint.arb(0))
    return sum((a * b for a, b in pairs), Fraction(0))


class WordView:
    """States, weights, attention and drawings of a simulation of a WFA."""

    automaton: Any
    transformer: Any

    def outputs(self, word: Sequence[str], arithmetic: Arithmetic) -> Any:
        """The T + 1 states in an arithmetic, as that arithmetic has them."""
        raise NotImplementedError

    def encode(self, word: Sequence[str]) -> list[list[Any]]:
        """The embedded tokens."""
        raise NotImplementedError

    def names(self, word: Sequence[str]) -> list[str]:
        """The tokens by name."""
        raise NotImplementedError

    def states(
        self, word: Sequence[str], arithmetic: Arithmetic | None = None, *, dtype: Any = None
    ) -> Any:
        """The T + 1 states of a word, from α on: exact, or in the floating-point type asked for.

        With an arithmetic of `constructions.arithmetic` the states are that arithmetic's own array.

        Examples:
            >>> from constructions import theorem1
            >>> from constructions.families import counting
            >>> [str(count) for count, _ in theorem1.build(counting(), 4).states("0100")]
            ['0', '1', '1', '2', '3']

        """
        symbols = letters(word, self.automaton.alphabet)
        if arithmetic is not None:
            return self.outputs(symbols, arithmetic)
        with arithmetic_for(self.transformer, dtype) as chosen:
            return [tuple(map(plain, row)) for row in self.outputs(symbols, chosen)]

    def batch(self, words: Iterable[Sequence[str]], *, dtype: Any = None) -> list[Any]:
        """The states of each word; lengths may differ.

        Examples:
            >>> from constructions import theorem1
            >>> from constructions.families import counting
            >>> [len(states) for states in theorem1.build(counting(), 4).batch(["0100", "", "0"])]
            [5, 1, 2]

        """
        return [self.states(word, dtype=dtype) for word in words]

    def weight(self, word: Sequence[str], *, dtype: Any = None) -> Any:
        """f(x): the last state times β.

        Examples:
            >>> from constructions import theorem1
            >>> from constructions.families import counting
            >>> theorem1.build(counting(), 4).weight("0100")
            Fraction(3, 1)

        """
        return _dot(self.automaton.beta, self.states(word, dtype=dtype)[-1])

    def attention(self, word: Sequence[str], *, dtype: Any = None) -> list[Pattern]:
        """What each head of each layer reads, token by token.

        Examples:
            >>> from constructions import theorem1
            >>> from constructions.families import counting
            >>> first = theorem1.build(counting(), 4).attention("0100")[0]
            >>> first.layer, first.head, first.targets()[4:]
            (1, 'left', [3, 4, 5, 6])

        """
        symbols = letters(word, self.automaton.alphabet)
        with arithmetic_for(self.transformer, dtype) as chosen:
            return attention(self.transformer, chosen, self.encode(symbols), self.names(symbols))

    def draw(self, word: Sequence[str]) -> str:
        """Which token reads which, layer by layer, and what each holds, as SVG text.

        Examples:
            >>> from constructions import theorem1
            >>> from constructions.families import counting
            >>> theorem1.build(counting(), 4).draw("0100").count("<line")
            19

        """
        symbols = letters(word, self.automaton.alphabet)
        kept = range(self.row(0), self.row(len(symbols)) + 1)
        title = f"attention on {' '.join(symbols)}"
        return drawn(self.attention(symbols), kept, self.held(symbols), title)

    def row(self, t: int) -> int:
        """The row of the token that holds the state after t letters."""
        raise NotImplementedError

    def held(self, word: Sequence[str]) -> list[list[str]]:
        """What each token holds before the first layer and after each layer, in words."""
        raise NotImplementedError


PAD = "·"


class TreeView:
    """States, weights, attention and drawings of a simulation of a WTA.

    Examples:
        >>> from constructions import logdepth
        >>> from constructions.wta import WTA
        >>> model = logdepth.build(WTA.of([1], [[[1]]], {"a": [2]}), 7)
        >>> model.weight("(a (a a))")
        Fraction(8, 1)
        >>> model.weight(("a", ("a", "a")), dtype="float32")
        8.0

    """

    automaton: Any
    transformer: Any

    def rows(self, symbols: Sequence[str]) -> dict[int, int]:
        """For each position of I_t, the row of the token that carries the subtree's state."""
        return {i: i - 1 for i in positions(symbols)}

    @property
    def before(self) -> int:
        """How many tokens stand before those of the string."""
        return 0

    def encode(self, symbols: Sequence[str]) -> list[list[Any]]:
        """The embedded tokens."""
        raise NotImplementedError

    def by_position(self, tree: Any, dtype: Any) -> dict[int, tuple[Any, ...]]:
        """{position of I_t: state of its subtree}, exact or in floating point."""
        symbols = string(tree)
        with arithmetic_for(self.transformer, dtype) as chosen:
            model = realise(self.transformer, chosen)
            outputs = model(chosen, chosen.array(self.encode(symbols)))
            return {i: tuple(map(plain, outputs[row])) for i, row in self.rows(symbols).items()}

    def batch(self, trees: Iterable[Any], *, dtype: Any = None) -> list[dict[int, Any]]:
        """The states of each tree; sizes may differ.

        Examples:
            >>> from constructions import logdepth
            >>> from constructions.wta import WTA
            >>> model = logdepth.build(WTA.of([1], [[[1]]], {"a": [2]}), 7)
            >>> [sorted(states) for states in model.batch(["a", "[a a]"])]
            [[1], [1, 2, 3]]

        """
        return [self.by_position(tree, dtype) for tree in trees]

    def weight(self, tree: Any, *, dtype: Any = None) -> Any:
        """f(t): the state of the root times α.

        Examples:
            >>> from constructions import theorem3
            >>> from constructions.wta import WTA
            >>> theorem3.build(WTA.of([1], [[[1]]], {"a": [2]}), 7).weight("[a [a a]]")
            Fraction(8, 1)

        """
        return _dot(self.automaton.alpha, self.by_position(tree, dtype)[1])

    def attention(self, tree: Any, *, dtype: Any = None) -> list[Pattern]:
        """What each head of each layer reads, token by token.

        Examples:
            >>> from constructions import theorem3
            >>> from constructions.wta import WTA
            >>> model = theorem3.build(WTA.of([1], [[[1]]], {"a": [2]}), 7)
            >>> [(one.layer, one.head) for one in model.attention("[a a]")][:2]
            [(1, 'mean'), (1, 'previous')]

        """
        symbols = string(tree)
        rows = self.encode(symbols)
        after = len(rows) - len(symbols) - self.before
        names = [END] * self.before + list(symbols) + [END] * after
        with arithmetic_for(self.transformer, dtype) as chosen:
            return attention(self.transformer, chosen, rows, names)

    def draw(self, tree: Any) -> str:
        """Which token reads which, layer by layer, and what each holds, as SVG text.

        Examples:
            >>> from constructions import theorem3
            >>> from constructions.wta import WTA
            >>> model = theorem3.build(WTA.of([1], [[[1]]], {"a": [2]}), 7)
            >>> model.draw("[a a]").startswith("<svg")
            True

        """
        symbols = string(tree)
        title = f"attention on {' '.join(symbols)}"
        kept = range(self.before, self.before + len(symbols))
        return drawn(self.attention(tree), kept, self.held(symbols), title)

    def held(self, symbols: Sequence[str]) -> list[list[str]]:
        """Each token's symbol; after each layer the state that it carries, once it has it."""
        rows = {row - self.before for row in self.rows(symbols).values()}
        with arithmetic_for(self.transformer) as chosen:
            model = realise(self.transformer, chosen)
            streams = list(model.states(chosen, chosen.array(self.encode(symbols))))[1:]
            outputs = [model.read(chosen, stream) for stream in streams]
            after = [{k: tuple(map(plain, out[k + self.before])) for k in rows} for out in outputs]
        last = after[-1]
        texts = [
            [
                _vector(last[k]) if k in rows and (now is last or now[k] == last[k]) else ""
                for k in range(len(symbols))
            ]
            for now in after
        ]
        return [list(symbols), *texts]


END = "end"


def _vector(state: Sequence[Any]) -> str:
    numbers = (shown(x) if isinstance(x, (int, Fraction)) else str(x) for x in state)
    return f"({', '.join(numbers)})" if state else ""


def drawn(
    patterns: Sequence[Pattern], kept: Iterable[int], held: Sequence[Sequence[str]], title: str
) -> str:
    """The drawing of some tokens: an arc where a token reads another one of them, or itself."""
    columns = {token: column for column, token in enumerate(kept)}
    if len(columns) > MOST_TOKENS:
        raise InputError("word", f"{len(columns)} tokens", f"at most {MOST_TOKENS} to draw")
    arcs = [
        (pattern.layer, pattern.head, columns[i], columns[j])
        for pattern in patterns
        for i, j in pattern.reads()
        if i in columns and j in columns and pattern.tokens[i] != CLOSE
    ]
    nodes = [Node(level, column, text) for level, row in enumerate(held)
             for column, text in enumerate(row)]  # fmt: skip
    return draw(nodes, arcs, title)
