"""Files are written whole or not at all, and what goes wrong names the option."""

import errno
import os
from pathlib import Path

import pytest

from constructions.core.atomic_files import (
    cache_folder,
    check_distinct,
    replace_file,
    write_file,
    write_folder,
)
from constructions.core.errors import InputError


def mask() -> int:
    current = os.umask(0o022)
    os.umask(current)
    return current


def test_files_are_written_whole_and_readable(tmp_path: Path) -> None:
    write_folder(tmp_path / "a" / "b", {"file": b"text"}, "--out")
    assert (tmp_path / "a" / "b" / "file").read_bytes() == b"text"
    assert (tmp_path / "a" / "b" / "file").stat().st_mode & 0o777 == 0o666 & ~mask()
    assert [path.name for path in (tmp_path / "a" / "b").iterdir()] == ["file"]


def test_a_missing_folder_is_refused_and_not_made(tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        write_file(tmp_path / "none" / "page.html", b"text", "--html")
    assert "--html: no such folder" in str(caught.value)
    assert list(tmp_path.iterdir()) == []


def test_an_error_leaves_the_previous_file_and_names_the_option(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "file"
    write_file(path, b"old", "--csv")

    def refused(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "replace", refused)
    with pytest.raises(InputError, match="--csv: found No space left on device"):
        write_file(path, b"new", "--csv")
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_an_interruption_after_the_rename_is_raised(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    replace = os.replace

    def interrupted(source: Path, target: Path) -> None:
        replace(source, target)
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "replace", interrupted)
    with pytest.raises(KeyboardInterrupt):
        replace_file(tmp_path / "a.txt", b"new")
    assert [path.name for path in tmp_path.iterdir()] == ["a.txt"]


def test_a_folder_that_cannot_be_made_names_the_option(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(InputError, match="--out: found"):
        write_folder(tmp_path / "file" / "folder", {"a": b""}, "--out")


def test_a_pipe_takes_the_content_as_it_is(tmp_path: Path) -> None:
    replace_file(Path("/dev/null"), b"text")
    assert not Path("/dev/null").is_file()


@pytest.mark.parametrize("mask", [0o077, 0o022, 0o002])
def test_a_file_has_the_permissions_that_the_mask_leaves(tmp_path: Path, mask: int) -> None:
    before = os.umask(mask)
    try:
        replace_file(tmp_path / "file", b"text")
    finally:
        os.umask(before)
    assert (tmp_path / "file").stat().st_mode & 0o777 == 0o666 & ~mask


def test_a_linked_file_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "real" / "page").write_bytes(b"old")
    (tmp_path / "link").symlink_to(tmp_path / "real" / "page")
    write_file(tmp_path / "link", b"new", "--html")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real" / "page").read_bytes() == b"new"


def test_the_input_file_is_not_overwritten(tmp_path: Path) -> None:
    source, link = tmp_path / "w.json", tmp_path / "link"
    source.write_bytes(b"{}")
    link.symlink_to(source)
    for same in (source, link, tmp_path / "." / "w.json"):
        with pytest.raises(InputError, match=r"--html: found .*, expected a file other than"):
            check_distinct(same, "--html", source)
    check_distinct(tmp_path / "page.html", "--html", source)


def test_the_cache_folder_comes_from_three_variables(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("ASSAY_CACHE", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    assert cache_folder() == tmp_path / ".cache" / "assay"
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "x"))
    assert cache_folder() == tmp_path / "x" / "assay"
    monkeypatch.setenv("ASSAY_CACHE", str(tmp_path / "own"))
    assert cache_folder() == tmp_path / "own"
