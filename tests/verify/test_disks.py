"""Disks that are full or read-only: one line, status 4, and what was there before stays whole.

The disks are real: small file systems in memory, mounted in a namespace of their own. Where a
system does not allow this, the tests are skipped; `test_output` has the same errors by hand.
"""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import reports_support

from constructions.families import counting
from constructions.reader import to_json
from verify import cli, output

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


@pytest.fixture
def disk(tmp_path) -> Path:
    place = tmp_path / "disk"
    place.mkdir()
    if not possible(place):
        pytest.skip("no file system can be mounted here")
    (tmp_path / "counting.json").write_text(to_json(counting()), "utf-8")
    return place


def refusal(ended: subprocess.CompletedProcess) -> str:
    assert ended.returncode == cli.BAD_INPUT, ended.stderr
    assert ended.stderr.startswith("verify: ") and ended.stderr.count("\n") == 1, ended.stderr
    return ended.stderr


COMMANDS = {
    "run": ["run", "def2.1", "--out", "report"],
    "draw": ["draw", "[ab]", "--out", "tree.svg"],
    "sweep": ["sweep", "counting", "--length", "2", "--saturation", "9", "--csv", "table.csv"],
    "export": ["export", "../counting.json", "--length", "2", "--out", "model"],
    "zoo": ["zoo", "--out", "zoo"],
    "explain": ["explain", "../counting.json", "--word", "01", "--plot", "reads.svg"],
}


@pytest.mark.parametrize("command", COMMANDS)
def test_a_read_only_disk_is_one_line(disk, command):
    if command in ("export", "zoo"):
        pytest.importorskip("torch")
    script = f'exec "{sys.executable}" -m verify "$@"'
    assert "Read-only file system" in refusal(on_a_disk("ro", disk, script, *COMMANDS[command]))


def test_a_read_only_place_for_kept_results_is_one_line(disk):
    script = f'ASSAY_CACHE="$PWD" PATH= exec "{sys.executable}" -m verify "$@"'
    asked = ["run", "def2.1", "--jobs", "1", "--out", str(disk.parent / "report")]
    line = refusal(on_a_disk("ro", disk, script, *asked))
    assert "Read-only file system" in line and "ASSAY_CACHE" in line
    assert not (disk.parent / "report").exists()


def contents(folder: Path) -> dict[str, bytes]:
    files = (path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


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
    assert "No space left" in refusal(on_a_disk(f"size={size}", disk, script, *asked))
    after = contents(disk.parent / "after")
    assert after == contents(old)
    assert json.loads(after["record.json"])["statements"]
    assert (disk.parent / "listed").read_text() == "report\n"
