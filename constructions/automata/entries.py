"""The weights of an automaton with the names of their fields, as a file of it would have them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from numbers import Rational
from typing import Any

from constructions.automata.wfa import WFA
from constructions.automata.wta import WTA
from constructions.core.errors import InputError


def entries(automaton: WFA | WTA) -> Iterator[tuple[str, Any]]:
    """Each weight with its field.

    Examples:
        >>> dict(entries(WFA.of([1], {"a": [[2]]}, [3])))["transitions[a][0][0]"]
        Fraction(2, 1)

    """
    parts: dict[str, Any] = {"alpha": automaton.alpha}
    if isinstance(automaton, WFA):
        parts |= {f"transitions[{s}]": rows for s, rows in automaton.transitions.items()}
        parts["beta"] = automaton.beta
    else:
        parts["tensor"] = automaton.tensor
        parts |= {f"leaves[{s}]": leaf for s, leaf in automaton.leaves.items()}
    for field, values in parts.items():
        yield from _within(field, values)


def _within(field: str, value: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(value, Sequence):
        for i, item in enumerate(value):
            yield from _within(f"{field}[{i}]", item)
    else:
        yield field, value


def check_rational(automaton: WFA | WTA) -> None:
    """Refuse irrational entries, which neither the bounds nor the file of an automaton have."""
    for field, entry in entries(automaton):
        if not isinstance(entry, Rational):
            raise InputError(field, "an irrational number", "rational numbers")
