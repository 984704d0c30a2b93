"""Acceptors in text form: arcs are added, weights left out are 1, costs are rounded to 17 digits."""

from fractions import Fraction

import pytest

from constructions.core.errors import InputError
from constructions.files import openfst
from constructions.files.openfst import parse, read, read_symbols


def test_arcs_between_two_states_are_added_and_states_are_numbered_in_order():
    automaton = parse("7 2 a 0.5\n7 2 a 1/4\n2 9 b\n9 3\n2 1/2\n")
    assert automaton.n == 3
    assert automaton.alpha == (0, 1, 0), "the source of the first line, among states 2, 7, 9"
    assert automaton.weight("a") == Fraction(3, 8)
    assert automaton.weight("ab") == Fraction(9, 4)
    assert automaton.beta == (Fraction(1, 2), 0, 3)
    assert automaton.alphabet == ("a", "b")


def test_missing_weights_are_one_and_blank_lines_are_skipped():
    assert parse("\n0 1 a\n\n1\n").weight("a") == 1


@pytest.mark.parametrize(
    ("cost", "factor"),
    [
        ("1", "0.36787944117144232"),
        ("-1", "2.7182818284590452"),
        ("100", "3.7200759760208360e-44"),
        ("0.69314718", "0.50000000027997265"),
        ("1e-30", "1"),
        ("-3/2", "4.4816890703380648"),
        ("0", "1"),
        ("Infinity", "0"),
        ("inf", "0"),
    ],
)
def test_costs_are_rounded_to_seventeen_digits(cost, factor):
    assert parse(f"0 1 a {cost}\n1", weights="costs").weight("a") == Fraction(factor)
    assert openfst.DIGITS == 17


@pytest.mark.parametrize("cost", ["9000", "-9000"])
def test_the_largest_costs_are_accepted_and_larger_ones_refused(cost):
    value = parse(f"0 1 a {cost}\n1", weights="costs").weight("a")
    digits = len(str(value.numerator if value > 1 else value.denominator))
    assert 3900 < digits < 3940, "e^9000 has 3909 digits"
    for more in (f"{cost}.1", f"{cost}1"):
        with pytest.raises(
            InputError, match=r"line 1: weight: found .*, expected a cost between ±9000"
        ):
            parse(f"0 1 a {more}\n1", weights="costs")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "acceptor: found no arc, expected lines 'source destination symbol [weight]'"),
        ("0 1\n", "acceptor: found no arc"),
        ("0 1 a\nx 1 b\n", "line 2: state: found x, expected a whole number"),
        ("0 y a\n", "line 1: state: found y, expected a whole number"),
        ("0 1 a b 0.5\n", "line 1: arc: found 5 fields, expected an acceptor, at most 4 fields"),
        ("0 1 <eps>\n", "line 1: symbol: found <eps>, expected no empty label: fstrmepsilon"),
        ("0 1 ε 0.5\n", "no empty label"),
        ("0 1 a one\n", "line 1: weight: found one, expected a finite number"),
        ("0 1 a\n1 Infinity\n", "line 2: weight: found Infinity, expected a factor; for costs"),
    ],
)
def test_a_wrong_line_of_an_acceptor_is_named(text, words):
    with pytest.raises(InputError) as caught:
        parse(text)
    assert words in str(caught.value)


def test_weights_are_factors_by_default():
    assert parse("0 1 a 2\n1").weight("a") == 2
    with pytest.raises(InputError, match="weights: found logs, expected one of factors, costs"):
        parse("0 1 a\n1", weights="logs")


def test_a_symbol_table_names_numbers_and_zero_is_empty():
    table = {"0": "<eps>", "1": "x", "2": "y"}
    automaton = parse("0 1 1\n1 1 y 2\n1", table)
    assert automaton.alphabet == ("x", "y")
    assert automaton.weight(["x", "y"]) == 2
    with pytest.raises(
        InputError, match="line 1: symbol: found 3, expected a number of the symbol table"
    ):
        parse("0 1 3\n1", table)
    with pytest.raises(InputError, match="no empty label"):
        parse("0 1 0\n1", {"0": "zero", "1": "x"})
    assert parse("0 1 0\n1").alphabet == ("0",), "without a table 0 is a name"


def test_files_are_read_with_their_symbols(tmp_path):
    (tmp_path / "a.att").write_text("0 1 1 1/2\n1\n", "utf-8")
    (tmp_path / "a.syms").write_text("<eps> 0\nred 1\n", "utf-8")
    assert read_symbols(tmp_path / "a.syms") == {"0": "<eps>", "1": "red"}
    assert read(tmp_path / "a.att", tmp_path / "a.syms").weight(["red"]) == Fraction(1, 2)
    assert read(tmp_path / "a.att").weight("1") == Fraction(1, 2)
    for text in ("red\n", "red 1 2\n", "red one\n"):
        (tmp_path / "bad").write_text("<eps> 0\n" + text, "utf-8")
        with pytest.raises(
            InputError, match=r"bad, line 2: symbol table: found .*, expected a name and a"
        ):
            read_symbols(tmp_path / "bad")
    (tmp_path / "a.att").write_text("0 x 1\n", "utf-8")
    with pytest.raises(InputError, match=r"state: found x"):
        read(tmp_path / "a.att")
