"""Approved results: equal ones agree, others are named, and the last digits of decimals are free."""

import pytest
from approved_support import APPROVE, agree_with_approved, differences


def test_differences_from_approved_outputs_are_named(tmp_path, monkeypatch):
    place = tmp_path / "approved.json"
    monkeypatch.delenv("CI", raising=False)
    monkeypatch.setenv(APPROVE, "1")
    agree_with_approved(place, "a", {"x": ["1.5", 2]})
    agree_with_approved(place, "b", [1])
    monkeypatch.delenv(APPROVE)
    agree_with_approved(place, "a", {"x": ["1.5", 2]})
    with pytest.raises(AssertionError, match=r"a, \.x\[1\]: found 3, approved 2; ASSAY_APPROVE=1"):
        agree_with_approved(place, "a", {"x": ["1.5", 3]})
    with pytest.raises(AssertionError, match="approved None"):
        agree_with_approved(place, "c", [1])


def test_approval_is_refused_in_ci(tmp_path, monkeypatch):
    place = tmp_path / "approved.json"
    monkeypatch.setenv("CI", "true")
    monkeypatch.setenv(APPROVE, "1")
    with pytest.raises(AssertionError, match="ASSAY_APPROVE=1 where CI is set"):
        agree_with_approved(place, "a", [1])
    assert not place.exists()


@pytest.mark.parametrize(
    ("found", "approved", "same"),
    [
        ("C = 1.000000001 of 2.5e-07", "C = 1.000000002 of 2.5e-07", True),
        ("1.0000001", "1.0000002", False),
        ("2.5e-07", "2.5e-08", False),
        ("1/3", "1/4", False),
        ("1.5 and more", "1.5", False),
        (1, True, False),
        (["1"], ["1", "1"], False),
        ({"x": 1}, {"y": 1}, False),
        (None, None, True),
    ],
)
def test_only_the_last_digits_of_decimals_may_differ(found, approved, same):
    assert (not list(differences(found, approved))) == same
