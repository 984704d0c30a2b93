"""Text is shown and never obeyed, in LaTeX and in Markdown."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reports.escape import Raw, code, finalizer, latex, markdown
from reports.typeset import GREEK, MATH

LATEX = {
    "<script>": r"\ensuremath{<}script\ensuremath{>}",
    "ab_c x1_0_0 __a__": r"ab\_c x1\_0\_0 \_\_a\_\_",
    "a_{b": r"a\_\{b",
    "a_{}}": r"a\_\{\}\}",
    "\\end{x}": r"\textbackslash{}end$\{x\}$",
    "$&%#": r"\$\&\%\#",
    "~^": r"\textasciitilde{}\textasciicircum{}",
    "a|b": r"a\ensuremath{|}b",
    "``x''": r"{\char96}{\char96}$x^{\prime\prime}$",
    "a--b": "a-{}-b",
    "a\n\nb\tc": r"a b $c$",
    "≤×": r"$\leq${}$\times$",
    "word²": r"word\ensuremath{^{2}}",
    "café Rényi": r"caf\'{e} R\'{e}nyi",
    "𝒜 ﬁ": "A fi",
    "中": r"\texttt{U+4E2D}",
    "a\x00b\x1b": "ab",
    "–": "--",
    "M. Rizvi, C. Lacroce: by A. Reader (B. C. et al.) for T. The": (
        "M. Rizvi, C. Lacroce: by A. Reader ($B$. $C$. et al.) for $T$. The"
    ),
    "𝛼 𝛀mega": r"\ensuremath{\alpha} \ensuremath{\Omega}mega",
}
MARKDOWN = {
    "<script>alert(1)</script>": "&lt;script&gt;alert(1)&lt;/script&gt;",
    "a_b*c*": r"a\_b\*c\*",
    "[x](javascript:y)": r"\[x\](javascript:y)",
    "a|b": r"a\|b",
    "`x`": r"\`x\`",
    "\\": r"\\",
    "$x$ #1 ~y~ &amp;": r"\$x\$ \#1 \~y\~ &amp;amp;",
    "a\n# b": r"a \# b",
    "- a": r"\- a",
    "1. a": r"1\. a",
    "> a": "&gt; a",
    "=": r"\=",
}


@pytest.mark.parametrize("text", LATEX)
def test_latex_prints_the_text(text: str) -> None:
    assert latex(text) == LATEX[text]


@pytest.mark.parametrize("text", MARKDOWN)
def test_markdown_shows_the_text(text: str) -> None:
    assert markdown(text) == MARKDOWN[text]


def balanced(text: str) -> bool:
    depth = 0
    for brace in re.findall(r"(?<!\\)(?:\\\\)*([{}])", text):
        depth += 1 if brace == "{" else -1
        if depth < 0:
            return False
    return depth == 0


COMMANDS = {
    "textbackslash", "textasciitilde", "textasciicircum", "ensuremath", "char", "ldots", "S", "P",
    "ss", "ae", "AE", "o", "O", "l", "L", "i", "texttt", "mathbf", "mathrm", "frac", "prime", "u", "r", "H",
    "v", "c", "sqrt", "sum", "setminus", "log", "ln", "max", "min", "cos", "sin", "exp",
    *GREEK.values(), *re.findall(r"\\([a-zA-Z]+)", " ".join(MATH.values())),
}  # fmt: skip


@settings(max_examples=300, deadline=None)
@given(st.text() | st.text("_^{}()-aσ2×\\"))
def test_latex_of_any_text_is_one_safe_line(text: str) -> None:
    out = latex(text)
    assert out.isascii()
    assert "\n" not in out
    assert balanced(out)
    assert set(re.findall(r"\\([a-zA-Z]+)", out)) <= COMMANDS
    assert not re.search(r"(?<!\\)[%&#]", out)
    assert len(re.findall(r"(?<!\\)\$", out)) % 2 == 0 and "$$" not in out.replace(r"\$", "")


@settings(max_examples=300, deadline=None)
@given(st.text())
def test_markdown_of_any_text_is_one_line_without_markup(text: str) -> None:
    out = markdown(text)
    assert "\n" not in out
    assert "<" not in out
    assert not re.search(r"(?<!\\)(?:\\\\)*[`*_\[\]|~$#]", out)


@pytest.mark.parametrize(
    ("text", "span"), [("a", "`a`"), ("a`b", "``a`b``"), ("`", "`` ` ``"), ("a|b", r"`a\|b`")]
)
def test_a_code_span_outlasts_the_backticks_inside(text: str, span: str) -> None:
    assert code(text) == span


def test_only_text_of_templates_is_unescaped() -> None:
    safe = finalizer(markdown)
    assert safe(Raw("_a_")) == "_a_"
    assert safe("_a_") == r"\_a\_"
