"""The data of a paper as the re-checker reads them: plain tables, one text for one value."""

import hashlib

import pytest

from verify.recheck import data
from verify.recheck.data import CANONICAL, Data, fingerprint, hash_of, key, parse, read

TEXTS = {
    "paper.toml": 'title = "T"\n[needs]\ncoq = ["f.a", "f.b"]\ntorch = ["f.c"]\n',
    "b.toml": '[[result]]\nid = "r"\n[[answer]]\nname = "y"\ninstead = "r"\n',
    "a.toml": '[[statement]]\nid = "s"\n[[finding]]\nid = "f"\n[[answer]]\nname = "x"\n'
    '[[observation]]\nid = "o"\n[[figure]]\nid = "g"\n',
    "erratum.tex": "text",
}


def test_one_value_has_one_text():
    assert CANONICAL.encode({"b": [1, "ü"], "a": None}) == '{"a":null,"b":[1,"ü"]}'
    assert fingerprint({"a": 1}) == hashlib.sha256(b'{"a":1}').hexdigest()
    assert key("f.a", {"k": 1}) == f"f.a-{fingerprint(['f.a', {'k': 1}])[:12]}"
    with pytest.raises(ValueError, match="JSON"):
        CANONICAL.encode(float("nan"))


def test_entries_are_gathered_from_all_files_in_the_order_of_their_names():
    found = parse(TEXTS)
    assert found.statements == {"s": {"id": "s", "ours": False}, "r": {"id": "r", "ours": True}}
    assert list(found.statements) == ["s", "r"]
    assert found.answers == [{"instead": "", "name": "x"}, {"instead": "r", "name": "y"}]
    assert [list(each) for each in (found.findings, found.observations, found.figures)] == [
        ["f"], ["o"], ["g"],
    ]  # fmt: skip
    assert found.about["title"] == "T" and found.texts is TEXTS


def test_a_need_is_that_of_the_fact():
    found = parse(TEXTS)
    assert [found.need_of(f"f.{letter}") for letter in "abcd"] == ["coq", "coq", "torch", ""]
    assert Data({}, {}, {}, {}, []).need_of("f.a") == ""


def test_whose_a_statement_is_does_not_count_for_its_hash():
    entry = {"id": "s", "says": "x"}
    assert hash_of({**entry, "ours": True}) == hash_of(entry) == fingerprint(entry)
    assert hash_of({**entry, "says": "y"}) != hash_of(entry)


def test_a_folder_has_its_own_texts_and_the_package_has_its_proofs_too(tmp_path):
    for name, text in TEXTS.items():
        (tmp_path / name).write_text(text, "utf-8")
    (tmp_path / "code.py").write_text("no data")
    assert read(tmp_path).texts == TEXTS
    assert data.PINS in read().texts and "paper.toml" in read().texts
