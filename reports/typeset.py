"""Formulas set in LaTeX and in HTML, from the one parser of `reports.formula`.

Promises      LaTeX that compiles with pdflatex without packages, between dollar signs; HTML whose
              only elements are <i>, <sub> and <sup>, with everything else escaped
"""

from __future__ import annotations

import re
from functools import lru_cache

from markupsafe import Markup, escape

from reports.formula import parts
from reports.nodes import (
    ASTERISK,
    LOWERED,
    PRIME,
    RAISED,
    Fence,
    Formula,
    Gap,
    Node,
    Nodes,
    Root,
    Scripted,
    Sign,
)

MATH = {
    "≤": r"\leq", "≥": r"\geq", "≠": r"\neq", "≈": r"\approx", "≡": r"\equiv", "≪": r"\ll",
    "≫": r"\gg", "≅": r"\cong", "∼": r"\sim", "∝": r"\propto", "±": r"\pm", "∓": r"\mp",
    "×": r"\times", "÷": r"\div", "·": r"\cdot", "⋅": r"\cdot", "∘": r"\circ", "∗": r"\ast",
    "−": "-", "√": r"\surd", "∞": r"\infty", "∑": r"\sum", "∏": r"\prod", "∫": r"\int",
    "∂": r"\partial", "∇": r"\nabla", "∈": r"\in", "∉": r"\notin", "∋": r"\ni",
    "⊂": r"\subset", "⊆": r"\subseteq", "⊃": r"\supset", "⊇": r"\supseteq", "∪": r"\cup",
    "∩": r"\cap", "∅": r"\emptyset", "∖": r"\setminus", "∀": r"\forall", "∃": r"\exists",
    "¬": r"\neg", "∧": r"\wedge", "∨": r"\vee", "⊕": r"\oplus", "⊗": r"\otimes",
    "⊙": r"\odot", "⊤": r"\top", "⊥": r"\bot", "→": r"\rightarrow", "←": r"\leftarrow",
    "↔": r"\leftrightarrow", "⇒": r"\Rightarrow", "⇐": r"\Leftarrow", "⇔": r"\Leftrightarrow",
    "↦": r"\mapsto", "↑": r"\uparrow", "↓": r"\downarrow", "⌈": r"\lceil", "⌉": r"\rceil",
    "⌊": r"\lfloor", "⌋": r"\rfloor", "⟨": r"\langle", "⟩": r"\rangle", "‖": r"\|",
    "∥": r"\|", "∣": r"\mid", "′": r"^{\prime}", "″": r"^{\prime\prime}", "°": r"^{\circ}",
    "ℓ": r"\ell", "ℝ": r"\mathbf{R}", "ℕ": r"\mathbf{N}", "ℤ": r"\mathbf{Z}",
    "ℚ": r"\mathbf{Q}", "ℂ": r"\mathbf{C}", "𝔹": r"\mathbf{B}", "†": r"\dagger",
    "½": r"\frac{1}{2}", "¼": r"\frac{1}{4}", "¾": r"\frac{3}{4}", "⅓": r"\frac{1}{3}",
    "⋯": r"\cdots", "⋮": r"\vdots", "⋱": r"\ddots", "▸": r"\triangleright", "◇": r"\diamond",
    "○": r"\circ", "•": r"\bullet", "★": r"\star", "ᵀ": r"^{\top}", "ᵗ": r"^{t}",
    "ᵏ": r"^{k}", "ˡ": r"^{l}", "ⁿ": r"^{n}", "ⁱ": r"^{i}", "σ": r"\sigma", "ς": r"\varsigma",
}  # fmt: skip
GREEK = {
    "Γ": "Gamma", "Δ": "Delta", "Θ": "Theta", "Λ": "Lambda", "Ξ": "Xi", "Π": "Pi",
    "Σ": "Sigma", "Υ": "Upsilon", "Φ": "Phi", "Ψ": "Psi", "Ω": "Omega", "α": "alpha",
    "β": "beta", "γ": "gamma", "δ": "delta", "ε": "varepsilon", "ϵ": "epsilon", "ζ": "zeta",
    "η": "eta", "θ": "theta", "ϑ": "vartheta", "ι": "iota", "κ": "kappa", "λ": "lambda",
    "μ": "mu", "µ": "mu", "ν": "nu", "ξ": "xi", "π": "pi", "ρ": "rho", "τ": "tau",
    "υ": "upsilon", "φ": "varphi", "ϕ": "phi", "χ": "chi", "ψ": "psi", "ω": "omega",
}  # fmt: skip
ASCII = {"{": r"\{", "}": r"\}", "\\": r"\setminus", ":": "{:}", "…": r"\ldots"}
COMMAND = re.compile(r"\\[A-Za-z]+$")
SHORT = re.compile(r"[A-Za-z0-9]|\\[A-Za-z]+")
NO_BREAK, SHORTEST = "\u00a0", 14
SMALL = set("0123456789+-⊤")
HIGH = {plain: char for char, plain in RAISED.items() if plain in SMALL}
LOW = {plain: char for char, plain in LOWERED.items() if plain in SMALL}


