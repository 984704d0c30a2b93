"""The PAutomaC reader: exact on what it knows, and clear about what it refuses."""

from fractions import Fraction
from pathlib import Path

import pytest

from constructions.core.errors import InputError
from constructions.files.pautomac import (
    LARGEST_FILE,
    read_model,
    read_problem,
    read_solution,
    read_tables,
    read_test,
)

MODEL = """I: (state)
\t(0) 1.0
F: (state)
\t(1) 0.25
S: (state,symbol)\x20
\t(0,0) 0.5
\t(0,1) 0.5
\t(1,1) 1.0
T: (state,symbol,state)\x20
\t(0,0,0) 0.5
\t(0,0,1) 0.5
\t(0,1,1) 1.0
\t(1,1,0) 1.0
\t(1,0,0) 1.0
"""
TEST = "3 3\n2 0 1\n0\n1 2\n"
SOLUTION = "3\n0.5\n8.9e-05\n0\n"


def write(folder: Path, text: str, name: str = "7.pautomac_model.txt") -> Path:
    path = folder / name
    path.write_bytes(text.encode())
    return path


def test_the_automaton_has_the_exact_weights_of_the_decimals(tmp_path):
    automaton = read_model(write(tmp_path, MODEL))
    assert automaton.alpha == (1, 0)
    assert automaton.beta == (0, Fraction(1, 4))
    assert automaton.transitions["0"] == ((Fraction(1, 4), Fraction(1, 4)), (0, 0))
    assert automaton.transitions["1"] == ((0, Fraction(1, 2)), (Fraction(3, 4), 0))


def test_line_ends_of_windows_change_nothing(tmp_path):
    plain = read_model(write(tmp_path, MODEL))
    assert read_model(write(tmp_path, MODEL.replace("\n", "\r\n"), "b.txt")) == plain


def test_the_alphabet_is_the_one_of_the_test_file(tmp_path):
    write(tmp_path, MODEL)
    write(tmp_path, TEST, "7.pautomac.test")
    assert read_problem(tmp_path, 7).alphabet == ("0", "1", "2")
    assert read_problem(tmp_path, 7).transitions["2"] == ((0, 0), (0, 0))


def test_kinds_of_models_are_recognised(tmp_path):
    assert read_tables(write(tmp_path, MODEL)).kind == "PFA"
    hmm = MODEL.replace("\t(0,1,1) 1.0\n", "\t(0,1,0) 0.5\n\t(0,1,1) 0.5\n")
    assert read_tables(write(tmp_path, hmm)).kind == "HMM"
    single = MODEL.replace("\t(0,0,0) 0.5\n\t(0,0,1) 0.5\n", "\t(0,0,0) 1.0\n")
    assert read_tables(write(tmp_path, single)).kind == "DPFA"


def test_the_share_of_emitted_pairs_is_exact(tmp_path):
    assert read_tables(write(tmp_path, MODEL)).density(3) == Fraction(1, 2)


def test_words_and_probabilities_are_read(tmp_path):
    words = read_test(write(tmp_path, TEST, "t"))
    assert words.words == (("0", "1"), (), ("2",)) and words.alphabet == 3
    assert read_solution(write(tmp_path, SOLUTION, "s")) == (
        Fraction(1, 2),
        Fraction(89, 10**6),
        0,
    )


@pytest.mark.parametrize(
    ("old", "new", "line", "field"),
    [
        ("\t(0) 1.0", "\t(0) 1,0", 2, "I(0)"),
        ("\t(0) 1.0", "\t(0) -1.0", 2, "I(0)"),
        ("\t(0) 1.0", "\t(0) nan", 2, "I(0)"),
        ("\t(0) 1.0", "\t(0) 1e9999", 2, "I(0)"),
        ("\t(0) 1.0", "\t(0) 2.0", 2, "I(0)"),
        ("\t(0,0) 0.5", "\t(0) 0.5", 6, "entry of S"),
        ("\t(0,0) 0.5", "\t(0,0,1) 0.5", 6, "entry of S"),
        ("\t(0,1) 0.5", "\t(0,0) 0.5", 7, "entry of S"),
        ("F: (state)", "G: (state)", 3, "section"),
        ("F: (state)", "S: (state,symbol)", 3, "section"),
        ("\t(1) 0.25", "\t(1) 0.25 0.5", 4, "entry of F"),
        ("\t(1) 0.25", "\t(9999) 0.25", 4, "state in F"),
        ("\t(1) 0.25", "\t(99999999) 0.25", 4, "index in F"),
        ("\t(0,0) 0.5", "\t(0,5000) 0.5", 6, "symbol in S"),
    ],
)
def test_a_wrong_line_is_named_with_its_file_line_field_and_value(tmp_path, old, new, line, field):
    path = write(tmp_path, MODEL.replace(old, new, 1))
    with pytest.raises(InputError) as error:
        read_model(path)
    assert f"{path}, line {line}: {field}" in str(error.value)
    assert "expected" in str(error.value)


