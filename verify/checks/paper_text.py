r"""What the LaTeX source says and does not say: facts about the text, decided by counting.

Claims        those that a sentence, a label or an absence settles: recalled definitions, a proof that
              is announced, answers of the checklist, words that contradict each other
Roads         plain strings counted in ranges of lines, blanks and capitals set aside; two passages
              compared without labels, footnotes and environments
Scope         the source with the SHA-256 of the registry; with another source these checks are silent
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from verify.check import Job, check
from verify.checks.paper_sentences import (
    CHECKLIST,
    CONCLUSION,
    SCAN,
    SECTIONS,
    TRAINING,
    Count,
    Sentence,
)
from verify.claims.model import PAPER_SHA256
from verify.evidence import Evidence, Outcome, Plain, Strength

LIMITS = (
    "A fact about the text only. Without the source the re-checker confirms the seal and the "
    "consistency of the counts; with ASSAY_PAPER it counts again."
)


def squeezed(text: str) -> str:
    """Blanks of any kind become one, and capitals small."""
    return re.sub(r"\s+", " ", text).lower()


def passage(lines: Sequence[str], first: int, last: int) -> str:
    """Lines first … last, counted from 1."""
    return "\n".join(lines[first - 1 : last])


def occurrences(lines: Sequence[str], fact: Count) -> int:
    """How often the string occurs in the range."""
    return squeezed(passage(lines, fact.first, fact.last)).count(squeezed(fact.needle))


def bare(text: str) -> str:
    """A passage without footnotes, labels, environments and blanks."""
    text = _without_braces(text, r"\footnote")
    text = re.sub(r"\\label\{[^}]*\}|\\(begin|end)\{[^}]*\}(\{[^}]*\})?", "", text)
    return re.sub(r"\s+", "", text)


def _without_braces(text: str, command: str) -> str:
    """The text without a command and its argument, braces counted."""
    while (start := text.find(command + "{")) >= 0:
        depth, end = 0, start + len(command)
        while True:
            depth += {"{": 1, "}": -1}.get(text[end], 0)
            end += 1
            if depth == 0 or end == len(text):
                break
        text = text[:start] + text[end:]
    return text


def digest(text: str) -> str:
    """SHA-256 of a text."""
    return hashlib.sha256(text.encode()).hexdigest()


def certificate(lines: Sequence[str], sentence: Sentence) -> dict[str, Plain]:
    """The facts with the hashes of the lines they stand in, sealed."""
    ranges = sorted({(c.first, c.last) for c in sentence.counts} | set(sentence.same))
    quotes: list[Plain] = [[a, b, digest(passage(lines, a, b))] for a, b in ranges]
    counts: list[Plain] = [[c.first, c.last, c.needle, c.times] for c in sentence.counts]
    same: list[Plain] = [[a, b, digest(bare(passage(lines, a, b)))] for a, b in sentence.same]
    body: dict[str, Plain] = {
        "kind": "text.quote",
        "paper": PAPER_SHA256,
        "quotes": quotes,
        "counts": counts,
        "same": same,
    }
    return {**body, "seal": digest(json.dumps(body, sort_keys=True, ensure_ascii=False))}


def met(lines: Sequence[str], sentence: Sentence) -> str | None:
    """The first fact that the source does not bear out."""
    for fact in sentence.counts:
        found = occurrences(lines, fact)
        if found != fact.times:
            where = f"lines {fact.first}-{fact.last}"
            return f"{where}: {fact.needle!r} occurs {found} times, expected {fact.times}"
    passages = {bare(passage(lines, a, b)) for a, b in sentence.same}
    return "the two passages differ" if len(passages) > 1 else None


def _decided(outcome: Outcome, problem: str | None) -> bool:
    return problem is None and outcome is not Outcome.UNKNOWN


def judged(lines: Sequence[str], sentence: Sentence) -> Evidence:
    """What the source says of a statement."""
    problem = met(lines, sentence)
    outcome = sentence.outcome if problem is None else sentence.otherwise
    return Evidence(
        sentence.claim,
        outcome,
        Strength.EXACT,
        "the LaTeX source",
        sentence.summary if problem is None else problem,
        reading=sentence.reading,
        engine="plain text",
        certificate=certificate(lines, sentence) if _decided(outcome, problem) else None,
        counterexample=sentence.summary if outcome is Outcome.FAILS and not problem else "",
        repair=sentence.repair,
        limits=LIMITS,
    )


def source(path: Path | None) -> list[str] | None:
    """The lines of the paper's source; None for another file."""
    if path is None:
        return None
    content = path.read_bytes()
    if hashlib.sha256(content).hexdigest() != PAPER_SHA256:
        return None
    return content.decode("utf-8").splitlines()


def spoken(path: Path | None, sentences: Sequence[Sentence]) -> Iterator[Evidence]:
    """Each statement judged by the source, or the word that it is another source."""
    lines = source(path)
    for sentence in sentences:
        if lines is not None:
            yield judged(lines, sentence)
        else:
            reason = "another source: its SHA-256 is not the registry's"
            yield Evidence(sentence.claim, Outcome.UNAVAILABLE, Strength.EXACT, "", reason)


@check(*dict.fromkeys(s.claim for s in SECTIONS), needs=("paper",))
def definitions_and_theorems_as_worded(job: Job) -> Iterator[Evidence]:
    """Compare wordings that are said to be the same, and look for proofs that are announced."""
    yield from spoken(job.paper, SECTIONS)


@check(*dict.fromkeys(s.claim for s in SCAN), needs=("paper",))
def the_pseudocode_as_typeset(job: Job) -> Iterator[Evidence]:
    """Count arrows, operators, superscripts and labels around the pseudocode."""
    yield from spoken(job.paper, SCAN)


@check(*dict.fromkeys(s.claim for s in CONCLUSION), needs=("paper",))
def words_that_contradict_each_other(job: Job) -> Iterator[Evidence]:
    """Set 'must' against 'only upper bounds', and 'learn' against 'existence'."""
    yield from spoken(job.paper, CONCLUSION)


@check(*dict.fromkeys(s.claim for s in CHECKLIST), needs=("paper",))
def answers_of_the_checklist(job: Job) -> Iterator[Evidence]:
    """Set the answers of the checklist against what the text has."""
    yield from spoken(job.paper, CHECKLIST)


@check(*dict.fromkeys(s.claim for s in TRAINING), needs=("paper",))
def alphabets_and_announced_plots(job: Job) -> Iterator[Evidence]:
    """Compare the two alphabets, and count captions and deviations."""
    yield from spoken(job.paper, TRAINING)
