"""Printed counts and shapes are decided for all sizes, and each decision can go both ways."""

import pytest

from verify.facts import algebra
from verify.facts.printed_formulas import Unreadable


def test_a_binomial_and_its_expansion_are_one_polynomial():
    assert algebra.identity("C(2n²+2, 2)", "2n⁴+3n²+1").holds


def test_a_changed_coefficient_is_seen_at_the_smallest_size():
    found = algebra.identity("C(2n²+2, 2)", "2n⁴+3n²+2")
    assert found.holds is False
    assert found.witness == {"n": 1, "left": "6", "right": "7"}


def test_sizes_that_agree_for_some_n_only_are_listed():
    found = algebra.identity("n", "n²")
    assert found.values == {"agree": [1]}
    assert found.witness == {"n": 2, "left": "2", "right": "4"}


def test_several_names_differ_at_the_point_with_the_smallest_coordinates():
    assert algebra.identity("n·T", "T·n").holds
    assert algebra.identity("n·T", "T+n").witness == {"T": 1, "n": 1, "left": "1", "right": "2"}


def test_blocks_of_different_heights_do_not_stand_side_by_side():
    found = algebra.shapes(["(0_{n²×2} 0_{n²×2} I_2)ᵀ"], ["2n²+2", "2"])
    assert found.holds is False
    assert found.witness == {"n": 1, "unequal": ["1", "2"]}
    assert algebra.shapes(["(0_{2×n²} 0_{2×n²} I_2)ᵀ"], ["2n²+2", "2"]).holds


def test_a_product_needs_equal_inner_sizes():
    scores = ["(X_{T×d})", "(Q_{d×k})", "(K_{d×k})ᵀ", "(X_{T×d})ᵀ"]
    assert algebra.shapes(scores, ["T", "T"]).holds
    transposed = [*scores[:2], "(K_{d×k})", scores[3]]
    assert algebra.shapes(transposed, ["T", "T"]).witness == {
        "T": 1,
        "d": 1,
        "k": 2,
        "unequal": ["2", "1"],
    }


def test_a_product_of_another_shape_than_stated_is_seen():
    assert algebra.shapes(["(X_{T×d})", "(W_{d×k})"], ["T", "d"]).holds is False


def test_a_bound_that_is_missed_once_is_refuted_with_the_size():
    assert algebra.at_most("2n²+2", "4n²").holds
    assert algebra.at_most("2n²+2", "3n²").witness == {"n": 1, "size": "4", "bound": "3"}
    assert algebra.at_most("n³", "9n²").witness == {"n": 10, "size": "1000", "bound": "900"}


def test_what_neither_coefficients_nor_values_decide_stays_undecided():
    assert algebra.at_most("0", "n²-40n+401").holds is None


def test_an_order_is_decided_by_the_degree_and_comes_with_a_constant():
    found = algebra.order_at_most("C(2n²+2, 2)", "n⁴")
    assert found.holds
    assert found.values == {"degree": 4, "constant": "6"}
    assert algebra.at_most("C(2n²+2, 2)", "6n⁴").holds
    assert algebra.order_at_most("n³-n³+2n²", "n").witness == {"degree": 2, "order": 1}


@pytest.mark.parametrize("text", ["__import__('os')", "n.real", "n if n else 1", "2**2**9", "[n]"])
def test_text_that_is_no_count_is_never_run(text):
    with pytest.raises((Unreadable, TypeError, ValueError)):
        algebra.identity(text, "[")


@pytest.mark.parametrize(("bound", "witness"), [("999", 1000), ("1000", None)])
def test_a_witness_is_looked_for_up_to_a_thousand(bound, witness):
    found = algebra.at_most("n", bound)
    assert (found.witness or {}).get("n") == witness and found.holds is (False if witness else None)
