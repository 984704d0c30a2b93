"""The cache of compiled chapters: what was stored for a key is found for it, and nothing else is."""

import pytest

from verify.coq import build


@pytest.fixture
def compiled_file(tmp_path):
    path = tmp_path / "Chapter.vo"
    path.write_bytes(b"compiled\nby Coq")
    return path


def test_what_was_stored_for_a_key_is_found_for_it_and_for_no_other(compiled_file, tmp_path):
    place = tmp_path / "cache" / "ab" / "abc.vo"
    assert build.load(place, "abc") is None
    build.store(compiled_file, place, "abc")
    assert build.load(place, "abc") == b"compiled\nby Coq"
    assert build.load(place, "abd") is None


def test_key_and_content_are_kept_apart_in_the_seal():
    assert build.seal("ab", b"c") != build.seal("a", b"bc")
    assert len(build.seal("ab", b"c")) == 65 and build.seal("ab", b"c").endswith(b"\n")


@pytest.mark.parametrize("change", [lambda b: b[:-1], lambda b: b + b"x", lambda b: b"0" + b[1:]])
def test_a_damaged_file_is_not_found(change, compiled_file, tmp_path):
    place = tmp_path / "abc.vo"
    build.store(compiled_file, place, "abc")
    damaged = change(place.read_bytes())
    place.write_bytes(damaged if damaged[:1] != b"0" else b"g" + damaged[1:])
    assert build.load(place, "abc") is None
