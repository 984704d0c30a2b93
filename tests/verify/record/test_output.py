"""A report is written whole or not at all, by one run at a time."""

import errno
import os
from pathlib import Path

import pytest
from filelock import FileLock, Timeout

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
@pytest.mark.parametrize("call", ["mkdir", "replace", "rename", "fsync"])
def test_whatever_a_disk_refuses_the_previous_report_stays_whole(
    tmp_path, rendered, monkeypatch, number, call
):
    out = tmp_path / "report"
    output.write_report(out, {"a": 1}, {})
    before = files(out)

    def refused(*_, **__):
        raise OSError(number, os.strerror(number))

    place = {"mkdir": Path, "rename": Path}.get(call, os)
    with monkeypatch.context() as patched, pytest.raises(InputError, match=os.strerror(number)):
        patched.setattr(place, call, refused)
        output.write_report(out, {"a": 2}, {})
    assert files(out) == before and len(list(tmp_path.iterdir())) == 1


def test_a_swap_that_fails_half_way_puts_the_previous_report_back(tmp_path, rendered, monkeypatch):
    out = tmp_path / "report"
    output.write_report(out, {"a": 1}, {})
    before, rename = files(out), Path.rename

    def second_fails(self, target):
        if self.name == "new":
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


def kill_between(monkeypatch, name: str) -> None:
    """Let nothing happen any more once a folder of that name was moved, as after a kill."""
    rename = Path.rename

    def killed(self, target):
        rename(self, target)
        if name in (self.name, Path(target).name):
            monkeypatch.setattr(output, "_clear", lambda *_: None)
            raise KeyboardInterrupt

    monkeypatch.setattr(Path, "rename", killed)


@pytest.mark.parametrize(("moved", "content"), [("old", '"a": 1'), ("new", '"a": 2')])
def test_a_kill_between_two_renames_is_put_in_order_by_the_next_run(
    tmp_path, rendered, monkeypatch, moved, content
):
    out = tmp_path / "report"
    output.write_report(out, {"a": 1}, {})
    with monkeypatch.context() as patched, pytest.raises(KeyboardInterrupt):
        kill_between(patched, moved)
        output.write_report(out, {"a": 2}, {})
    assert len(list(tmp_path.iterdir())) == (2 if moved == "new" else 1)
    with output.reserve(out):
        assert content in files(out)["record.json"]
    assert list(tmp_path.iterdir()) == [out]


def test_only_what_is_left_of_the_same_report_is_cleared(tmp_path, rendered):
    long, longer = "n" * 41, "n" * 42
    for name in ("report", "report2", long, longer):
        (tmp_path / f"{output._prefix(tmp_path / name)}x" / "new").mkdir(parents=True)
    for name in ("report", long):
        with output.reserve(tmp_path / name):
            pass
    left = {path.name for path in tmp_path.iterdir()}
    assert left == {f"{output._prefix(tmp_path / name)}x" for name in ("report2", longer)}


@pytest.mark.parametrize("mask", [0o077, 0o022, 0o027])
def test_permissions_are_those_that_the_mask_leaves(tmp_path, rendered, mask):
    before = os.umask(mask)
    try:
        output.write_report(tmp_path / "report", {"a": 1}, {})
    finally:
        os.umask(before)
    assert (tmp_path / "report").stat().st_mode & 0o777 == 0o777 & ~mask
    assert (tmp_path / "report" / "record.json").stat().st_mode & 0o777 == 0o666 & ~mask


def test_a_linked_folder_stays_a_link(tmp_path, rendered):
    (tmp_path / "real").mkdir()
    link = tmp_path / "link"
    link.symlink_to(tmp_path / "real")
    for number in (1, 2):
        with output.reserve(link):
            output.write_report(link, {"a": number}, {})
    assert link.is_symlink() and '"a": 2' in files(tmp_path / "real")["record.json"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["link", "real"]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_may_not_be_written_to_is_refused(tmp_path):
    tmp_path.chmod(0o500)
    with (
        pytest.raises(InputError, match="--out: found Permission denied"),
        output.reserve(tmp_path / "report"),
    ):
        pass


@pytest.mark.parametrize(("made", "words"), [
    (True, "--out: found .*, expected a folder no other run is writing to"),
    (False, "--out: found .*, expected a place where files can be made"),
])  # fmt: skip
def test_a_lock_that_is_not_had_is_refused(tmp_path, monkeypatch, made, words):
    """Where files cannot be made, the lock is waited for in vain: that is no other run."""

    def refused(self, timeout):
        if made:
            Path(self.lock_file).touch()
        raise Timeout(self.lock_file)

    monkeypatch.setattr(FileLock, "acquire", refused)
    with pytest.raises(InputError, match=words), output.reserve(tmp_path / "r"):
        pytest.fail("a folder was given that is not had")


def test_an_error_of_the_lock_names_the_folder(tmp_path, monkeypatch):
    def refused(self, timeout):
        raise OSError(errno.EACCES, os.strerror(errno.EACCES))

    monkeypatch.setattr(FileLock, "acquire", refused)
    with (
        pytest.raises(InputError, match=r"r: --out: found Permission denied, expected a folder to"),
        output.reserve(tmp_path / "r"),
    ):
        pytest.fail("a folder was given that is not had")


def test_a_report_under_way_is_nobody_elses(tmp_path, rendered, monkeypatch):
    modes, replace = set(), output.replace_file

    def watched(path, content):
        modes.add(path.parents[1].stat().st_mode & 0o777)
        replace(path, content)

    monkeypatch.setattr(output, "replace_file", watched)
    output.write_report(tmp_path / "report", {"a": 1}, {})
    assert modes == {0o700}
