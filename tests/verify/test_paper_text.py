"""Facts about the text: counted, compared, sealed; and the re-checker with and without the paper."""

import hashlib
import json
import os
from pathlib import Path
from typing import Any

import pytest

from verify.check import Job
from verify.checks import paper_sentences, paper_text
from verify.checks.paper_sentences import Count, Sentence
from verify.evidence import Outcome
from verify.recheck import text
from verify.recheck.errors import Refused

LINES = [
    r"\begin{theorem}\label{one}",
    r"All  cats sleep\footnote{On {warm} days.}.",
    r"\end{theorem}",
    r"\begin{reptheorem}{one}All cats sleep.\end{reptheorem}",
    "A cat may learn.",
]
SAME = Sentence("c", Outcome.HOLDS, "same", same=((1, 3), (4, 4)), otherwise=Outcome.FAILS)
LEARN = Sentence(
    "c", Outcome.FAILS, "says learn", (Count(5, 5, "may LEARN"), Count(1, 4, "learn", 0))
)
PAPER = os.environ.get("ASSAY_PAPER")
needs_paper = pytest.mark.skipif(not PAPER, reason="the paper's source is not given")


def test_passages_are_compared_without_labels_footnotes_and_environments() -> None:
    assert paper_text.judged(LINES, SAME).outcome is Outcome.HOLDS
    changed = [*LINES[:3], LINES[3].replace("cats", "dogs"), LINES[4]]
    item = paper_text.judged(changed, SAME)
    assert (item.outcome, item.summary) == (Outcome.FAILS, "the two passages differ")


def test_a_contradiction_needs_its_words() -> None:
    assert paper_text.judged(LINES, LEARN).outcome is Outcome.FAILS
    item = paper_text.judged([*LINES[:4], "A cat may sleep."], LEARN)
    assert item.outcome is Outcome.UNKNOWN and item.certificate is None
    assert item.summary == "lines 5-5: 'may LEARN' occurs 0 times, expected 1"


def test_another_source_is_not_judged(tmp_path: Path) -> None:
    other = tmp_path / "paper.tex"
    other.write_text("\n".join(LINES))
    found = list(paper_text.spoken(other, [SAME, LEARN]))
    assert {item.outcome for item in found} == {Outcome.UNAVAILABLE}
    assert paper_text.source(None) is None


def sealed(**changes: Any) -> dict[str, Any]:
    body = json.loads(json.dumps(paper_text.certificate(LINES, LEARN))) | changes
    facts = {key: value for key, value in body.items() if key != "seal"}
    written = json.dumps(facts, sort_keys=True, ensure_ascii=False)
    return body | {"seal": hashlib.sha256(written.encode()).hexdigest()}


def test_a_certificate_is_confirmed_without_the_source(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ASSAY_PAPER", raising=False)
    assert "not counted again" in text.quote(sealed())


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"paper": "0" * 64}, "paper"),
        ({"quotes": [[5, 4, "0" * 64]]}, "are not lines"),
        ({"quotes": [[5, 5, "zz"]]}, "no SHA-256"),
        ({"quotes": []}, "not among the quoted"),
        ({"counts": []}, "no fact"),
        ({"counts": [[5, 5, "x", -1]]}, "count"),
        ({"counts": [[1, 4, "x", 0], [1, 4, "x", 1]]}, "more often"),
        ({"same": [[5, 5, "0" * 64]]}, "different hashes"),
    ],
)
def test_a_certificate_that_is_not_consistent_is_refused(
    changes: dict[str, Any], why: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("ASSAY_PAPER", raising=False)
    with pytest.raises(Refused, match=why):
        text.quote(sealed(**changes))


def test_a_broken_seal_is_refused() -> None:
    with pytest.raises(Refused, match="seal"):
        text.quote(sealed() | {"counts": [[5, 5, "may LEARN", 2]]})


def test_with_a_source_everything_is_counted_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "paper.tex"
    path.write_text("\n".join(LINES) + "\n")
    known = hashlib.sha256(path.read_bytes()).hexdigest()
    monkeypatch.setattr(text, "PAPER", known)
    monkeypatch.setattr(paper_text, "PAPER_SHA256", known)
    monkeypatch.setenv("ASSAY_PAPER", str(path))
    for sentence in (SAME, LEARN):
        body = json.loads(
            json.dumps(paper_text.certificate(paper_text.source(path) or [], sentence))
        )
        assert "counted again in the source" in text.quote(body)
    with pytest.raises(Refused, match="in lines 5-5"):
        text.quote(sealed(paper=known, counts=[[5, 5, "may LEARN", 2], [1, 4, "learn", 0]]))


def every_sentence() -> list[Sentence]:
    parts = (
        paper_sentences.SECTIONS,
        paper_sentences.SCAN,
        paper_sentences.CONCLUSION,
        paper_sentences.CHECKLIST,
        paper_sentences.TRAINING,
    )
    return [sentence for part in parts for sentence in part]


@needs_paper
def test_the_paper_bears_out_every_fact() -> None:
    lines = paper_text.source(Path(str(PAPER))) or []
    assert [s.claim for s in every_sentence() if paper_text.met(lines, s)] == []


@needs_paper
@pytest.mark.parametrize("sentence", every_sentence(), ids=lambda s: f"{s.claim}-{s.reading}")
def test_no_fact_survives_a_paper_without_its_lines(sentence: Sentence) -> None:
    lines = paper_text.source(Path(str(PAPER))) or []
    ranges = [(c.first, c.last) for c in sentence.counts if c.times] + list(sentence.same[:1])
    for first, last in ranges:
        mutant = [*lines[: first - 1], *[""] * (last - first + 1), *lines[last:]]
        assert paper_text.judged(mutant, sentence).outcome is sentence.otherwise


@needs_paper
def test_every_check_of_the_text_speaks_of_its_claims() -> None:
    job = Job(paper=Path(str(PAPER)))
    for body in (
        paper_text.definitions_and_theorems_as_worded,
        paper_text.the_pseudocode_as_typeset,
        paper_text.words_that_contradict_each_other,
        paper_text.answers_of_the_checklist,
        paper_text.alphabets_and_announced_plots,
    ):
        assert all(item.outcome is not Outcome.UNAVAILABLE for item in body(job))
