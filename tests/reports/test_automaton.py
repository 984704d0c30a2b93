"""The answer on an automaton in its three renderings, on plain data with every branch, as approved."""

import io
import json
import re
from pathlib import Path

import pytest
from approved_support import agree_with_approved
from rich.console import Console

from reports import automaton as render
from reports.automaton import Grid, widths

APPROVED = Path(__file__).with_suffix(".json")


def size(name, note):
    return {"name": name, "depth": 3, "embedding": 21, "attention": 9, "feedforward": 64, "heads": 1,
            "tokens": 8, "parameters": 12345, "note": note}  # fmt: skip


def condition(name, status):
    return {"theorem": "Theorem 2", "name": name, "status": status, "witness": "[red]A^σ[/] = <1>",
            "statements": ["thm2", "eq1"], "condition": "products"}  # fmt: skip


ANSWER = {
    "source": "my\nfile.json", "kind": "wfa", "states": 2, "alphabet": ["a", "<b>", "[c]"], "length": 8,
    "eps": "1/1000", "sentence": "It is simulated\nwithin ε.", "printed": "It holds.",
    "scale": {"sentences": ["States have size 1.", "An error of 2 says nothing."]},
    "hypotheses": [
        condition(name, name)
        for name in ("met", "not met", "cannot be met", "not needed", "undecided")
    ],
    "classes": [
        {"name": "PFA", "belongs": True, "rounding": "1e-9", "witness": "w", "statements": ["def1"]},
        {"name": "HMM", "belongs": False, "rounding": "", "witness": "a row of 2", "statements": []},
    ],
    "constructions": [size("decoder", "as `export` writes it"), size("Theorem 1", "with a | sign")],
    "quantities": [{"name": "C", "value": "12", "meaning": "saturation", "evidence": "certified"}],
    "formats": [{"model": "decoder", "name": "float32", "attention": "soft", "range": "all",
                 "certified": "1e-4", "measured": "1e-5", "suffices": "yes"}],
    "safe": [{"format": "float32", "absolute": 8, "relative": None}],
    "cite": [{"statement": "thm1", "title": "Theorem 1", "standing": "proved"},
             {"statement": "x", "title": "A long title of a statement that is to be broken", "standing": ""}],
}  # fmt: skip
FEW = {
    **ANSWER, "source": "", "kind": "wta", "states": 1, "alphabet": [f"s{k}" for k in range(15)],
    "eps": "about 1e-9", "hypotheses": [condition("one", "met")], "classes": [], "formats": [], "safe": [],
    "printed": "", "constructions": [size("decoder", "too large to build")],
}  # fmt: skip
BOTH = {"all": ANSWER, "few": FEW}


def screen(answer, width, long):
    out = io.StringIO()
    render.terminal(answer, Console(file=out, width=width, color_system=None), long)
    return [line.rstrip() for line in out.getvalue().splitlines()]


@pytest.mark.parametrize("name", BOTH)
@pytest.mark.parametrize("width", [50, 80, 160])
@pytest.mark.parametrize("long", [True, False])
def test_the_answer_on_a_screen_is_as_approved(name, width, long):
    found = screen(BOTH[name], width, long)
    agree_with_approved(APPROVED, f"screen: {name}, {width}, {long}", found)


@pytest.mark.parametrize("name", BOTH)
def test_the_answer_as_a_text_is_as_approved(name):
    agree_with_approved(APPROVED, f"markdown: {name}", render.markdown(BOTH[name]).splitlines())


def test_the_answer_as_data_says_whether_all_is_met():
    found, few = (json.loads(render.data(answer)) for answer in (ANSWER, FEW))
    assert (found.pop("all_met"), few["all_met"]) == (False, True)
    assert found == {"schema": "assay-automaton-3", **ANSWER}
    assert next(iter(few)) == "schema" and render.data(FEW).startswith('{\n "schema"')


@pytest.mark.parametrize("width", [1, 9, 12, 20, 30, 31, 60])
def test_no_column_is_wider_than_its_longest_cell_and_none_is_lost(width):
    rows = [["a", "word by word", "xx"], ["longest", "of them all", ""], ["", "é界", "y"]]
    found = widths(rows, width)
    agree_with_approved(APPROVED, f"widths: {width}", found)
    assert min(found) >= 1 and all(a <= b for a, b in zip(found, [7, 12, 2], strict=True))


def test_a_column_is_left_out_by_its_name():
    grid = Grid("t", ("construction", "b", "parameters"), (("1", "2", "3"), ("4", "5", "6")))
    assert grid.without("b") == Grid("t", ("construction", "parameters"), (("1", "3"), ("4", "6")))
    assert grid.without("none") == grid and grid.short == ("model", "b", "params")


def test_a_screen_colours_statuses_and_nothing_else():
    """Bold is the sentence, and so are heads of tables; dim is what to do next; no number has a colour."""
    out = io.StringIO()
    render.terminal({**ANSWER, "sentence": "Within 0.5, 'so'."},
                    Console(file=out, width=100, force_terminal=True, color_system="standard"))  # fmt: skip
    assert set(re.findall(r"\x1b\[([0-9;]*)m", out.getvalue())) == {"0", "1", "2", "31", "32", "33"}
    lines = out.getvalue().splitlines()
    assert lines[0] == "\x1b[1mWithin 0.5, 'so'.\x1b[0m"
    assert "assay export writes a decoder" in lines[1]
    lines = lines[next(i for i, line in enumerate(lines) if line.startswith("States")) - 1 :]
    assert lines[1] == "States have size 1. An error of 2 says nothing."
    heading = "my file.json: weighted automaton with 2 states over {a, <b>, [c]}, length 8"
    assert lines[2] == f"\x1b[2m{heading}\x1b[0m"
    assert lines[-1] == "\x1b[2mSentences to cite: assay cite thm1 x\x1b[0m"
