"""Text of others cannot move the cursor, fake a line or turn one around."""

import pytest

from verify.display.terminal import lines, plain


@pytest.mark.parametrize("text", ["\x1b[2J", "a\nb", "\u202eabc", "\x00", "\u2028", "\x9b31m"])
def test_what_could_change_a_terminal_is_escaped(text):
    assert plain(text).isprintable() and "\\" in plain(text)


def test_letters_of_all_languages_and_mathematics_stay():
    assert plain("α ≤ 2ⁿ, é, 漢") == "α ≤ 2ⁿ, é, 漢"


def test_lines_keep_their_ends():
    assert lines("a\nb\x1b") == "a\nb\\x1b"
