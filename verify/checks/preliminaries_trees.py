"""Section 2.3: trees, weighted tree automata, grammars.

Claims        pre.trees.definition, pre.wta.*
Roads         polynomials for one application of the tensor, with induction on the tree; all trees
              with few leaves; all small grammars; the inside recursion against sums over trees
Notation      tensor[i][j][k] as in `constructions.wta`; a grammar in Chomsky normal form has rules
              A → BC and A → σ with weights; its WTA has one state for each nonterminal
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import sympy

from constructions.trees import leaves, parse, positions, relabel, shapes, subtree_at, tokens
from constructions.wfa import WFA
from constructions.wta import WTA
from verify.check import Job, check
from verify.checks.preliminaries import symbolic
from verify.checks.statements import (
    CHARITABLE,
    EXHAUSTIVE,
    LITERAL,
    SYMBOLIC,
    first,
    holds,
    refuted,
    undecided,
)
from verify.evidence import Evidence, Plain

CATALAN = (1, 1, 2, 5, 14, 42)
Label = tuple[int, "Label | None", "Label | None"]


def generic_wta(n: int, letters: Sequence[str]) -> WTA:
    """A WTA with a symbol for every weight."""
    tensor = tuple(
        tuple(tuple(sympy.Symbol(f"T{i}_{j}_{k}") for k in range(n)) for j in range(n))
        for i in range(n)
    )
    vectors = {a: tuple(sympy.Symbol(f"v{a}_{i}") for i in range(n)) for a in letters}
    return WTA(tuple(sympy.symbols(f"f:{n}")), tensor, vectors)


@check("pre.trees.definition")
def trees_are_read_in_one_way(job: Job) -> Iterator[Evidence]:
    """Take a letter that is itself a pair, then all trees with up to six leaves."""
    yield double_meaning({"a", ("a", "a")})
    counts: list[Plain] = [len({tokens(tree) for tree in shapes(n)}) for n in range(1, 7)]
    problem = first(parse_problem(n) for n in range(1, 7))
    yield holds(
        "pre.trees.definition",
        problem if list(CATALAN) == counts else f"numbers of trees are {counts}",
        EXHAUSTIVE,
        "all shapes with up to six leaves",
        f"With letters that are no pairs the trees of 1 to 6 leaves are {counts} in number, their "
        "strings all different and each parsed back into its tree.",
        {"kind": "definitions.catalan", "counts": counts},
        reading=CHARITABLE,
    )


def double_meaning(alphabet: set[Any]) -> Evidence:
    """Whether some pair of trees is a letter too, so that μ has two values there."""
    pairs = [x for x in alphabet if isinstance(x, tuple) and all(part in alphabet for part in x)]
    return refuted(
        "pre.trees.definition",
        bool(pairs),
        "Σ = {a, (a, a)}",
        "Σ = {a, (a, a)}, n = 1, T = 1, v_a = 1, v_(a,a) = 5: the tree (a, a) is a leaf, with state "
        "5, and a node, with state 1.",
        {"kind": "definitions.two-meanings", "leaf": "5", "node": "1"},
        repair="Let letters be no pairs of trees.",
    )


def parse_problem(count: int) -> str | None:
    """Why a tree with so many leaves is not parsed back from its string."""
    for tree in shapes(count):
        if parse(tokens(tree)) != tree:
            return f"{''.join(tokens(tree))} is parsed otherwise"
    return None


@check("pre.wta.definition", "pre.wta.bottom-up", "pre.wta.states")
def states_of_trees(job: Job) -> Iterator[Evidence]:
    """Apply a generic tensor to sums and multiples, and collect the states of all subtrees."""
    problem = first(multilinear_problem(n) for n in (1, 2))
    body: dict[str, Plain] = {"kind": "definitions.multilinear", "sizes": [1, 2]}
    for claim, reading in (
        ("pre.wta.definition", LITERAL),
        ("pre.wta.definition", CHARITABLE),
        ("pre.wta.bottom-up", LITERAL),
    ):
        yield holds(
            claim,
            problem,
            SYMBOLIC,
            "every WTA with n ≤ 2",
            "Contracting modes 2 and 3 of the n × n × n tensor leaves n numbers, linear in the left "
            "and in the right state; the weight is linear in the root's state.",
            body,
            reading=reading,
            engine="SymPy",
            limits="The print does not define ×_k for a vector; modes are those of the whole tensor.",
        )
    count = sum(2 * n - 1 for n in range(1, 6) for _ in shapes(n))
    yield holds(
        "pre.wta.states",
        first(subtree_problem(n) for n in range(1, 6)),
        EXHAUSTIVE,
        "all trees with up to five leaves, n = 2",
        f"Each of {count} subtrees has one state of n numbers, equal to μ of that subtree.",
        {"kind": "definitions.subtrees", "leaves": 5, "subtrees": count},
    )


def multilinear_problem(n: int) -> str | None:
    """Why the tensor's map is not linear in one argument."""
    automaton = generic_wta(n, "a")
    x, y, z = (sympy.symbols(f"{name}:{n}") for name in "xyz")
    c = sympy.Symbol("c")
    moved = [a + c * b for a, b in zip(x, y, strict=True)]
    for left, right, other in (
        (automaton.combine(tuple(moved), z), automaton.combine(x, z), automaton.combine(y, z)),
        (automaton.combine(z, tuple(moved)), automaton.combine(z, x), automaton.combine(z, y)),
    ):
        if len(left) != n:
            return f"n = {n}: the state has {len(left)} numbers"
        triples = zip(left, right, other, strict=True)
        if any(sympy.expand(p - q - c * r) != 0 for p, q, r in triples):
            return f"n = {n}: not linear"
    return None


