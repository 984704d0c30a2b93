"""The header of a record, field by field, beside the data of a small paper."""

import pytest

from constructions.core.installing import how_to_install
from verify.recheck import header
from verify.recheck.errors import Refused
from verify.recheck.header import FULL, MISSING

CITED = {"key": "k", "text": " A, {version}. ", "bibtex": "@misc{k}"}
ABOUT = {
    "title": "T", "venue": "V", "year": 2024, "authors": ["A"], "source": {"sha256": "0"},
    "paper": CITED, "check": CITED,
    "data": {"words": {"name": "the words", "variable": "WORDS"}},
}  # fmt: skip
HEADER = {
    "assay": header.version(), "paper": header.head(ABOUT), "erratum": "text",
    "rechecker": {"lines": 7}, "base": "", "code": "", "missing": {},
    "profile": "full",
}  # fmt: skip
NO_WORDS = "data not given (--data words=DIR, or WORDS)"


def checked(long=True, **changed):
    header.check_header({**HEADER, **changed}, ABOUT, "text", long)


@pytest.mark.parametrize(
    ("field", "read", "beyond"),
    [
        ("rechecker", [{"lines": 1}, {"lines": 10**6}], [{"lines": 0}, {"lines": 10**6 + 1}, {}]),
        ("base", ["published", "earlier"], ["other", None]),
        ("code", ["0123456789abcdef" * 4], ["0" * 63, "0" * 65, "A" * 64, None]),
        ("missing", [{}, {"words": NO_WORDS}, {"coq": MISSING["coq"]}],
         [{"other": ""}, {"words": "why not"}, {FULL: MISSING[FULL]}]),
        ("profile", ["full"], ["quick", "slow"]),
        ("assay", [header.version()], ["0"]),
        ("erratum", ["text"], [""]),
        ("paper", [header.head(ABOUT)], [{}]),
    ],
)  # fmt: skip
def test_each_field_is_read_within_its_range(field, read, beyond):
    for value in read:
        checked(**{field: value})
    for value in beyond:
        with pytest.raises(Refused):
            checked(**{field: value})


def test_the_full_profile_is_missing_where_another_leaves_something_to_it():
    left = {FULL: MISSING[FULL]}
    checked(profile="quick", missing=left)
    checked(profile="quick", long=False)
    for changed in ({"missing": left, "long": False}, {"missing": left, "profile": "full"}):
        with pytest.raises(Refused, match="missing: full profile"):
            checked(**{"profile": "quick", **changed})


def test_the_head_of_a_paper_has_every_field_and_this_version():
    text = f"A, {header.version()}."
    assert header.head({**ABOUT, "url": "u"}) == {
        "title": "T", "venue": "V", "year": 2024, "authors": ["A"], "url": "u",
        "tools": {}, "first_figures": [],
        "source": {"name": "", "file": "", "sha256": "0"},
        "paper": {**CITED, "text": text}, "check": {"name": "Assay", **CITED, "text": text},
    }  # fmt: skip
    assert header.head(ABOUT)["url"] == ""


def test_needs_of_a_paper_stand_beside_the_common_ones():
    torch = f"torch is not installed; {how_to_install('torch')}"  # computed twice, as the rest
    assert header.reasons_of(ABOUT) == {**MISSING, "torch": torch, "words": NO_WORDS}
    assert header.need_names(ABOUT) == {**header.NEEDS, "words": "the words"}
    assert header.need_names({}) == header.NEEDS
