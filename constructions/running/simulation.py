"""Public methods of a simulation: states, weights, attention patterns, a drawing.

    model = theorem1.build(automaton, 64)
    model.states("abba")                     exact rationals, T + 1 of them
    model.states("abba", dtype="float32")    the same transformer in floating point
    model.weight("abba")
    model.attention("abba")                  one `Pattern` for each layer and head
    model.draw("abba")                       an SVG: which token reads which, what each holds

Conventions   a word is a sequence of symbols, or a string if every symbol is one character; a tree is a
              pair, a string with [ ] or ( ), tokens of str(t), or an nltk tree. States of a word are a
              list from α on; states of a tree are a dictionary by the position of a subtree in str(t),
              counted from 1 as in the paper (`WFA.states`, `WTA.states` do the same)
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any

from constructions.automata.trees import positions, string
from constructions.automata.wfa import letters, word_list
from constructions.core.errors import message_text
from constructions.core.transformer import Arithmetic, realise, run
from constructions.running.arithmetic_choice import arithmetic_for, dot, python_number
from constructions.running.drawing import Svg
from constructions.running.patterns import Pattern, attention, drawing


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
        """The T + 1 states of a word, from α on: exact, or in the floating-point type `dtype`.

        With an arithmetic of `constructions.arithmetic` the states are that arithmetic's own array.

        Examples:
            >>> from constructions import theorem1
            >>> from constructions.automata.families import counting
            >>> [str(count) for count, _ in theorem1.build(counting(), 4).states("0100")]
            ['0', '1', '1', '2', '3']

        """
        symbols = letters(word, self.automaton.alphabet)
        if arithmetic is not None:
            return self.outputs(symbols, arithmetic)
        with arithmetic_for(self.transformer, dtype) as chosen:
            return [tuple(map(python_number, row)) for row in self.outputs(symbols, chosen)]

    def batch(self, words: Iterable[Sequence[str]], *, dtype: Any = None) -> list[Any]:
        """The states of each word; lengths may differ.

        Examples:
            >>> from constructions import theorem1
            >>> from constructions.automata.families import counting
            >>> [len(states) for states in theorem1.build(counting(), 4).batch(["0100", "", "0"])]
            [5, 1, 2]

        """
        return [self.states(word, dtype=dtype) for word in word_list(words)]

    def weight(self, word: Sequence[str], *, dtype: Any = None) -> Any:
        """f(x): the last state times β.

        Examples:
            >>> from constructions import theorem1
            >>> from constructions.automata.families import counting
            >>> theorem1.build(counting(), 4).weight("0100")
            Fraction(3, 1)

        """
        return dot(self.automaton.beta, self.states(word, dtype=dtype)[-1])

    def attention(self, word: Sequence[str], *, dtype: Any = None) -> list[Pattern]:
        """Attention pattern of each head of each layer, token by token.

        Examples:
            >>> from constructions import theorem1
            >>> from constructions.automata.families import counting
            >>> first = theorem1.build(counting(), 4).attention("0100")[0]
            >>> first.layer, first.head, first.targets()[4:]
            (1, 'left', [3, 4, 5, 6])

        """
        symbols = letters(word, self.automaton.alphabet)
        with arithmetic_for(self.transformer, dtype) as chosen:
            return attention(self.transformer, chosen, self.encode(symbols), self.names(symbols))

    def draw(self, word: Sequence[str]) -> Svg:
        """Draw the attention and the contents of the tokens, layer by layer, as an SVG text.

        Examples:
            >>> from constructions import theorem1
            >>> from constructions.automata.families import counting
            >>> theorem1.build(counting(), 4).draw("0100").count("<line")
            19

        """
        symbols = letters(word, self.automaton.alphabet)
        kept = range(self.row(0), self.row(len(symbols)) + 1)
        title = f"attention on {' '.join(symbols)}"
        return drawing(self.attention(symbols), kept, self.contents(symbols), title)

    def row(self, t: int) -> int:
        """The row of the token that holds the state after t letters."""
        raise NotImplementedError

    def contents(self, word: Sequence[str]) -> list[list[str]]:
        """Contents of each token before the first layer and after each layer, in words."""
        raise NotImplementedError


PAD = "·"


class TreeView:
    """States, weights, attention and drawings of a simulation of a WTA.

    Examples:
        >>> from constructions import logdepth
        >>> from constructions.automata.wta import WTA
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

    def encode(self, symbols: Sequence[str]) -> list[list[Any]]:
        """The embedded tokens."""
        raise NotImplementedError

    def outputs(self, symbols: Sequence[str], arithmetic: Arithmetic) -> Any:
        """Output of the transformer for the string of a tree, in an arithmetic."""
        return run(self.transformer, arithmetic, self.encode(symbols))

    def states(self, tree: Any, arithmetic: Arithmetic | None = None, *, dtype: Any = None) -> Any:
        """{position of I_t: state of its subtree}, exact or in the floating-point type `dtype`.

        With an arithmetic of `constructions.arithmetic` the states are that arithmetic's own: an
        array with a row for every position of str(t), or (log-depth) rows by position.

        Examples:
            >>> from constructions import theorem3
            >>> from constructions.automata.wta import WTA
            >>> pairs = WTA.of([1], [[[1]]], {"a": [2], "b": [3]})
            >>> {i: str(x) for i, (x,) in theorem3.build(pairs, 7).states("[a[ab]]").items()}
            {1: '12', 2: '2', 3: '6', 4: '2', 5: '3'}

        """
        symbols = string(tree)
        if arithmetic is None:
            return self.by_position(symbols, dtype)
        return self.outputs(symbols, arithmetic)

    def by_position(self, tree: Any, dtype: Any) -> dict[int, tuple[Any, ...]]:
        """{position of I_t: state of its subtree}, exact or in floating point."""
        symbols = string(tree)
        with arithmetic_for(self.transformer, dtype) as chosen:
            model = realise(self.transformer, chosen)
            outputs = model(chosen, chosen.array(self.encode(symbols)))
            return {
                i: tuple(map(python_number, outputs[row])) for i, row in self.rows(symbols).items()
            }

    def batch(self, trees: Iterable[Any], *, dtype: Any = None) -> list[dict[int, Any]]:
        """The states of each tree; sizes may differ.

        Examples:
            >>> from constructions import logdepth
            >>> from constructions.automata.wta import WTA
            >>> model = logdepth.build(WTA.of([1], [[[1]]], {"a": [2]}), 7)
            >>> [sorted(states) for states in model.batch(["a", "[a a]"])]
            [[1], [1, 2, 3]]

        """
        return [self.by_position(tree, dtype) for tree in word_list(trees)]

    def weight(self, tree: Any, *, dtype: Any = None) -> Any:
        """f(t): the state of the root times α.

        Examples:
            >>> from constructions import theorem3
            >>> from constructions.automata.wta import WTA
            >>> theorem3.build(WTA.of([1], [[[1]]], {"a": [2]}), 7).weight("[a [a a]]")
            Fraction(8, 1)

        """
        return dot(self.automaton.alpha, self.by_position(tree, dtype)[1])

    def attention(self, tree: Any, *, dtype: Any = None) -> list[Pattern]:
        """Attention pattern of each head of each layer, token by token.

        Examples:
            >>> from constructions import theorem3
            >>> from constructions.automata.wta import WTA
            >>> model = theorem3.build(WTA.of([1], [[[1]]], {"a": [2]}), 7)
            >>> [(one.layer, one.head) for one in model.attention("[a a]")][:2]
            [(1, 'mean'), (1, 'previous')]

        """
        symbols = string(tree)
        rows = self.encode(symbols)
        names = [*symbols, *[END] * (len(rows) - len(symbols))]
        with arithmetic_for(self.transformer, dtype) as chosen:
            return attention(self.transformer, chosen, rows, names)

    def draw(self, tree: Any) -> Svg:
        """Draw the attention and the contents of the tokens, layer by layer, as an SVG text.

        Examples:
            >>> from constructions import theorem3
            >>> from constructions.automata.wta import WTA
            >>> model = theorem3.build(WTA.of([1], [[[1]]], {"a": [2]}), 7)
            >>> model.draw("[a a]").startswith("<svg")
            True

        """
        symbols = string(tree)
        title = f"attention on {' '.join(symbols)}"
        return drawing(self.attention(tree), range(len(symbols)), self.contents(symbols), title)

    def contents(self, symbols: Sequence[str]) -> list[list[str]]:
        """Each token's symbol; after each layer the state that it carries, once it has it."""
        rows = set(self.rows(symbols).values())
        with arithmetic_for(self.transformer) as chosen:
            model = realise(self.transformer, chosen)
            streams = list(model.states(chosen, chosen.array(self.encode(symbols))))[1:]
            outputs = [model.read(chosen, stream) for stream in streams]
            after = [{k: tuple(map(python_number, out[k])) for k in rows} for out in outputs]
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
    numbers = (message_text(x) if isinstance(x, (int, Fraction)) else str(x) for x in state)
    return f"({', '.join(numbers)})" if state else ""