def subtree_problem(count: int) -> str | None:
    """Why the states found in one pass are not μ of each subtree."""
    automaton = WTA.of([1, 0], [[[1, 2], [0, 1]], [[1, 1], [3, 0]]], {"a": [1, 2]})
    for tree in shapes(count):
        symbols = tokens(tree)
        states = automaton.states(symbols)
        if sorted(states) != positions(symbols):
            return f"{''.join(symbols)}: states at {sorted(states)}"
        for i, state in states.items():
            if state != automaton.state(subtree_at(symbols, i)) or len(state) != automaton.n:
                return f"{''.join(symbols)}: the state at {i} differs"
    return None


@check("pre.wta.extend")
def words_are_combs(job: Job) -> Iterator[Evidence]:
    """Write a word as a comb and a WFA as a WTA, and prove the step with symbols."""
    sizes = [(1, 1), (2, 2), (3, 1)]
    yield holds(
        "pre.wta.extend",
        first(comb_problem(n, letters) for n, letters in sizes),
        SYMBOLIC,
        f"every WFA with (n, |Σ|) in {sizes}; all words by induction",
        "With n + |Σ| states, a leaf that holds α and leaves that hold unit vectors, the tensor takes "
        "(s, 0) and letter σ to (sᵀ A^σ, 0): combs have the WFA's weights.",
        {"kind": "definitions.comb-of-word", "sizes": [list(size) for size in sizes]},
        engine="SymPy",
    )


def as_tree_automaton(automaton: WFA) -> WTA:
    """States, then one coordinate a letter; `#` is the leaf that begins a word."""
    n, letters = automaton.n, automaton.alphabet
    size = n + len(letters)
    tensor = [[[0] * size for _ in range(size)] for _ in range(size)]
    for k, letter in enumerate(letters):
        for j, i in product(range(n), repeat=2):
            tensor[i][j][n + k] = automaton.matrix(letter)[j][i]
    vectors = {a: tuple(int(i == n + k) for i in range(size)) for k, a in enumerate(letters)}
    vectors["#"] = (*automaton.alpha, *([0] * len(letters)))
    final = (*automaton.beta, *([0] * len(letters)))
    return WTA(final, tuple(tuple(map(tuple, rows)) for rows in tensor), vectors)


