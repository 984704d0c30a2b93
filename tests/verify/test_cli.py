"""The command line: whatever is wrong with the input or the place, one line and status 4."""

import io
import json
import os
import resource
import signal
import subprocess
import sys
import time
from contextlib import contextmanager

import pytest

import constructions
from constructions.core.installing import how_to_install
from verify import cli
from verify.cli import main

NINES = "9" * 5000
BIG = {"kind": "wfa", "alpha": ["1e400"], "transitions": {"a": [["1e400"]]}, "beta": [1]}
WIDE = {"kind": "wta", "alpha": [1], "tensor": [[["1e200"]]], "leaves": {"a": ["1e200"]}}


def refusal(capsys, arguments: list[str]) -> str:
    """The one line that refuses a command."""
    try:
        status = main(arguments)
    except SystemExit as stop:  # argparse ends by itself
        status = stop.code
    line = capsys.readouterr().err
    assert status == cli.BAD_INPUT
    assert line.startswith("assay") and line.count("\n") == 1 and len(line) < 600, line
    return line


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["sweep", f"nilpotent:{NINES}", "--length", "2", "--saturation", "1"], "states"),
        (["sweep", f"hmm:2:{NINES}", "--length", "2", "--saturation", "1"], "seed"),
        (["sweep", "counting", "--length", "2", "--saturation", "1e²"], "--saturation"),
        (["sweep", "counting", "--length", "2", "--saturation", f"1:2:{NINES}"], "--saturation"),
        (["sweep", "scalar:1e²", "--length", "2", "--saturation", "1"], "weight"),
        (["sweep", "counting", "--length", str(10**21), "--saturation", "9"], "--length"),
        (["run", "--jobs", str(10**20)], "--jobs"),
        (["run", "--jobs", NINES], "--jobs"),
        (["run", "--out", "/dev/null"], "--out"),
        (["run", "--out", "/proc/none/report"], "--out"),
        (["run", "--out", "n" * 300], "--out"),
        (["list", "--from", "/no/such/folder"], "record.json"),
        (["cite"], "STATEMENT"),
        (["no-such-command\x1b[2J"], "no-such-command"),
    ],
)
def test_bad_arguments_are_refused_in_one_line(capsys, arguments, named):
    line = refusal(capsys, arguments)
    assert named in line
    assert "\x1b" not in line


@pytest.mark.parametrize(
    ("automaton", "construction", "more", "named"),
    [
        (BIG, "exact", [], "float64"),
        (BIG, "decoder", [], "float64"),
        (WIDE, "tree", ["--dtype", "float32"], "3.4e+38"),
        (WIDE, "decoder", ["--dtype", "float32"], "3.4e+38"),
    ],
)
def test_weights_that_no_float_holds_are_not_exported(
    capsys, tmp_path, automaton, construction, more, named
):
    pytest.importorskip("torch")
    file, out = tmp_path / "a.json", tmp_path / "model"
    file.write_text(json.dumps(automaton))
    asked = ["export", str(file), "--length", "4", "--construction", construction, *more]
    assert named in refusal(capsys, [*asked, "--out", str(out)])
    assert not out.exists()


HEAVY = """
import sys
from verify.cli import parser

def heavy():
    return sorted({"matplotlib", "sympy", "torch"} & set(sys.modules))

parser()
print(heavy())
import sympy
print(heavy())
"""


def test_no_command_imports_what_is_heavy_before_it_is_run():
    done = subprocess.run(
        [sys.executable, "-c", HEAVY],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    assert (done.stdout, done.stderr) == ("[]\n['sympy']\n", "")


def test_a_terminal_that_has_few_characters_gets_escapes(monkeypatch):
    raw = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(raw, encoding="ascii"))
    assert main(["show", "thm2"]) == 0
    sys.stdout.flush()
    assert rb"\u" in raw.getvalue()


def test_too_little_memory_is_one_line(monkeypatch, capsys):
    from verify.commands import doctor

    for error in (
        MemoryError(),
        ImportError("libx.so.6: failed to map segment from shared object"),
    ):

        def greedy(_, error=error):
            raise error

        monkeypatch.setattr(doctor, "command", greedy)
        assert "not enough memory" in refusal(capsys, ["doctor"])


@contextmanager
def small_files(size: int = 200):
    """A limit on the size of files stands for a full disk: writing fails half-way."""
    given, most = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, most))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (given, most))


@pytest.mark.parametrize("command", [
    ["explain", "thm1", "--length", "2", "--plot"], ["run", "def2.1", "--jobs", "1", "--out"],
])  # fmt: skip
def test_a_file_system_that_takes_no_more_is_one_line_and_leaves_nothing(
    tmp_path, monkeypatch, capsys, drawn_once, command
):
    monkeypatch.setenv("PATH", "")
    monkeypatch.setenv("ASSAY_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    out = tmp_path / "there" / "out.svg"
    out.parent.mkdir()
    with small_files():
        line = refusal(capsys, [*command, str(out)])
    assert "File too large" in line
    assert list(out.parent.iterdir()) == []


def test_a_command_without_its_extra_says_which_one(monkeypatch, capsys, tmp_path):

    from constructions.automata.families import counting
    from constructions.files.reader import to_json

    for name in [n for n in sys.modules if n.startswith("constructions.exports")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "torch", None)
    file = tmp_path / "counting.json"
    file.write_text(to_json(counting()), "utf-8")
    assert main(["export", str(file), "--length", "2", "--out", str(tmp_path / "out")]) == 4
    assert "pip install '.[torch]' in the clone" in capsys.readouterr().err


def test_an_extra_is_installed_from_the_address_once_there_is_one(monkeypatch):
    monkeypatch.setattr(constructions, "__url__", "https://example.org/assay")
    assert (
        how_to_install("torch") == "pip install 'assay-wfa[torch] @ git+https://example.org/assay'"
    )


def test_without_a_command_the_help_is_printed(capsys):
    assert main([]) == 0
    said = capsys.readouterr()
    assert "usage: assay" in said.out and "automaton" in said.out and not said.err


def test_a_module_of_our_own_that_is_missing_is_no_bad_input(monkeypatch):
    def broken(_):
        raise ModuleNotFoundError("no", name="verify.nothing")

    monkeypatch.setattr("verify.commands.list.command", broken)
    assert main(["list"]) == cli.FAULT


def test_a_job_that_is_told_to_end_is_interrupted_and_the_signal_is_given_back(monkeypatch, capsys):
    def told(*_):
        os.kill(os.getpid(), signal.SIGTERM)
        time.sleep(10)

    before = signal.getsignal(signal.SIGTERM)
    monkeypatch.setattr("verify.record.source.load", told)
    assert main(["list"]) == 143
    assert "interrupted" in capsys.readouterr().err
    assert signal.getsignal(signal.SIGTERM) is before


@pytest.mark.parametrize("asked", [None, "2"])
def test_a_command_uses_one_thread_unless_asked_otherwise(asked: str | None) -> None:
    """Numerical libraries read the number when they are loaded, so nothing may load one before."""
    code = (
        "import os, sys; from verify.cli import main; early = {'numpy', 'torch'} & set(sys.modules); "
        "main(['list']); print(early, os.environ['OMP_NUM_THREADS'], file=sys.stderr)"
    )
    free = {name: value for name, value in os.environ.items() if name != "OMP_NUM_THREADS"}
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=free if asked is None else {**free, "OMP_NUM_THREADS": asked},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stderr == f"set() {asked or 1}\n"
