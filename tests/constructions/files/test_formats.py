"""Automata in every kind of file and array: values by hand, one clear line for what does not fit."""

import json
from fractions import Fraction
from pathlib import Path

import flint
import numpy as np
import pytest
import sympy
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from tests_support import is_pfa

from constructions.automata.wfa import WFA
from constructions.core.errors import InputError
from constructions.files import openfst
from constructions.files.formats import assumption, load

EXAMPLES = Path(__file__).resolve().parents[3] / "constructions" / "examples"
START, MOVES = [0.6, 0.4], [[0.7, 0.3], [0.4, 0.6]]
EMITS, NAMES = [[0.1, 0.4, 0.5], [0.6, 0.3, 0.1]], ["walk", "shop", "clean"]
# 0.06 and 0.24 after "walk", 0.138 and 0.162 a step on, 0.0552 + 0.0486 after "shop"
WALK_SHOP = Fraction(1038, 10000)
BY_HAND = [
    ("wfa.json", "0100", 3),
    ("hmm.json", ["walk", "shop"], WALK_SHOP),
    ("pfa.json", "aa", Fraction(1, 2) * Fraction(1, 4) / 3 + Fraction(1, 4) / 3 / 3),
    ("dfa.json", "abab", 1),
    ("dfa.json", "ab", 0),
    ("nfa.json", "aba", 0),
    ("nfa.json", "aab", 1),
    ("openfst.att", "aba", Fraction(1, 2) * Fraction(1, 4) * Fraction(1, 2) * Fraction(1, 2)),
    ("pautomac.txt", "01", Fraction(8, 10) / 2 * Fraction(8, 10) / 2 * Fraction(1, 2)),
    ("wta.json", "[a [b a]]", 7),
    ("wta.json", "(a (b a))", 7),
]


@pytest.mark.parametrize(("name", "word", "weight"), BY_HAND, ids=lambda v: str(v))
def test_every_kind_of_file_gives_the_weight_computed_by_hand(name, word, weight):
    assert load(EXAMPLES / name).weight(word) == weight
    assert load(str(EXAMPLES / name)).weight(word) == weight


@pytest.mark.parametrize("kind", [np.float64, np.float32, np.float16])
def test_hmmlearn_arrays_of_any_float_are_their_shortest_decimals(kind):
    model = WFA.from_hmm(*(np.array(part, dtype=kind) for part in (START, MOVES, EMITS)), NAMES)
    assert model.weight(["walk", "shop"]) == WALK_SHOP
    assert model == load(EXAMPLES / "hmm.json")


def test_torch_arrays_and_symbolic_rationals_are_read():
    torches = [torch.tensor(part) for part in (START, MOVES, EMITS)]
    assert WFA.from_hmm(*torches, NAMES).weight(["walk", "shop"]) == WALK_SHOP
    third = WFA.of([np.int8(1)], {"a": [[sympy.Rational(1, 3)]]}, [np.uint64(3)])
    assert third.weight("a") == 1
    half = WFA.of(torch.ones(1, dtype=torch.bfloat16), {"a": torch.tensor([[0.5]])}, [1])
    assert half.weight("aa") == Fraction(1, 4)


@pytest.mark.parametrize(
    ("arrays", "line"),
    [
        ((START, MOVES, [list(c) for c in zip(*EMITS, strict=True)]),
         "emissionprob: found 3 rows, expected 2 rows, one for each state"),
        ((START, MOVES, [[0.5, 0.75], [0.5, 0.25]]),
         "emissionprob[0]: found a sum of 1.25, expected a sum of 1 (up to 1e-6)"),
        (([0.6, 0.5], MOVES, EMITS), "startprob: found a sum of 1.1, expected a sum of 1"),
        ((START, [[0.7, 0.3]], EMITS), "transmat: found 1 rows, expected 2"),
        (([1.5, -0.5], MOVES, EMITS), "startprob[1]: found -1/2, expected a probability"),
    ],
)  # fmt: skip
def test_an_hmm_the_wrong_way_round_is_refused_with_the_place(arrays, line):
    with pytest.raises(InputError) as refused:
        WFA.from_hmm(*arrays)
    assert str(refused.value).startswith(line)


def test_sums_near_one_are_unchanged_or_normalised_exactly():
    emits = [[1 / 3, 1 / 3, 1 / 3], [0.6, 0.3, 0.1]]
    kept, exact = (WFA.from_hmm(START, MOVES, emits, normalise=n) for n in (False, True))
    leaving = [sum(sum(rows[0]) for rows in m.transitions.values()) for m in (kept, exact)]
    assert leaving[0] != 1
    assert leaving[1] == 1


