"""Text of others cannot move the cursor, fake a line or turn one around."""

import io
import json

import pytest
from rich.table import Table

from verify.cli import main
from verify.display.screen import Screen
from verify.display.terminal import lines, plain


@pytest.mark.parametrize("text", ["\x1b[2J", "a\nb", "\u202eabc", "\x00", "\u2028", "\x9b31m"])
def test_what_could_change_a_terminal_is_escaped(text):
    assert plain(text).isprintable() and "\\" in plain(text)


def test_letters_of_all_languages_and_mathematics_stay():
    assert plain("α ≤ 2ⁿ, é, 漢") == "α ≤ 2ⁿ, é, 漢"


def test_lines_keep_their_ends():
    assert lines("a\nb\x1b") == "a\nb\\x1b"


HOSTILE = "a\x1b]0;p\x07\x9b31m\u202eb"  # sets a title, rings, colours, reorders


def hostile_file(folder, name: str, weight: int = 1, symbol: str = HOSTILE):
    maps = {symbol: [[weight]], "cc": [["1/2"]]}
    file = folder / name
    file.write_text(json.dumps({"kind": "wfa", "alpha": [1], "transitions": maps, "beta": [1]}))
    return str(file)


def said(capsys, *arguments: str) -> str:
    """What a command prints, which must hold nothing that a terminal obeys."""
    assert main(list(arguments)) in (0, 1, 4)
    text = "".join(capsys.readouterr())
    assert text and [hex(ord(c)) for c in text if lines(c) != c] == []
    return text


def test_symbols_with_escapes_are_printed_escaped(tmp_path, capsys):
    one, two = hostile_file(tmp_path, "one.json"), hostile_file(tmp_path, "two.json", 2)
    assert r"a\x1b]0;p\x07\x9b31m\u202eb: 1 and 2" in said(capsys, "equal", one, two)
    assert json.loads(said(capsys, "equal", one, two, "--json"))["word"] == [HOSTILE]
    assert r"\u202e" in said(capsys, "explain", one, "--word", HOSTILE)
    assert json.loads(said(capsys, "explain", one, "--word", HOSTILE, "--json"))


def test_a_symbol_with_a_line_end_cannot_forge_a_line(tmp_path, capsys):
    symbol = "a\nEqual on all words."
    files = [hostile_file(tmp_path, f"{w}.json", w, symbol) for w in (1, 2)]
    assert said(capsys, "equal", *files).count("\n") == 1


@pytest.mark.parametrize("shape", [[], ["--long"], ["--markdown"], ["--json"]])
def test_a_file_name_with_escapes_is_printed_escaped(tmp_path, capsys, shape):
    file = hostile_file(tmp_path, "x\x1b[2J\u202e.json")
    text = said(capsys, "automaton", file, "--length", "2", *shape)
    assert "x" in text and "2J" in text


@pytest.mark.parametrize("symbol", [HOSTILE, "<script>", "$", "\\$"])
def test_a_figure_shows_symbols_escaped(tmp_path, capsys, symbol):
    file, plot = hostile_file(tmp_path, "x.json", 1, symbol), tmp_path / "x.svg"
    said(capsys, "explain", file, "--word", symbol, "--plot", str(plot))
    text = plot.read_text()
    assert lines(text) == text and "<script" not in text


def test_a_console_escapes_text_and_keeps_its_own_colours():
    out = io.StringIO()
    screen = Screen(file=out, force_terminal=True, width=40)
    screen.print(Table("x\x1b[2J", title="t\u202e"))
    screen.print("red\x07", style="red", end="")
    text = out.getvalue()  # a cell may be cut: it was measured before
    assert r"x\x1" in text and r"t\u202e" in text
    assert "\x1b[2J" not in text and "\u202e" not in text
    assert text.endswith("\x1b[31mred\x1b[0m")


def test_tabs_and_line_ends_of_a_text_stay():
    assert lines("a\tb\n\nc\r\n") == "a\tb\n\nc\\r\n"
    assert plain("a\tb") == "a\\tb"


def test_a_very_long_name_of_a_file_is_cut(capsys):
    assert main(["list", "--from", "x" * 5000]) == 4
    assert len(capsys.readouterr().err) < 600
