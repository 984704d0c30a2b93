"""What a formula is made of: signs, scripts, brackets, roots, and the spaces between them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

GREEK = "ΓΔΘΛΞΠΣΥΦΨΩαβγδεϵζηθϑικλμµνξπρσςτυφϕχψω"
RAISED = dict(zip("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁽⁾ᵀᵗᵏˡⁿⁱ", "0123456789+-()⊤tklni", strict=True))
LOWERED = dict(zip("₀₁₂₃₄₅₆₇₈₉₊₋₍₎ₙₜᵢⱼₖₗ", "0123456789+-()ntijkl", strict=True))
PRIME, ASTERISK = "′", "∗"
FENCES = {"(": ")", "{": "}", "[": "]", "⌈": "⌉", "⌊": "⌋", "⟨": "⟩", "|": "|", "‖": "‖"}

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
    """A base with what stands below and above it."""

    base: Node
    low: Nodes
    high: Nodes


@dataclass(frozen=True)
class Fence:
    """What stands between two brackets, with them."""

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
