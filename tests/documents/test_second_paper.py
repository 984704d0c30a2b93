"""The example `docs/second-paper`: its verdicts, its second check, and what mutants of it give."""

import json
import shutil
from pathlib import Path

import pytest

from verify.cli import main

FOLDER = Path(__file__).resolve().parents[2] / "docs" / "second-paper"
PROVED = ["claim1", "claim2", "claim3", "claim4", "claim5", "claim6", "claim7", "claim9"]
OURS = ["beyond.epsilon", "beyond.scaled", "beyond.sensitivity.first", "beyond.sensitivity.parity"]
VERDICTS = dict.fromkeys([*PROVED, *OURS], "proved") | {
    "claim8": "repaired",
    "abstract.easy": "no verdict",
    "abstract.open": "unknown",
    "intro.hahn": "unknown",
    "abstract.longer": "not repeated",
    "abstract.translation": "not repeated",
}
# A change of the facts, the statement that it concerns, and what becomes of it.
MUTANTS = [
    ("{PLACE: -1, ONES: 1, SHARE: 1}", "{PLACE: -1, ONES: 1, SHARE: 2}", "claim7", "broken"),
    ("heads[1] - heads[0]", "heads[0] - heads[1]", "claim1", "broken"),
    ("    if word:\n        rows[1][START]", "    if word:\n        rows[-1][START]", "claim9", "broken"),
    ("most < 9 * least", "most < 2 * least", "claim3", "broken"),
]  # fmt: skip


def assay(*command: str, about: Path) -> int:
    return main([*command, "--about", str(about), "--trust"])


def verdicts(report: Path) -> dict[str, str]:
    rows = json.loads((report / "record.json").read_text("utf-8"))["statements"]
    return {row["id"]: row["verdict"] for row in rows}


@pytest.fixture
def paper(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ASSAY_CACHE", str(tmp_path / "cache"))
    return shutil.copytree(
        FOLDER, tmp_path / "paper", ignore=shutil.ignore_patterns("report", "__pycache__")
    )


def test_the_second_paper_has_its_verdicts_and_is_confirmed(
    paper: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert assay("lint", about=paper) == 0
    assert "Nothing is missing." in capsys.readouterr().out
    assert assay("run", "--jobs", "1", about=paper) == 0
    assert verdicts(paper / "report") == VERDICTS
    assert assay("recheck", str(paper / "report"), about=paper) == 0
    assert "17 facts confirmed, 18 statements judged again" in capsys.readouterr().out
    assert main(["cite", "claim8", "--about", str(paper)]) == 1
    assert "for non-empty strings" in capsys.readouterr().out


@pytest.mark.parametrize(("old", "new", "statement", "verdict"), MUTANTS)
def test_a_mutant_changes_the_verdict(
    paper: Path, old: str, new: str, statement: str, verdict: str
) -> None:
    file = paper / "facts.py"
    text = file.read_text("utf-8")
    assert old in text
    file.write_text(text.replace(old, new), "utf-8")
    assay("run", statement, "--jobs", "1", about=paper)
    assert verdicts(paper / "report")[statement] == verdict
