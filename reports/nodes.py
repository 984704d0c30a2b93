"""Syntax tree of a formula: signs, scripts, brackets, roots, and spaces."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

GREEK = "ΓΔΘΛΞΠΣΥΦΨΩαβγδεϵζηθϑικλμµνξπρσςτυφϕχψω"
RAISED = dict(zip("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁽⁾ᵀᵗᵏˡⁿⁱ", "0123456789+-()⊤tklni", strict=True))
LOWERED = dict(zip("₀₁₂₃₄₅₆₇₈₉₊₋₍₎ₙₜᵢⱼₖₗ", "0123456789+-()ntijkl", strict=True))
PRIME, ASTERISK = "′", "∗"
FENCES = {"(": ")", "{": "}", "[": "]", "⌈": "⌉", "⌊": "⌋", "⟨": "⟩", "|": "|", "‖": "‖"}
PRIMED = re.compile(r"([A-Za-z])('*)")

Role = Literal["letter", "number", "operator", "function", "word", "mark"]


@dataclass(frozen=True)
class Sign:
    """A letter, a number, an operator, a mark between items, or a name such as log."""

    text: str
    role: Role


@dataclass(frozen=True)
class Gap:
    """A space of the source."""


@dataclass(frozen=True)
class Scripted:
    """A base with its subscript and superscript."""

    base: Node
    low: Nodes
    high: Nodes


@dataclass(frozen=True)
class Fence:
    """Two brackets and the nodes between them."""

    opening: str
    inner: Nodes

    @property
    def closing(self) -> str:
        """The bracket at the end."""
        return FENCES[self.opening]


@dataclass(frozen=True)
class Root:
    """A square root."""

    inner: Node


Node = Sign | Gap | Scripted | Fence | Root
Nodes = tuple[Node, ...]


@dataclass(frozen=True)
class Formula:
    """A run of mathematics, with the text it was written as."""

    nodes: Nodes
    source: str


def with_scripts(base: Node, slots: dict[str, Nodes]) -> Scripted:
    """A base with its scripts; 2^(l-1) loses the brackets, which an index in ε_tot^(l-1) keeps."""
    low, high = slots.get("_", ()), slots.get("^", ())
    match high:
        case (Fence(opening="(", inner=(_, _, *_) as inner),) if not low:
            return Scripted(base, (), inner)
    return Scripted(base, low, high)


def plain(text: str) -> Sign:
    """A number, plus or minus, or a letter."""
    if text.isdigit():
        return Sign(text, "number")
    return Sign(text, "operator" if text in "+-" else "letter")


def script_letters(text: str) -> list[Node]:
    """Letters of a script: a word (tot), or one or two letters, each for itself (ik, i'j')."""
    found = PRIMED.findall(text)
    if len(found) > 2:
        return [Sign(text, "word")]
    return [
        Scripted(Sign(letter, "letter"), (), (Sign(PRIME * len(primes), "letter"),))
        if primes
        else Sign(letter, "letter")
        for letter, primes in found
    ]
