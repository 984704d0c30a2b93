"""Which statement a user means."""

import pytest

from verify.judge.names import UnknownStatement, below, plain, resolve

ROWS = [
    {"id": "thm1", "numbered": "Theorem 1", "aliases": ["thm1.exact"]},
    {"id": "thm1.proof", "numbered": "", "aliases": []},
    {"id": "thm2", "numbered": "Theorem 2", "aliases": []},
    {"id": "eq1", "numbered": "Equation (1)", "aliases": ["thm2.recursion"]},
    {"id": "tab1.38", "numbered": "", "aliases": []},
]


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("thm1", "thm1"),
        ("Theorem 2", "thm2"),
        ("Thm. 2", "thm2"),
        ("Eq. (1)", "eq1"),
        ("equation 1", "eq1"),
        ("thm2.recursion", "eq1"),
        ("THM1", "thm1"),
        ("tab1.38", "tab1.38"),
        ("tab", "tab1.38"),
    ],
)
def test_ids_numbers_old_ids_and_unique_beginnings_are_understood(said, meant):
    assert resolve(said, ROWS) == meant


def test_an_unknown_name_comes_with_what_is_near_the_important_first():
    with pytest.raises(UnknownStatement) as unknown:
        resolve("thm9", ROWS)
    assert unknown.value.near[0] in ("thm1", "thm2")


def test_all_that_lies_below_a_name():
    assert below("thm1", ROWS) == ["thm1", "thm1.proof"]
    assert below("Theorem 2", ROWS) == ["thm2"]


def test_one_form_for_many_spellings():
    assert plain("Equation (1)") == plain("eq. 1") == "eq1"