def test_a_missing_section_is_named(tmp_path):
    path = write(tmp_path, MODEL[: MODEL.index("T:")])
    with pytest.raises(InputError, match="I, F, S, T in this order"):
        read_model(path)


def test_a_symbol_without_a_next_state_is_refused(tmp_path):
    path = write(tmp_path, MODEL.replace("\t(0,1,1) 1.0\n", ""))
    with pytest.raises(InputError, match=r"S\(0,1\).*a next state"):
        read_model(path)


def test_a_file_that_is_too_large_is_refused_before_it_is_read(tmp_path):
    path = tmp_path / "large"
    with path.open("wb") as stream:
        stream.truncate(LARGEST_FILE + 1)
    with pytest.raises(InputError, match=f"found {LARGEST_FILE + 1} bytes"):
        read_model(path)


def test_a_model_whose_matrices_would_not_fit_is_refused(tmp_path):
    many = MODEL.replace("\t(1,0,0) 1.0", "\t(1,0,0) 1.0\n\t(0,0,999) 0.0")
    with pytest.raises(InputError, match="weights"):
        read_model(write(tmp_path, many), 900)


def test_missing_and_binary_files_are_input_errors(tmp_path):
    with pytest.raises(InputError, match="no such file"):
        read_model(tmp_path / "absent")
    path = tmp_path / "binary"
    path.write_bytes(b"I: (state)\n\t(0) 1.0\xff\n")
    with pytest.raises(InputError, match="ASCII"):
        read_model(path)


@pytest.mark.parametrize(("text", "what"), [("2\n0.5\n", "count"), ("1\n1.5\n", "probability")])
def test_a_wrong_solution_file_is_refused_by_field(tmp_path, text, what):
    with pytest.raises(InputError, match=what):
        read_solution(write(tmp_path, text, "s"))


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("1000000000 3\n", "line 1: header: found 1000000000 3, expected 2 whole numbers"),
        ("1 3 4\n", "line 1: header"),
        ("1 x\n", "line 1: header"),
        ("1 1001\n0\n", "line 1: alphabet: found 1001, expected at most 1000"),
        ("1 3\n0000001 0\n", "line 2: length: found 0000001, expected a whole number up to 100000"),
        ("1 3\n100001 0\n", "line 2: length: found 100001, expected a whole number up to 100000"),
        ("1 3\n1 0000001\n", "line 2: symbol: found 0000001, expected a number below 3"),
        ("1 3\n1 3\n", "line 2: symbol: found 3, expected a number below 3"),
        ("1 3\n1 x\n", "line 2: symbol: found x, expected a number below 3"),
        ("1 3\n1 4\n", "line 2: symbol: found 4, expected a number below 3"),
        ("2 3\n1 0\n", "line 1: count: found 2, expected 1, the number of lines that follow"),
        ("1 3\n1 0 2\n", "line 2: length: found 1, expected 2, the number of symbols on the line"),
    ],
)
def test_each_field_of_a_test_file_has_its_line(tmp_path, text, line):
    with pytest.raises(InputError) as caught:
        read_test(write(tmp_path, text, "t"))
    assert line in str(caught.value)


def test_the_largest_header_and_words_are_read(tmp_path):
    found = read_test(write(tmp_path, "2 1000\n2 999 000007\n\n0\n", "t"))
    assert (found.alphabet, found.words) == (1000, (("999", "7"), ()))
    with pytest.raises(InputError, match="count: found 999999999"):
        read_test(write(tmp_path, "999999999 3\n0\n", "t"))


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("(0) 1.0\n", "line 1: section: found (0) 1.0, expected the header 'I: (state)' first"),
        (f"{MODEL}\nX: (state)\n", "expected no section after T"),
        (
            "I: (state)\nF: (state)\nS: (state,symbol)\nT: (state,symbol,state)\n",
            "model: found no initial",
        ),
        ("", "sections: found none, expected I, F, S, T in this order"),
        ("I: (state)\n", "sections: found I, expected I, F, S, T in this order"),
    ],
)
def test_sections_must_be_in_order(tmp_path, text, line):
    with pytest.raises(InputError) as caught:
        read_model(write(tmp_path, text))
    assert line in str(caught.value)


def test_a_solution_has_one_probability_a_line(tmp_path):
    assert read_solution(write(tmp_path, "2\n0.5\n\n1\n", "s")) == (Fraction(1, 2), 1)
    with pytest.raises(
        InputError, match=r"line 3: probability: found 1.01, expected a probability, at most 1"
    ):
        read_solution(write(tmp_path, "2\n1\n1.01\n", "s"))
