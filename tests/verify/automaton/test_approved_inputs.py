"""The words and trees that errors are measured on, as they were approved."""

from itertools import islice
from pathlib import Path

from approved_support import agree_with_approved

from constructions.automata.families import hmm
from constructions.automata.wta import WTA
from verify.automaton import inputs

APPROVED = Path(__file__).with_suffix(".json")
WEATHER = hmm([["1/2", "1/2"], ["1/4", "3/4"]], [["1/3", "1/2"], ["2/3", "1/2"]], [1, 0], "ab")
LEAVES = WTA.of([1, 0], [[["3/4", "-1/3"], ["1/2", "1/5"]], [["1/4", "2/3"], ["1/2", "4/5"]]],
                {"a": ["1/2", "1/2"], "b": ["1/5", "4/5"]})  # fmt: skip


def texts(strings):
    """Strings without blanks between their letters."""
    return ["".join(each) for each in strings]


def test_words_are_as_approved():
    found = {name: "".join(word) for name, word in inputs.words(WEATHER, 9).items()}
    agree_with_approved(APPROVED, "words", found)
    agree_with_approved(APPROVED, "small words", texts(islice(inputs.small_words(WEATHER, 9), 8)))


def test_trees_and_what_is_next_to_one_are_as_approved():
    found = {name: "".join(word) for name, word in inputs.trees(LEAVES, 22).items()}
    agree_with_approved(APPROVED, "trees", found)
    near = texts(inputs.tree_neighbours(tuple("[[ab][ab]]"), "ab"))
    agree_with_approved(APPROVED, "neighbours", near)
