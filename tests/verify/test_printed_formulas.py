"""Printed formulas as data, and what finitely many units cannot do."""

import os
import re
from fractions import Fraction
from pathlib import Path

import pytest
import sympy

from constructions.matrix import Matrix
from verify.checks import theorem2_matrices as matrices
from verify.engines import printed, units
from verify.engines.printed import Misfit, Unreadable, count, matrix

PAPER = os.environ.get("ASSAY_PAPER")
needs_paper = pytest.mark.skipif(not PAPER, reason="the paper's source is not given")


@pytest.mark.parametrize(
    ("text", "values", "expected"),
    [
        ("C(m+d, d)", {"m": 2, "d": 2}, 6),
        ("C(n²+2, 2)", {"n": 3}, 55),
        ("2n⁴+3n²+1", {"n": 2}, 45),
        ("2n²+2", {"n": 4}, 34),
        ("n³-1", {"n": 2}, 7),
    ],
)
def test_counts_are_evaluated(text, values, expected):
    assert count(text, **values) == expected


def test_counts_of_symbols_are_polynomials():
    n = sympy.Symbol("n", positive=True)
    assert sympy.expand(count("C(2n²+2, 2)", n=n) - count("2n⁴+3n²+1", n=n)) == 0


@pytest.mark.parametrize("text", ["n +", "k", "__import__(1)", "n/2", "C(n, n)", "f(n, 2)", "1.5"])
def test_what_is_no_count_is_not_evaluated(text):
    with pytest.raises(Unreadable):
        count(text, n=sympy.Symbol("n"))


def test_a_matrix_of_blocks_is_read_and_evaluated():
    formula = matrix("√C (I_2 0_{2×n²}; 0_{n²×2} I_{n²})")
    made = formula.at(2, {"√C": 3}, {})
    assert made == Matrix.identity(6).scaled(3)
    assert formula.fits() is None and not formula.transposed


@pytest.mark.parametrize(
    ("text", "good"),
    [("(I_{n²} 0_{n²×2})", None), ("(0_{n²×2} I_2)", []), ("(0_{n²×2} I_4)", [2])],
)
def test_blocks_fit_for_every_n_for_some_or_for_none(text, good):
    assert matrix(text).fits() == good


def test_blocks_that_do_not_fit_are_named():
    with pytest.raises(Misfit, match=r"heights \[4, 2\]"):
        matrix("(0_{n²×2} I_2)").at(2, {}, {})
    with pytest.raises(Misfit, match="widths"):
        matrix("(I_2 I_2; I_2)").at(1, {}, {})
    with pytest.raises(Misfit, match="block ρ"):
        matrix("(ρ)").at(1, {}, {"ρ": Matrix.identity(3)})
    with pytest.raises(Misfit, match="a row of 3"):
        printed.through(Matrix.zeros(1, 3), Matrix.identity(2))


@pytest.mark.parametrize("text", ["I_2", "(X_2)", "(I_2", "(I_{2×3×4})"])
def test_what_is_no_matrix_is_not_read(text):
    with pytest.raises(Unreadable):
        matrix(text)


def in_our_letters(latex):
    """A LaTeX matrix of blocks in the letters of this program."""
    inside = re.search(r"\\begin\{pmatrix\}(.*?)\\end\{pmatrix\}", latex, re.DOTALL)[1]
    for old, new in ((r"\mat{0}", "0"), (r"\mat{I}", "I"), (r"\boldsymbol{\rho}_\theta", "ρ"),
                     (r"{{n^2} \times", r"{n^2 \times"), (r" \times ", "×"), ("n^2", "n²")):  # fmt: skip
        inside = inside.replace(old, new)
    root = "√C " if r"\sqrt{C}" in latex else ""
    transposed = "ᵀ" if r"^\top" in latex else ""
    return f"{root}({' '.join(inside.replace('&', ' ').split())}){transposed}"


@needs_paper
def test_the_formulas_are_those_of_the_paper():
    lines = Path(str(PAPER)).read_text("utf-8").splitlines()

    def passage(first, last):
        return in_our_letters("\n".join(lines[first - 1 : last]))

    assert passage(750, 754) == matrices.SCORES_PRINTED.query.text
    assert passage(755, 759) == matrices.SCORES_PRINTED.left_key.text
    assert passage(781, 783) == matrices.OUTPUT_PRINTED.text


@pytest.mark.parametrize("number", [1, 2, 3, 4])
def test_steps_and_kinks_force_what_is_known(number):
    assert units.constant_floor(number, {(1,): 1}) == Fraction(1, 2 * (number + 1))
    assert units.linear_floor(number, {(2,): 1}) == Fraction(1, 8 * (number + 1) ** 2)


def test_units_that_bend_or_tell_everything_apart_force_nothing():
    assert units.linear_floor(2, {(2,): 1}, lambda x: x * x) == 0
    assert units.constant_floor(2, {(1,): 1}, lambda x: x) == 0
    assert units.linear_floor(2, {(1,): 1}) == 0


def test_only_what_is_no_polynomial_exceeds_its_degree():
    assert units.exceeds_degree(units.relu, 1) and units.exceeds_degree(units.step, 3)
    assert not units.exceeds_degree(lambda x: 3 * x - 1, 1)
    assert units.exceeds_degree(lambda x: x * x, 1) and not units.exceeds_degree(lambda x: x * x, 2)
