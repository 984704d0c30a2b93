"""One-line representations of the objects that users meet in a Python session."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

Class = TypeVar("Class", bound=type)


def one_line(describe: Callable[[Any], str]) -> Callable[[Class], Class]:
    """Give a class the `repr` `Name(description)`.

    Examples:
        >>> @one_line(lambda self: "two words")
        ... class Example: ...
        >>> Example()
        Example(two words)

    """

    def decorate(cls: Class) -> Class:
        method = "__repr__"
        setattr(cls, method, lambda self: f"{type(self).__name__}({describe(self)})")
        return cls

    return decorate


def of_automaton(automaton: Any) -> str:
    """The number of states and the alphabet, cut after eight symbols."""
    symbols = tuple(automaton.alphabet)
    more = f" … ({len(symbols)} symbols)" if len(symbols) > 8 else ""
    states = "1 state" if automaton.n == 1 else f"{automaton.n} states"
    return f"{states}, alphabet {' '.join(symbols[:8])}{more}"


def of_simulation(simulation: Any) -> str:
    """The number of layers, the length, and the automaton."""
    layers = len(simulation.transformer.layers)
    count = "1 layer" if layers == 1 else f"{layers} layers"
    return f"{count}, length {simulation.length}, {simulation.automaton!r}"