def comb_problem(n: int, letters: int) -> str | None:
    """Why one tooth of the comb does not do one step of the WFA."""
    automaton = symbolic(n, letters)
    trees = as_tree_automaton(automaton)
    before = (*sympy.symbols(f"s:{n}"), *([0] * letters))
    for letter in automaton.alphabet:
        found = trees.combine(before, trees.leaf(letter))
        step = WFA(before[:n], automaton.transitions, automaton.beta).states([letter])[-1]
        gaps = [sympy.expand(a - b) for a, b in zip(found, (*step, *([0] * letters)), strict=True)]
        if any(gaps):
            return f"n = {n}: letter {letter} gives another state"
    return None


@dataclass(frozen=True)
class Grammar:
    """A weighted grammar in Chomsky normal form: binary[A, B, C] and lexical[A, σ]."""

    nonterminals: int
    binary: Mapping[tuple[int, int, int], Any]
    lexical: Mapping[tuple[int, str], Any]

    @property
    def automaton(self) -> WTA:
        """One state for each nonterminal; the first one begins."""
        size = range(self.nonterminals)
        tensor = tuple(tuple(tuple(self.binary[a, b, c] for c in size) for b in size) for a in size)
        letters = sorted({letter for _, letter in self.lexical})
        vectors = {x: tuple(self.lexical[a, x] for a in size) for x in letters}
        return WTA(tuple(int(a == 0) for a in size), tensor, vectors)

    def inside(self, word: Sequence[str]) -> Any:
        """The weight of a word by the inside recursion over its infixes."""
        size, length = range(self.nonterminals), len(word)
        table: dict[tuple[int, int, int], Any] = {
            (i, i + 1, a): self.lexical[a, x] for i, x in enumerate(word) for a in size
        }
        for width in range(2, length + 1):
            for i in range(length - width + 1):
                for a in size:
                    table[i, i + width, a] = self._split(table, i, i + width, a)
        return table[0, length, 0]

    def _split(self, table: Mapping[tuple[int, int, int], Any], i: int, j: int, a: int) -> Any:
        size = range(self.nonterminals)
        return sum(
            self.binary[a, b, c] * table[i, k, b] * table[k, j, c]
            for k in range(i + 1, j)
            for b, c in product(size, repeat=2)
        )


def generic_grammar(nonterminals: int, letters: str) -> Grammar:
    """A symbol for every rule."""
    size = range(nonterminals)
    binary = {(a, b, c): sympy.Symbol(f"r{a}{b}{c}") for a, b, c in product(size, repeat=3)}
    return Grammar(
        nonterminals, binary, {(a, x): sympy.Symbol(f"l{a}{x}") for a in size for x in letters}
    )


def grammar_problem(grammar: Grammar, longest: int) -> str | None:
    """Why the inside weight is not the sum of the WTA over all binary trees of a word."""
    automaton = grammar.automaton
    for length in range(1, longest + 1):
        for word in product(automaton.alphabet, repeat=length):
            summed = sum(automaton.weight(relabel(tree, word)) for tree in shapes(length))
            if sympy.expand(summed - grammar.inside(word)) != 0:
                return f"word {''.join(word)}: another weight"
    return None


@check("pre.wta.wcfg", "rel.zhao-harder")
def grammars_sum_over_trees(job: Job) -> Iterator[Evidence]:
    """Compare the inside recursion of a generic grammar with the sum of its WTA over trees."""
    yield empty_word({"": 1})
    problem = first(
        (grammar_problem(generic_grammar(2, "ab"), 3), grammar_problem(generic_grammar(1, "a"), 5))
    )
    body: dict[str, Plain] = {"kind": "definitions.inside", "sizes": [[2, 2, 3], [1, 1, 5]]}
    scope = (
        "every grammar in normal form with 2 nonterminals, 2 letters, words ≤ 3; 1, 1, words ≤ 5"
    )
    text = "The inside weight is the sum of the WTA over all binary trees of the word, as a polynomial."
    for claim in ("pre.wta.wcfg", "rel.zhao-harder"):
        more = {"reading": CHARITABLE, "engine": "SymPy"}
        yield holds(claim, problem, SYMBOLIC, scope, text, body, **more)
    yield undecided(
        "rel.zhao-harder",
        scope,
        f"{text} Whether the one task is more difficult than the other depends on what is counted; "
        "the paper compares no lower bounds.",
    )


