"""Evidence that is seldom given: theorems of which one fails, texts that are too large."""

import pytest

from verify.evidence import coq, folder
from verify.facts.registry import Inputs
from verify.judge.outcome import Outcome


def test_theorems_are_established_together_or_each_by_itself(monkeypatch, tmp_path):
    from verify.coq import compile as coq_compile
    from verify.coq.pins import Pin
    from verify.coq.sources import Refused

    asked = []

    def established(names, place):
        asked.append((names, place))
        if "B.b" in names:
            raise Refused("B.b is not the pinned statement")
        return {name: Pin(f"{name} holds", ("z", "y"), "digest") for name in names}

    monkeypatch.setattr(coq_compile, "established", established)
    inputs = Inputs(None, proofs=tmp_path)
    good = {"statement": "A.a holds", "assumptions": ["y", "z"], "definitions": "digest"}
    assert coq.theorems(inputs, [{"theorem": "A.a"}]) == [Outcome(True, good)]
    found = coq.theorems(inputs, [{"theorem": "A.a"}, {"theorem": "B.b"}])
    assert found == [Outcome(True, good), Outcome(crash="B.b is not the pinned statement")]
    assert asked[-2:] == [(["A.a"], tmp_path), (["B.b"], tmp_path)]


def test_texts_of_a_papers_folder_are_small_and_lie_in_it(tmp_path, monkeypatch):
    with pytest.raises(ValueError, match="no folder"):
        folder.text_of(Inputs(None), "a.txt")
    (tmp_path / "a.txt").write_text("12345678")
    assert folder.text_of(Inputs(None, folder=tmp_path), "a.txt") == "12345678"
    assert folder.LARGEST == 1024 * 1024
    monkeypatch.setattr(folder, "LARGEST", 8)
    assert folder.text_of(Inputs(None, folder=tmp_path), "a.txt")
    monkeypatch.setattr(folder, "LARGEST", 7)
    with pytest.raises(ValueError, match=r"a\.txt has more than 7 bytes"):
        folder.text_of(Inputs(None, folder=tmp_path), "a.txt")
