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


class View:
    """States, weights, attention and drawings of a simulation; an input is a word or a tree."""

    automaton: Any
    transformer: Any

    def symbols(self, given: Any) -> tuple[str, ...]:
        """The symbols of an input: the letters of a word, or str(t)."""
        raise NotImplementedError

    def encode(self, symbols: Sequence[str]) -> list[list[Any]]:
        """The embedded tokens."""
        raise NotImplementedError

    def names(self, symbols: Sequence[str]) -> list[str]:
        """The tokens by name."""
        raise NotImplementedError

    def outputs(self, symbols: Sequence[str], arithmetic: Arithmetic) -> Any:
        """The transformer's outputs as an arithmetic has them."""
        return run(self.transformer, arithmetic, self.encode(symbols))

    def states_in(self, symbols: Sequence[str], arithmetic: Arithmetic) -> Any:
        """The states as Python numbers."""
        raise NotImplementedError

    def final_weight(self, states: Any) -> Any:
        """The weight of an input, from its states."""
        raise NotImplementedError

    def row(self, t: int) -> int:
        """The row of the token that a drawing begins with for t = 0, and of those after it."""
        return t

    def columns(self, symbols: Sequence[str]) -> int:
        """The number of tokens in a drawing."""
        return len(symbols)

    def contents(self, symbols: Sequence[str]) -> list[list[str]]:
        """Contents of each drawn token before the first layer and after each layer, in words."""
        raise NotImplementedError

    def states(self, given: Any, arithmetic: Arithmetic | None = None, *, dtype: Any = None) -> Any:
        """The states of a word, from α on, or {position of I_t: state of its subtree} of a tree.

        They are exact, or in the floating-point type `dtype`. With an arithmetic of
        `constructions.arithmetic` they are the transformer's outputs in that arithmetic.

        Examples:
            >>> from constructions import theorem1, theorem3
            >>> from constructions.automata.families import counting
            >>> from constructions.automata.wta import WTA
            >>> [str(count) for count, _ in theorem1.build(counting(), 4).states("0100")]
            ['0', '1', '1', '2', '3']
            >>> pairs = WTA.of([1], [[[1]]], {"a": [2], "b": [3]})
            >>> {i: str(x) for i, (x,) in theorem3.build(pairs, 7).states("[a[ab]]").items()}
            {1: '12', 2: '2', 3: '6', 4: '2', 5: '3'}

        """
        symbols = self.symbols(given)
        if arithmetic is not None:
            return self.outputs(symbols, arithmetic)
        with arithmetic_for(self.transformer, dtype) as chosen:
            return self.states_in(symbols, chosen)

    def batch(self, given: Iterable[Any], *, dtype: Any = None) -> list[Any]:
        """The states of each input; lengths and sizes may differ.

        Examples:
            >>> from constructions import theorem1
            >>> from constructions.automata.families import counting
            >>> [len(states) for states in theorem1.build(counting(), 4).batch(["0100", "", "0"])]
            [5, 1, 2]

        """
        return [self.states(each, dtype=dtype) for each in word_list(given)]

    def weight(self, given: Any, *, dtype: Any = None) -> Any:
        """f of a word or a tree: its last state times β, or the state of its root times α.

        Examples:
            >>> from constructions import theorem1, theorem3
            >>> from constructions.automata.families import counting
            >>> from constructions.automata.wta import WTA
            >>> theorem1.build(counting(), 4).weight("0100")
            Fraction(3, 1)
            >>> theorem3.build(WTA.of([1], [[[1]]], {"a": [2]}), 7).weight("[a [a a]]")
            Fraction(8, 1)

        """
        return self.final_weight(self.states(given, dtype=dtype))

    def attention(self, given: Any, *, dtype: Any = None) -> list[Pattern]:
        """Attention pattern of each head of each layer, token by token.

        Examples:
            >>> from constructions import theorem1
            >>> from constructions.automata.families import counting
            >>> first = theorem1.build(counting(), 4).attention("0100")[0]
            >>> first.layer, first.head, first.targets()[4:]
            (1, 'left', [3, 4, 5, 6])

        """
        symbols = self.symbols(given)
        with arithmetic_for(self.transformer, dtype) as chosen:
            return attention(self.transformer, chosen, self.encode(symbols), self.names(symbols))

    def draw(self, given: Any) -> Svg:
        """Draw the attention and the contents of the tokens, layer by layer, as an SVG text.

        Examples:
            >>> from constructions import theorem1
            >>> from constructions.automata.families import counting
            >>> theorem1.build(counting(), 4).draw("0100").count("<line")
            19

        """
        symbols = self.symbols(given)
        kept = range(self.row(0), self.row(0) + self.columns(symbols))
        title = f"attention on {' '.join(symbols)}"
        return drawing(self.attention(given), kept, self.contents(symbols), title)


class WordView(View):
    """States, weights, attention and drawings of a simulation of a WFA; `outputs` are T + 1 states."""

    def symbols(self, given: Any) -> tuple[str, ...]:
        """The letters of a word."""
        return letters(given, self.automaton.alphabet)

    def states_in(self, symbols: Sequence[str], arithmetic: Arithmetic) -> Any:
        """The T + 1 states, from α on."""
        return [tuple(map(python_number, row)) for row in self.outputs(symbols, arithmetic)]

    def final_weight(self, states: Any) -> Any:
        """The last state times β."""
        return dot(self.automaton.beta, states[-1])

    def columns(self, symbols: Sequence[str]) -> int:
        """One for each prefix."""
        return len(symbols) + 1


PAD = "·"


class TreeView(View):
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

    def symbols(self, given: Any) -> tuple[str, ...]:
        """The tokens of str(t)."""
        return string(given)

    def rows(self, symbols: Sequence[str]) -> dict[int, int]:
        """For each position of I_t, the row of the token that carries the subtree's state."""
        return {i: i - 1 for i in positions(symbols)}

    def names(self, symbols: Sequence[str]) -> list[str]:
        """The tokens by name: those of str(t), then the end token if there is one."""
        return [*symbols, *[END] * (len(self.encode(symbols)) - len(symbols))]

    def states_in(self, symbols: Sequence[str], arithmetic: Arithmetic) -> Any:
        """{position of I_t: state of its subtree}."""
        outputs = run(self.transformer, arithmetic, self.encode(symbols))
        rows = self.rows(symbols).items()
        return {i: tuple(map(python_number, outputs[row])) for i, row in rows}

    def final_weight(self, states: Any) -> Any:
        """The state of the root times α."""
        return dot(self.automaton.alpha, states[1])

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