def test_a_pfa_file_is_checked_and_can_be_normalised(tmp_path):
    path = tmp_path / "pfa.json"
    body = {"kind": "pfa", "initial": [1], "transitions": {"a": [[0.5]]}, "final": [0.4999999]}
    path.write_text(json.dumps(body))
    assert not is_pfa(load(path))
    path.write_text(json.dumps({**body, "normalise": True}))
    assert is_pfa(load(path))
    path.write_text(json.dumps({**body, "final": [0.4]}))
    with pytest.raises(InputError, match=r"what leaves state 0: found a sum of 0\.9"):
        load(path)


def test_a_regular_expression_is_its_minimal_dfa():
    pytest.importorskip("automata")
    found = WFA.from_regex("(ab)*a?", "ab")
    matches = {"", "a", "ab", "aba", "abab"}
    words = ["".join(w) for n in range(5) for w in found.words(n)]
    assert {w for w in words if found.weight(w) == 1} == matches
    assert found.n == 2
    with pytest.raises(InputError, match="regex"):
        WFA.from_regex("(a", "ab")


def test_a_file_may_hold_a_regular_expression(tmp_path):
    pytest.importorskip("automata")
    path = tmp_path / "pairs.json"
    path.write_text('{"kind": "regex", "pattern": "(ab)*", "alphabet": ["a", "b"]}')
    pairs = load(path)
    assert [int(pairs.weight(word)) for word in ("", "abab", "aba")] == [1, 1, 0]


@pytest.mark.parametrize(
    ("fields", "line"),
    [
        (
            '"pattern": 3, "alphabet": ["a"]',
            "pattern: found 3, expected a regular expression, as text",
        ),
        ('"pattern": "a", "alphabet": "a"', "alphabet: found a, expected a list of symbols of one"),
        (
            '"pattern": "a", "alphabet": ["ab"]',
            "alphabet: found [ab], expected symbols of one char",
        ),
        (
            '"pattern": "(a", "alphabet": ["a"]',
            "regex: found (a, expected a pattern that automata-lib",
        ),
        ('"pattern": "a"', "alphabet: found nothing, expected the field to be there"),
    ],
)
def test_a_file_with_a_bad_expression_is_refused_by_its_field(tmp_path, fields, line):
    pytest.importorskip("automata")
    path = tmp_path / "bad.json"
    path.write_text(f'{{"kind": "regex", {fields}}}')
    with pytest.raises(InputError) as refusal:
        load(path)
    assert f"{path}: {line}" in str(refusal.value)


def test_a_symbol_table_names_the_numbers_of_an_acceptor():
    text = "0 1 1 0.5\n1 1 2\n1 0.25"
    names = openfst.read_symbols(EXAMPLES / "openfst.syms")
    assert openfst.parse(text, names).weight("abb") == Fraction(1, 8)
    assert openfst.parse(text).weight("122") == Fraction(1, 8)


@settings(max_examples=50, deadline=None)
@given(st.decimals(min_value=-9000, max_value=9000, places=9))
def test_every_cost_is_within_half_a_unit_of_the_last_digit(cost):
    factor = openfst.parse(f"0 1 a {cost}\n1", weights="costs").weight("a")
    with flint.ctx.workprec(512):
        exact = (-flint.arb(str(cost))).exp()
        ratio = flint.arb(flint.fmpq(factor.numerator, factor.denominator)) / exact
        assert abs(ratio - 1) < flint.arb("5e-17")


def test_infinite_costs_are_zero_and_as_factors_lead_to_the_option():
    assert openfst.parse("0 1 a Infinity\n1", weights="costs").weight("a") == 0
    with pytest.raises(
        InputError, match=r"line 1: weight: found Infinity.*--openfst-weights costs"
    ):
        openfst.parse("0 1 a Infinity\n1")
    with pytest.raises(InputError, match="expected a cost between ±9000, or Infinity"):
        openfst.parse("0 1 a 9001\n1", weights="costs")
    with pytest.raises(InputError, match="weights: found tropical, expected one of factors, costs"):
        openfst.parse("0 1 a 1\n1", weights="tropical")


def test_only_acceptors_have_symbol_tables_and_costs():
    for more in ({"symbols": EXAMPLES / "openfst.syms"}, {"weights": "costs"}):
        with pytest.raises(InputError, match=r"(symbols|weights): .* for OpenFst acceptors only"):
            load(EXAMPLES / "wfa.json", **more)


