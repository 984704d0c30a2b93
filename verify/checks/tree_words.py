"""Trees, words and grammars: combs as words, words as combs, grammars as sums over trees.

Asks          how many states does a comb need as a word, read in which direction; does Theorem 1
              then give O(log T) layers; do weighted grammars sum WTAs over trees
Notation      a comb is (σ_1, (σ_2, (σ_3, …))); M_σ = T ×₂ v_σ
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from random import Random

from constructions import theorem1
from constructions.arithmetic import Rational
from constructions.random_trees import random_wta
from constructions.trees import comb
from constructions.wfa import WFA
from constructions.wta import WTA
from verify.check import Job, check
from verify.checks.theorem3 import plain
from verify.claims.model import Name
from verify.engines.tree_evidence import either, fails, holds
from verify.engines.tree_sides import (
    comb_states,
    comb_values,
    grammar_automaton,
    inside,
    plain_word_automaton,
    sum_over_trees,
    word_automaton,
    word_tree,
    words,
)
from verify.evidence import Evidence, Strength

LITERAL, CHARITABLE = Name.LITERAL, Name.CHARITABLE


@check("obs.comb.wfa", "obs.comb.log")
def a_comb_is_a_word(job: Job) -> Iterator[Evidence]:
    """Turn WTAs into WFAs with n + 1 states and compare them on all combs."""
    longest = 7 if job.full else 6
    machines = [random_wta(n, 10 + n) for n in (1, 2, 3)]
    right = all(comb_agrees(machine, longest) for machine in machines)
    flat = WTA.of([1], [[[0]]], {"a": [1]})
    rank = [[None, flat.weight("a")], [flat.weight("a"), flat.weight(("a", "a"))]]
    tight = rank[1][1] == 0 and rank[0][1] == 1
    text = (
        f"A WFA with n + 1 states gives f on all combs with up to {longest} leaves, read from the "
        "first leaf to the last; another, read from the last to the first, passes through μ of all "
        "subtrees. n states are not always enough: T = 0, v_a = 1 has Hankel block ((·, 1), (1, 0))."
    )
    scope = f"3 WTAs with n = 1, 2, 3, all words over two letters up to length {longest}"
    certificate = {
        "kind": "trees.comb",
        "automaton": plain(machines[1]),
        "longest": 4,
        "wfa": plain_word_automaton(comb_values(machines[1])),
    }
    for reading in (LITERAL, CHARITABLE):
        evidence = holds("obs.comb.wfa", reading, Strength.EXHAUSTIVE, scope, text, certificate)
        yield either(right and tight, evidence)
    yield from comb_in_log_layers(machines[1], certificate)


def comb_agrees(automaton: WTA, longest: int) -> bool:
    """Whether both WFAs agree with the WTA on all combs."""
    values, states = comb_values(automaton), comb_states(automaton)
    for word in words("ab", longest):
        found = states.states(word[::-1])
        if values.weight(word) != automaton.weight(comb(word)):
            return False
        if any(
            automaton.state(comb(word[i:])) != found[len(word) - i][: automaton.n]
            for i in range(len(word))
        ):
            return False
    return True


def comb_in_log_layers(automaton: WTA, certificate: dict[str, object]) -> Iterator[Evidence]:
    """Theorem 1's transformer for the comb's WFA gives all states in ⌈log2 T⌉ layers."""
    length = 4
    model, arithmetic = theorem1.build(comb_states(automaton), length), Rational()
    right = True
    for word in words("ab", length, length):
        rows = model.states(word[::-1], arithmetic)
        wanted = automaton.state(comb(word))
        right &= [arithmetic.element(x) for x in wanted] == list(rows[length][: automaton.n])
    layers = len(model.transformer.layers)
    text = (
        f"Theorem 1's transformer with {layers} layers gives μ of all combs with {length} leaves."
    )
    scope = f"all {2**length} combs with {length} leaves, one WTA with n = 2"
    evidence = holds("obs.comb.log", LITERAL, Strength.EXHAUSTIVE, scope, text, certificate)
    yield either(right, evidence)


@check("pre.wta.wcfg", "pre.wta.derivations", "pre.wta.extend")
def grammars_and_words(job: Job) -> Iterator[Evidence]:
    """Compare a weighted grammar with the sum of a WTA over trees, and a WFA with a WTA on combs."""
    longest = 7 if job.full else 6
    rules, branch = {"a": Fraction(1, 3), "b": Fraction(1, 6)}, Fraction(1, 2)
    machine = grammar_automaton(rules, branch)
    right = all(
        inside(rules, branch, w) == sum_over_trees(machine, w) for w in words("ab", longest)
    )
    text = (
        f"S → S S (1/2), S → a (1/3), S → b (1/6): the weights of all words up to length {longest} are "
        "the sums of a WTA with one state over all binary trees that spell them."
    )
    certificate = {
        "kind": "trees.grammar",
        "branch": "1/2",
        "rules": {"a": "1/3", "b": "1/6"},
        "longest": 5,
    }
    scope = f"one grammar in Chomsky normal form, all words up to length {longest}"
    for claim, reading in (("pre.wta.wcfg", CHARITABLE), ("pre.wta.derivations", LITERAL)):
        yield either(
            right,
            holds(
                claim,
                reading,
                Strength.EXHAUSTIVE,
                scope,
                text,
                certificate,
                limits="An example; the general statement is cited.",
            ),
        )
    loop = {"kind": "trees.loop", "loop": "1", "leaf": "1", "sums": ["1", "2", "3"]}
    yield fails(
        "pre.wta.wcfg",
        LITERAL,
        "S → S (1), S → a (1)",
        "With S → S (1) and S → a (1) the word a has a derivation of every length, each of "
        "weight 1: their sum is no real number.",
        loop,
        "The word a: 1 + 1 + 1 + …",
    )
    yield words_as_combs()


def words_as_combs() -> Evidence:
    """A WFA's weight as a WTA's value on the comb (((#, x_1), x_2), …)."""
    random = Random(3)
    table = {s: [[random.randint(-2, 2) for _ in range(2)] for _ in range(2)] for s in "ab"}
    machine = WFA.of([1, 2], table, [1, -1])
    trees = word_automaton(machine)
    right = all(machine.weight(w) == trees.weight(word_tree(w)) for w in words("ab", 6, 0))
    evidence = holds(
        "pre.wta.extend",
        LITERAL,
        Strength.EXHAUSTIVE,
        "one WFA, words up to length 6",
        "A WTA with n + |Σ| states gives the weight of every word up to length 6 on the "
        "comb (((#, x_1), x_2), …).",
        {"kind": "trees.extend", "wfa": plain_word_automaton(machine), "longest": 4},
    )
    return either(right, evidence)
