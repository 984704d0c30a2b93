"""Sentences: every condition is in them, and never more than was shown."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sentence_support import expected_rows

from verify.judge.data import FORMS, METHODS
from verify.judge.sentence import (
    ASSUMING,
    FIELDS,
    HOW,
    WORDS,
    begin_clause,
    begin_sentence,
    enumeration,
    fields_of,
    note,
    place,
    sentence,
)
from verify.judge.verdict import Verdict, word

ROOT = Path(__file__).parents[3]
PLAIN = {
    "id": "s", "title": "A title", "numbered": "Theorem 9", "form": "universal", "section": "3.2",
    "says": "cats purr", "under": [], "conditions": [], "notes": [], "repair": None, "cite": {},
    "method": "machine-checked", "scope": "all", "rank": "proved", "verdict": "proved",
    "standing": "proved", "through": "", "because": "because", "reason": "", "witness": "",
    "ours": False,
}  # fmt: skip
REPAIR = {"change": "Dogs in place of cats", "says": "dogs purr"}
NEEDS = {"coq": "Coq", "pautomac": "the PAutomaC data"}
SHOWN = ("proved", "checked", "measured", "vouched", "repaired")
words = st.sampled_from(["milk", "sun and rain", "T ≤ 9", "a warm bed"])


@st.composite
def made_up_rows(draw):
    """Rows as judges make them: the verdict is the form's word for the rank."""
    rank = draw(st.sampled_from([rank for rank in Verdict if rank is not Verdict.NONE]))
    form = draw(st.sampled_from([form for form in FORMS if form != "view"]))
    ours = draw(st.booleans()) and form in ("universal", "asymptotic", "possibility")
    return {
        **PLAIN,
        "form": form, "rank": rank.value, "verdict": word(form, rank), "standing": rank.value,
        "ours": ours and rank not in (Verdict.REPAIRED, Verdict.REFUTED),
        "numbered": draw(st.sampled_from(["", "Theorem 9"])) if not ours else "",
        "under": draw(st.lists(words, max_size=2)),
        "conditions": draw(st.lists(words, max_size=2)),
        "notes": draw(st.lists(words, max_size=2)),
        "method": draw(st.sampled_from(METHODS)),
        "scope": draw(st.sampled_from(["all", "n = 1 … 8", f"{ASSUMING}fur"])),
        "repair": REPAIR if rank is Verdict.REPAIRED else draw(st.sampled_from([None, REPAIR])),
        "witness": "a dog barks" if rank in (Verdict.REPAIRED, Verdict.REFUTED) else "",
    }  # fmt: skip


@given(made_up_rows())
def test_a_sentence_has_every_condition_and_the_part_that_was_shown_and_no_more(row):
    text, behind = sentence(row, {"s": row}), note(row, {"s": row}, NEEDS)
    assert text.endswith(".") and ".." not in text and "{" not in text
    assert "“" not in text and row["title"] not in text  # a title is ours, and no quotation
    if row["rank"] in SHOWN and row["form"] in (
        "universal",
        "possibility",
        "asymptotic",
        "instance",
    ):
        assert all(part in text for part in (*row["under"], *row["conditions"]))
    for part in row["notes"]:
        assert part[1:] in behind
    if (
        row["rank"] in ("checked", "measured")
        and row["scope"] != "all"
        and row["form"] == "universal"
    ):
        assert row["scope"].removeprefix(ASSUMING) in text
    if row["verdict"] == "repaired":
        assert REPAIR["says"] in text and REPAIR["change"] in behind
        assert ("not proved in general" in text) == (row["scope"] != "all")
    for method, how in HOW.items():
        if method.startswith("machine-checked") and method != row["method"]:
            assert how not in text
    if row["method"] == "symbolic" and row["scope"] != "all":
        assert "all sizes" not in text
    if row["ours"] and row["rank"] not in ("refuted", "repaired"):
        assert "[1]" not in text
    if not row["ours"]:
        assert "[1]" in text


@given(made_up_rows(), st.sampled_from(["a dog barks", "", " ".join(["dog"] * 40)]))
def test_what_is_refuted_comes_with_its_witness(row, witness):
    row |= {"rank": "refuted", "verdict": "refuted", "form": "universal", "witness": witness}
    text, behind = sentence(row, {"s": row}), note(row, {"s": row})
    assert ("e.g." in text) == (0 < len(witness.split()) <= 20)
    assert witness.lower() in f"{text} {behind}".lower()


def test_a_statement_may_bring_a_sentence_of_its_own():
    row = {**PLAIN, "cite": {"proved": "{name}: {how}."}}
    assert sentence(row, {"s": row}) == "Theorem 9: machine-checked in Coq."
    assert fields_of("{a} and {b}: {a}") == {"a", "b"} and fields_of("none") == set()


