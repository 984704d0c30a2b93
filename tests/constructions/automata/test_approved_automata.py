"""Automata of every family, what is derived from them, trees and games, as they were approved."""

import json
from fractions import Fraction
from hashlib import sha256
from pathlib import Path
from random import Random

import pytest
from approved_support import agree_with_approved, plain_data

from constructions.automata import balancing, pebbling, processes, random_trees, trees
from constructions.automata.definite import short_memory
from constructions.automata.families import hmm, k_counting_as_printed, nfa, probabilistic_automaton
from constructions.automata.named import automaton_by_name
from constructions.automata.prediction import predictor
from constructions.automata.reduction import (
    Reduction,
    difference,
    difference_automaton,
    minimal_automaton,
    reachable_reduction,
    reversed_automaton,
)
from constructions.automata.regex import from_regex, letters_of
from constructions.core.errors import InputError
from constructions.core.matrix import Matrix

APPROVED = Path(__file__).with_suffix(".json")
NAMES = [
    "scalar:-2/3", "counting", "k-counting:3", "k-counting:2:5", "rotation:1/12", "permutation:1",
    "permutation:4", "nilpotent:3", "hmm:2:7", "hmm:3:1", "pfa:2:5", "pfa:3:8", "random:3:4", "mess3",
    "mess3:1/4:1/2", "rrxor", "even", "golden", "ghmm", "hmm:8:1000000000",
]  # fmt: skip
REFUSED = [
    "", "none", "hmm", "hmm:2", "hmm:2:3:4", "hmm:9:1", "hmm:0:1", "hmm:2:1000000001", "hmm:2:-1", "mess3:x",
    "rotation:1/3001", "rotation:x", "k-counting:9", "k-counting:1:17", "k-counting:8:16", "counting:1",
    "permutation:0", "scalar:1/0", "mess3:1:1:1", "Counting",
]  # fmt: skip


def digest(value):
    return sha256(json.dumps(plain_data(value), default=str).encode()).hexdigest()[:12]


def listed(automaton):
    """The weights as text where they are few, else a digest."""
    plain = plain_data([automaton.alpha, automaton.transitions, automaton.beta])
    text = json.dumps(plain, ensure_ascii=False)
    return text if len(text) < 300 else digest(plain)


def outcome(call, *arguments):
    try:
        return call(*arguments)
    except InputError as error:
        return str(error).partition("automata-lib reads")[0]  # what follows are the library's words


def test_automata_by_their_names_are_as_approved():
    agree_with_approved(
        APPROVED, "names", {name: listed(automaton_by_name(name)) for name in NAMES}
    )
    found = {name: outcome(lambda text: listed(automaton_by_name(text)), name) for name in REFUSED}
    agree_with_approved(APPROVED, "refused names", found)


RATIONAL = [name for name in NAMES[:-1] if not name.startswith("rotation")]


@pytest.mark.parametrize("name", RATIONAL)
def test_what_is_derived_from_an_automaton_is_as_approved(name):
    automaton = automaton_by_name(name)
    alone = Reduction(automaton, Matrix.identity(automaton.n))
    small = minimal_automaton(automaton)
    other = automaton.mapped(lambda x: x / 2)
    parts = {
        "reachable": reachable_reduction(automaton),
        "minimal": small,
        "reversed": reversed_automaton(automaton),
        "difference": [difference(automaton, other), difference(automaton, small)],
        "both": difference_automaton(automaton, other),
        "levels": balancing.levels(automaton),
        "exponents": balancing.exponents(automaton),
        "scalings": balancing.scalings(automaton, (-1, 1)),
        "balanced": balancing.balanced_reduction(alone),
        "scaled": balancing.scaled_reduction(alone, list(range(automaton.n))),
        "memory": short_memory(automaton, 3),
        "process": processes.is_process(automaton),
        "probabilities": outcome(probabilistic_automaton, automaton),
    }
    agree_with_approved(
        APPROVED, f"derived: {name}", {key: digest(part) for key, part in parts.items()}
    )


TEXTS = [["abba", "ab", "b"], ["a"], ["", "ab"], [("x", "yy"), ("yy",)]]


