"""Every fact has all its places; one that is missing is named with what to write there."""

import importlib
from collections.abc import Iterator

import pytest

from verify.facts.registry import Fact, fact, registered
from verify.judge.model import Paper
from verify.judge.outcome import Outcome
from verify.judge.paper import load
from verify.recheck.confirmations import confirmations
from verify.record.plan import asking


def missing_places(known: Fact, paper: Paper) -> Iterator[str]:
    """What a fact lacks, and where it belongs."""
    module = importlib.import_module(known.run.__module__)
    if not known.title.endswith((".", ":")):
        yield f"{known.id}: no docstring of one sentence"
    if known.id not in (module.__doc__ or "") and len(of_module(known)) > 1:
        yield f"{known.id}: no line in the docstring of {module.__name__}"
    if known.id not in {each.fact for each, _ in asking(paper)}:
        yield f"{known.id}: no binding, observation or figure of verify/paper asks for it"
    method, _ = confirmations().get(known.id, ("", None))
    if method != known.method:
        yield f'{known.id}: no @confirms("{known.id}", "{known.method}", …) in verify/recheck/kinds'
    if (need := "".join(known.needs[:1])) != paper.about.need_of(known.id):
        stated = paper.about.need_of(known.id)
        yield f"{known.id}: needs {need!r}, [needs] of verify/paper/paper.toml has {stated!r}"


def of_module(known: Fact) -> list[Fact]:
    return [each for each in registered().values() if each.run.__module__ == known.run.__module__]


def test_every_fact_has_all_its_places():
    lacking = [line for known in registered().values() for line in missing_places(known, load())]
    assert not lacking, "\n".join(lacking)


def test_each_place_that_is_missing_is_named():
    def bare() -> Outcome:
        return Outcome(True)

    bare.__module__ = "verify.facts.trees"
    lines = list(missing_places(Fact("tree.new", bare, "exact", ("torch",)), load()))
    assert lines == [
        "tree.new: no docstring of one sentence",
        "tree.new: no line in the docstring of verify.facts.trees",
        "tree.new: no binding, observation or figure of verify/paper asks for it",
        'tree.new: no @confirms("tree.new", "exact", …) in verify/recheck/kinds',
        "tree.new: needs 'torch', [needs] of verify/paper/paper.toml has ''",
    ]


def test_a_method_that_is_none_is_refused_by_name():
    with pytest.raises(
        ValueError, match=r"fact tree\.new: method 'guessed', expected one of machine"
    ):
        fact("tree.new", "guessed")
