"""The doctor names what is at hand, and what the lack of a part costs, as the judge has it."""

import json
from pathlib import Path

import pytest

from verify.cli import main
from verify.facts.registry import Inputs
from verify.record import doctor
from verify.record.chosen_paper import choose


def lines(capsys: pytest.CaptureFixture[str]) -> dict[str, str]:
    main(["doctor"])
    printed = capsys.readouterr().out.splitlines()
    return {line.split()[1]: line for line in printed}


def test_every_part_has_a_line_and_nothing_needed_is_missing(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["doctor", "--json"]) == 0
    parts = {part["name"]: part for part in json.loads(capsys.readouterr().out)}
    assert {"python", "sympy", "numpy", "mpmath", "coq", "torch", "paper", "pautomac"} <= set(parts)
    assert parts["mpmath"]["found"] and parts["mpmath"]["purpose"] == "needed"


def test_without_coq_it_says_so_and_how_to_get_it(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "")
    line = lines(capsys)["coq"]
    assert line.startswith("·") and "not here" in line and "Debian package coq" in line


def test_a_needed_package_that_is_missing_is_a_status_of_its_own(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(doctor, "required_packages", lambda: {"no-such-package"})
    assert main(["doctor"]) == 1
    assert "· no-such-package" in capsys.readouterr().out


def test_the_cost_of_a_part_is_the_number_of_verdicts_that_change() -> None:
    paper = choose(None)
    assert doctor.cost(paper, {}) == 0
    assert doctor.cost(paper, {"coq": "no Coq"}) > doctor.cost(paper, {"torch": "no torch"}) > 0


def test_data_that_were_given_are_named_by_their_place() -> None:
    paper = choose(None)
    parts = doctor.needed_parts(paper, Inputs(data={"pautomac": Path("here")}))
    assert {part.name: part.found for part in parts}["pautomac"] == "here"
