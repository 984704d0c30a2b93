"""The one test that says whether the published record is of this commit, and what mends it."""

import pytest
from record_support import LIVE, PUBLISHED, RECORD

MARKS = ("rechecker", "base", "missing", "profile", "certificates")


def differing(part, key):
    """The ids of entries that differ, are new or are gone; what was not run again is no difference."""
    one, other = ({row["id"]: {**row, "inherited": None} for row in record[part]}
                  for record in (RECORD, LIVE.record))  # fmt: skip
    return [name for name in {**other, **one} if one.get(name) != other.get(name)]


def stale():
    """The parts of the published record that are not what the data give now."""
    listed = {part: differing(part, "id") for part in ("statements", "findings", "observations",
                                                       "figures")}  # fmt: skip
    others = [name for name in LIVE.record if name not in (*MARKS, *listed)]
    return listed, [name for name in others if RECORD.get(name) != LIVE.record[name]]


def test_the_published_record_is_of_this_commit():
    listed, others = stale()
    touched = {name for finding in LIVE.record["findings"] if finding["id"] in listed["findings"]
               for name in finding["touches"]}  # fmt: skip
    ids = sorted({*listed["statements"], *touched} & {r["id"] for r in LIVE.record["statements"]})
    named = " ".join(ids) or "thm1"
    if any(listed.values()) or others:
        what = {part: names for part, names in listed.items() if names}
        pytest.fail(
            f"published is not of this commit: {what} {others}; "
            f"assay run {named} --update --out reports/published",
            pytrace=False,
        )
    asked = {item["key"] for item in LIVE.certificates["certificates"]}
    assert set(PUBLISHED) <= asked, "published has certificates that nothing asks for"
