"""A sentence that leaves out what it must say is refused, even where the judge composes it so."""

import pytest

from verify.recheck import rebuild
from verify.recheck.errors import Refused
from verify.recheck.sentence_rules import check_sentence

ROW = {
    "id": "x", "rank": "proved", "verdict": "proved", "method": "machine-checked", "scope": "all",
    "under": ["T a power of two"], "limits": ["ReLU is open"], "witness": "", "repair": None,
    "ours": False,
    "sentence": "X of [1] holds, given T a power of two (machine-checked in Coq [2]). ReLU is open.",
}  # fmt: skip


def rejected(**changes):
    with pytest.raises(Refused, match=r"^x: the sentence (leaves out|may not say) ") as reason:
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
    [(", given T a power of two", "condition"), ("ReLU is open", "limit"), ("[1]", "reference")],
)
def test_a_condition_a_limit_and_the_paper_must_be_named(part, kind):
    assert f"the {kind} " in rejected(sentence=without(part))


@pytest.mark.parametrize("rank", ["checked", "measured", "repaired"])
def test_a_part_of_the_range_must_be_named(rank):
    said = {"rank": rank, "verdict": rank, "scope": "n ≤ 3", "repair": {"says": "x of"}}
    assert "the scope 'n \\u2264 3'" in rejected(**said)
    check_sentence({**ROW, **said, "sentence": ROW["sentence"] + " Only n ≤ 3."})
    assumed = {**said, "scope": "all, assuming a mask"}
    assert "the scope 'a mask'" in rejected(**assumed)
    check_sentence({**ROW, **assumed, "sentence": ROW["sentence"] + " Assuming a mask."})


def test_what_the_published_source_says_has_no_range():
    check_sentence({**ROW, "verdict": "confirmed", "scope": "model.py"})


@pytest.mark.parametrize("rank", ["refuted", "repaired"])
def test_a_witness_must_be_given(rank):
    said = {"rank": rank, "verdict": rank, "witness": "n = 1.", "repair": {"says": "x of"}}
    assert "the witness 'n = 1.'" in rejected(**said)
    check_sentence({**ROW, **said, "sentence": ROW["sentence"] + " n = 1 shows it."})


def test_a_repair_must_be_given():
    said = {"rank": "repaired", "verdict": "repaired", "repair": {"says": "y holds"}}
    assert "the repair 'y holds'" in rejected(**said)
    check_sentence({**ROW, **said, "sentence": ROW["sentence"] + " Y holds."})


def test_only_what_coq_checked_is_called_so():
    assert "may not say 'machine-checked in Coq'" in rejected(method="symbolic")


def test_a_result_of_ours_is_not_given_to_the_paper():
    assert "may not say 'of [1] holds'" in rejected(ours=True)
    check_sentence({**ROW, "ours": True, "sentence": without("X of [1] holds")})


def test_a_record_whose_judge_drops_limits_is_refused(paper, monkeypatch):
    compose = rebuild.sentence
    monkeypatch.setattr(
        rebuild, "sentence", lambda row, *more: compose({**row, "limits": []}, *more)
    )
    assert ": the sentence leaves out the limit" in paper.refused(*paper.copies())


def test_only_what_lean_checked_is_called_so():
    sentence = ROW["sentence"].replace("Coq", "Lean")
    check_sentence({**ROW, "method": "machine-checked-lean", "sentence": sentence})
    assert "may not say 'machine-checked in Lean'" in rejected(sentence=sentence)
