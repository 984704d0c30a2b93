"""What the paper's source says on trees, word by word: what is there and what is not.

Asks          is the corollary proved in the appendix; is approximate simulation of a WTA defined; is
              a shortcut defined for trees; is Theorem 3 restated in the same words
Notation      lines of the LaTeX source, counted from 1; the source is known by its SHA-256
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Sequence

from verify.check import Job, check
from verify.claims.model import PAPER_SHA256, Name
from verify.engines.tree_evidence import either, fails, holds
from verify.evidence import Evidence, Strength

LITERAL = Name.LITERAL
STATED, AGAIN = 285, 827
FOOTNOTE = "\\footnote{"
LIMITS = (
    "A fact about the text only. Without the source the re-checker confirms the seal and that the "
    "lines are consistent; with ASSAY_PAPER it searches the source again."
)
TEXTS = (
    (
        "cor1.proof",
        ("tree automat", "treeautomata", "corollary"),
        (439, 1039),
        0,
        "The appendix, from line 439 on, never speaks of tree automata or of a corollary.",
    ),
    (
        "wta.sim.approximate",
        ("approximately} simulates",),
        (249, 314),
        0,
        "Section 4 defines simulation of WTAs exactly; 'approximately simulates' is defined for WFAs "
        "only (line 212).",
    ),
    (
        "obs.shortcut",
        ("shortcut solution",),
        (249, 314),
        0,
        "Shortcut solutions are defined for WFAs (line 220); Section 4 defines none for trees.",
    ),
    (
        "obs.learn",
        ("train", "gradient", "optimi"),
        (249, 314),
        0,
        "Section 4 speaks of no training: Theorem 3 says that weights exist, not that they are learnt.",
    ),
    (
        "thm3.copy-head",
        ("third attention layer",),
        (882, 882),
        1,
        "Line 882 has a third attention layer feed the same MLP as the two heads; by Section 2.4 it "
        "would come after that MLP.",
    ),
)


@check(*(claim for claim, *_ in TEXTS), "thm3.restated", needs=("paper",))
def what_the_text_says(job: Job) -> Iterator[Evidence]:
    """Search the paper's source for words that are, or are not, in a passage."""
    if job.paper is None:
        return
    source = job.paper.read_bytes()
    digest = hashlib.sha256(source).hexdigest()
    lines = source.decode().splitlines()
    for claim, needles, (first, end), expected, text in TEXTS:
        where = [i for i, line in enumerate(lines, 1) if any(n in line.lower() for n in needles)]
        hits = [i for i in where if first <= i <= end]
        certificate = sealed(
            {
                "kind": "trees.text",
                "sha256": digest,
                "needles": list(needles),
                "lines": [first, end],
                "found": where,
                "expected": expected,
            }
        )
        said = f"{text} The words occur in lines {where}." if where else text
        scope = f"the paper's source, lines {first} to {end}"
        evidence = fails(
            claim,
            LITERAL,
            scope,
            said,
            certificate,
            text,
            strength=Strength.EXHAUSTIVE,
            limits=LIMITS,
        )
        yield either(digest == PAPER_SHA256 and len(hits) == expected, evidence)
    if digest == PAPER_SHA256:
        yield restated(lines, digest)


def sealed(body: dict[str, object]) -> dict[str, object]:
    """The facts with a hash over all of them."""
    written = json.dumps(body, sort_keys=True, ensure_ascii=False)
    return {**body, "seal": hashlib.sha256(written.encode()).hexdigest()}


def restated(lines: Sequence[str], digest: str) -> Evidence:
    """Compare Theorem 3 with its restatement, footnote taken out, blanks evened."""
    both = [worded(lines[i - 1]) for i in (STATED, AGAIN)]
    sums = [hashlib.sha256(text.encode()).hexdigest() for text in both]
    certificate = sealed(
        {
            "kind": "trees.restated",
            "sha256": digest,
            "lines": [STATED, AGAIN],
            "digests": sums,
        }
    )
    text = f"Without the footnote line {STATED} and line {AGAIN} are the same words."
    scope = f"the paper's source, lines {STATED} and {AGAIN}"
    evidence = holds(
        "thm3.restated", LITERAL, Strength.EXHAUSTIVE, scope, text, certificate, limits=LIMITS
    )
    return either(both[0] == both[1], evidence)


def worded(line: str) -> str:
    """A line without its footnote and with single blanks."""
    start = line.find(FOOTNOTE)
    if start >= 0:
        depth, end = 0, start
        for end in range(start + len(FOOTNOTE) - 1, len(line)):
            depth += {"{": 1, "}": -1}.get(line[end], 0)
            if depth == 0:
                break
        line = line[:start] + line[end + 1 :]
    return re.sub(r"\s+", " ", line).strip()
