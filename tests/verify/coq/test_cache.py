"""The cache of compiled chapters: what was stored for a key is found for it, and nothing else is."""

import subprocess
from contextlib import nullcontext

import pytest

from verify.coq import build
from verify.coq.sources import Refused


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


@pytest.mark.parametrize("status", [0, 1, 255])
def test_a_file_that_coq_refuses_is_refused_in_its_words(status, tmp_path, monkeypatch):
    ended = subprocess.CompletedProcess([], status, "", "File line 3\n  is wrong")
    monkeypatch.setattr(build, "run", lambda *_: ended)
    refused = pytest.raises(Refused, match=r"^One\.v: File line 3 is wrong$")
    with refused if status else nullcontext():
        build.compile_file(tmp_path, "One.v")
