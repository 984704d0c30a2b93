"""Chapters: every file in one, after what it requires, with the same text in a module of its own."""

import pytest

from verify.coq import chapters
from verify.coq.sources import COQ, Refused, closure, files


def test_every_file_is_in_one_chapter_after_all_that_it_requires():
    listed = [file for part in chapters.titles().values() for file in part]
    assert tuple(listed) == files()
    for file, required in closure(COQ, files()).items():
        assert all(listed.index(other) < listed.index(file) for other in required), file


def test_chapters_require_only_chapters_before_them():
    parts = chapters.chapters(COQ, files())
    assert [part.name for part in parts] == list(chapters.titles())
    assert chapters.chapter_keys(COQ, parts, "8.16").keys() == chapters.titles().keys()


def test_a_chapter_that_is_listed_too_early_is_named():
    parts = chapters.chapters(COQ, ["Theorem1.v"])
    reason = "ChapterWords is listed before ChapterLibrary, which it requires"
    with pytest.raises(Refused, match=reason):
        chapters.chapter_keys(COQ, parts[::-1], "8.16")


def test_a_file_keeps_its_text_but_for_what_it_requires():
    *_, words = chapters.chapters(COQ, ["Model.v"])
    whole = (COQ / "Model.v").read_text("utf-8")
    inside = words.text.partition("Module Model.\n")[2].partition("\nEnd Model.\n")[0]
    pairs = zip(whole.splitlines(), inside.splitlines(), strict=True)
    changed = [(before, after) for before, after in pairs if before != after]
    assert changed == [
        ("From Coq Require Import Reals ZArith List Lia Lra Arith Bool.", ""),
        ("From Assay Require Import Sums.", "Import Sums."),
    ]
    assert words.below == ("ChapterLibrary", "ChapterNumbers")


def test_what_all_files_import_first_is_imported_once_and_the_rest_by_each():
    _, numbers = chapters.chapters(COQ, ["Sums.v"])
    top, _, rest = numbers.text.partition("\n")
    shared = "From Coq Require Import Reals ZArith List Lia Lra Arith Bool."
    assert top.split(". ")[:2] == [shared[:-1], "From Coq Require Morphisms Setoid"]
    assert rest.count("Import Morphisms Setoid.") == 1
    assert "Import Reals" not in rest


def test_what_is_required_and_not_imported_is_not_imported():
    text = "From Assay Require Sums Gap.\nFrom Assay Require Import Model.\n"
    assert chapters._inside(text, ["Reals"]) == "\nImport Model.\n"
    assert chapters._inside("From Coq Require Import Reals Ring.\n", ["Reals"]) == "Import Ring.\n"


def test_an_unchanged_chapter_is_whole_and_of_a_changed_one_only_what_is_needed(mutant):
    whole = {part.name: part.files for part in chapters.chapters(COQ, ["Attention.v"])}
    below = ("ChapterLibrary", "ChapterNumbers", "ChapterWords")
    assert whole == {name: chapters.titles()[name] for name in below}
    folder = mutant(("Model.v", "Open Scope R_scope.", "Open Scope R_scope. (* changed *)"))
    parts = {part.name: part.files for part in chapters.chapters(folder, ["Attention.v"])}
    assert parts == whole | {"ChapterWords": ("Model.v", "Attention.v")}


def test_a_changed_file_changes_the_key_of_its_chapter_and_of_those_above(mutant):
    folder = mutant(("Gap.v", "Open Scope R_scope.", "Open Scope R_scope. (* changed *)"))
    before, after = (
        chapters.chapter_keys(place, chapters.chapters(place, ["Attention.v", "Trees.v"]), "8.16")
        for place in (COQ, folder)
    )
    same = {name for name in before if before[name] == after[name]}
    assert same == {"ChapterLibrary", "ChapterShapes"}


def test_another_version_or_option_changes_every_key(mutant):
    parts = chapters.chapters(COQ, ["Scan.v"])
    before = chapters.chapter_keys(COQ, parts, "8.16")
    folder = mutant(("_CoqProject", "-Q . Assay", "-Q . Assay -noinit"))
    for after in (
        chapters.chapter_keys(COQ, parts, "8.17"),
        chapters.chapter_keys(folder, parts, "8.16"),
    ):
        assert all(after[name] != before[name] for name in before)


def test_coqs_words_name_the_file_and_its_line():
    _, numbers = chapters.chapters(COQ, ["Gap.v"])
    number = numbers.text.splitlines().index("Module Gap.") + 1 + 7
    words = f'ChapterNumbers.v: File "./ChapterNumbers.v", line {number}, characters 0-3: Error'
    assert numbers.located(words) == 'Gap.v: File "./Gap.v", line 7, characters 0-3: Error'
    for other in (
        "ChapterNumbers.v: coqc was stopped",
        'File "./ChapterNumbers.v", line 1, characters 0',
    ):
        assert numbers.located(other) == other


@pytest.mark.parametrize(
    ("before", "after", "reason"),
    [
        ("# Library: ", "# ", "Compat.v is in no chapter"),
        ("\nGap.v\n", "\n", "Gap.v is in no chapter"),
    ],
)
def test_a_file_in_no_chapter_is_named(mutant, before, after, reason):
    folder = mutant(("_CoqProject", before, after))
    with pytest.raises(Refused, match=f"^_CoqProject: {reason}$"):
        chapters.chapters(folder, ["Attention.v"])