@pytest.mark.parametrize("rank", ["proved", "checked", "refuted"])
def test_a_repaired_proof_is_spoken_of_only_where_the_statement_is_proved(rank):
    row = {**PLAIN, "rank": rank, "verdict": rank}
    rows = {"s": row, "s.proof": {**PLAIN, "rank": "repaired", "repair": REPAIR}}
    assert ("corrections of the proof" in sentence(row, rows)) == (rank == "proved")
    assert (REPAIR["change"] in note(row, rows)) == (rank == "proved")


@pytest.mark.parametrize(("numbered", "ours"), [("Equation (7)", False), ("", False), ("", True)])
def test_a_lowered_standing_names_what_it_rests_on(numbered, ours):
    below = {**PLAIN, "numbered": numbered, "ours": ours, "verdict": "open", "says": "dogs bark"}
    row = {**PLAIN, "standing": "open", "through": "t"}
    text = sentence(row, {"s": row, "t": below})
    assert (numbered or "dogs bark") in text and text.endswith(" is open.")
    assert "rests" not in sentence({**row, "standing": "proved"}, {"t": below})


def test_what_a_run_lacked_is_named_in_full():
    row = {**PLAIN, "verdict": "unchecked", "rank": "unchecked", "reason": "needs coq, pautomac"}
    assert "It needs Coq and the PAutomaC data." in note(row, {"s": row}, NEEDS)


@pytest.mark.parametrize(
    ("section", "named"),
    [("3.2", "Section 3.2"), ("B.2.1", "Appendix B.2.1"), ("D", "Appendix D"), ("Abstract", "abstract")],
)  # fmt: skip
def test_sections_are_named_as_in_running_text(section, named):
    assert place(section) == named


def test_phrases_are_joined_and_begun_as_in_running_text():
    assert list(map(enumeration, ([], ["a"], ["a", "b", "c"]))) == ["", "a", "a, b and c"]
    begun = ["cats purr", "a cat", "k cats", "ρ_θ is", "it's so", "x"]
    assert [*map(begin_sentence, begun)] == [
        "Cats purr",
        "A cat",
        "k cats",
        "ρ_θ is",
        "It's so",
        "x",
    ]
    clauses = ["The cat", "AdamW", "A cat", "X is", "McCulloch said"]
    assert [*map(begin_clause, clauses)] == ["the cat", "AdamW", "a cat", "X is", "McCulloch said"]


# Our own paper


def test_sentences_are_short_enough_to_be_pasted():
    counted = {row["id"]: sum(map(has_letter, row["sentence"].split())) for row in expected_rows()}
    assert {name: number for name, number in counted.items() if number > WORDS} == {}


def has_letter(word_):
    return any(letter.isalnum() for letter in word_)


def test_sentences_carry_their_conditions_and_their_method():
    for row in expected_rows():
        text = row["sentence"]
        assert not any(f"{{{name}}}" in text for name in FIELDS), row["id"]
        if row["rank"] in SHOWN and row["verdict"] not in ("contradicted", "ill-formed"):
            for part in (*row["under"], *row["conditions"]):
                assert part in text, (row["id"], part)
        if row["rank"] == "proved" and row["form"] in ("universal", "asymptotic"):
            assert HOW[row["method"]] in text, row["id"]
        if row["rank"] in ("checked", "measured") and row["verdict"] != "confirmed":
            assert row["scope"].removeprefix(ASSUMING) in text, row["id"]


def test_every_numbered_statement_has_a_sentence_of_its_own():
    numbered = [row for row in expected_rows() if row["numbered"]]
    assert len(numbered) >= 20
    assert [row["id"] for row in numbered if row["verdict"] not in row["cite"]] == []


@pytest.mark.parametrize("name", ["thm2", "thm3", "beyond.relu", "beyond.relu.trees"])
def test_a_sentence_on_relu_has_the_order_of_choices(name):
    (text,) = [row["sentence"] for row in expected_rows() if row["id"] == name]
    assert "ReLU" in text and "alphabet" in text
    if name.startswith("beyond"):
        assert (
            text.index("n₀")
            < text.index("every n ")
            < text.index("width W")
            < text.index("some n-state")
        )


IDIOMS = (
    "another than", "not 0 somewhere", "supplied anew", "curved activation", "read in good will",
    "nothing supplied again", "and it is so", "needs no check",
)  # fmt: skip


@pytest.mark.parametrize("idiom", IDIOMS)
def test_no_text_of_the_paper_s_data_or_of_the_documents_has_a_private_idiom(idiom):
    pages = [ROOT / "README.md", *(ROOT / "docs").glob("*.md")]
    data = [*(ROOT / "verify" / "paper").iterdir(), *(ROOT / "reports" / "templates").iterdir()]
    texts = {path.name: path.read_text("utf-8") for path in (*pages, *data)}
    assert len(texts) > 30 and [name for name, text in texts.items() if idiom in text] == []
