"""Which facts can be confirmed: those of any paper's evidence, and those of one home."""

import pytest

from verify.recheck import confirmations as known
from verify.recheck.declarations import Confirmation

SHARED = known.ANY_PAPER


def declared(monkeypatch, **facts):
    """Facts by their name, each with the modules that confirm it."""
    found = {
        (module, fact): Confirmation("exact", print, "a word" if fact == "b" else "")
        for fact, modules in facts.items()
        for module in modules
    }
    monkeypatch.setattr(known, "DECLARED", found)
    monkeypatch.setattr(known, "_import", lambda name: None)
    return dict(known._declared("home"))


def test_a_home_is_a_module_or_a_package_and_no_name_that_begins_alike(monkeypatch):
    found = declared(
        monkeypatch, a=["home"], b=[f"{SHARED}.x"], c=["home.part"], d=["homes"], e=["hom"], f=["z"],
        g=["a.home"], h=[f"{SHARED}x"],
    )  # fmt: skip
    assert list(found) == ["a", "b", "c"]


def test_a_fact_has_one_confirmation(monkeypatch):
    assert declared(monkeypatch, a=["home", "elsewhere"])
    with pytest.raises(ValueError, match="a fact is confirmed twice"):
        declared(monkeypatch, a=["home", f"{SHARED}.x"])


def test_a_fact_without_a_confirmation_is_code_of_somebodys_folder():
    assert known.trust_reason("coq.theorem", "") == "Coq, run by --coq"
    assert known.trust_reason("cell.follows", "") == ""
    assert known.trust_reason("squares.suffice", "") == known.FOLDER_CODE
    assert known.trust_reason("squares.suffice", known.TEMPLATE) == ""
    assert set(known.confirmations("")) < set(known.confirmations(known.TEMPLATE))
