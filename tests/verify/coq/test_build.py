"""Compiling: only what is needed, once a key, and a clear reason when it does not go through."""

import shutil
import subprocess

import pytest

from verify.coq import build
from verify.coq.sources import COQ, Refused

pytestmark = pytest.mark.coq


@pytest.fixture
def empty_cache(tmp_path, monkeypatch):
    monkeypatch.setenv(build.CACHE, str(tmp_path / "cache"))
    return tmp_path / "cache" / "coq"


def test_only_the_wanted_files_and_what_they_are_built_on_are_compiled(empty_cache):
    with build.compiled(["Gap.v"]) as folder:
        assert {path.stem for path in folder.glob("*.vo")} == {"Gap"}
    assert not folder.exists()


def test_what_was_compiled_is_not_compiled_again(empty_cache, monkeypatch):
    with build.compiled(["Scan.v"]) as folder:
        first = (folder / "Scan.vo").read_bytes()
    monkeypatch.setattr(build, "compile_file", lambda *_: pytest.fail("compiled again"))
    with build.compiled(["Scan.v"]) as folder:
        assert (folder / "Scan.vo").read_bytes() == first


def test_a_refused_file_is_not_kept(empty_cache, mutant):
    wrong = mutant(("Scan.v", "op (pscan i' (j - 2 ^ i')) (pscan i' j)", "pscan i' j"))
    for _ in range(2):
        with pytest.raises(Refused, match=r"Scan\.v"), build.compiled(["Scan.v"], wrong):
            pass
    assert not list(empty_cache.rglob("*.vo"))


def test_a_cache_that_cannot_be_written_is_done_without(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv(build.CACHE, str(tmp_path / "file"))
    with build.compiled(["Lemma1.v"]) as folder:
        assert (folder / "Lemma1.vo").exists()


def test_files_that_require_each_other_are_refused(mutant):
    old = "Open Scope R_scope."
    folder = mutant(
        ("Sums.v", old, "From Assay Require Import Model."),
    )
    with (
        pytest.raises(Refused, match="files require each other: "),
        build.compiled(["Model.v"], folder),
    ):
        pass


def test_a_compilation_that_takes_too_long_is_reported_in_one_line(tmp_path):
    shutil.copy(COQ / "Scan.v", tmp_path)
    with pytest.raises(Refused, match=r"^Scan\.v: coqc was stopped after 0\.001 s$"):
        build.compile_file(tmp_path, "Scan.v", seconds=0.001)


@pytest.mark.parametrize(("said", "given"), [(None, build.YOUNG), ("v=0", "v=0")])
def test_coq_gets_less_young_memory_unless_the_user_says_otherwise(said, given, monkeypatch):
    seen = {}
    monkeypatch.setattr(subprocess, "run", lambda *_, **options: seen.update(options["env"]))
    monkeypatch.delenv(build.MEMORY, raising=False)
    if said:
        monkeypatch.setenv(build.MEMORY, said)
    build.run(["--version"], COQ, 60)
    assert seen[build.MEMORY] == given


def test_without_coqc_the_package_is_named(monkeypatch):
    monkeypatch.setattr(shutil, "which", lambda _: None)
    assert build.missing() == "coqc is not installed (Debian package coq)"
    monkeypatch.setattr(subprocess, "run", lambda *_: pytest.fail("run without coqc"))
    with pytest.raises(Refused, match="not installed"):
        build.compile_file(COQ, "Scan.v")