@pytest.mark.parametrize("order", [1, 2, 3])
def test_predictors_are_as_approved(order):
    sources = {str(words): processes.ngram(words, order) for words in TEXTS}
    sources |= {
        name: automaton_by_name(name) for name in ("mess3", "even", "pfa:2:5", "ghmm", "rrxor")
    }
    found = {}
    for name, automaton in sources.items():
        source = outcome(predictor, automaton)
        if isinstance(source, str):
            found[name] = source
            continue
        word = source.example(order + 2)
        drawn = source.sample(6, Random(order))
        rows = [
            source.symbols,
            source.distributions(word),
            source.beliefs(word),
            source.probability(word),
        ]
        found[name] = [" ".join(word), " ".join(drawn), digest(rows), digest(source.automaton)]
    agree_with_approved(APPROVED, f"predictors: {order}", found)


def test_families_with_their_options_are_as_approved():
    made = {
        "printed": k_counting_as_printed(2, 3),
        "nfa": nfa(3, [0, 1], [2], {"a": [(0, 1), (1, 2)], "b": [(2, 2), (0, 2)]}),
        "hmm": hmm(
            [["1/2", "1/2"], ["1/4", "3/4"]], [["1/3", "1/2"], ["2/3", "1/2"]], [1, 0], "ab"
        ),
        "mess3": processes.mess3(Fraction(1, 4), Fraction(1, 3)),
        "turned": processes.generalised(Fraction(1, 3)),
        "ended": processes.ngram(["ab", "ba"], 2, "!"),
    }
    agree_with_approved(APPROVED, "families", {name: listed(each) for name, each in made.items()})


PATTERNS = [
    "a", "", "ab|ba", "(a|b)*abb", "a+b?", "[ab]{2}", "a{2,3}", "a{,2}", "a{2,}", ".", ".*a.", "[^a]b",
    "\\.", "((a))", "(a|)b", "a**", "a{0}", "(", ")", "a|", "|", "*", "a{3,2}", "a{-1}", "[", "c", "a{1000}",
    "(a{100}){100}", "a" * 1001, "[a-b]", "a{1025}", "(a|b){3}(a|b)",
]  # fmt: skip


def test_patterns_are_read_or_refused_as_approved():
    pytest.importorskip("automata")
    found = {
        pattern[:20]: [
            outcome(lambda text: listed(from_regex(text, "ab")), pattern),
            outcome(letters_of, pattern),
        ]
        for pattern in PATTERNS
    }
    agree_with_approved(APPROVED, "patterns", found)


def test_trees_and_their_strings_are_as_approved():
    found = {}
    for count in range(1, 7):
        for shape in trees.shapes(count):
            symbols = trees.tokens(shape)
            rows = [trees.positions(symbols), trees.ends(symbols), trees.children(symbols),
                    trees.depths(symbols), trees.height(shape), list(trees.leaves(shape)),
                    pebbling.steps(shape), pebbling.times(shape),
                    [str(state) for state in pebbling.play(shape)]]  # fmt: skip
            found.setdefault(str(count), []).append(digest(rows))
    agree_with_approved(APPROVED, "shapes", found)
    labels = "abcdefg"
    named = {build.__name__: "".join(trees.tokens(build(labels[:k])))
             for build in (trees.comb, trees.zigzag, trees.balanced_tree) for k in (7,)}  # fmt: skip
    agree_with_approved(APPROVED, "trees", named)


def test_numbers_of_the_game_are_as_approved():
    found = {
        "padovan": [pebbling.padovan(k) for k in range(20)],
        "leaves": [pebbling.least_leaves(k) for k in range(12)],
        "steps": [pebbling.most_steps(leaves) for leaves in range(1, 40)],
        "combs": [pebbling.comb_steps(leaves) for leaves in range(1, 40)],
        "extremal": ["".join(trees.tokens(pebbling.extremal_tree(k, "b"))) for k in range(5)],
        "unordered": [len(pebbling.unordered_shapes(leaves)) for leaves in range(1, 9)],
        "random": ["".join(trees.tokens(pebbling.random_tree(k, Random(k)))) for k in range(1, 8)],
    }
    agree_with_approved(APPROVED, "game", found)


def test_random_trees_and_automata_are_as_approved():
    found = {
        "tokens": ["".join(random_trees.random_tokens(k, 7)) for k in (1, 2, 5, 9)],
        "tree": str(random_trees.random_tree(6, 3, "xyz")),
        "labelled": str(random_trees.labelled_shape((("a", "a"), "a"), 4)),
        "wta": [digest(random_trees.random_wta(n, 5)) for n in (1, 3)],
        "rational": [digest(random_trees.rational_wta(n, 5)) for n in (1, 3)],
    }
    agree_with_approved(APPROVED, "random", found)
