"""Coq's programs: found by either name, in a clean environment; the checker's summaries of all versions."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from verify.coq import build, checker, programs
from verify.coq.sources import Refused

SUMMARIES = Path(__file__).parent / "summaries"


@pytest.fixture
def installed(tmp_path, monkeypatch):
    """Put programs of some names, which run a line of shell, alone into PATH."""

    def install(**lines):
        for name, line in lines.items():
            path = tmp_path / "bin" / name
            path.parent.mkdir(exist_ok=True)
            path.write_text(f"#!/bin/sh\n{line}\n")
            path.chmod(0o755)
        monkeypatch.setenv("PATH", str(tmp_path / "bin"))
        programs.compiled_library.cache_clear()
        programs.version.cache_clear()

    yield install
    programs.compiled_library.cache_clear()
    programs.version.cache_clear()


def test_programs_are_found_by_either_name(installed, tmp_path):
    installed(rocq='echo "$1 $2"')
    for program, word in (("compile", "compile"), ("check", "check"), ("doc", "doc")):
        assert programs.run(program, ["x"], tmp_path).stdout == f"{word} x\n"
    installed(coqc="echo coqc", rocqchk="echo rocqchk")
    assert programs.run("compile", [], tmp_path).stdout == "coqc\n"
    assert programs.run("check", [], tmp_path).stdout == "rocqchk\n"


def test_a_missing_program_is_named_with_its_package(installed, repository, tmp_path):
    installed()
    assert not build.available() and build.missing() == "coqc is not installed (Debian package coq)"
    with pytest.raises(Refused, match="coqchk is not installed"):
        checker.check_compiled(tmp_path)
    for module in (["verify.coq.compile"], ["verify.coq.graph", str(tmp_path)]):
        run = subprocess.run(
            [sys.executable, "-m", *module], env={"PATH": "", "PYTHONPATH": str(repository)},
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert (run.returncode, run.stdout) == (2, "coqc is not installed (Debian package coq)\n")


@pytest.mark.parametrize("answer", ["exit 1", "true", "echo .", "echo /nowhere", "echo $PWD"])
def test_a_library_that_is_not_found_is_refused(installed, answer):
    installed(coqc=answer)
    with pytest.raises(Refused, match="coqc -where"):
        programs.library_modules()


def test_the_version_depends_on_the_compiled_library(installed, tmp_path):
    library = tmp_path / "library"
    library.mkdir()
    seen = set()
    for content in (b"one", b"two"):
        (library / "Reals.vo").write_bytes(content)
        installed(coqc=f'[ "$1" = -where ] && echo {library} || echo "version 8.16.1"')
        seen.add(programs.version())
        assert programs.version().startswith("version 8.16.1\nlibrary ")
    assert len(seen) == 2 and programs.library_modules() == {"Reals"}


def test_only_a_few_variables_are_passed_on(installed, tmp_path, monkeypatch):
    path = os.environ["PATH"]
    installed(coqc="/usr/bin/env")
    for name in ("COQPATH", "COQLIB", "ROCQPATH", "OCAMLPATH", "XDG_DATA_HOME"):
        monkeypatch.setenv(name, "/elsewhere")
    printed = programs.run("compile", [], tmp_path).stdout
    assert "/elsewhere" not in printed and f"HOME={tmp_path}\n" in printed
    assert f"{programs.MEMORY}={programs.YOUNG}\n" in printed
    monkeypatch.setenv(programs.MEMORY, "v=0")
    assert f"{programs.MEMORY}=v=0\n" in programs.run("compile", [], tmp_path).stdout
    assert path


def test_a_compilation_that_takes_too_long_is_reported_in_one_line(installed, tmp_path):
    installed(coqc="while true; do :; done")
    with pytest.raises(Refused, match=r"^Scan\.v: coqc was stopped after 0\.1 s$"):
        build.compile_file(tmp_path, "Scan.v", seconds=0.1)


# The checker


@pytest.mark.parametrize("path", sorted(SUMMARIES.iterdir()), ids=lambda path: path.stem)
def test_the_summaries_of_several_versions_are_understood(path):
    """All three are as the checkers printed them."""
    checker.check_summary(path.read_text("utf-8"))


REPLACED = [
    ("Set is predicative", "Set is impredicative", "coqchk answered"),
    ("Rewrite rules are not allowed", "Rewrite rules are allowed (subject reduction …)",
     "Theory: Rewrite rules are allowed"),
    ("* Axioms:", "* Axioms:\n    Assay.Own.absurd", r"names the axiom Assay\.Own\.absurd"),
    ("unsafe (co)fixpoints: <none>", "unsafe (co)fixpoints:\n    Assay.Own.loop", r"Assay\.Own\.loop"),
    ("type-in-type: <none>", "type-in-type: Assay.Own.u", r"type-in-type: Assay\.Own\.u"),
    ("* Axioms:", "* Other:", "coqchk: Other"),
]  # fmt: skip


@pytest.mark.parametrize(("old", "new", "reason"), REPLACED)
def test_a_summary_that_differs_in_one_point_is_refused(old, new, reason):
    printed = (SUMMARIES / "rocq-9.2.txt").read_text("utf-8")
    assert printed.count(old) == 1
    with pytest.raises(Refused, match=reason):
        checker.check_summary(printed.replace(old, new))


@pytest.mark.coq
@pytest.mark.parametrize(("text", "reason"), [
    ("Axiom absurd : False.", r"names the axiom Assay\.Own\.absurd"),
    ("Unset Guard Checking. Fixpoint loop (n : nat) : False := loop n.", r"fixpoints: Assay\.Own\.loop"),
    ("Definition one := 1.", "coqchk: "),
])  # fmt: skip
def test_coqchk_refuses_what_a_compiled_file_takes_on_trust_and_a_damaged_one(
    tmp_path, text, reason
):
    (tmp_path / "Own.v").write_text(f"{text}\n", "utf-8")
    build.compile_file(tmp_path, "Own.v")
    if reason == "coqchk: ":
        assert checker.check_compiled(tmp_path) == ["coqchk accepts 1 compiled files"]
        content = bytearray((tmp_path / "Own.vo").read_bytes())
        content[len(content) // 2] ^= 255
        (tmp_path / "Own.vo").write_bytes(content)
    with pytest.raises(Refused, match=reason):
        checker.check_compiled(tmp_path)
