"""Disks that are full or read-only: one line, status 4, and what was there before stays whole.

The disks are real: small file systems in memory, mounted in a namespace of their own. Where a
system does not allow this, the tests are skipped; `test_output` has the same errors by hand.
"""

import importlib.util
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import reports_support

from constructions.automata.families import counting
from constructions.files.reader import to_json
from verify import cli
from verify.record import output

MOUNT = 'mount -t tmpfs -o "$1" none "$2" && cd "$2" && shift 2 && exec sh -c "$@"'


def on_a_disk(
    options: str, place: Path, script: str, *arguments: str
) -> subprocess.CompletedProcess:
    """Run a script in a namespace in which a disk in memory is mounted at a place."""
    return subprocess.run(
        ["unshare", "-m", "sh", "-c", MOUNT, "sh", options, str(place), script, "sh", *arguments],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )


def possible(folder: Path) -> bool:
    if shutil.which("unshare") is None:
        return False
    return on_a_disk("ro", folder, "! touch x 2>/dev/null").returncode == 0


def mounted(folder: Path) -> Path:
    """A place for a disk, beside an automaton."""
    place = folder / "disk"
    place.mkdir()
    if not possible(place):
        pytest.skip("no file system can be mounted here")
    (folder / "counting.json").write_text(to_json(counting()), "utf-8")
    return place


@pytest.fixture
def disk(tmp_path) -> Path:
    return mounted(tmp_path)


def refusal(status: int, said: str) -> str:
    assert status == cli.BAD_INPUT, said
    assert said.startswith("assay: ") and said.count("\n") == 1, said
    return said


COMMANDS = {
    "run": ["run", "def2.1", "--out", "report"],
    "sweep": ["sweep", "counting", "--length", "2", "--saturation", "9", "--plot", "sweep.svg"],
    "export": ["export", "../counting.json", "--length", "2", "--out", "model"],
    "zoo": ["zoo", "--out", "zoo"],
    "explain": ["explain", "../counting.json", "--word", "01", "--plot", "reads.svg"],
}
ELSEWHERE = ["run", "def2.1", "--jobs", "1", "--out", "../report"]  # keeps results on the disk


ALL = """
import contextlib, io, json, sys
from verify.cli import main
for name, command in json.loads(sys.argv[1]).items():
    with contextlib.redirect_stderr(io.StringIO()) as said, contextlib.redirect_stdout(io.StringIO()) as out:
        status = main(command)
    print(json.dumps([name, status, said.getvalue(), out.getvalue()]))
"""


@pytest.fixture(scope="module")
def read_only(tmp_path_factory) -> tuple[Path, dict[str, list]]:
    """What every command says on a read-only disk; one process imports torch once."""
    place = mounted(tmp_path_factory.mktemp("read-only"))
    asked = {n: c for n, c in COMMANDS.items() if has_torch() or n not in ("export", "zoo")}
    asked["elsewhere"] = ELSEWHERE
    script = f'ASSAY_CACHE="$PWD" PATH= exec "{sys.executable}" -c "$@"'
    ended = on_a_disk("ro", place, script, ALL, json.dumps(asked))
    rows = {name: row for name, *row in map(json.loads, ended.stdout.splitlines())}
    assert list(rows) == list(asked), ended.stderr
    return place.parent, rows


def has_torch() -> bool:
    return importlib.util.find_spec("torch") is not None


@pytest.mark.parametrize("command", COMMANDS)
def test_a_read_only_disk_is_one_line(read_only, command):
    if command not in read_only[1]:
        pytest.skip("torch is not installed")
    status, said, _ = read_only[1][command]
    assert "Read-only file system" in refusal(status, said)


def test_a_run_goes_on_without_a_place_for_kept_results_and_says_so(read_only):
    home, rows = read_only
    status, _, shown = rows["elsewhere"]
    assert status in (0, 1, 2)
    assert "Read-only file system; nothing is kept for later runs" in " ".join(shown.split())
    assert (home / "report" / "record.json").exists()


def contents(folder: Path) -> dict[str, bytes]:
    files = (path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


@pytest.mark.slow
def test_a_disk_that_fills_up_leaves_the_previous_report_whole(disk):
    """The disk has room for the old report and a little more, not for the new one beside it."""
    old = disk.parent / "old"
    output.write_report(old, *reports_support.made())
    size = sum(file.stat().st_size for file in old.rglob("*")) + (256 << 10)
    script = (
        f'cp -r ../old report && ASSAY_CACHE=../kept PATH= "{sys.executable}" -m verify "$@"; '
        "status=$?; /bin/cp -r report ../after; /bin/ls -A > ../listed; exit $status"
    )
    asked = ["run", "def2.1", "--jobs", "1", "--out", "report"]
    ended = on_a_disk(f"size={size}", disk, script, *asked)
    assert "No space left" in refusal(ended.returncode, ended.stderr)
    after = contents(disk.parent / "after")
    assert after == contents(old)
    assert json.loads(after["record.json"])["statements"]
    assert (disk.parent / "listed").read_text() == "report\n"
