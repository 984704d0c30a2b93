"""What becomes of the output changes no exit status: a refusal stays one when nobody reads it."""

import json
import os
import shutil
import subprocess
import sys
from importlib.resources import files
from pathlib import Path

import pytest

from verify import cli
from verify.cli import main


def shell(line: str, *arguments: str, **more: str) -> subprocess.CompletedProcess[str]:
    """Run a line of bash in which `$1` is Python and the arguments are "${@:2}"."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), **more}
    command = ["bash", "-c", line, "bash", sys.executable, *arguments]
    return subprocess.run(command, capture_output=True, text=True, env=environment, timeout=120)


@pytest.fixture(scope="module")
def forged(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A folder whose record says that it is of another version, which is refused at once."""
    folder = tmp_path_factory.mktemp("forged")
    for name in ("record.json", "certificates.json"):
        shutil.copy(str(files("reports") / "published" / name), folder)
    record = json.loads((folder / "record.json").read_text())
    (folder / "record.json").write_text(json.dumps({**record, "assay": "0.0"}))
    return str(folder)


ENDINGS = {
    "a pipe that nobody reads": '"$1" -m verify "${@:2}" | true; exit ${PIPESTATUS[0]}',
    "both streams into it": '"$1" -m verify "${@:2}" 2>&1 | true; exit ${PIPESTATUS[0]}',
    "no standard output": '"$1" -m verify "${@:2}" >&-',
    "no stream at all": '"$1" -m verify "${@:2}" >&- 2>&- <&-',
    "a full disk": '"$1" -m verify "${@:2}" >/dev/full 2>/dev/full',
    "a stream that can only be read": '"$1" -m verify "${@:2}" 1</dev/null',
}


@pytest.mark.parametrize("unbuffered", ["", pytest.param("1", marks=pytest.mark.slow)])
@pytest.mark.parametrize("line", ENDINGS.values(), ids=ENDINGS.keys())
def test_a_refusal_stays_one_whatever_becomes_of_the_output(forged, line, unbuffered):
    assert shell(line, "recheck", forged, PYTHONUNBUFFERED=unbuffered).returncode == 1


@pytest.mark.parametrize("line", [
    pytest.param(line, id=name, marks=() if number < 2 else pytest.mark.slow)
    for number, (name, line) in enumerate(list(ENDINGS.items())[:4])
])  # fmt: skip
def test_an_answer_that_nobody_reads_is_the_same_answer(line):
    assert shell(line, "cite", "thm1").returncode == 0
    assert shell(line, "cite", "eq1").returncode == 1
    assert shell(line, "sweep", "hmm:2:7", "--length", "2", "--saturation", "9").returncode == 0
    assert shell(line, "cite", "nothing").returncode == cli.BAD_INPUT


def test_an_answer_that_a_disk_did_not_take_is_no_success():
    ended = shell('"$1" -m verify "${@:2}" >/dev/full', "cite", "thm1")
    assert ended.returncode == cli.BAD_INPUT
    assert ended.stderr == "assay: standard output: No space left on device\n"


def test_a_pipe_that_is_full_and_does_not_block_gets_everything():
    """Node and some terminals share such pipes; Python alone gives up half-way."""
    read, write = os.pipe()
    os.set_blocking(write, False)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-m", "verify", "list", "--json"]
    with subprocess.Popen(command, stdout=write, stderr=subprocess.PIPE, env=environment) as run:
        os.close(write)
        with os.fdopen(read, "rb") as reader:
            text = reader.read()
        assert (run.wait(), run.stderr.read()) == (0, b"")
    assert len(text) > 1 << 16 and isinstance(json.loads(text), list)


def broken(_):
    raise KeyError("a name\x1b[2J that nobody has")


def test_a_fault_of_ours_is_one_line_and_no_answer(monkeypatch, capsys):
    monkeypatch.setattr("verify.commands.list.command", broken)
    assert main(["list"]) == cli.FAULT not in (0, 1, 2, 3, 4)
    line = capsys.readouterr().err
    assert line.startswith("assay: a fault of this program") and line.count("\n") == 1
    assert "KeyError" in line and "\x1b" not in line


def test_a_fault_shows_its_place_when_asked(monkeypatch, capsys):
    monkeypatch.setattr("verify.commands.list.command", broken)
    monkeypatch.setenv("ASSAY_DEBUG", "1")
    assert main(["list"]) == cli.FAULT
    assert f'"{__file__}", line' in capsys.readouterr().err


def test_the_statuses_are_told_by_the_help(capsys):
    with pytest.raises(SystemExit):
        main(["--help"])
    said = capsys.readouterr().out
    assert f"\n  {cli.FAULT}   a fault of this program; ASSAY_DEBUG=1" in said


def test_a_file_that_may_not_be_read_is_named(tmp_path, monkeypatch, capsys):
    def refused(_):
        Path(tmp_path / "no").read_text()

    monkeypatch.setattr("verify.commands.list.command", refused)
    assert main(["list"]) == cli.BAD_INPUT
    assert f"{tmp_path / 'no'}: No such file" in capsys.readouterr().err


def test_a_wrong_backend_of_matplotlib_draws_all_the_same(tmp_path):
    asked = ["precision", "scalar:2", "--lengths", "2:8", "--plot", str(tmp_path / "x.svg")]
    ended = shell('"$1" -m verify "${@:2}"', *asked, MPLBACKEND="nonsense")
    assert (ended.returncode, ended.stderr) == (0, "")
