"""Text into LaTeX and Markdown: whatever the record says, it is shown and never obeyed.

Promises      `latex` gives ASCII only, on one line, with balanced braces; it compiles with
              pdflatex without packages. `markdown` gives one line without live markup or HTML.
Notation      a character with a command is replaced; an accented letter becomes its accent;
              a compatibility letter (𝒜, ﬁ) its plain form; anything else its code point, U+XXXX;
              in LaTeX a script written out (A^σ, x_j, 2^(l-1), m_{i-1}) is set as one, if it stands
              on a single letter, a number or a closing bracket; names of files keep their signs
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator

PLAIN = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "%": r"\%",
    "#": r"\#", "_": r"\_", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
    "<": r"\ensuremath{<}", ">": r"\ensuremath{>}", "|": r"\ensuremath{|}", "`": r"{\char96}",
    '"': r"{\char34}", "–": "--", "—": "---", "‘": "`",
    "’": "'", "“": "``", "”": "''", "…": r"\ldots{}", "§": r"\S{}", "¶": r"\P{}",
    "ß": r"\ss{}", "æ": r"\ae{}", "Æ": r"\AE{}", "ø": r"\o{}", "Ø": r"\O{}", "ł": r"\l{}",
    "Ł": r"\L{}", "ı": r"\i{}", "\u00a0": "~", "\u200b": "", "\ufeff": "",
}  # fmt: skip
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
ACCENTS = {
    "\u0300": "`", "\u0301": "'", "\u0302": "^", "\u0303": "~", "\u0304": "=", "\u0306": "u",
    "\u0307": ".", "\u0308": '"', "\u030a": "r", "\u030b": "H", "\u030c": "v", "\u0327": "c",
}  # fmt: skip
RAISED = dict(zip("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁽⁾", "0123456789+-()", strict=True))
LOWERED = dict(zip("₀₁₂₃₄₅₆₇₈₉₊₋₍₎ₙₜᵢⱼₖₗ", "0123456789+-()ntijkl", strict=True))
SCRIPTS = re.compile(f"[{''.join(RAISED)}]+|[{''.join(LOWERED)}]+", re.DOTALL)
SIGN = f"[A-Za-z0-9{''.join(GREEK)}σ]"
WRITTEN = rf"(?:-?{SIGN}+|\((?:{SIGN}|[-+*/,])+\)|{{(?:{SIGN}|[-+*/,()]|[_^]{SIGN})+}})"
BASE = rf"(?:(?<![\w^.])(?:{SIGN.replace('0-9', '')}|\d+|log)|(?<=\))|×)"
STACK = re.compile(
    rf"({BASE})(?:_({WRITTEN})(?:\^({WRITTEN}))?|\^({WRITTEN})(?:_({WRITTEN}))?)(?!{SIGN}|[_^])"
)
MARKED = re.compile(r"([\\`*_\[\]|~$#])")
OPENER = re.compile(r"^(\d*)([-+=.)])")


def one_line(text: str) -> str:
    """The text with every run of white space one space, without control characters."""
    kept = "".join(c for c in text if c.isspace() or unicodedata.category(c) not in ("Cc", "Cs"))
    return " ".join(kept.split())


def latex(text: object) -> str:
    """Any text as LaTeX that prints it."""
    return "".join(_apart(_pieces(one_line(unicodedata.normalize("NFC", str(text))))))


def _pieces(line: str) -> list[str]:
    """The line with its scripts, written out or by their own letters, as LaTeX."""
    done, out = 0, []
    for match in STACK.finditer(line):
        base, low, high, above, below = match.groups()
        out += [*_raised(line[done : match.start()]), *_raised(base)]
        out.append(_stack(low or below, high or above))
        done = match.end()
    return [*out, *_raised(line[done:])]


def _stack(low: str | None, high: str | None) -> str:
    parts = [f"{sign}{{{_upright(text)}}}" for sign, text in (("_", low), ("^", high)) if text]
    return rf"\ensuremath{{{''.join(parts)}}}"


def _upright(text: str) -> str:
    inner = text[1:-1] if text.startswith("{") else text
    return rf"\mathrm{{{''.join(_pieces(inner))}}}"


def _raised(line: str) -> list[str]:
    done, out = 0, []
    for match in SCRIPTS.finditer(line):
        out += [_letter(c) for c in line[done : match.start()]]
        out.append(_script(match.group()))
        done = match.end()
    return [*out, *(_letter(c) for c in line[done:])]


def _apart(pieces: list[str]) -> Iterator[str]:
    """The pieces, with an empty group where two of them would melt into one sign."""
    last = ""
    for piece in pieces:
        if piece and last and piece[0] == last and last in "-',`":
            yield "{}"
        yield piece
        last = piece[-1:] or last


def _script(run: str) -> str:
    raised = run[0] in RAISED
    table, sign = (RAISED, "^") if raised else (LOWERED, "_")
    return rf"\ensuremath{{{sign}{{{''.join(table[c] for c in run)}}}}}"


def _letter(char: str) -> str:
    if char in PLAIN:
        return PLAIN[char]
    if char.isascii():
        return char
    if char in MATH:
        return rf"\ensuremath{{{MATH[char]}}}"
    if char in GREEK:
        return rf"\ensuremath{{\{GREEK[char]}}}"
    return _composed(char)


def _composed(char: str) -> str:
    base, *marks = list(unicodedata.normalize("NFD", char))
    if len(marks) == 1 and marks[0] in ACCENTS and base.isascii() and base.isalpha():
        return rf"\{ACCENTS[marks[0]]}{{{base}}}"
    plain = unicodedata.normalize("NFKC", char)
    if plain != char:
        return "".join(_letter(c) for c in plain)
    return rf"\texttt{{U+{ord(char):04X}}}"


def markdown(text: object) -> str:
    """Any text as Markdown that shows it."""
    line = one_line(str(text))
    line = line.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    line = MARKED.sub(r"\\\1", line)
    return OPENER.sub(r"\1\\\2", line)


def code(text: object) -> str:
    """Any text as a Markdown code span that also survives a table's cell."""
    line = one_line(str(text))
    longest = max((len(run) for run in re.findall("`+", line)), default=0)
    fence = "`" * (longest + 1)
    pad = " " if line.startswith("`") or line.endswith("`") or not line else ""
    return f"{fence}{pad}{line}{pad}{fence}".replace("|", r"\|")


class Raw(str):
    """Text that a template has written itself and that needs no escape."""

    __slots__ = ()


def finalizer(escape: Callable[[object], str]) -> Callable[[object], str]:
    """For a template engine: every value is escaped unless it is `Raw`."""
    return lambda value: str(value) if isinstance(value, Raw) else escape(value)
