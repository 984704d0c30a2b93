"""Sentences: grammatical, with every condition, and never more than was shown."""

from pathlib import Path

import pytest

from verify.judge.sentence import (
    ASSUMING,
    FIELDS,
    HOW,
    SHARED,
    WORDS,
    begin_clause,
    begin_sentence,
    enumeration,
    note,
    place,
    sentence,
)
from verify.record.source import load, rows

ROOT = Path(__file__).parents[3]
PLAIN = {
    "id": "s",
    "title": "A title",
    "numbered": "Theorem 9",
    "form": "universal",
    "section": "3.2",
    "says": "cats purr",
    "under": [],
    "conditions": [],
    "notes": [],
    "repair": None,
    "cite": {},
    "method": "machine-checked",
    "scope": "all",
    "rank": "proved",
    "verdict": "proved",
    "standing": "proved",
    "through": "",
    "because": "because",
    "reason": "",
    "witness": "",
    "ours": False,
}


NEEDS = {"coq": "Coq", "pautomac": "the PAutomaC data"}


def said(proof=None, **changed):
    row = {**PLAIN, **changed}
    rows = {"s": row, "t": {**PLAIN, "numbered": "Equation (7)"}}
    all_rows = rows if proof is None else {**rows, "s.proof": {**PLAIN, **proof}}
    return sentence(row, all_rows)


def noted(proof=None, **changed):
    row = {**PLAIN, **changed}
    return note(
        row, {"s": row, **({} if proof is None else {"s.proof": {**PLAIN, **proof}})}, NEEDS
    )


def test_what_is_proved_is_said_with_its_method():
    assert said() == "Theorem 9 of [1] holds: cats purr (machine-checked in Coq [2])."


def test_conditions_are_part_of_the_sentence_and_notes_are_not():
    text = said(under=["milk"], conditions=["sun"], notes=["kittens"])
    assert "given milk and sun" in text and "kittens" not in text
    assert noted(under=["milk"], notes=["kittens", "rain"]) == "Kittens. Rain."


def test_what_was_checked_in_part_is_not_called_proved():
    text = said(verdict="checked", rank="checked", scope="T ≤ 8", method="exhaustive")
    assert "checked for T ≤ 8 (all cases checked exactly) and not proved" in text
    assert "holds" not in text


def test_a_repair_says_what_then_holds_and_its_note_witness_and_change():
    repair = {"change": "cats in place of dogs", "says": "cats purr"}
    repaired = {"verdict": "repaired", "rank": "repaired", "repair": repair, "witness": "a dog"}
    assert "does not hold as printed. Corrected: cats purr" in said(**repaired)
    assert noted(**repaired) == "Witness: A dog. Changed: Cats in place of dogs."


def test_a_printed_proof_that_needs_repair_is_named_where_the_statement_is_proved():
    repair = {"change": "cats in place of dogs", "says": "cats purr"}
    proof = {"rank": "repaired", "repair": repair}
    assert said(proof=proof).endswith(" See [2] for corrections of the proof.")
    assert noted(proof=proof) == "The printed proof holds with cats in place of dogs."
    own = said(proof=proof, cite={"proved": "Cats purr [2], with corrections of the proof."})
    assert own == "Cats purr [2], with corrections of the proof."
    assert "the proof" not in said(proof={"rank": "proved"})
    assert "the proof" not in said(rank="checked", proof=proof)


def test_a_condition_of_ours_is_called_an_assumption():
    part = {"verdict": "checked", "rank": "checked", "scope": f"{ASSUMING}milk", "numbered": ""}
    assert "assuming milk (machine-checked in Coq [2]); without this it is not proved" in said(
        **part
    )
    assert "for all" not in said(**part, ours=True)


def test_symbolic_work_on_a_part_is_not_said_to_cover_all_sizes():
    text = said(verdict="checked", rank="checked", scope="T ≤ 8", method="symbolic")
    assert "by symbolic computation" in text and "all sizes" not in text


