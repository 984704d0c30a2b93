"""Which statement a user means."""

import pytest

from verify.judge.names import UnknownStatement, below, normal_form, resolve

ROWS = [
    {"id": "thm1", "title": "Hard attention", "numbered": "Theorem 1", "aliases": ["thm1.exact"]},
    {"id": "thm1.proof", "title": "", "numbered": "", "aliases": []},
    {"id": "thm2", "title": "", "numbered": "Theorem 2", "aliases": []},
    {"id": "eq1", "title": "", "numbered": "Equation (1)", "aliases": ["thm2.recursion"]},
    {"id": "tab1.38", "title": "", "numbered": "", "aliases": []},
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
    assert normal_form("Equation (1)") == normal_form("eq. 1") == "eq1"


@pytest.mark.parametrize(
    ("said", "wanted"),
    [("Theorem 2", "thm2"), (" (Corollary 1) ", "cor1"), ("Lemma 3.", "lem3"), ("Table 1.2", "tab1.2"),
     ("Figure 4", "fig4"), ("Definition 3.1", "def3.1"), ("section 3", "section 3"), ("thm", "thm")],
)  # fmt: skip
def test_the_papers_names_have_short_forms_and_others_stay(said, wanted):
    assert normal_form(said) == wanted


def test_several_that_begin_alike_are_offered_and_the_nearest_below_come_first():
    rows = [{"id": f"a.{k}", "title": "", "numbered": "", "aliases": []} for k in range(7)]
    rows.append({"id": "ab", "title": "", "numbered": "", "aliases": []})
    with pytest.raises(UnknownStatement) as unknown:
        resolve("a", rows)
    assert unknown.value.near == ("a.0", "a.1", "a.2", "a.3", "a.4")
    with pytest.raises(UnknownStatement) as unknown:
        resolve("zzzz", rows)
    assert unknown.value.near == ("a.0", "a.1", "a.2")
    assert resolve("ab", rows) == "ab"


def test_what_lies_below_an_alias_is_the_statement_itself_and_below_a_beginning_all():
    assert below("thm2.recursion", ROWS) == ["eq1"]
    assert below("tab1", ROWS) == ["tab1.38"]
