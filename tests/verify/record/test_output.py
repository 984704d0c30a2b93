"""A run deletes only what a run wrote, and its report is written whole or not at all."""

import errno
import os
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from constructions.core.atomic_files import write_folder
from constructions.core.errors import InputError
from verify.commands.experiment import check_results_folder
from verify.commands.run import default_folder
from verify.record import output

FILES = {"record.json": b"{}", "index.html": b"page", "figures/a.svg": b"<svg/>"}
NAMES = st.sampled_from(
    [
        *("record.json", "index.html", "SHA256SUMS", "notes.txt", "thesis", "erratum.pdf"),
        *(
            "work/thesis.tex",
            "figures/mine.svg",
            "drawings/a.svg",
            "certificates/b.json",
            ".hidden",
        ),
        *("figures/a/b/c", "deep/er/than/that"),
    ]
)


def contents(folder: Path) -> dict[str, bytes]:
    """Every file at any depth; of a link where it leads, of an empty folder that it is one."""
    return {
        str(path.relative_to(folder)): os.readlink(path).encode()
        if path.is_symlink()
        else (b"folder" if path.is_dir() else path.read_bytes())
        for path in folder.rglob("*")
    }


def place(folder: Path, name: str, kind: str) -> None:
    """Put somebody's file, link or folder at a name, in place of what is there."""
    path = folder / name
    for home in reversed(path.relative_to(folder).parents[:-1]):
        if (folder / home).is_file():
            (folder / home).unlink()
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.is_file():
        path.unlink()
    if kind == "folder":
        path.mkdir(exist_ok=True)
    elif kind == "link":
        path.symlink_to(folder.parent)
    else:
        path.write_bytes(b"somebody's")


@example({"thesis": "folder"}, True)
@given(
    st.dictionaries(NAMES, st.sampled_from(["file", "link", "folder"]), min_size=1), st.booleans()
)
def test_whatever_no_run_wrote_is_never_deleted(strange, written):
    with TemporaryDirectory() as home:
        out = Path(home) / "report"
        out.mkdir()
        if written:
            output.replace_folder(out, FILES)
        try:
            for name, kind in strange.items():
                place(out, name, kind)
        except OSError:
            return  # two of these names cannot be together
        before = contents(Path(home))
        with pytest.raises(InputError, match="--out"), output.reserve(out):
            pass
        with pytest.raises(InputError, match="--out"):
            output.replace_folder(out, {"record.json": b"new"})
        assert {k: v for k, v in contents(Path(home)).items() if ".lock" not in k} == before


@given(st.dictionaries(st.sampled_from([*FILES, "report.md", "figures/b.svg"]), st.binary()))
def test_what_a_run_wrote_is_replaced_whole(files):
    with TemporaryDirectory() as home:
        out = Path(home) / "report"
        output.replace_folder(out, FILES)
        with output.reserve(out):
            output.replace_folder(out, {"record.json": b"2"} | files)
        found = contents(out)
        assert {n: c for n, c in found.items() if c != b"folder" or n in files} == {
            "record.json": b"2",
            **files,
            "SHA256SUMS": found["SHA256SUMS"],
        } | ({"figures": b"folder"} if "figures" in files else {})
        assert list(Path(home).iterdir()) == [out]


def test_a_changed_file_is_somebodys(tmp_path):
    output.replace_folder(tmp_path / "r", FILES)
    (tmp_path / "r" / "index.html").write_bytes(b"my page")
    with pytest.raises(InputError, match="changed"), output.reserve(tmp_path / "r"):
        pass


def test_the_digests_are_those_that_sha256sum_prints(tmp_path):
    output.replace_folder(tmp_path / "r", FILES)
    lines = (tmp_path / "r" / "SHA256SUMS").read_text().splitlines()
    assert lines == [f"{sha256(FILES[name]).hexdigest()}  {name}" for name in sorted(FILES)]


def test_files_that_arrive_while_a_run_works_are_not_deleted(tmp_path):
    out = tmp_path / "r"
    with output.reserve(out):
        out.mkdir()
        (out / "thesis.tex").write_text("mine")
        with pytest.raises(InputError, match=r"thesis\.tex"):
            output.replace_folder(out, FILES)
    assert (out / "thesis.tex").read_text() == "mine"


@pytest.mark.parametrize("number", [errno.EROFS, errno.ENOSPC, errno.EACCES, errno.EIO])
@pytest.mark.parametrize("call", ["mkdir", "replace", "rename", "fsync"])
def test_whatever_a_disk_refuses_the_previous_report_stays_whole(
    tmp_path, monkeypatch, number, call
):
    out = tmp_path / "report"
    output.replace_folder(out, FILES)
    before = contents(tmp_path)

    def refused(*_, **__):
        raise OSError(number, os.strerror(number))

    where = {"mkdir": Path, "rename": Path}.get(call, os)
    with monkeypatch.context() as patched, pytest.raises(InputError, match=os.strerror(number)):
        patched.setattr(where, call, refused)
        output.replace_folder(out, {"record.json": b"2"})
    assert contents(tmp_path) == before