def empty_word(weights: Mapping[str, int]) -> Evidence:
    """A grammar with S → ε: no binary tree has an empty yield."""
    trees = [tree for n in range(1, 4) for tree in shapes(n) if not list(leaves(tree))]
    summed, given = len(trees), weights.get("", 0)
    return refuted(
        "pre.wta.wcfg",
        given != summed,
        "the grammar S → ε",
        f"The rule S → ε with weight 1 gives the empty word {given}; no tree of Definition 2.2 has an "
        f"empty yield, so the sum over trees is {summed}, whatever the WTA.",
        {"kind": "definitions.empty-yield", "grammar": given, "trees": summed},
        repair="Ask for Chomsky normal form.",
    )


def derivations(grammar: Grammar, start: int, count: int) -> Iterator[Label]:
    """All derivation trees with so many leaves, from the top: (nonterminal, left, right)."""
    if count == 1 and grammar.lexical[start, "a"]:
        yield (start, None, None)
    for (a, b, c), weight in grammar.binary.items():
        if a == start and weight:
            for left in range(1, count):
                for one in derivations(grammar, b, left):
                    for two in derivations(grammar, c, count - left):
                        yield (start, one, two)


def labelled(size: int, count: int) -> Iterator[Label]:
    """All binary trees with so many leaves and any nonterminal at every node."""
    for a in range(size):
        if count == 1:
            yield (a, None, None)
        for left in range(1, count):
            for one in labelled(size, left):
                for two in labelled(size, count - left):
                    yield (a, one, two)


def accepted(grammar: Grammar, tree: Label) -> bool:
    """A run of the tree automaton, bottom up: each node's label must follow from its children's."""
    label, left, right = tree
    if left is None or right is None:
        return bool(grammar.lexical[label, "a"])
    fits = accepted(grammar, left) and accepted(grammar, right)
    return fits and bool(grammar.binary[label, left[0], right[0]])


@check("pre.wta.derivations")
def derivation_trees_are_recognised(job: Job) -> Iterator[Evidence]:
    """Compare derivations from the top with runs from the bottom, for all small grammars."""
    longest = 3
    found = [recognised(grammar, longest) for grammar in small_grammars()]
    wrong = sum(1 for count in found if count is None)
    total = sum(count or 0 for count in found)
    yield holds(
        "pre.wta.derivations",
        f"{wrong} grammars have another set of trees" if wrong else None,
        EXHAUSTIVE,
        f"all {len(found)} grammars in normal form with two nonterminals and one letter, up to "
        f"{longest} leaves",
        f"The derivation trees are exactly those that the tree automaton accepts, {total} in all.",
        {
            "kind": "definitions.derivations",
            "grammars": len(found),
            "leaves": longest,
            "trees": total,
        },
        limits="Trees of Definition 2.2 carry no nonterminals; here nodes are labelled.",
    )


def small_grammars() -> Iterator[Grammar]:
    """Every set of rules over two nonterminals and one letter."""
    triples = list(product(range(2), range(2), range(2)))
    for rules in product((0, 1), repeat=len(triples)):
        for lexical in product((0, 1), repeat=2):
            words = {(a, "a"): weight for a, weight in enumerate(lexical)}
            yield Grammar(2, dict(zip(triples, rules, strict=True)), words)


def recognised(grammar: Grammar, longest: int) -> int | None:
    """The number of derivation trees, or None where the two sets of trees differ."""
    total = 0
    for count in range(1, longest + 1):
        derived = {tree for a in range(2) for tree in derivations(grammar, a, count)}
        if derived != {tree for tree in labelled(2, count) if accepted(grammar, tree)}:
            return None
        total += len(derived)
    return total
