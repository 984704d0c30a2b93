"""A sentence that leaves out what it must say is refused, even where the judge composes it so."""

import pytest

from verify.recheck import rebuild
from verify.recheck.errors import Refused
from verify.recheck.sentence_rules import check_sentence

ROW = {
    "id": "x", "rank": "proved", "verdict": "proved", "method": "machine-checked", "scope": "all",
    "under": ["T a power of two"], "conditions": ["ReLU"], "notes": ["a begin token"],
    "witness": "", "repair": None, "note": "A begin token.",
    "ours": False,
    "sentence": "X of [1] holds, given T a power of two and ReLU (machine-checked in Coq [2]).",
}  # fmt: skip


def rejected(**changes):
    with pytest.raises(
        Refused, match=r"^x: the (sentence|note) (leaves out|may not say) "
    ) as reason:
        check_sentence({**ROW, **changes})
    return str(reason.value)


def without(part):
    assert part in ROW["sentence"]
    return ROW["sentence"].replace(part, "")


def test_a_sentence_that_says_everything_is_accepted():
    check_sentence(ROW)
    check_sentence({**ROW, "under": ["t a power of two."]})
    check_sentence({**ROW, "rank": "unchecked", "under": ["something else"], "scope": ""})


@pytest.mark.parametrize(
    ("part", "kind"),
    [("T a power of two", "condition"), ("ReLU", "condition"), ("[1]", "reference")],
)
def test_every_condition_and_the_paper_must_be_in_the_sentence(part, kind):
    assert f"the sentence leaves out the {kind} " in rejected(sentence=without(part))


def test_a_condition_in_the_note_is_not_enough():
    hidden = {"sentence": without(" and ReLU"), "note": "A begin token. ReLU."}
    assert "the sentence leaves out the condition 'ReLU'" in rejected(**hidden)


def test_a_note_must_be_in_the_note():
    assert "the note leaves out the note 'a begin token'" in rejected(note="")
    check_sentence({**ROW, "note": "", "sentence": ROW["sentence"] + " A begin token."})


@pytest.mark.parametrize("rank", ["checked", "measured", "repaired"])
def test_a_part_of_the_range_must_be_named(rank):
    said = {
        "rank": rank,
        "verdict": rank,
        "scope": "n ≤ 3",
        "repair": {"says": "x of", "change": "x"},
    }
    assert "the scope 'n \\u2264 3'" in rejected(**said)
    check_sentence({**ROW, **said, "sentence": ROW["sentence"] + " Only n ≤ 3."})
    assumed = {**said, "scope": "all, assuming a mask"}
    assert "the scope 'a mask'" in rejected(**assumed)
    check_sentence({**ROW, **assumed, "sentence": ROW["sentence"] + " Assuming a mask."})


def test_what_the_published_source_says_has_no_range():
    check_sentence({**ROW, "verdict": "confirmed", "scope": "model.py"})


@pytest.mark.parametrize("rank", ["refuted", "repaired"])
def test_a_witness_must_be_given(rank):
    repair = {"says": "x of", "change": "x"}
    said = {"rank": rank, "verdict": rank, "witness": "n = 1.", "repair": repair}
    assert "the note leaves out the witness 'n = 1.'" in rejected(**said)
    check_sentence({**ROW, **said, "note": ROW["note"] + " Witness: n = 1."})
    check_sentence({**ROW, **said, "sentence": ROW["sentence"] + " n = 1 shows it."})


def test_a_repair_must_be_given():
    repair = {"says": "y holds", "change": "y in place of z"}
    said = {"rank": "repaired", "verdict": "repaired", "repair": repair}
    assert "the repair 'y holds'" in rejected(**said)
    whole = {**said, "sentence": ROW["sentence"] + " Y holds."}
    assert "the note leaves out the change 'y in place of z'" in rejected(**whole)
    check_sentence({**ROW, **whole, "note": ROW["note"] + " Changed: y in place of z."})


def test_only_what_coq_checked_is_called_so():
    assert "may not say 'machine-checked in Coq'" in rejected(method="symbolic")


def test_a_result_of_ours_is_not_given_to_the_paper():
    assert "may not say 'of [1] holds'" in rejected(ours=True)
    check_sentence({**ROW, "ours": True, "sentence": without("X of [1] holds")})


def test_a_record_whose_judge_drops_conditions_is_refused(paper, monkeypatch):
    compose = rebuild.sentence
    monkeypatch.setattr(
        rebuild,
        "sentence",
        lambda row, *more: compose({**row, "under": [], "conditions": []}, *more),
    )
    assert ": the sentence leaves out the condition" in paper.refused(*paper.copies())


def test_a_record_whose_judge_drops_notes_is_refused(paper, monkeypatch):
    compose = rebuild.note
    monkeypatch.setattr(rebuild, "note", lambda row, *more: compose({**row, "notes": []}, *more))
    assert ": the note leaves out the note" in paper.refused(*paper.copies())


def test_only_what_lean_checked_is_called_so():
    sentence = ROW["sentence"].replace("Coq", "Lean")
    check_sentence({**ROW, "method": "machine-checked-lean", "sentence": sentence})
    assert "may not say 'machine-checked in Lean'" in rejected(sentence=sentence)
