"""Rare input of commands: the largest that is taken, and folders and files that are not there."""

from types import SimpleNamespace

import pytest

from constructions.core.errors import InputError
from verify.commands import coverage, draw, new, zoo
from verify.record import chosen_paper


def test_numbers_of_random_models_have_their_limits():
    assert zoo.range_of_states("2:8") == (2, 8) and zoo.range_of_states("3") == (3, 3)
    for text in ("3:2", "2:9"):
        with pytest.raises(InputError, match="A ≤ B ≤ 8"):
            zoo.range_of_states(text)
    names = zoo.random_names((2, 3), 1000, 1)
    assert len(names) == 1000 and names[:2] == zoo.random_names((2, 3), 2, 1)
    assert {name.split(":")[1] for name in names} == {"2", "3"}
    with pytest.raises(InputError, match="at most 1000"):
        zoo.random_names((2, 3), 1001, 1)


def test_a_drawing_that_takes_long_says_so_or_is_refused(capsys):
    symbols = tuple("[ab]")
    assert draw.chosen_length(None, symbols, False) == 4
    assert draw.chosen_length("200000", symbols, False) == 200_000
    with pytest.raises(InputError, match=r"200001: 200001 exact scores, about 20 s"):
        draw.chosen_length("200001", symbols, False)
    assert draw.chosen_length("200001", symbols, True) == 200_001
    assert "about 20 s" in capsys.readouterr().err
    with pytest.raises(InputError, match="at least 4, the tree's own length"):
        draw.chosen_length("3", symbols, False)


def test_a_folder_that_cannot_be_looked_at_is_refused(monkeypatch, tmp_path):
    class Hidden(type(tmp_path)):
        """A folder nobody may look at."""

        def exists(self):
            raise PermissionError(13, "Permission denied")

    with pytest.raises(InputError, match="Permission denied, expected a new or an empty folder"):
        new.command(SimpleNamespace(folder=Hidden(tmp_path)))
    monkeypatch.setattr(chosen_paper, "choose", lambda _: SimpleNamespace(source=None))
    with pytest.raises(InputError, match="the paper's LaTeX source"):
        coverage.command(SimpleNamespace(paper=None, about=None))
