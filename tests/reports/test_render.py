"""The renderings: same record, same bytes, and nothing of a record is obeyed."""

from __future__ import annotations

import copy
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest

import reports
from reports import RecordError, render_all

HERE = Path(__file__).parent
GOLDEN = HERE / "golden"
NAMES = [
    "index.html", "report.md", "assay.tex", "junit.xml",
    "figures/error-ratio.svg", "figures/error-C.svg", "drawings/two-heads.svg",
]  # fmt: skip
Record = dict[str, Any]
needs_pdflatex = pytest.mark.skipif(
    not shutil.which("pdflatex"), reason="pdflatex is not installed; LaTeX is no requirement"
)


def test_the_files_are_those_that_are_promised(files: dict[str, bytes]) -> None:
    assert list(files) == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_a_rendering_is_its_golden_file(name: str, files: dict[str, bytes]) -> None:
    found = files[name]
    path = GOLDEN / name
    if os.environ.get("ASSAY_UPDATE_GOLDEN") == "1":
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(found)
    assert found == path.read_bytes(), f"{name} changed; look at it, then ASSAY_UPDATE_GOLDEN=1"


def test_two_renderings_are_equal(large: Record) -> None:
    assert render_all(large) == render_all(copy.deepcopy(large))


def test_a_rendering_does_not_depend_on_the_process(files: dict[str, bytes]) -> None:
    program = (
        "import hashlib, json, sys; from reports import render_all;"
        "files = render_all(json.load(open(sys.argv[1], encoding='utf-8')));"
        "print(json.dumps({k: hashlib.sha256(v).hexdigest() for k, v in files.items()}))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(HERE / "data" / "record.json")],
        env={**os.environ, "PYTHONHASHSEED": "7", "TZ": "UTC7", "LC_ALL": "C.UTF-8"},
        cwd=HERE.parent.parent, capture_output=True, text=True, check=True,
    )  # fmt: skip
    here = {name: hashlib.sha256(data).hexdigest() for name, data in files.items()}
    assert json.loads(done.stdout) == here


def test_a_rendering_does_not_change_the_record(record: Record) -> None:
    before = json.dumps(record)
    render_all(record)
    assert json.dumps(record) == before


def test_another_verdict_is_another_report(record: Record, files: dict[str, bytes]) -> None:
    before = files
    record["claims"][1]["verdict"] = "refuted"
    after = render_all(record)
    changed = {"index.html", "report.md", "assay.tex", "junit.xml"}
    assert {name for name in before if before[name] != after[name]} == changed


def test_a_record_that_breaks_its_schema_is_not_rendered(record: Record) -> None:
    record["claims"][0]["verdict"] = "probably"
    with pytest.raises(RecordError, match="probably"):
        render_all(record)


def test_the_reports_import_neither_verify_nor_constructions() -> None:
    for path in Path(reports.__file__).parent.glob("*.py"):
        source = path.read_text("utf-8")
        assert not re.search(r"^\s*(from|import) (verify|constructions)", source, re.M), path


def test_html_shows_hostile_text_as_text(files: dict[str, bytes]) -> None:
    page = files["index.html"].decode()
    assert page.count("<script") == 1
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page
    assert "<img src=x" not in page
    assert "{{ 7 * 7 }}" in page
    assert not re.search(r"\b(src|href)=\"(?!#|data:,)", page)


def test_svg_shows_hostile_text_as_text(files: dict[str, bytes]) -> None:
    for name, data in files.items():
        if name.endswith(".svg"):
            tags = {element.tag.rsplit("}")[-1] for element in ET.fromstring(data).iter()}
            assert not tags & {"script", "b", "image", "foreignObject"}


def test_markdown_shows_hostile_text_as_text(record: Record, files: dict[str, bytes]) -> None:
    text = files["report.md"].decode()
    assert set(re.findall(r"</?\w+[^>]*>", text)) == {
        f'<a id="{claim["id"]}">' for claim in record["claims"]
    } | {"</a>"}
    assert "](javascript:" not in text.replace(r"\](javascript:", "")


