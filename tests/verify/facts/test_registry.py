"""Every fact has all its places; one that is missing is named with what to write there."""

import os
import sys

import pytest

from verify.cli import main
from verify.facts.registry import Fact, fact, import_path, registered
from verify.judge.outcome import Outcome
from verify.judge.paper import load
from verify.recheck.confirmations import confirmations
from verify.record.lint import missing_places


def test_every_fact_of_our_paper_has_all_its_places(monkeypatch, capsys):
    monkeypatch.delenv("ASSAY_PAPER", raising=False)
    assert main(["lint"]) == 0, capsys.readouterr().out


def test_each_place_that_is_missing_is_named():
    def bare() -> Outcome:
        return Outcome(True)

    bare.__module__ = "verify.facts.tree_strings"
    methods = {name: method for name, (method, _) in confirmations().items()}
    new = Fact("tree.new", bare, "exact", ("torch",))
    lines = list(missing_places(new, load(), {**registered(), "tree.new": new}, methods))
    assert [line.removeprefix("tree_strings.py: fact tree.new: ") for line in lines] == [
        "no docstring, expected a sentence that says what holds",
        "no line in the docstring of tree_strings.py",
        "no binding, observation or figure asks for it",
        'no @confirms("tree.new", "exact", …) in verify.recheck.kinds; `assay recheck --trust` refuses it',
        "needs 'torch', [needs] of paper.toml has ''",
    ]


def test_a_method_that_is_none_is_refused_by_name():
    with pytest.raises(
        ValueError, match=r"fact tree\.new: method 'guessed', expected one of machine"
    ):
        fact("tree.new", "guessed")


def test_a_folder_of_facts_is_a_package_and_a_file_a_module(tmp_path):
    folder = tmp_path / "facts"
    folder.mkdir()
    (folder / "sizes.py").write_text("SIZE = 7\n")
    (folder / "__init__.py").write_text("from .sizes import SIZE\n\nTWICE = 2 * SIZE\n")
    name = import_path(folder)
    assert sys.modules[name].TWICE == 14
    (folder / "sizes.py").write_text("SIZE = 80\n")
    other = import_path(folder)
    assert other != name and sys.modules[other].TWICE == 160
    single = import_path(folder / "sizes.py")
    assert sys.modules[single].SIZE == 80 and single not in (name, other)


def test_a_file_of_the_same_second_and_length_is_another_one(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    folder = tmp_path / "facts"
    folder.mkdir()
    places = folder / "__init__.py", folder / "sizes.py"
    for size in (7, 8):
        places[0].write_text(f"from .sizes import SIZE\n\ntotal = {size} + SIZE\n")
        places[1].write_text(f"SIZE = {size}\n")
        for place in places:
            os.utime(place, (10**9, 10**9))
        loaded = sys.modules[import_path(folder)]
        assert loaded.total == 2 * size
    assert not [*tmp_path.rglob("*.pyc")]
