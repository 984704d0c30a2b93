"""Sums of indicators and bound indices: the lemma's own, and mutants of it."""

from verify.facts import indices

LEMMA = [["i'", "i"], ["j'", "i''"], ["j''", "j"]]
FACTORS = {"left": ["i'", "j'"], "right": ["i''", "j''"], "entry": ["i", "j"]}


def test_the_indicators_of_lemma_1_sum_to_the_matrix_product_for_a_symbol_n():
    assert indices.indicator_sum(LEMMA, **FACTORS).holds


def test_the_product_in_the_other_order_is_seen():
    swapped = [["i'", "j"], ["j'", "i''"], ["j''", "i"]]
    assert indices.indicator_sum(swapped, **FACTORS).witness == {
        "i": 1,
        "j": 2,
        "sum": 174,
        "product": 83,
    }


def test_a_missing_equality_is_seen():
    for left_out in range(3):
        equalities = [pair for number, pair in enumerate(LEMMA) if number != left_out]
        assert indices.indicator_sum(equalities, **FACTORS).holds is False


def test_a_product_with_a_transposed_factor_is_seen():
    assert indices.indicator_sum([["i'", "i"], ["j'", "j''"], ["i''", "j"]], **FACTORS).witness == {
        "i": 1,
        "j": 1,
        "sum": 61,
        "product": 73,
    }


def test_the_printed_entry_leaves_three_indices_free_and_six_indices_none():
    assert indices.indices_are_bound(["i'", "j'", "j''"], LEMMA).witness == {
        "free": ["i", "i''", "j"]
    }
    assert indices.indices_are_bound(["i'", "j'", "i''", "j''", "i", "j"], LEMMA).holds
