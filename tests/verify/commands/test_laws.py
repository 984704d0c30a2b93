"""Laws of commands: random words of a command line, valid and not, in any mixture.

status   never 70, and never a traceback
refusal  bad input, status 4, is exactly one line, and nothing is left in the folder
"""

import json
import re
from contextlib import redirect_stderr, redirect_stdout, suppress
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from grid_support import quick_or_full
from hypothesis import example, given, settings
from hypothesis import strategies as st

from constructions.core.errors import InputError
from verify.cli import main
from verify.display.arguments import ends

COMMANDS = (
    "automaton", "equal", "explain", "export", "sweep", "precision", "zoo",
    "tex", "list", "show", "cite", "findings", "conditions", "circuit", "score", "recheck",
)  # fmt: skip
FILES = {
    "word.json": json.dumps({"kind": "wfa", "alpha": [0, 1], "beta": [1, 0],
                             "transitions": {"0": [[1, 0], [1, 1]], "1": [[1, 0], [0, 1]]}}),
    "tree.json": json.dumps({"kind": "wta", "alpha": [1], "tensor": [[[1]]], "leaves": {"a": [2]}}),
    "broken.json": '{"kind": "wfa", "alpha": [0, "x"]}',
    "paper.tex": r"By \assayholds{thm1} and \assayholds{absent}.",
}  # fmt: skip
VALUES = (
    *FILES, "scalar:2", "rotation:1/8",
    "none.json", "thm1", "eq1", "F1", "nothing", "1", "2", "3", "0", "-1", "1/2", "1e-3", "nan",
    "1e999", "1:4", "2:3:2", "9:1", "01", "0", "", " ", "[aa]", "[a", "json", "text", "soft", "hard",
    "relu", "float32", "npz", "out", "out.png", "\u202e", "\x1b[31m", "--", "--no-such", "9" * 400,
    "x" * 5000,
)  # fmt: skip
SLOW = {"--help", "--all", "--long", "--paper", "--measure", "--run", "--about", "--from"}


def options(command):
    """The options that the help of a command names."""
    shown = StringIO()
    with redirect_stdout(shown), suppress(SystemExit):
        main([command, "--help"])
    found = set(re.findall(r"(?<![\w-])--[a-z][a-z-]*", shown.getvalue()))
    return [*sorted(found - SLOW), "--no-such"]


OPTIONS = {command: options(command) for command in COMMANDS}


@st.composite
def lines(draw):
    """A command with up to two places and up to three options, each with a value or without one."""
    command = draw(st.sampled_from(COMMANDS))
    values = st.sampled_from(VALUES)
    line = [command, *draw(st.lists(values, max_size=2))]
    for option in draw(st.lists(st.sampled_from(OPTIONS[command]), max_size=3)):
        line += [option, *draw(st.lists(values, max_size=1))]
    return line


def ended(line):
    """The status of a command line, and what it wrote on standard error."""
    error = StringIO()
    with redirect_stdout(StringIO()), redirect_stderr(error):
        try:
            status = main(line)
        except SystemExit as stop:
            status = stop.code
    return status, error.getvalue()


@settings(max_examples=quick_or_full(60, 200))
@given(lines())
@example(["explain", "thm1", "\x1b[31m\n"])
@example(["conditions", "rotation:1/8", "--length", "2"])
@example(["automaton", "rotation:1/8", "--length", "2"])
@example(["precision", "rotation:1/8", "--lengths", "1:2"])
@example(["explain", "rotation:1/8", "--word", "a"])
@example(["tex", "none.json", "--sty", "out"])
def test_no_command_line_ends_with_a_traceback_and_bad_input_is_one_line(line):
    with TemporaryDirectory() as home, pytest.MonkeyPatch.context() as here:
        here.chdir(home)
        for name, text in FILES.items():
            Path(name).write_text(text, "utf-8")
        status, error = ended(line)
        assert status in {0, 1, 2, 4}, (status, error)
        assert "Traceback" not in error
        if status == 4:
            assert error.count("\n") == 1 and error.endswith("\n"), error
            assert error.isprintable() or error[:-1].isprintable()
            assert {path.name for path in Path().iterdir()} == set(FILES)


@given(st.integers(-3, 40), st.integers(-3, 40), st.sampled_from(["{}:{}", "{}", "{}:{}:1", "x{}"]))
def test_a_range_has_its_ends_in_order_and_within_the_limits_or_is_refused(low, high, form):
    try:
        first, last = ends(form.format(low, high), "--lengths", 2, 32)
    except InputError:
        valid = {"{}:{}": 2 <= low <= high <= 32, "{}": 2 <= low <= 32}
        assert not valid.get(form, False)
    else:
        assert (first, last) == (low, high if form == "{}:{}" else low) and 2 <= first <= last <= 32


@given(st.sampled_from(["automaton", "sweep", "precision", "export", "explain"]), st.text())
def test_a_file_that_is_no_automaton_is_one_line(command, text):
    with TemporaryDirectory() as home:
        path = Path(home) / "given"
        path.write_text(text, "utf-8")
        more = {"precision": ["--lengths", "1:2"],
                "explain": ["--word", "a"], "sweep": ["--length", "2", "--saturation", "9"],
                "export": ["--length", "2", "--out", str(Path(home) / "out")],
                "automaton": ["--length", "2"]}  # fmt: skip
        status, error = ended([command, str(path), *more[command]])
        assert status == 4 and error.count("\n") == 1
