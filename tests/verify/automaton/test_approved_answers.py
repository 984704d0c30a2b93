"""Certified numbers with many digits, as they were approved: none changes without being noticed."""

from dataclasses import asdict
from decimal import ROUND_CEILING, Context
from fractions import Fraction
from pathlib import Path

import pytest
from approved_support import agree_with_approved
from export_support import ADDER

from constructions.automata.families import counting, hmm
from constructions.automata.prediction import predictor
from constructions.automata.processes import mess3, ngram
from constructions.automata.wfa import WFA
from constructions.automata.wta import WTA
from constructions.exports.order import Order
from verify.automaton import certificate, export, numbers, variation
from verify.automaton.report import report

APPROVED = Path(__file__).with_suffix(".json")
DIGITS = 12
WEATHER = hmm([["1/2", "1/2"], ["1/4", "3/4"]], [["1/3", "1/2"], ["2/3", "1/2"]], [1, 0], "ab")
SIGNED = WFA.of([1, "-1/2", 2], {"a": [["1/2", -1, 0], [0, "2/3", "1/3"], [1, 0, "-1/4"]],
                                 "b": [[0, 1, "1/5"], ["-1/2", 0, 1], ["1/3", "1/3", 0]]},
                [1, 2, "-1/3"])  # fmt: skip
LEAVES = WTA.of([1, 0], [[["3/4", "1/3"], ["1/2", "1/5"]], [["1/4", "2/3"], ["1/2", "4/5"]]],
                {"a": ["1/2", "1/2"], "b": ["1/5", "4/5"]})  # fmt: skip
TRIGRAM = ngram(["abba", "ab", "b", "abab"], 3)

ORDERS = {
    "gated": (WEATHER, Order(6)),
    "gated, signed": (SIGNED, Order(9)),
    "plain": (WEATHER, Order(6, plain=True)),
    "plain, levels": (SIGNED, Order(6, format="transformerlens", plain=True, levels=2)),
    "gpt2": (WEATHER, Order(6, format="gpt2")),
    "gpt2, float32": (counting(), Order(6, format="gpt2", dtype="float32", eps="1/100")),
    "llama": (WEATHER, Order(6, format="llama")),
    "minimal": (SIGNED, Order(6, minimise=True)),
    "relative": (counting(), Order(5, relative=3)),
    "soft": (WEATHER, Order(6, attention="soft")),
    "soft, exact products": (SIGNED, Order(6, attention="soft", feedforward="exact")),
    "hard": (SIGNED, Order(6, attention="hard")),
    "tree decoder": (LEAVES, Order(10)),
    "tree decoder, adder": (ADDER, Order(7, format="transformerlens")),
    "tree": (LEAVES, Order(7, "tree", attention="soft")),
    "tree, hard": (LEAVES, Order(7, "tree", attention="hard")),
    "next": (mess3(), Order(6, head="next")),
    "next, llama": (mess3(), Order(6, head="next", format="llama")),
    "next, olmo2": (mess3(), Order(6, head="next", format="olmo2")),
    "next, window": (mess3(), Order(40, head="next", format="olmo2", window=32)),
    "next, one-hot": (TRIGRAM, Order(6, head="next")),
    "next, one-hot gpt2": (TRIGRAM, Order(6, head="next", format="gpt2")),
}
QUESTIONS = {
    "counting": (counting(), 5, Fraction(1, 1000), "relu", None),
    "weather": (WEATHER, 8, Fraction(1, 10**6), "gelu", None),
    "signed": (SIGNED, 6, Fraction(1, 10**4), "tanh", Fraction(5)),
    "adder": (ADDER, 7, Fraction(1, 1000), "silu", None),
    "leaves": (LEAVES, 10, Fraction(1, 10**6), "gelu", None),
}  # fmt: skip


@pytest.fixture(autouse=True)
def many_digits(monkeypatch):
    """Numbers have many digits, and nothing is measured: floats differ from machine to machine."""
    for module in (numbers, certificate):
        monkeypatch.setattr(module, "DIGITS", DIGITS)
    monkeypatch.setattr(certificate, "UPWARDS", Context(prec=DIGITS, rounding=ROUND_CEILING))
    monkeypatch.setattr(certificate, "measurable", lambda model: False)
    monkeypatch.setattr(variation, "measure_variation", lambda model: 0.0)


@pytest.mark.parametrize("name", ORDERS)
def test_an_order_has_its_constants_sizes_and_errors(name):
    automaton, order = ORDERS[name]
    model, guarantee = export.make(automaton, order)
    found = {"constants": asdict(model.constants), "sizes": model.sizes, **asdict(guarantee)}
    agree_with_approved(APPROVED, f"order: {name}", found)


@pytest.mark.parametrize("name", QUESTIONS)
def test_a_question_has_its_answer(name):
    automaton, length, eps, activation, relative = QUESTIONS[name]
    answer = asdict(report(automaton, length, eps, activation, relative=relative))
    answer["quantities"] = [each for each in answer["quantities"] if each["evidence"] != "measured"]
    del answer["picture"]["svg"]
    for each in answer["formats"]:
        del each["measured"], each["suffices"]
    agree_with_approved(APPROVED, f"question: {name}", answer)


def test_the_words_that_a_variation_is_measured_on_are_as_approved():
    words = variation.sample_words(predictor(mess3()), 8)
    agree_with_approved(APPROVED, "words of variations", ["".join(word) for word in words])
