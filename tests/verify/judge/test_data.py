"""What the paper's data consist of: texts, keys and scopes by hand, and nothing can be changed."""

import hashlib

import pytest

from verify.judge import data
from verify.judge.data import (
    Binding,
    canonical,
    digest,
    fill_template,
    key_of,
    value_text,
)

PLAIN = {"fact": "f", "covers": "all", "method": "exact", "because": "b"}


def bound(**changed):
    return Binding(**{**PLAIN, **changed})


def test_one_value_has_one_text_without_spaces_and_with_sorted_keys():
    assert canonical({"b": [1, "ü"], "a": None}) == '{"a":null,"b":[1,"ü"]}'
    assert digest({"a": 1}) == hashlib.sha256(b'{"a":1}').hexdigest()
    assert digest({"x": 1, "y": 2}) == digest({"y": 2, "x": 1}) != digest({"x": 2, "y": 1})


def test_a_key_is_the_fact_and_twelve_digits_of_what_it_is_asked():
    key = key_of("tree.rule", {"leaves": 3})
    assert key == f"tree.rule-{digest(['tree.rule', {'leaves': 3}])[:12]}"
    assert key != key_of("tree.rule", {"leaves": 4})
    assert bound(parameters={"k": 1}).key == key_of("f", {"k": 1})


@pytest.mark.parametrize(
    ("value", "text"),
    [(3, "3"), ([1, 2, 3], "1, 2, 3"), ((1, [2, 3]), "1, 2, 3"), ({"n": 2, "T": [1, 2]}, "n = 2, T = 1, 2"),
     ("a", "a"), ([], "")],
)  # fmt: skip
def test_values_stand_in_a_sentence_as_a_reader_writes_them(value, text):
    assert value_text(value) == text
    assert fill_template("x: {v}.", {"v": value, "other": 1}) == f"x: {text}."


def test_the_whole_range_is_covered_only_without_conditions_of_ours():
    assert bound().whole and not bound(assumes=("x",)).whole
    assert not bound(covers="T ≤ {most}", parameters={"most": 8}).whole


def test_the_scope_has_its_numbers_and_what_is_assumed():
    assert bound().scope == "all"
    part = bound(covers="T ≤ {most}", parameters={"most": 8}, assumes=("milk",))
    assert part.scope == "T ≤ 8, assuming milk"


def test_methods_for_all_sizes_are_rigorous_and_all_methods_are_ordered():
    assert data.FOR_ALL_SIZES < data.RIGOROUS < set(data.METHODS)
    assert set(data.METHODS[:6]) == data.RIGOROUS
    assert data.GRADES == ("material", "gap", "slip")