def tex(formula: Formula) -> str:
    """A formula as LaTeX."""
    return f"${_tex(formula.nodes)}$"


def _tex(nodes: Nodes) -> str:
    """Nodes as LaTeX; a space of the source is one only between two factors."""
    out = ""
    for place, node in enumerate(nodes):
        if isinstance(node, Gap):
            piece = _space(nodes[place - 1], nodes[place + 1]) if 0 < place < len(nodes) - 1 else ""
        else:
            piece = _tex_node(node)
        melts = COMMAND.search(out) and piece[:1].isalpha()
        out += f" {piece}" if melts else piece
    return out


def _space(left: Node, right: Node) -> str:
    roles = {_role(left), _role(right)}
    if roles & {"operator", "mark", "function"}:
        return " "
    return r"\;" if "number" in roles else r"\,"


def _role(node: Node) -> str:
    if isinstance(node, Scripted):
        return _role(node.base)
    return node.role if isinstance(node, Sign) else ""


def _tex_node(node: Node) -> str:
    match node:
        case Sign():
            return _tex_sign(node)
        case Fence():
            return f"{_command(node.opening)}{_tex_between(node)}{_command(node.closing)}"
        case Root(inner=Fence(opening="(") as inner):
            return rf"\sqrt{{{_tex(inner.inner)}}}"
        case Root():
            return rf"\sqrt{{{_tex_node(node.inner)}}}"
        case Scripted():
            return _tex_base(node) + _tex_script("_", node.low) + _tex_script("^", node.high)
    return ""


def _tex_between(fence: Fence) -> str:
    """LaTeX between two brackets, separated from a bracket that is a command."""
    inner = _tex(fence.inner)
    melts = COMMAND.search(_command(fence.opening)) and inner[:1].isalpha()
    return f" {inner}" if melts else inner


def _tex_sign(sign: Sign) -> str:
    if sign.role == "function":
        return r"\sum" if sign.text == "Σ" else rf"\{sign.text}"
    if sign.role == "word":
        return rf"\mathrm{{{sign.text}}}"
    if sign.role == "number":
        return sign.text.replace(",", "{,}")
    return "".join(_command(char) for char in sign.text)


def _command(char: str) -> str:
    if char == PRIME:
        return r"\prime"
    if char in GREEK:
        return rf"\{GREEK[char]}"
    return MATH.get(char) or ASCII.get(char, char)


def _tex_base(node: Scripted) -> str:
    """The base; R with an exponent is the real numbers, unless it is transposed."""
    if isinstance(node.base, Scripted):
        return f"{{{_tex_node(node.base)}}}"
    if node.base == Sign("R", "letter") and node.high and node.high != (Sign("⊤", "letter"),):
        return r"\mathbf{R}"
    return _tex_node(node.base)


def _tex_script(sign: str, nodes: Nodes) -> str:
    text = _tex(nodes)
    if not text or SHORT.fullmatch(text):
        return f"{sign}{text}" if text else ""
    return f"{sign}{{{text}}}"


def html(text: object) -> Markup:
    """Text as escaped HTML, with scripts and slanted letters in its formulas."""
    return _shown(str(text))


@lru_cache(maxsize=4096)
def _shown(text: str) -> Markup:
    """HTML of a string, cached: a title is shown at many places of a page."""
    found = (escape(part) if isinstance(part, str) else _unbroken(part) for part in parts(text))
    return Markup("").join(found)


def _unbroken(formula: Formula) -> Markup:
    """A formula; a short one is not broken at the end of a line."""
    shown = _html(formula.nodes)
    return shown.replace(" ", NO_BREAK) if len(formula.source) <= SHORTEST else shown


def _html(nodes: Nodes) -> Markup:
    return Markup("").join(_html_node(node) for node in nodes)


def _html_node(node: Node) -> Markup:
    match node:
        case Sign():
            slanted = node.role == "letter" and node.text.isascii()
            return Markup("<i>{}</i>").format(node.text) if slanted else escape(node.text)
        case Gap():
            return Markup(" ")
        case Fence():
            return escape(node.opening) + _html(node.inner) + escape(node.closing)
        case Root():
            return Markup("√") + _html_node(node.inner)
        case Scripted():
            return _html_node(node.base) + _html_low(node.low) + _html_high(node.high)


def _html_low(nodes: Nodes) -> Markup:
    small = _small(nodes, LOW)
    return escape(small) if small or not nodes else Markup("<sub>{}</sub>").format(_html(nodes))


def _html_high(nodes: Nodes) -> Markup:
    small = _small(nodes, {**HIGH, PRIME: PRIME, ASTERISK: "*"})
    return escape(small) if small or not nodes else Markup("<sup>{}</sup>").format(_html(nodes))


def _small(nodes: Nodes, table: dict[str, str]) -> str:
    """A script in Unicode characters such as ², or "" if a character is missing."""
    text = "".join(node.text if isinstance(node, Sign) else " " for node in nodes)
    return "".join(table[char] for char in text) if all(char in table for char in text) else ""
