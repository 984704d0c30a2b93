"""Every sentence can be understood alone, and quotation marks enclose only words of the source."""

import os
from pathlib import Path

import pytest
from sentence_support import digest, expected_rows, normal, quotations, undefined

HERE = Path(__file__).parent
PAPER = HERE.parents[2] / "verify" / "paper"
LIST = HERE / "quotations.txt"  # digests of what the data quotes; each was found in the source


def test_every_symbol_of_a_sentence_is_defined_in_it():
    assert len(expected_rows()) > 240
    assert {
        row["id"]: left for row in expected_rows() if (left := undefined(row["sentence"]))
    } == {}


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("Correct is ε_ℓ ≤ 2μ_ℓ δ + δ² with δ = ε_{ℓ-1} + a_ℓ.", ["ε_", "μ", "a_"]),
        ("The error obeys e = τ(Sδ + δ²) with δ = 2Sλ.", ["τ", "S", "λ"]),
        ("The decoder is within ε for every C ≥ 4.", ["C"]),
        ("Scores are whole for all lengths with E ≥ 2.", ["E"]),
        ("A^w has n rows and W_V maps R^{T×n}; αᵀA^w is a state.", ["W"]),
        ("With N leaves, width W, a state v, ρ ≈ 1.3247 and h^L layers, O(n²).", []),
        ("Some n-state WFA with Σ_{i<T} x^i and T ≥ 2 [1, Section 3.2].", ["x"]),
    ],
)
def test_symbols_that_nothing_defines_are_found(sentence, expected):
    assert undefined(sentence) == expected


def quoted():
    texts = [path.read_text("utf-8") for path in sorted(PAPER.iterdir())]
    texts += [f"{row['sentence']} {row['note']}" for row in expected_rows()]
    return {piece for text in texts for piece in quotations(text)}


def test_quotation_marks_enclose_only_text_of_the_source():
    assert {digest(piece) for piece in quoted()} == set(LIST.read_text("utf-8").split())


@pytest.mark.skipif("ASSAY_PAPER" not in os.environ, reason="needs the paper's source")
def test_the_listed_quotations_are_in_the_source():
    source = normal(Path(os.environ["ASSAY_PAPER"]).read_text("utf-8"))
    assert [piece for piece in quoted() if piece not in source] == []


def test_a_title_in_quotation_marks_is_no_quotation():
    (piece,) = quotations("“Columns of Table 3” does not hold as printed")
    assert digest(piece) not in LIST.read_text("utf-8").split()
    assert list(quotations("``a … b'' and ‘c’")) == ["a", "b", "c"]
