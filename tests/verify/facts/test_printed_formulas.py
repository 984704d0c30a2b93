"""Printed counts and matrices of blocks are read as data, and what is neither is refused."""

import os
import re
from pathlib import Path

import pytest
import sympy

from verify.facts.printed_formulas import Unreadable, binomial, count, matrix
from verify.judge import paper

PAPER = os.environ.get("ASSAY_PAPER")
needs_paper = pytest.mark.skipif(not PAPER, reason="the paper's source is not given")


@pytest.mark.parametrize(
    ("text", "values", "expected"),
    [
        ("C(m+d, d)", {"m": 2, "d": 2}, 6),
        ("C(n²+2, 2)", {"n": 3}, 55),
        ("2n⁴+3n²+1", {"n": 2}, 45),
        ("2T·n²+2", {"n": 2, "T": 3}, 26),
        ("n³-1", {"n": 2}, 7),
        ("n⁹", {"n": 2}, 512),
    ],
)
def test_counts_are_evaluated(text, values, expected):
    assert count(text, **values) == expected


@pytest.mark.parametrize("text", ["n +", "k", "__import__(1)", "n/2", "C(n, n)", "f(n, 2)", "1.5"])
def test_what_is_no_count_is_not_evaluated(text):
    with pytest.raises(Unreadable):
        count(text, n=sympy.Symbol("n"))


def test_a_matrix_of_blocks_has_a_shape_and_the_equalities_that_its_blocks_need():
    formula = matrix("√C (I_2 0_{2×n²}; 0_{n²×2} I_{n²})ᵀ")

    def size(text):
        return count(text, n=3)

    assert formula.factor == "√C"
    assert formula.shape(size) == (11, 11)
    assert formula.equalities(size) == [(2, 2), (9, 9), (11, 11)]
    assert matrix("(0_{n²×2} ρ)").equalities(size) == [(9, 2)]
    assert matrix("(0_{2×n²} ρ)ᵀ").shape(size) == (11, 2)


@pytest.mark.parametrize("text", ["I_2", "(I)", "(I_2", "(I_{2×3×4})", "(I_2;)", "(_2)"])
def test_what_is_no_matrix_is_not_read(text):
    with pytest.raises(Unreadable):
        matrix(text)


def in_our_letters(latex):
    """A LaTeX matrix of blocks in the letters of this program."""
    inside = re.search(r"\\begin\{pmatrix\}(.*?)\\end\{pmatrix\}", latex, re.DOTALL)[1]
    inside = inside.strip().removesuffix(r"\\")
    for old, new in (
        (r"\mat{0}", "0"),
        (r"\mat{I}", "I"),
        (r"\boldsymbol{\rho}_\theta", "ρ"),
        (r"{{n^2} \times", r"{n^2 \times"),
        (r" \times ", "×"),
        ("n^2", "n²"),
        ("&", " "),
        (r"\\", ";"),
    ):
        inside = inside.replace(old, new)
    transposed = "ᵀ" if r"^\top" in latex else ""
    return f"({' '.join(inside.split()).replace(' ;', ';')}){transposed}"


@needs_paper
@pytest.mark.parametrize(
    ("statement", "first", "last"),
    [
        ("thm1.qk", 640, 643),
        ("thm1.values", 661, 666),
        ("thm1.selectors", 680, 683),
        ("thm1.wout", 694, 696),
    ],
)
def test_the_printed_matrices_are_those_of_the_paper(statement, first, last):
    lines = Path(str(PAPER)).read_text("utf-8").splitlines()
    factors = paper.load().statements[statement].binding[0].parameters["factors"]
    assert factors[-1] == in_our_letters("\n".join(lines[first - 1 : last]))


def test_a_binomial_has_a_whole_lower_number():
    assert [binomial(5, k) for k in range(7)] == [1, 5, 10, 10, 5, 1, 0]
    with pytest.raises(Unreadable, match="the lower number of a binomial is -1"):
        binomial(5, -1)


def test_rows_of_blocks_are_compared_with_the_first_one():
    formula = matrix("(0_{1×2} I_1; 0_{4×5}; 0_{2×6})")
    assert formula.sizes == ["1", "2", "1", "1", "4", "5", "2", "6"]
    assert formula.equalities(int) == [(1, 1), (3, 5), (3, 6)]
    assert formula.shape(int) == (7, 3)