def test_a_sentence_begins_with_a_capital_unless_it_begins_with_a_symbol():
    assert list(map(begin_sentence, ("cats purr", "a cat", "k cats", "ρ_θ is"))) == [
        "Cats purr", "A cat", "k cats", "ρ_θ is",
    ]  # fmt: skip
    assert begin_sentence("cats, dogs") == "Cats, dogs"
    assert begin_sentence("no cat barks") == "No cat barks" and begin_clause("No cat") == "no cat"
    assert list(map(begin_clause, ("The cat", "AdamW", "A cat"))) == [
        "the cat", "AdamW", "a cat",
    ]  # fmt: skip


def test_what_a_run_lacked_is_named_in_full():
    assert "It needs Coq and the PAutomaC data." in noted(
        verdict="unchecked", rank="unchecked", reason="needs coq, pautomac"
    )


def test_a_lowered_standing_names_what_it_rests_on():
    text = said(standing="refuted", through="t")
    assert text.endswith("It rests on Equation (7) of [1], whose verdict is proved.")


@pytest.mark.parametrize("verdict", [*sorted(set(SHARED) - {"undecided"}), "refuted", "measured"])
def test_every_verdict_has_a_sentence(verdict):
    text = said(verdict=verdict, numbered="", scope="T ≤ 8", witness="a dog")
    assert text.endswith(".") and "{" not in text and "  " not in text


def published():
    return list(rows(load(None)).values())


def test_published_sentences_are_short_enough_to_be_pasted():
    too_long = {row["id"]: n for row in published() if (n := len(row["sentence"].split())) > WORDS}
    assert too_long == {}


@pytest.mark.parametrize("name", ["thm2", "thm3", "beyond.relu", "beyond.relu.trees"])
def test_what_is_said_of_relu_says_what_may_grow_with_what(name):
    (row,) = [row for row in published() if row["id"] == name]
    assert "ReLU" in row["sentence"] and "alphabet" in row["sentence"]


IDIOMS = (
    *(
        "is another than",
        "uses another than",
        "not 0 somewhere",
        "supplied anew",
        "curved activation",
    ),
    *("nothing supplied again", "and it is so", "read in good will"),
)


@pytest.mark.parametrize("idiom", IDIOMS)
def test_no_text_of_the_paper_s_data_or_of_the_documents_has_a_private_idiom(idiom):
    pages = [ROOT / "README.md", *(ROOT / "docs").glob("*.md")]
    data = [*(ROOT / "verify" / "paper").iterdir(), *(ROOT / "reports" / "templates").iterdir()]
    assert len(pages) > 10 and len(data) > 20
    texts = {path.name: path.read_text("utf-8") for path in (*pages, *data)}
    assert [name for name, text in texts.items() if idiom in text] == []


def test_published_sentences_say_the_method_and_are_whole():
    for row in published():
        text = row["sentence"]
        assert text.endswith(".") and ".." not in text, row["id"]
        assert not any(f"{{{name}}}" in text for name in FIELDS), row["id"]
        if row["rank"] == "proved" and row["form"] in ("universal", "asymptotic"):
            assert HOW[row["method"]] in text, row["id"]
        if row["scope"] not in ("", "all") and row["rank"] in ("checked", "measured"):
            covered = row["scope"].removeprefix(ASSUMING)
            assert covered in text or row["verdict"] == "confirmed", row["id"]


def test_every_published_numbered_statement_has_a_sentence_of_its_own():
    numbered = [row for row in published() if row["numbered"]]
    assert len(numbered) >= 20
    assert [row["id"] for row in numbered if row["verdict"] not in row["cite"]] == []


def test_an_ill_formed_definition_comes_with_its_repair():
    repair = {"change": "cats in place of dogs", "says": "cats purr"}
    plain = {"form": "definition", "verdict": "ill-formed", "repair": repair}
    start = "Theorem 9 of [1] is ill-formed as printed [2]."
    assert said(**plain, rank="repaired") == f"{start} Corrected: cats purr."
    assert said(**plain, rank="refuted") == f"{start} The smallest repair is cats in place of dogs."
    assert said(**{**plain, "repair": None}, rank="refuted") == start


