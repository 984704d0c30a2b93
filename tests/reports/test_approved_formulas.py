"""Where formulas are found in lines of many kinds, and how they are set, as it was approved."""

import json
from dataclasses import asdict
from hashlib import sha256
from pathlib import Path
from random import Random

import pytest
from approved_support import agree_with_approved

from reports.escape import code, latex, markdown
from reports.formula import parts
from reports.nodes import Formula
from reports.typeset import html

APPROVED = Path(__file__).with_suffix(".json")
PIECES = (
    *"aAbITxn2iσΣεℓ", *"()[]{}|‖⌈⌉⌊⌋⟨⟩", *" _^'*-+=/<\\,;:.·≤×√∞", *"²ⁿ₁ᵢᵀ⁻", " ", " ", " ", "  ", "10,000",
    "1.5", "log", "log2 ", "max_", "vec(", "depth", "word", "Appendix ", "Theorem 2", "tot", "x1", "AB", "ij",
    "R^", "^(ℓ-1)", "_{i,j}", "^-1", "A^σ", "sin", " is ", "(see ", "[1]", "e.g.", "file_name.py", "Σ_",
    "&", "`", "“", "é", "ﬁ", "\u202e", "\t", "%", "#", "$", "~", "½", "→", "′", "∑",
)  # fmt: skip


def lines(seed, count):
    """Lines made from these pieces."""
    random = Random(seed)
    return [
        "".join(random.choice(PIECES) for _ in range(random.randint(1, 9))) for _ in range(count)
    ]


def results(line):
    found = [asdict(part) if isinstance(part, Formula) else part for part in parts(line)]
    return [found, latex(line), html(line), markdown(line), code(line)]


def digest(value):
    return sha256(json.dumps(value, ensure_ascii=False).encode()).hexdigest()[:12]


@pytest.mark.parametrize("seed", range(8))
def test_lines_are_parted_and_set_as_approved(seed):
    """Of each seed some lines as they are set, and a digest for each dozen of the others."""
    drawn = lines(seed, 400)
    found = {line: [latex(line), html(line)] for line in drawn[:12]}
    groups = [digest([results(line) for line in drawn[k : k + 12]]) for k in range(0, 400, 12)]
    agree_with_approved(APPROVED, f"seed {seed}", {"lines": found, "digests": groups})


# Blocks of Unicode in which hardly a place is left that a later version could fill.
BLOCKS = (
    (32, 127),
    (160, 592),
    (913, 1024),
    (8192, 8352),
    (8448, 8588),
    (8592, 8960),
    (64256, 64263),
)
ALONE = [chr(number) for first, end in BLOCKS for number in range(first, end)]


def test_single_signs_are_set_as_approved():
    """Every sign that a text of mathematics may have, alone and between letters."""
    rows = [
        [latex(sign), html(sign), markdown(sign), code(sign), latex(f"x{sign}y")] for sign in ALONE
    ]
    groups = {f"from {ALONE[k]!a}": digest(rows[k : k + 16]) for k in range(0, len(rows), 16)}
    agree_with_approved(APPROVED, "signs", groups)


def test_a_code_span_is_fenced_by_more_backticks_than_it_has():
    assert [code(text) for text in ("x", "`x", "x`", "x`y", "", "a|b", "``")] == [
        *("`x`", "`` `x ``", "`` x` ``", "``x`y``", "`  `", r"`a\|b`", "``` `` ```")
    ]