def test_every_markdown_table_row_has_as_many_cells_as_its_head(files: dict[str, bytes]) -> None:
    text = files["report.md"].decode()
    for block in re.findall(r"(?:^\|.*\n)+", text, re.M):
        widths = {len(re.findall(r"(?<!\\)\|", line)) for line in block.splitlines()}
        assert len(widths) == 1, block


def test_the_latex_file_is_ascii_with_one_macro_for_each_claim(
    record: Record, files: dict[str, bytes]
) -> None:
    text = files["assay.tex"].decode("ascii")
    assert re.findall(r"^\\assay@set\{([^}]*)\}\{([^}]*)\}", text, re.M) == [
        (claim["id"], claim["verdict"]) for claim in record["claims"]
    ]
    assert r"\end{document}" not in text


def typeset(folder: Path, macros: bytes, body: str, engine: str = "pdflatex") -> str:
    """The log of a paper that uses the macros."""
    (folder / "assay.tex").write_bytes(macros)
    (folder / "paper.tex").write_text(
        "\\documentclass{article}\\usepackage{longtable}\\input{assay}\\begin{document}\n"
        f"{body}\n\\end{{document}}\n"
    )
    done = subprocess.run(
        [engine, "-halt-on-error", "-no-shell-escape", "-interaction=nonstopmode", "paper.tex"],
        cwd=folder, capture_output=True, text=True, timeout=120,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-2000:]
    return (folder / "paper.log").read_text("latin-1")


def every_macro(record: Record) -> str:
    """A line for each claim, with all that a paper can say of it."""
    names = [claim["id"] for claim in record["claims"]]
    return "\n\n".join(
        f"\\assay{{{n}}}; \\assayscope{{{n}}}; \\assaysentence{{{n}}}" for n in names
    )


@needs_pdflatex
def test_the_latex_file_compiles(tmp_path: Path, record: Record, files: dict[str, bytes]) -> None:
    title = "\\section{Equation (1) is \\assay{thm2.recursion}}\n"
    log = typeset(tmp_path, files["assay.tex"], f"{title}{every_macro(record)}\\assaytable")
    assert "Output written on paper.pdf" in log


@needs_pdflatex
def test_the_published_table_fits_its_page_and_every_sentence_its_margin(
    tmp_path: Path, repository: Path
) -> None:
    published = repository / "reports" / "published" / "record.json"
    record = json.loads(published.read_text("utf-8"))
    macros = render_all(record)["assay.tex"]
    log = typeset(tmp_path, macros, "\\assaytable")
    assert not re.findall(r"^(?:Overfull|Underfull|.*Warning).*", log, re.M)
    log = typeset(tmp_path, macros, every_macro(record))
    too_wide = [float(width) for width in re.findall(r"^Overfull .hbox .([\d.]+)pt", log, re.M)]
    assert max(too_wide, default=0) < 72, "an inch, what an article's margin has at least"


@needs_pdflatex
def test_a_claim_that_is_not_there_stops_the_paper(tmp_path: Path, files: dict[str, bytes]) -> None:
    with pytest.raises(AssertionError, match="no claim thm9"):
        typeset(tmp_path, files["assay.tex"], "\\assay{thm9.nothing}")


def test_junit_fails_what_changed_and_what_is_broken_and_skips_what_was_not_checked(
    record: Record, files: dict[str, bytes]
) -> None:
    suite = ET.fromstring(files["junit.xml"])[0]
    cases = {case.get("name"): case for case in suite}
    assert list(cases) == [claim["id"] for claim in record["claims"]]
    failed = {n: f.get("type") for n, c in cases.items() if (f := c.find("failure")) is not None}
    assert failed == {"tab1.row-38": "changed", "thm3.depth-formula": "broken"}
    skipped = [n for n, c in cases.items() if c.find("skipped") is not None]
    assert skipped == ["thm3.exists", "cor1.exists", "thm1.proof"]
    assert (suite.get("failures"), suite.get("skipped")) == ("2", "3")


def test_a_refuted_claim_that_is_recorded_as_refuted_is_no_failure(files: dict[str, bytes]) -> None:
    suite = ET.fromstring(files["junit.xml"])[0]
    case = next(c for c in suite if c.get("name") == "thm2.recursion")
    assert [child.tag for child in case] == ["system-out"]
