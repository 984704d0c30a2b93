"""Formulas in plain text: found where they are, set in LaTeX and in HTML, and nowhere else."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from grid_support import quick_or_full
from hypothesis import given, settings
from hypothesis import strategies as st

from reports.escape import latex
from reports.formula import parts
from reports.nodes import Formula
from reports.typeset import html

PUBLISHED = Path(__file__).resolve().parents[2] / "reports" / "published"  # not in the wheel
WRITTEN = (
    "text", "sentence", "says", "title", "witness", "printed", "why", "repair", "caption", "because",
)  # fmt: skip

SET = {
    "ε_mlp^(ℓ)": (r"$\varepsilon_{\mathrm{mlp}}^{(\ell)}$", "ε<sub>mlp</sub><sup>(ℓ)</sup>"),
    "2^(ℓ-1)": (r"$2^{\ell-1}$", "2<sup>ℓ-1</sup>"),
    "2μ_ℓ δ + δ²": (r"$2\mu_\ell\,\delta + \delta^2$", "2μ<sub>ℓ</sub> δ + δ²"),
    "x_j^{i+1}": (r"$x_j^{i+1}$", "<i>x</i><sub><i>j</i></sub><sup><i>i</i>+1</sup>"),
    "x_{j-2^i}": (r"$x_{j-2^i}$", "<i>x</i><sub><i>j</i>-2<sup><i>i</i></sup></sub>"),
    "A^σ": (r"$A^\sigma$", "<i>A</i><sup>σ</sup>"),
    "αA^w": (r"$\alpha A^w$", "α<i>A</i><sup><i>w</i></sup>"),
    "(A⁰)ⁿ": (r"$(A^0)^n$", "(<i>A</i>⁰)<sup><i>n</i></sup>"),
    "d_i²": (r"$d_i^2$", "<i>d</i><sub><i>i</i></sub>²"),
    "R^m₁": (r"$\mathbf{R}^{m_1}$", "<i>R</i><sup><i>m</i>₁</sup>"),
    "p_iᵀRᵀp_j": (
        r"$p_i^\top R^\top p_j$",
        "<i>p</i><sub><i>i</i></sub>ᵀ<i>R</i>ᵀ<i>p</i><sub><i>j</i></sub>",
    ),
    "T ×₁ v": (r"$T \times_1 v$", "<i>T</i> ×₁ <i>v</i>"),
    "A_i'j'": (r"$A_{i^\prime j^\prime}$", "<i>A</i><sub><i>i</i>′<i>j</i>′</sub>"),
    "n ≤ ⌈√T⌉": (r"$n \leq \lceil\sqrt{T}\rceil$", "<i>n</i> ≤ ⌈√<i>T</i>⌉"),
    "⌈n/2⌉": (r"$\lceil n/2\rceil$", "⌈<i>n</i>/2⌉"),
    "x -1": (r"$x$ $-1$", "<i>x</i> -1"),
    "x + a word": (r"$x$ + a word", "<i>x</i> + a word"),
    "√(T+1)": (r"$\sqrt{T+1}$", "√(<i>T</i>+1)"),
    "‖A^σ‖_F < ε*": (
        r"$\|A^\sigma\|_F < \varepsilon^\ast$",
        "‖<i>A</i><sup>σ</sup>‖<sub><i>F</i></sub> &lt; ε*",
    ),
    "O(log₂ T)": (r"$O(\log_2 T)$", "<i>O</i>(log₂ <i>T</i>)"),
    "2 max_σ |w|₀": (r"$2 \max_\sigma |w|_0$", "2 max<sub>σ</sub> |<i>w</i>|₀"),
    "Σ_{j<i} m_j": (
        r"$\sum_{j<i} m_j$",
        "Σ<sub><i>j</i>&lt;<i>i</i></sub> <i>m</i><sub><i>j</i></sub>",
    ),
    "over Σ": (r"over $\Sigma$", "over Σ"),
    "vec(AB)": (r"$\mathrm{vec}(AB)$", "vec(<i>A</i><i>B</i>)"),
    "{0, …, k-1}": (r"$\{0, \ldots, k-1\}$", "{0, …, <i>k</i>-1}"),
    "C(R) \\ P_{≤d}": (r"$C(R) \setminus P_{\leq d}$", "<i>C</i>(<i>R</i>) \\ <i>P</i><sub>≤<i>d</i></sub>"),
    "N = 10,000": (r"$N = 10{,}000$", "<i>N</i> = 10,000"),
    "2^-20 at -1": (r"$2^{-20}$ at $-1$", "2⁻²⁰ at -1"),
    "A^x1": (r"$A^{x_1}$", "<i>A</i><sup><i>x</i>₁</sup>"),
    "T ×_1 x": (r"$T \times_1 x$", "<i>T</i> ×₁ <i>x</i>"),
    "A^-x₁": (r"$A^{-x_1}$", "<i>A</i><sup>-<i>x</i>₁</sup>"),
    "μ(t1)": (r"$\mu(t_1)$", "μ(<i>t</i>₁)"),
    "3^⌈log₂ x⌉": (r"$3^{\lceil\log_2 x\rceil}$", "3<sup>⌈log₂ <i>x</i>⌉</sup>"),
    "(1 0; n 1)": (r"$(1\;0; n\;1)$", "(1 0; <i>n</i> 1)"),
    "n states, length T.": (r"$n$ states, length $T$.", "<i>n</i> states, length <i>T</i>."),
    "k-counting": (r"$k$-counting", "<i>k</i>-counting"),
    "x{<b>": (r"$x$\{\ensuremath{<}b\ensuremath{>}", "<i>x</i>{&lt;b&gt;"),
}  # fmt: skip
PROSE = [
    "a word", "A word. A second one", "May I cite it", "Theorem 2's letter", "see [1] and [2]",
    "([1], Appendix C; Section 2.4)", "Appendix B.1", "Definition A.2", "train_counting_reps.py:128",
    "layers-T16-L4", "i.e. and e.g.", "counts a and b on aaabb", "23-26, 1/2 and (1, 0)",
    "Chong (2020), commit 2f23081", "2-RNNs", "PyTorch's", "ab_c x1_0_0 __a__", "a_b_c", "a_{b", "x^^",
]  # fmt: skip


@pytest.mark.parametrize("text", SET)
def test_a_formula_is_set_in_latex_and_in_html(text: str) -> None:
    assert (latex(text), html(text).replace("\u00a0", " ")) == SET[text]


def test_a_short_formula_is_not_broken_at_the_end_of_a_line() -> None:
    assert html("in O(log T) rounds") == "in <i>O</i>(log\u00a0<i>T</i>) rounds"
    assert "\u00a0" not in html("ε_{l+1} = τ(Sδ + δ²) + 2ε_l")


@pytest.mark.parametrize("text", PROSE)
def test_prose_stays_prose(text: str) -> None:
    assert [part.source for part in parts(text) if isinstance(part, Formula)] in ([], ["x"])


@settings(max_examples=quick_or_full(80, 300), deadline=None)
@given(st.text() | st.text("_^{}()[]|‖√-+=aσ2T×₁²'*<&\\ "))
def test_nothing_is_lost_and_nothing_becomes_an_element(text: str) -> None:
    found = list(parts(text))
    assert "".join(part if isinstance(part, str) else part.source for part in found) == text
    shown = html(text)
    assert not re.sub(r"</?(i|sub|sup)>", "", shown).count("<")


@pytest.mark.parametrize("text", ["(", "√", "√(", "x_{", "|", "log ", "x^(", "-", "x_", "(x "])
def test_no_nesting_is_too_deep_or_slow(text: str) -> None:
    assert "".join(p if isinstance(p, str) else p.source for p in parts(text * 2000)) == text * 2000


def written(value: object, name: str = "") -> list[str]:
    """Every text of a record that a reader sees."""
    if isinstance(value, dict):
        return [text for key, inner in value.items() for text in written(inner, key)]
    if isinstance(value, list):
        return [text for inner in value for text in written(inner, name)]
    return [value] if isinstance(value, str) and name in WRITTEN else []


@pytest.fixture(scope="module")
def texts() -> list[str]:
    return written(json.loads((PUBLISHED / "record.json").read_text("utf-8")))


def test_no_script_of_the_published_record_stays_as_typed(texts: list[str]) -> None:
    assert len(texts) > 1000
    for text in texts:
        out = re.sub(r"[A-Za-z]\w+\\_[\w\\]+\.(py|sh|md)", "", latex(text))
        assert "textasciicircum" not in out and r"\_" not in out, text
        shown = re.sub(r"\w+_\w+\.(py|sh|md)", "", html(text))
        assert not re.search(r"[_^]", shown), text


@pytest.mark.skipif(not shutil.which("pdflatex"), reason="pdflatex is not installed")
def test_every_sentence_of_the_published_record_compiles_without_packages(
    texts: list[str], tmp_path: Path
) -> None:
    body = "\n\n".join(latex(text) for text in texts)
    source = rf"\documentclass{{article}}\begin{{document}}{body}\end{{document}}"
    (tmp_path / "all.tex").write_text(source, "ascii")
    done = subprocess.run(
        ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "all.tex"],
        cwd=tmp_path, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-2000:]
    assert "invalid in math mode" not in done.stdout
