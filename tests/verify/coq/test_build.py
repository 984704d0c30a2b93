"""Compiling: only what is needed, once a key, and a clear reason when it does not go through."""

import shutil
import subprocess

import pytest

from verify.coq import build, chapters
from verify.coq.sources import COQ, Refused, files

pytestmark = pytest.mark.coq


@pytest.fixture
def empty_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("ASSAY_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache" / "coq"


@pytest.fixture
def small(tmp_path):
    """A development of two chapters that needs nothing of Coq's library but lists."""
    folder = tmp_path / "small"
    folder.mkdir()
    project = "-Q . Assay\n\n# First: one\nOne.v\nTwo.v\n\n# Second: three\nThree.v\n"
    listed = "From Coq Require Import List.\n"
    sources = {
        "_CoqProject": project,
        "One.v": f"{listed}Definition one := length (1 :: nil).\n",
        "Two.v": f"{listed}From Assay Require Import One.\nDefinition two := one + length (0 :: nil).\n",
        "Three.v": "From Assay Require Two.\nDefinition three := Two.two + 1.\n",
    }
    for name, source in sources.items():
        (folder / name).write_text(source, "utf-8")
    return folder


def test_only_the_chapters_that_are_needed_are_compiled(empty_cache, small):
    with build.compiled(["Two.v"], small) as folder:
        assert {path.stem for path in folder.glob("*.vo")} == {"ChapterFirst"}
    assert not folder.exists()


def test_what_was_compiled_is_not_compiled_again(empty_cache, small, monkeypatch):
    with build.compiled(["Three.v"], small) as folder:
        first = (folder / "ChapterFirst.vo").read_bytes()
    monkeypatch.setattr(build, "compile_file", lambda *_: pytest.fail("compiled again"))
    with build.compiled(["Three.v"], small) as folder:
        assert (folder / "ChapterFirst.vo").read_bytes() == first


def test_the_files_of_a_chapter_are_known_by_their_names(empty_cache, small):
    with build.compiled(["Three.v"], small) as folder:
        asked = 'Redirect "three" Eval compute in (Two.two, Three.three).'
        (folder / "Asked.v").write_text(f"{build.importing(folder)} {asked}\n", "utf-8")
        build.compile_file(folder, "Asked.v")
        assert "(2, 3)" in (folder / "three.out").read_text("utf-8")


def test_a_refused_file_is_named_with_its_line_and_not_kept(empty_cache, small):
    (small / "Two.v").write_text("Definition right := 1.\n\nDefinition wrong := absent.\n", "utf-8")
    for _ in range(2):
        with (
            pytest.raises(Refused, match=r'^Two\.v: File "\./Two\.v", line 3, .*absent'),
            build.compiled(["One.v", "Two.v"], small),
        ):
            pass
    assert not list(empty_cache.rglob("*.vo"))


def test_a_fault_is_no_fault_of_a_file_that_does_not_need_it(empty_cache, small, monkeypatch):
    monkeypatch.setattr(chapters, "unchanged_files", lambda folder: set(files(folder)))
    (small / "Two.v").write_text("Definition wrong := absent.\n", "utf-8")
    with pytest.raises(Refused, match=r"^Two\.v: "), build.compiled(["One.v"], small):
        pass
    with build.compiled(["One.v"], small, complete=False) as folder:
        assert (folder / "ChapterFirst.vo").exists()


def test_a_cache_that_cannot_be_written_is_done_without(tmp_path, small, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("ASSAY_CACHE", str(tmp_path / "file"))
    with build.compiled(["One.v"], small) as folder:
        assert (folder / "ChapterFirst.vo").exists()


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
