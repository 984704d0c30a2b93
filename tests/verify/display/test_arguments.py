"""What takes long is estimated before any work, and refused unless it is asked for by --large."""

import json

import pytest

from constructions.core.errors import InputError
from verify.cli import main
from verify.display.arguments import PATIENCE, check_patience


def file_of(folder, states: int, symbols: int = 1) -> str:
    row = [f"1/{states}"] * states
    data = {"kind": "wfa", "alpha": row, "transitions": {f"s{k}": [row] * states for k in range(symbols)},
            "beta": row}  # fmt: skip
    (folder / "large.json").write_text(json.dumps(data))
    return str(folder / "large.json")


def refusal(capsys, *arguments: str) -> str:
    assert main(list(arguments)) == 4
    line = capsys.readouterr().err
    assert line.count("\n") == 1 and " s, expected at most about 60 s, or --large" in line
    return line


def test_an_estimate_above_a_minute_is_refused_unless_forced():
    check_patience(PATIENCE, "little", False, "x.json")
    check_patience(10 * PATIENCE, "much", True, "x.json")
    with pytest.raises(InputError, match=r"x\.json: automaton: found much, about 61 s"):
        check_patience(PATIENCE + 1, "much", False, "x.json")


def test_equality_of_large_automata_is_estimated(tmp_path, capsys):
    file = file_of(tmp_path, 300)
    assert "300 and 300 states, about 68 s" in refusal(capsys, "equal", file, file)


def test_a_sweep_of_a_large_automaton_is_estimated(tmp_path, capsys):
    file = file_of(tmp_path, 200)
    line = refusal(capsys, "sweep", file, "--length", "4", "--saturation", "1:9:9")
    assert "200 states, 1 words, 9 values of C, about 72 s" in line


def test_many_letters_of_one_state_are_estimated(tmp_path, capsys):
    file = file_of(tmp_path, 1, 160_000)
    assert "1 states and 160000 symbols" in refusal(capsys, "automaton", file, "--length", "4")


@pytest.mark.slow
def test_sparse_automata_are_compared_without_force(tmp_path, capsys):
    moves = {"a": [(q + 1) % 300 for q in range(300)]}
    data = {"kind": "dfa", "states": 300, "start": 0, "accepting": [0], "transitions": moves}
    (tmp_path / "ring.json").write_text(json.dumps(data))
    assert main(["equal", *[str(tmp_path / "ring.json")] * 2]) == 0
    assert capsys.readouterr().out == "Equal on all words.\n"
