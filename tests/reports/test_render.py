"""The renderings: same record, same bytes, and nothing of a record is obeyed."""

from __future__ import annotations

import copy
import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from record_support import SMALL
from reports_support import made

from reports import render_all
from verify.judge.outcome import Outcome
from verify.record import chosen_paper

PUBLISHED = Path(__file__).resolve().parents[2] / "reports" / "published"  # not in the wheel
NAMES = ["index.html", "report.md", "assay.tex", "junit.xml", "badge.svg", "erratum.tex"]
FIGURES = ["figures/curves.svg", "figures/tree.svg"]
Record = dict[str, Any]
needs_pdflatex = pytest.mark.skipif(
    not shutil.which("pdflatex"), reason="pdflatex is not installed; LaTeX is no requirement"
)


def test_the_files_are_those_that_are_promised(files: dict[str, bytes]) -> None:
    assert list(files) == [*NAMES, *FIGURES]


def test_two_renderings_are_equal_and_leave_the_record_alone() -> None:
    record, certificates = made()
    before = json.dumps(record)
    assert render_all(record, certificates) == render_all(*copy.deepcopy((record, certificates)))
    assert json.dumps(record) == before


def test_the_report_depends_on_the_outcome(files: dict[str, bytes]) -> None:
    after = render_all(*made(**{"f.coq": Outcome(None)}))
    assert {name for name in NAMES if files[name] != after[name]} >= set(NAMES[:4])


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
    anchors = {row["id"] for row in record["statements"]} | {"finding-norms", "obs.x"}
    allowed = {f'<a id="{name}">' for name in anchors} | {"</a>"}
    assert set(re.findall(r"</?\w+[^>]*>", text)) == allowed
    assert "](javascript:" not in text.replace(r"\](javascript:", "")


def test_page_one_of_the_markdown_names_every_finding_by_its_number() -> None:
    record, certificates = made()
    (finding,) = record["findings"]
    record["findings"] += [{**finding, "id": f"x{place}"} for place in range(1, 5)]
    text = render_all(record, certificates)["report.md"].decode()
    card = next(line for line in text.splitlines() if line.startswith("**[Equation"))
    assert "Wrong in print: [F1 A finding](#finding-norms) (material); " in card
    assert card.endswith("(material), [F4](#finding-x3) and [F5](#finding-x4).")
    assert "### F5. A finding (material)" in text


def test_every_markdown_table_row_has_as_many_cells_as_its_head(files: dict[str, bytes]) -> None:
    text = files["report.md"].decode()
    for block in re.findall(r"(?:^\|.*\n)+", text, re.M):
        widths = {len(re.findall(r"(?<!\\)\|", line)) for line in block.splitlines()}
        assert len(widths) == 1


def test_a_broken_statement_is_the_only_failure_of_the_test_suite(files: dict[str, bytes]) -> None:
    assert ET.fromstring(files["junit.xml"]).findall(".//failure") == []
    broken = render_all(*made(**{"f.part": Outcome(False)}))["junit.xml"]
    names = {case.get("name") for case in ET.fromstring(broken).iter("testcase")
             if case.find("failure") is not None}  # fmt: skip
    assert names == {"thm1.part", "beyond.x"}


def test_a_figure_whose_fact_is_missing_is_left_out() -> None:
    less = render_all(*made(**{"f.fails": Outcome(missing="coq")}))
    assert "figures/curves.svg" not in less and "figures/tree.svg" in less


def compiled(folder: Path, name: str, source: bytes) -> str:
    (folder / name).write_bytes(source)
    done = subprocess.run(
        ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", name],
        cwd=folder, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-2000:]
    return done.stdout


def test_evidence_by_coq_shows_the_theorem_its_statement_and_its_axioms() -> None:
    record, certificates = made()
    binding = next(
        b
        for s in record["statements"]
        for interpretation in s["interpretations"]
        for b in interpretation["bindings"]
    )
    values = {"statement": "forall n : nat, n < n + 1", "assumptions": ["Coq.Logic.classic"]}
    theorem = {"key": binding["certificate"], "fact": "coq.theorem", "holds": True,
               "parameters": {"theorem": "Main.theorem1"}, "values": values, "witness": None,
               "method": "machine-checked"}  # fmt: skip
    others = [c for c in certificates["certificates"] if c["key"] != binding["certificate"]]
    page = render_all(record, {**certificates, "certificates": [*others, theorem]})["index.html"]
    text = page.decode()
    assert "Coq: <code>Main.theorem1</code> <small>in Main.v, 1 axiom</small>" in text
    assert "forall n : nat, n &lt; n + 1</pre>" in text and "Coq.Logic.classic" in text


def test_the_published_erratum_is_in_the_authors_voice_and_rests_on_proofs() -> None:
    """A theorem that no statement rests on any more would be named without a proof behind it."""
    text = (PUBLISHED / "erratum.tex").read_text("utf-8")
    assert "We correct" in text and text.count("machine-checked in Coq") >= 7
    assert "not compiled in this run" not in text
    assert not re.search(r"beyond\.|\\texttt|\blines? [0-9]{2,}|thm[0-9]", text)
    assert "most likely $0.0769370$" in text and "independent of the alphabet" in text


@needs_pdflatex
def test_the_erratum_compiles_with_hostile_text_and_as_published(tmp_path, files) -> None:
    compiled(tmp_path, "erratum.tex", files["erratum.tex"])
    published = (PUBLISHED / "erratum.tex").read_bytes()
    out = compiled(tmp_path, "published.tex", published)
    pages = int(re.search(r"\((\d+) pages?", out)[1])
    assert 2 <= pages <= 4
    assert not re.search(r"Warning|Overfull|Underfull", out)


@needs_pdflatex
def test_the_macros_compile_and_print_verdicts(tmp_path, files) -> None:
    (tmp_path / "assay.tex").write_bytes(files["assay.tex"])
    source = (
        rb"\documentclass{article}\input{assay}\begin{document}\assay{thm1} "
        rb"\assayscope{thm1.part} \assaysentence{hostile} \assayholds{thm1}\end{document}"
    )
    compiled(tmp_path, "paper.tex", source)


@needs_pdflatex
def test_the_small_paper_and_its_erratum_compile(tmp_path) -> None:
    pages = render_all(SMALL.record, SMALL.certificates)
    out = compiled(tmp_path, "erratum.tex", pages["erratum.tex"])
    assert "Warning" not in out
    assert "Replace the denominator 3 by 6" in pages["erratum.tex"].decode()
    compiled(tmp_path, "paper.tex", (chosen_paper.TEMPLATE / "paper.tex").read_bytes())
    (tmp_path / "assay.tex").write_bytes(pages["assay.tex"])
    source = (
        rb"\documentclass{article}\input{assay}\begin{document}\assay{thm1} \assaysentence{prop1}"
        rb"\end{document}"
    )
    compiled(tmp_path, "manuscript.tex", source)


@pytest.mark.parametrize("name", ["index.html", "report.md", "assay.tex", "erratum.tex"])
def test_a_text_ends_with_its_last_line(name: str, files: dict[str, bytes]) -> None:
    """A text without a newline at its end is joined to what is appended to it."""
    assert files[name].endswith(b"\n") and not files[name].endswith(b"\n\n")
