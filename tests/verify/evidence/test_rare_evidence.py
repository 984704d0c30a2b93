"""Evidence that is seldom given: theorems of which one fails, texts that are too large."""

import pytest

from verify.evidence import folder
from verify.facts.registry import Inputs


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
