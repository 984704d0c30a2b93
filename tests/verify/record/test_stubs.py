"""`assay new --paper`: a stub for each statement of a LaTeX source, with the numbers that LaTeX prints."""

import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from verify.cli import main
from verify.record.stubs import KINDS, folder, stubs

SOURCE = r"""\documentclass{article}
\newtheorem{thm}{Theorem}[section]
\newtheorem{lem}[thm]{Lemma}
\newtheorem{definition}{Definition}
\newtheorem*{cor}{Corollary}
\title{On \emph{Things} \\ and More}
\begin{document}
\section{One}
\begin{thm}[Name]
% \begin{thm} a comment \end{thm}
\end{thm}
\begin{lem} x \end{lem} \begin{definition} y \end{definition}
\begin{verbatim}
\begin{thm}
\end{verbatim}
\section*{No number}
\section{Two}
\begin{lem} \end{lem}
\begin{cor} \end{cor}
\begin{table*}
\end{table*}
\appendix
\section{More}
\begin{definition} 100\% \begin{thm} \end{thm} \end{definition}
\end{document}
"""
NAMES = ["Theorem 1.1", "Lemma 1.2", "Definition 1", "Lemma 2.1", "Corollary", "Table 1",
         "Definition 2", "Theorem A.1"]  # fmt: skip


def test_statements_have_the_numbers_and_lines_of_the_printed_paper():
    found = stubs(SOURCE)
    assert [each.name for each in found] == NAMES
    assert [(each.first, each.last) for each in found[:2]] == [(9, 11), (12, 12)]
    assert [each.section for each in found] == ["1", "1", "1", "2", "2", "2", "A", "A"]


@given(st.lists(st.sampled_from(sorted(KINDS)), min_size=1), st.integers(0, 3))
def test_each_environment_is_found_once_and_numbered_within_its_kind(kinds, blank):
    gap = "\n" * blank
    text = gap.join(f"\\begin{{{kind}}}\ntext\n\\end{{{kind}}}\n" for kind in kinds)
    found = stubs(text)
    assert [each.kind for each in found] == kinds
    for number, each in enumerate(found):
        assert each.number == str(kinds[: number + 1].count(each.kind))
        assert text.split("\n")[each.first - 1] == f"\\begin{{{each.kind}}}"
        assert text.split("\n")[each.last - 1] == f"\\end{{{each.kind}}}"


@given(st.text(alphabet="\\{}begindtheorm%[]* \n\x7f\"'ä", max_size=200))
def test_any_text_gives_files_that_are_toml(text):
    files = folder(text.encode(), "my.tex")
    for name in ("paper.toml", "statements.toml"):
        tomllib.loads(files[name].decode())


def test_a_folder_of_stubs_runs_and_says_that_nothing_was_checked(tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("ASSAY_CACHE", str(tmp_path / "cache"))
    (tmp_path / "my.tex").write_text("\\input{more}\n" + SOURCE)
    mine = str(tmp_path / "mine")
    assert main(["new", mine, "--paper", str(tmp_path / "my.tex")]) == 0
    said = capsys.readouterr()
    assert "8 stubs" in said.out and "not followed" in said.err
    assert main(["lint", "--about", mine]) == 0, capsys.readouterr().out
    assert main(["run", "--about", mine]) == 0
    capsys.readouterr()
    assert main(["show", "Lemma 2.1", "--about", mine]) == 0
    assert "has not been checked" in " ".join(capsys.readouterr().out.split())
    assert main(["recheck", f"{mine}/report", "--about", mine, "--quiet"]) == 0


@pytest.mark.parametrize(
    ("contents", "fault"), [(b"no statement", "no statement"), (b"x\n\xe9", "in line 2")]
)
def test_a_source_that_gives_no_stub_is_refused(tmp_path, capsys, contents, fault):
    (tmp_path / "my.tex").write_bytes(contents)
    assert main(["new", str(tmp_path / "mine"), "--paper", str(tmp_path / "my.tex")]) == 4
    assert fault in capsys.readouterr().err and not (tmp_path / "mine").exists()