@pytest.mark.parametrize("killed_after", [1, 2])
def test_a_kill_between_two_renames_is_put_in_order_by_the_next_run(tmp_path, killed_after):
    """The folder is exchanged by two renames; a child that ends after one of them stands for a kill."""
    out, renames, rename = tmp_path / "report", [], Path.rename
    output.replace_folder(out, FILES)
    child = os.fork()
    if child == 0:

        def counted(self, target):
            rename(self, target)
            renames.append(target)
            if len(renames) == killed_after:
                os._exit(0)

        Path.rename = counted
        output.replace_folder(out, {"record.json": b"2"})
        os._exit(1)
    assert os.waitpid(child, 0)[1] == 0
    with output.reserve(out):
        assert (out / "record.json").read_bytes() == (b"{}" if killed_after == 1 else b"2")
    assert list(tmp_path.iterdir()) == [out]


@pytest.mark.parametrize("name", [".report.swap-mine", f".report.swap-{'a' * 16}"])
def test_a_folder_that_looks_like_a_swap_is_left_alone(tmp_path, name):
    (tmp_path / name).mkdir()
    (tmp_path / name / "thesis.tex").write_text("mine")
    with output.reserve(tmp_path / "report"):
        pass
    assert (tmp_path / name / "thesis.tex").read_text() == "mine"


def test_two_runs_cannot_write_to_one_folder_and_the_lock_is_gone_afterwards(tmp_path):
    with (
        output.reserve(tmp_path / "r"),
        pytest.raises(InputError, match="no other run"),
        output.reserve(tmp_path / "r"),
    ):
        pass
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["x", "x/y", "n" * 300, "n" * 254])
def test_a_place_where_no_folder_can_be_is_refused(tmp_path, name):
    (tmp_path / "x").write_text("")
    with pytest.raises(InputError, match="--out"), output.reserve(tmp_path / name):
        pass


def test_a_linked_folder_that_is_named_stays_a_link(tmp_path):
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    with output.reserve(tmp_path / "link"):
        output.replace_folder(tmp_path / "link", FILES)
    assert (tmp_path / "link").is_symlink() and (tmp_path / "real" / "record.json").exists()


@pytest.mark.parametrize("about", [True, False])
def test_a_link_at_the_default_place_is_refused(tmp_path, monkeypatch, about):
    monkeypatch.chdir(tmp_path)
    (tmp_path / ("report" if about else "assay-report")).symlink_to(tmp_path)
    with pytest.raises(InputError, match="a link"):
        default_folder(tmp_path if about else None)


def test_a_command_that_writes_a_folder_follows_no_link_in_it(tmp_path):
    (tmp_path / "thesis.tex").write_text("mine")
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "load.py").symlink_to(tmp_path / "thesis.tex")
    with pytest.raises(InputError, match=r"load\.py"):
        write_folder(tmp_path / "out", {"a.json": b"", "load.py": b"new"}, "--out")
    assert (tmp_path / "thesis.tex").read_text() == "mine"
    assert not (tmp_path / "out" / "a.json").exists()


@pytest.mark.parametrize("mask", [0o077, 0o022])
def test_permissions_are_those_that_the_mask_leaves(tmp_path, mask):
    before = os.umask(mask)
    try:
        output.replace_folder(tmp_path / "report", FILES)
    finally:
        os.umask(before)
    assert (tmp_path / "report").stat().st_mode & 0o777 == 0o777 & ~mask
    assert (tmp_path / "report" / "record.json").stat().st_mode & 0o777 == 0o666 & ~mask


@pytest.mark.parametrize("name", ["layers.csv", "thesis.tex", "runs"])
def test_an_experiment_writes_into_a_new_folder_or_its_own(tmp_path, name):
    check_results_folder(tmp_path / "none")
    check_results_folder(tmp_path)
    (tmp_path / name).write_text("mine")
    with pytest.raises(InputError, match="--out"):
        check_results_folder(tmp_path)
    (tmp_path / name).unlink()
    (tmp_path / "runs").mkdir()
    (tmp_path / "layers.csv").write_text("")
    check_results_folder(tmp_path)
    (tmp_path / "layers.json").symlink_to(tmp_path / "layers.csv")
    with pytest.raises(InputError, match=r"layers\.json"):
        check_results_folder(tmp_path)
