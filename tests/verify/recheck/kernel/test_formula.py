"""Laws of printed counts: their values, degrees and differences are those of SymPy's polynomials."""

from fractions import Fraction
from itertools import product

import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st

from verify.facts import printed_formulas
from verify.recheck.errors import Refused
from verify.recheck.kernel.formula import (
    agreements,
    degree,
    differences,
    first_difference,
    names,
    points,
    read,
    value,
)

atoms = st.integers(0, 12).map(str) | st.sampled_from(["n", "k", "2n", "3k"])
counts = st.recursive(
    atoms,
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from("+-·"), inner).map(lambda p: f"({p[0]}){p[1]}({p[2]})"),
        st.tuples(inner, st.sampled_from("²³")).map(lambda p: f"({p[0]}){p[1]}"),
        inner.map(lambda text: f"C({text}, 2)"),
    ),
    max_leaves=4,
)
terms = st.tuples(st.sampled_from("+-"), st.integers(0, 5), st.sampled_from(["", "²", "³", "⁴"]))
in_n = st.lists(terms, max_size=4).map(
    lambda parts: "1n" + "".join(f"{sign}{c}n{power}" for sign, c, power in parts)
)


def oracle(text):
    """The count as the program reads it, in SymPy's symbols."""
    symbols = {"n": sympy.Symbol("n"), "k": sympy.Symbol("k")}
    return sympy.expand(sympy.S(printed_formulas.count(text, **symbols)))


@given(counts, st.integers(1, 9), st.integers(1, 9))
def test_values_names_and_degrees_are_those_of_the_polynomial(text, n, k):
    tree, wanted = read(text), oracle(text)
    assert sympy.Rational(value(tree, {"n": n, "k": k})) == wanted.subs({"n": n, "k": k})
    assert set(names(tree)) >= {str(symbol) for symbol in wanted.free_symbols}
    for name in ("n", "k"):
        assert degree(tree, name) >= sympy.Poly(wanted, sympy.Symbol(name)).degree()


@given(counts, counts)
def test_the_first_difference_is_at_the_first_point_where_values_differ(left, right):
    pair = read(left), read(right)
    try:
        found = first_difference([(pair[0], pair[0]), pair])
    except Refused as error:
        assert "points" in str(error)
        return
    if oracle(left) == oracle(right):
        assert found is None
    else:
        at, number = found
        assert number == 1 and value(pair[0], at) != value(pair[1], at)
        below = range(1, max(at.values(), default=1))
        for values in product(below, repeat=len(at)) if at else ():
            before = dict(zip(sorted(at), values, strict=True))
            assert value(pair[0], before) == value(pair[1], before)


@given(in_n, in_n, st.integers(1, 5))
def test_forward_differences_give_the_values_that_follow(left, right, start):
    one, other = read(left), read(right)
    row = differences(one, other, "n", start)
    for k in range(6):
        total = sum(Fraction(d) * sympy.binomial(k, j) for j, d in enumerate(row))
        assert total == value(one, {"n": start + k}) - value(other, {"n": start + k})


@given(in_n, in_n)
def test_agreements_are_the_roots_of_the_difference(left, right):
    difference = oracle(left) - oracle(right)
    if difference != 0:
        found = agreements([(read(left), read(right))], "n")
        roots = sympy.Poly(difference, sympy.Symbol("n")).ground_roots()
        assert found == sorted(int(r) for r in roots if r.is_integer and r >= 1)


def test_points_come_with_the_smaller_ones_first():
    found = [(at["a"], at["b"]) for at in points(["a", "b"], 2)]
    assert found == [(1, 1), (1, 2), (2, 1), (2, 2)]
    assert list(points([], 1)) == [{}]


@pytest.mark.parametrize(
    ("text", "because"),
    [
        ("٢n", "not understood from character 1"),
        ("n^2", "not understood from character 2"),
        ("2n+", "ends too early"),
        ("n)", "'\\)' is not understood"),
        ("", "expected a count such as"),
        (7, "expected a count such as"),
        ("n" * 201, "expected a count such as"),
        ("C(n, n)", "not a small whole number"),
        ("C(n, 41)", "not a small whole number"),
        ("C(n 2)", "a count lacks ','"),
        ("C(n, 2", "a count lacks '\\)'"),
        ("(n+1", "a count lacks '\\)'"),
        ("+n", "has '\\+' where a number or a name is expected"),
        ("n·" * 40 + "n", "the degree is above 40"),
    ],
)
def test_what_is_no_count_is_refused(text, because):
    with pytest.raises(Refused, match=because):
        read(text)


def test_a_name_without_a_value_is_refused():
    with pytest.raises(Refused, match="the name 'k' has no value here"):
        value(read("n+k"), {"n": 1})