def test_a_missing_file_is_one_line(tmp_path):
    with pytest.raises(InputError, match="no such file") as refused:
        load(tmp_path / "none.json")
    assert "Error" not in str(refused.value)


@pytest.mark.parametrize(("name", "text", "words"), [
    ("x.att", "a 0 1\n", "x.att, line 1: state: found a, expected a whole number"),
    ("x.fst", "0 1 a\n1 y b\n", "x.fst, line 2: state: found y, expected a whole number"),
    ("x.txt", "a 0 1\n", "x.txt: first line: found a 0 1, expected '{' (JSON), 'I: (state)'"),
    ("x.txt", "", "x.txt: first line: found nothing, expected '{' (JSON)"),
    ("x.json", "a 0 1\n", "x.json: not valid JSON: Expecting value, line 1, column 1"),
])  # fmt: skip
def test_a_file_that_begins_otherwise_is_read_by_its_ending(tmp_path, name, text, words):
    (tmp_path / name).write_text(text)
    with pytest.raises(InputError) as caught:
        load(tmp_path / name)
    assert words in str(caught.value)


def test_a_missing_transition_is_null(tmp_path):
    path = tmp_path / "dfa.json"
    body = (
        '{"kind": "dfa", "states": 2, "start": 0, "accepting": [1], "transitions": {"a": [1, %s]}}'
    )
    path.write_text(body % "null")
    assert [load(path).weight(word) for word in ("", "a", "aa")] == [0, 1, 0]
    path.write_text(body % "7")
    with pytest.raises(
        InputError, match=r"dfa.json: transitions\[a\]: found \[1, 7\], expected states"
    ):
        load(path)


MODEL = "I: (state)\n(0) {i}\nF: (state)\n(0) 0.5\nS: (state,symbol)\n(0,0) 0.4\n(0,1) {s}\n" + (
    "T: (state,symbol,state)\n(0,0,0) 1.0\n(0,1,0) {t}\n"
)


@pytest.mark.parametrize(("i", "s", "t", "words"), [
    ("1.0", "0.6", "1.0", ""),
    ("1.0", "0.6000001", "1.0", ""),
    ("1.0", "1.0", "1.0", "warning: S of state 0 sums to 1.4, not to 1"),
    ("0.5", "0.6", "1.0", "warning: I sums to 0.5, not to 1"),
    ("1.0", "0.6", "0.9", "warning: T of state 0 and symbol 1 sums to 0.9, not to 1"),
])  # fmt: skip
def test_a_row_of_a_model_that_is_far_from_one_is_a_warning(tmp_path, i, s, t, words):
    path = tmp_path / "model.txt"
    path.write_text(MODEL.format(i=i, s=s, t=t))
    assert assumption(path).startswith(words) and bool(assumption(path)) == bool(words)
    assert load(path).n == 1


def test_a_missing_file_is_reported_with_similar_names(tmp_path):
    (tmp_path / "model.json").write_text("{}", "utf-8")
    with pytest.raises(InputError, match=r"did you mean model\.json"):
        load(tmp_path / "modle.json")
    with pytest.raises(InputError, match=r"there is no folder .*no"):
        load(tmp_path / "no" / "model.json")


@pytest.mark.parametrize("text", ["3 4\n2 0 1\n4 3 2 1 0\n0\n", "1 20\n5 1 2 3 4 5"])
def test_words_given_for_a_model_are_called_words(tmp_path, text):
    file = tmp_path / "1.pautomac.test"
    file.write_text(text, "utf-8")
    with pytest.raises(InputError, match=r"words of PAutomaC .*expected a model, such as N\.pau"):
        load(file)


def test_an_acceptor_that_counts_like_words_is_an_acceptor(tmp_path):
    file = tmp_path / "a.att"
    file.write_text("0 1\n3 0 2 4\n", "utf-8")  # state 0 is final; an arc 3 -> 0 on 2 of weight 4
    assert load(file).alphabet == ("2",)
    file.write_text("0 1 a b c\n", "utf-8")
    with pytest.raises(InputError, match="transducers have 5"):
        load(file)


@pytest.mark.parametrize(("words", "said"), [(5, "words of PAutomaC"), (4, "arc: found 6 fields")])
def test_the_first_six_lines_tell_words_from_an_acceptor(words, said, tmp_path):
    """Later lines may be anything."""
    file = tmp_path / "1.pautomac.test"
    file.write_text("6 4\n" + "1 0\n" * words + "9 9 9 9 9 9\n", "utf-8")
    with pytest.raises(InputError, match=said):
        load(file)