@pytest.mark.parametrize(
    ("changed", "text"),
    [
        ({"numbered": ""}, "Cats purr ([1], Section 3.2; machine-checked in Coq [2])."),
        ({"verdict": "well-formed", "numbered": "", "form": "definition"},
         "The definition “A title” of [1] (Section 3.2) is well-formed: cats purr (machine-checked in "
         "Coq [2])."),
        ({"verdict": "refuted"}, "Theorem 9 of [1] does not hold as printed [2]."),
        ({"verdict": "checked", "form": "definition", "scope": "n = 2", "under": ["milk"]},
         "Theorem 9 of [1] reads: cats purr, given milk; it was found well-formed for n = 2 "
         "(machine-checked in Coq [2]) and not in general."),
        ({"verdict": "open", "rank": "open", "form": "measurement"},
         "Cats purr ([1], Section 3.2); by a rule fixed beforehand the runs of [2] do not decide this."),
        ({"verdict": "not repeated", "rank": "unchecked", "form": "measurement", "reason": "No time."},
         "Cats purr ([1], Section 3.2); [2] has not repeated this measurement."),
        ({"verdict": "open", "rank": "open", "numbered": ""},
         "Whether cats purr ([1], Section 3.2) is open [2]."),
        ({"verdict": "confirmed", "because": "The code says so."},
         "Cats purr ([1], Section 3.2); the published source confirms this [2]."),
        ({"verdict": "open", "ours": True, "reason": "r."}, "Whether cats purr is open [2]."),
        ({"verdict": "refuted", "ours": True, "numbered": ""},
         "[1] (Section 3.2) states that cats purr; this does not hold [2]."),
        ({"verdict": "checked", "scope": f"{ASSUMING}milk", "ours": True},
         "Cats purr, assuming milk (machine-checked in Coq [2])."),
        ({"verdict": "measured", "scope": "all", "method": "unheard of", "numbered": ""},
         "Cats purr ([1], Section 3.2); this agrees with measurements for every size ( [2])."),
        ({"verdict": "unchecked", "form": "definition", "reason": "needs coq, rain"},
         "Theorem 9 of [1] reads: cats purr; [2] does not check it."),
    ],
)  # fmt: skip
def test_each_case_has_the_sentence_that_one_would_write(changed, text):
    assert said(**changed) == text


def test_a_note_says_why_there_is_no_verdict_and_what_confirms_one():
    assert noted(verdict="open", rank="open", reason="no time") == "No time."
    assert noted(verdict="confirmed", because="The code says so.") == "The code says so."
    assert noted() == ""


def test_only_a_lowered_standing_is_said():
    assert "rests" not in said(standing="proved", through="t")
    assert "rests" not in said(standing="refuted", through="")
    row = {**PLAIN, "standing": "open", "through": "t"}
    other = {**PLAIN, "numbered": "", "verdict": "open", "section": "Appendix"}
    assert sentence(row, {"t": other}).endswith(
        "It rests on “A title” (appendix) of [1], whose verdict is open."
    )


@pytest.mark.parametrize(
    ("section", "named"),
    [("3.2", "Section 3.2"), ("A", "Appendix A"), ("B.2.1", "Appendix B.2.1"), ("D", "Appendix D"),
     ("E", "Appendix E"), ("Abstract", "abstract"), ("Checklist", "checklist")],
)  # fmt: skip
def test_sections_are_named_as_in_running_text(section, named):
    assert place(section) == named


@pytest.mark.parametrize(
    ("items", "text"),
    [([], ""), (["a"], "a"), (["a", "b"], "a and b"), (["a", "b", "c"], "a, b and c")],
)
def test_phrases_are_joined_as_in_running_text(items, text):
    assert enumeration(items) == text


RANKS = ("broken", "checked", "measured", "open", "proved", "refuted", "unchecked", "vouched")


@pytest.mark.parametrize("rank", RANKS)
def test_a_proof_is_spoken_of_only_where_the_statement_is_proved_and_its_proof_repaired(rank):
    repair = {"change": "cats in place of dogs", "says": "cats purr"}
    mended = {"rank": "repaired", "repair": repair}
    assert bool(noted(proof=mended, rank=rank)) is (rank == "proved")
    assert noted(proof={**mended, "rank": rank}) == ""
