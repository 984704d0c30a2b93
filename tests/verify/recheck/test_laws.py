"""Laws of the re-checker: what is true is confirmed, and nothing else is.

certificates   each is confirmed as it is; with any leaf changed it is refused
records        with any leaf changed, all digests made anew, a record is refused
pages          with any character changed, a page is refused or named
files          whatever lies in a folder, a command ends with a line and a status
"""

import copy
import json
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from grid_support import quick_or_full
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from record_support import BOTH, SMALL

from reports import render_all
from verify.judge import schemas
from verify.recheck import program
from verify.recheck.errors import MALFORMED, Refused
from verify.recheck.folder import compare_folder

pytestmark = pytest.mark.usefixtures("confirmed_once")
CERTIFICATES = [
    (paper, item)
    for paper in BOTH
    for item in paper.certificates["certificates"]
    if item["fact"] in paper.kinds
]
certificates = st.sampled_from(CERTIFICATES)
scalars = st.one_of(
    st.none(), st.booleans(), st.integers(-3, 3), st.just(10**9), st.text(max_size=3),
    st.sampled_from(["0", "1/2", "proved", "x"]),
)  # fmt: skip
values = st.one_of(
    scalars,
    st.lists(scalars, max_size=2),
    st.dictionaries(st.text(max_size=2), scalars, max_size=2),
)


def places(value, path=()):
    """The path of every value in a value, its own among them."""
    yield path
    inside = (
        value.items()
        if isinstance(value, dict)
        else enumerate(value)
        if isinstance(value, list)
        else ()
    )
    for key, part in inside:
        yield from places(part, (*path, key))


@st.composite
def changed(draw, whole):
    """The same with one value changed, left out or added, and where."""
    found = [path for path in places(whole) if path]
    *home, last = draw(st.sampled_from(found))
    made = copy.deepcopy(whole)
    holder = made
    for key in home:
        holder = holder[key]
    old = holder[last]
    near = (
        [old + 1, -old]
        if type(old) is int
        else [f"{old}x", old[:-1]]
        if isinstance(old, str)
        else []
    )
    near += [old[:-1], [*old, 1]] if isinstance(old, list) else []
    near += [{**old, "more": 1}, dict(list(old.items())[1:])] if isinstance(old, dict) else []
    new = draw(st.sampled_from(near) | values if near else values)
    holder[last] = new
    assume(json.dumps(new) != json.dumps(old))
    return made, (*home, last)


@settings(max_examples=quick_or_full(100, 300))
@given(st.data())
def test_a_certificate_with_any_leaf_changed_is_refused(data):
    paper, item = data.draw(certificates)
    part = {name: item[name] for name in ("holds", "values", "witness")}
    other, _ = data.draw(changed(part))
    assume(set(other) == set(part))
    with pytest.raises((Refused, *MALFORMED)):
        paper.alone({**item, **other})


# The schema is compared where a file is read, the digest is made anew, and nobody can know the rest.
NOT_JUDGED = {"schema", "certificates", "rechecker", "profile", "code"}


@settings(max_examples=quick_or_full(100, 300))
@given(st.data())
def test_a_record_with_any_leaf_changed_is_refused(data):
    record, listed = SMALL.copies()
    if data.draw(st.booleans()):
        record, path = data.draw(changed(record))
        assume(path[0] not in NOT_JUDGED)
    else:
        listed, path = data.draw(changed(listed))
        assume(path[0] != "schema")
    SMALL.refused(record, listed)


PAGES = render_all(SMALL.record, SMALL.certificates)


@settings(max_examples=60)
@given(st.sampled_from(sorted(PAGES)), st.data())
def test_a_page_with_any_character_changed_is_refused_or_named(name, data):
    page = PAGES[name].decode()
    place = data.draw(st.integers(0, len(page) - 1))
    new = data.draw(st.sampled_from("aZ0 <>\"'/\n\u202e"))
    assume(page[place] != new and not (page[place].isdigit() or new.isdigit()))
    with TemporaryDirectory() as home:
        folder = Path(home)
        (folder / "figures").mkdir()
        for other, content in PAGES.items():
            (folder / other).write_bytes(content)
        (folder / name).write_text(page[:place] + new + page[place + 1 :], "utf-8")
        try:
            assert compare_folder(folder, PAGES, ()).unconfirmed
        except Refused as error:
            assert name in str(error)


@settings(max_examples=100)
@given(st.dictionaries(st.sampled_from(sorted(SMALL.record)), values), values, st.booleans())
def test_no_folder_ends_with_a_traceback(change, listed, binary):
    with TemporaryDirectory() as home:
        folder = Path(home)
        record = {**SMALL.record, **change}
        (folder / "record.json").write_text(json.dumps(record))
        body = {"schema": schemas.CERTIFICATES, "certificates": listed}
        (folder / "certificates.json").write_bytes(b"\xff" if binary else json.dumps(body).encode())
        assert program.main(folder, quiet=True, about=SMALL.about) in (1, 4)
