"""Coverage: every unit of the source has a claim or a reason, and a missing one is named."""

from pathlib import Path

import pytest

from verify.claims.claim_free import CLAIM_FREE, Free
from verify.claims.coverage import (
    SourceError,
    Unit,
    coverage,
    covered_lines,
    says_something,
    uncovered,
    units,
)
from verify.claims.model import PAPER_SHA256, Claim, Kind, Severity
from verify.claims.registry import CLAIMS
from verify.claims.shorthand import at

SMALL = r"""\documentclass{article}
preamble text
\begin{document}
\section{One}
A sentence.

\begin{definition}
A thing\footnote{A note.} is
\begin{align*}
x
\end{align*}
\end{definition}
$$ y $$
\begin{itemize}
    \item first
    \item second
\end{itemize}
\begin{table}
\begin{tabular}{ll}
\toprule
1 & 2 \\
\end{tabular}
\end{table}
\begin{proof}
A step. % a remark
\end{proof}
\end{document}
"""


def document(*lines: str) -> str:
    """A source of these lines."""
    return "\n".join((r"\begin{document}", *lines))


def on(first: int, last: int, kind: Kind = Kind.TEXT) -> Claim:
    """A claim on these lines."""
    return Claim("a.b", "t", kind, at("1", first, last), "s", "r", Severity.SLIP)


def test_the_whole_paper_is_covered(paper: Path) -> None:
    found = coverage(paper, CLAIMS)
    assert found.same_source
    assert found.gaps == (), found.describe()
    assert found.describe() == f"All {found.units} units are covered."


@pytest.mark.parametrize(
    ("gone", "kind"),
    [
        ("pre.wfa.product", "paragraph"),
        ("fam.counting.powers", "align*"),
        ("tab2.row-30", "row"),
        ("lem1.matmul", "lemma"),
        ("thm3.fourier", "display"),
        ("thm1.no-residual", "item"),
        ("scan.pseudocode", "algorithm"),
        ("fig.wta", "figure*"),
    ],
)
def test_a_claim_taken_away_leaves_its_unit_open(paper: Path, gone: str, kind: str) -> None:
    rest = [entry for entry in CLAIMS if entry.id != gone]
    assert kind in {gap.unit.kind for gap in coverage(paper, rest).gaps}


def test_no_reason_is_given_for_lines_that_have_claims(paper: Path) -> None:
    known = covered_lines(CLAIMS, ())
    for entry in CLAIM_FREE:
        assert not known.issuperset(range(entry.first, entry.last + 1)), entry


def test_every_free_stretch_has_a_reason() -> None:
    assert all(entry.reason and entry.first <= entry.last for entry in CLAIM_FREE)


def test_another_source_is_said_to_be_another(tmp_path: Path) -> None:
    path = tmp_path / "other.tex"
    path.write_text(SMALL, encoding="utf-8")
    found = coverage(path, [on(1, 40)])
    assert found.sha256 != PAPER_SHA256
    assert not found.same_source
    assert found.describe().startswith("The source is not the paper of the registry")


def test_a_source_is_cut_into_its_units() -> None:
    expected = {
        Unit("paragraph", 5, 5),
        Unit("definition", 7, 12),
        Unit("footnote", 8, 8),
        Unit("align*", 9, 11),
        Unit("display", 13, 13),
        Unit("itemize", 14, 17),
        Unit("item", 15, 15),
        Unit("item", 16, 16),
        Unit("table", 18, 23),
        Unit("row", 21, 21),
        Unit("proof", 24, 26),
        Unit("paragraph", 25, 25),
    }
    assert expected <= set(units(SMALL))


def test_a_proof_as_a_whole_covers_nothing() -> None:
    assert not uncovered(SMALL, [on(1, 40)], ())
    open_units = {gap.unit for gap in uncovered(SMALL, [on(1, 23), on(24, 26, Kind.PROOF)], ())}
    assert open_units == {Unit("proof", 24, 26), Unit("paragraph", 25, 25)}


def test_a_reason_accounts_for_its_lines() -> None:
    assert not uncovered(SMALL, [on(1, 23)], [Free(25, 25, "announces")])


def test_open_lines_are_named() -> None:
    (gap,) = uncovered(document("first", "", "second"), [on(2, 2)], ())
    assert (gap.unit, gap.lines) == (Unit("paragraph", 4, 4), (4,))


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ((r"\begin{theorem}",), "environment theorem of line 2 is not closed"),
        ((r"\begin{theorem}", r"\end{lemma}"), "line 3 closes lemma"),
        (("$$ x",), "the formula of line 2 is not closed"),
    ],
)
def test_a_source_that_does_not_close_is_refused(lines: tuple[str, ...], message: str) -> None:
    with pytest.raises(SourceError, match=message):
        units(document(*lines))


def test_a_source_without_a_document_is_refused() -> None:
    with pytest.raises(SourceError, match=r"no \\begin.document. in the source"):
        units("text only")


@pytest.mark.parametrize(
    "text",
    [
        "",
        r"\begin{table}[H]",
        r"\label{a}",
        r"\toprule",
        "}",
        "$$",
        r"\section{A b}",
        r"\paragraph{A}",
    ],
)
def test_layout_says_nothing(text: str) -> None:
    assert not says_something(text)


@pytest.mark.parametrize("text", ["word", r"\caption{A word}", r"\paragraph{A} word", "1 & 2 \\\\"])
def test_words_say_something(text: str) -> None:
    assert says_something(text)
