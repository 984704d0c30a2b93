"""Text of `assay automaton`: rows that do not contradict each other, and the printed argument."""

from dataclasses import asdict
from fractions import Fraction

import pytest

from constructions.automata.families import dfa, scalar
from constructions.automata.named import automaton_by_name
from constructions.automata.wfa import WFA
from constructions.automata.wta import WTA
from reports import automaton as render
from verify.automaton.report import report
from verify.automaton.report_data import AutomatonReport

ADDER = WTA.of([1, 0], [[[0, 1], [1, 0]], [[0, 0], [0, 1]]], {"a": [1, 1], "b": [5, 1]})
SWAP = dfa(2, 0, [0], {"a": [1, 0], "b": [0, 1]})
SMALL = WFA.of(["1/2"], {"a": [[1]]}, [1])
COSINE, SINE = Fraction(-104, 1354), Fraction(1350, 1354)
ROTATION = WFA.of([1, 0], {"a": [[COSINE, SINE], [-SINE, COSINE]]}, [1, 0])


def witness(answer: AutomatonReport, name: str) -> str:
    (found,) = [row.witness for row in answer.hypotheses if row.name == name]
    return found


def test_the_closing_line_says_that_equation_one_does_not_hold_as_printed() -> None:
    closing = render.conditions_text(asdict(report(SMALL, 2)))
    assert closing.startswith("All 12 conditions looked at are met. Equation (1)")
    assert "does not hold as printed, whatever the automaton: assay show eq1." in closing
    unmet = render.conditions_text(asdict(report(scalar("1/2"), 4)))
    assert unmet.startswith("The paper's printed argument also assumes: identity pads")
    assert unmet.endswith("assay show eq1.")


def test_the_closing_line_on_trees_names_the_proof_of_theorem_three() -> None:
    assert "The printed proof of Theorem 3 does not hold as printed" in render.conditions_text(
        asdict(report(ADDER, 10))
    )


def test_a_norm_of_one_is_not_rounded_past_one() -> None:
    answer = report(ROTATION, 4)
    assert witness(answer, "norms at most 1").endswith("the largest norm is ≤ 1")
    assert witness(answer, "products at each layer as small as single maps").endswith(": 1, 1")


def test_bounded_inputs_count_the_pads() -> None:
    said = witness(report(scalar("1/3"), 4), "inputs of the MLP are bounded")
    assert "maps or identity pads (norm 1), has a norm above 1" in said


def test_the_row_on_c_names_the_products_and_the_headline_s_constant() -> None:
    answer = report(SWAP, 8)
    said = witness(answer, "a finite C for ε")
    assert said.startswith("with exact products, C = ")
    assert "the closed-form bound would require C = " in said
    constant = said.rpartition("with GELU MLPs, C = ")[2].removesuffix(" does")
    assert f"C = {constant} and h" in answer.sentence


def test_one_letter_has_one_word_and_relu_leaves_the_theorem_open() -> None:
    assert "on the only word of length 8" in report(scalar(2), 8).sentence
    said = report(scalar(2), 8, activation="relu").sentence
    assert "ReLU is piecewise linear, so the proof of Theorem 2 does not apply" in said
    assert said.endswith("whether the theorem holds for ReLU is open.")


@pytest.mark.parametrize(
    "automaton", [SWAP, ADDER, automaton_by_name("hmm:6:3")], ids=["dfa", "wta", "hmm"]
)
def test_no_word_of_a_table_is_broken_on_a_screen_of_eighty_columns(automaton: WFA | WTA) -> None:
    for grid in render.grids(asdict(report(automaton, 16))):
        found = render.widths([grid.short, *grid.rows], 80)
        assert sum(found) + render.GAP * (len(found) - 1) <= 80
        for row in (grid.short, *grid.rows):
            for size, cell in zip(found, row, strict=True):
                assert all(len(word) <= size for word in cell.split()), (grid.title, cell)


def test_one_letter_takes_no_layer() -> None:
    said = report(SWAP, 1).sentence
    assert said.endswith("exactly at T = 1 by the embedding alone, of width 10, without a layer.")
