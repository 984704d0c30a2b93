"""A report is written whole or not at all, by one run at a time."""

import errno
import os
import tempfile
from pathlib import Path

import pytest

from constructions.core.errors import InputError
from verify.record import output


@pytest.fixture
def rendered(monkeypatch):
    import reports

    monkeypatch.setattr(reports, "render_all", lambda *_: {"index.html": b"page"})


def files(folder):
    return {p.name: p.read_text() for p in folder.iterdir()}


def test_a_second_report_takes_the_place_of_the_first(tmp_path, rendered):
    out = tmp_path / "report"
    output.write_report(out, {"a": 1}, {})
    output.write_report(out, {"a": 2}, {})
    assert '"a": 2' in files(out)["record.json"] and len(list(tmp_path.iterdir())) == 1


def test_an_error_on_the_way_leaves_the_previous_report_whole(tmp_path, rendered, monkeypatch):
    out = tmp_path / "report"
    output.write_report(out, {"a": 1}, {})
    before = files(out)

    def full(path, content):
        if path.name == "index.html":
            raise OSError(28, "No space left on device")
        path.write_bytes(content)

    monkeypatch.setattr(output, "replace_file", full)
    with pytest.raises(InputError, match="No space left"):
        output.write_report(out, {"a": 2}, {})
    assert files(out) == before and len(list(tmp_path.iterdir())) == 1


@pytest.mark.parametrize(
    "number", [errno.EROFS, errno.ENOSPC, errno.EACCES, errno.EIO, errno.EDQUOT]
)
@pytest.mark.parametrize("call", ["mkdtemp", "replace", "rename", "fsync"])
def test_whatever_a_disk_refuses_the_previous_report_stays_whole(
    tmp_path, rendered, monkeypatch, number, call
):
    out = tmp_path / "report"
    output.write_report(out, {"a": 1}, {})
    before = files(out)

    def refused(*_, **__):
        raise OSError(number, os.strerror(number))

    place = {"mkdtemp": tempfile, "rename": Path}.get(call, os)
    with monkeypatch.context() as patched, pytest.raises(InputError, match=os.strerror(number)):
        patched.setattr(place, call, refused)
        output.write_report(out, {"a": 2}, {})
    assert files(out) == before and len(list(tmp_path.iterdir())) == 1


def test_a_swap_that_fails_half_way_puts_the_previous_report_back(tmp_path, rendered, monkeypatch):
    out = tmp_path / "report"
    output.write_report(out, {"a": 1}, {})
    before, rename = files(out), Path.rename

    def second_fails(self, target):
        if ".new-" in self.name:
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        return rename(self, target)

    with monkeypatch.context() as patched, pytest.raises(InputError):
        patched.setattr(Path, "rename", second_fails)
        output.write_report(out, {"a": 2}, {})
    assert files(out) == before and len(list(tmp_path.iterdir())) == 1


def test_two_runs_cannot_write_to_one_folder(tmp_path):
    with (
        output.reserve(tmp_path / "r"),
        pytest.raises(InputError, match="no other run"),
        output.reserve(tmp_path / "r"),
    ):
        pass


def test_the_lock_is_gone_when_a_run_ends(tmp_path):
    with output.reserve(tmp_path / "r"):
        pass
    with output.reserve(tmp_path / "r"):
        pass
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["notes.txt", "thesis"])
def test_a_folder_with_other_files_is_left_alone(tmp_path, name):
    out = tmp_path / "mine"
    (out / name).mkdir(parents=True)
    with pytest.raises(InputError, match=name), output.reserve(out):
        pass


def test_a_file_is_no_folder(tmp_path):
    (tmp_path / "x").write_text("")
    with pytest.raises(InputError, match="new folder"), output.reserve(tmp_path / "x"):
        pass
    with pytest.raises(InputError), output.reserve(tmp_path / "x" / "y"):
        pass


@pytest.mark.parametrize("name", ["record.json", "index.html"])
def test_a_folder_in_the_place_of_a_report_file_is_somebodys_own(tmp_path, name):
    out = tmp_path / "report"
    (out / name).mkdir(parents=True)
    with pytest.raises(InputError, match=name), output.reserve(out):
        pass
    assert (out / name).is_dir()


def test_a_link_in_the_folder_is_somebodys_own(tmp_path):
    out = tmp_path / "report"
    out.mkdir()
    (out / "record.json").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(InputError, match=r"record\.json"), output.reserve(out):
        pass


def test_an_overlong_name_is_refused(tmp_path):
    with pytest.raises(InputError, match="--out"), output.reserve(tmp_path / ("n" * 300)):
        pass
    with pytest.raises(InputError, match="--out"), output.reserve(tmp_path / ("n" * 254)):
        pass


def test_what_a_report_holds_is_known_to_the_next_run(tmp_path):
    """Every file that is rendered is one that a later run may swap away."""
    import reports_support

    out = tmp_path / "report"
    output.write_report(out, *reports_support.made())
    with output.reserve(out):
        pass
