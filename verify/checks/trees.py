"""Section 4.1 and the remarks on trees: strings, positions, combs, grammars.

Asks          is str injective and prefix-free, is the end index unique, do positions and subtrees
              correspond; how many states does a comb need as a word; do grammars sum WTAs
Notation      |str(t)| = 3·leaves - 2; I_t positions that are no closing bracket
"""

from __future__ import annotations

from collections.abc import Iterator

from constructions.random_trees import random_wta
from constructions.trees import Tree, height, parse, positions, tokens
from verify.check import Job, check
from verify.checks.theorem3 import plain
from verify.claims.model import Name
from verify.engines.tree_evidence import all_shapes, drawn, either, fails, holds
from verify.engines.tree_rules import RULES, strings
from verify.engines.tree_sides import (
    collision,
    end_counts,
    plain_tree,
    prefix_free,
    subtrees,
    trees_within,
)
from verify.evidence import Evidence, Outcome, Strength

LITERAL, CHARITABLE, REPAIRED = Name.LITERAL, Name.CHARITABLE, Name.REPAIRED
WHOLE = (
    ("tree.str.injective", CHARITABLE),
    ("tree.str.definition", REPAIRED),
    ("tree.positions", LITERAL),
    ("tree.one-to-one", CHARITABLE),
    ("tree.tau", LITERAL),
    ("tree.tau.unique", LITERAL),
    ("tree.str.not-all", LITERAL),
    ("pre.trees.definition", CHARITABLE),
)


@check(*(claim for claim, _ in WHOLE))
def strings_of_all_small_trees(job: Job) -> Iterator[Evidence]:
    """Write all small trees over two letters as strings and search their substrings."""
    leaves = 5 if job.full else 4
    trees = trees_within("ab", leaves)
    known = {tokens(tree) for tree in trees}
    injective = len(known) == len(trees) and all(parse(tokens(tree)) == tree for tree in trees)
    ends = all(set(end_counts(known, tokens(tree)).values()) == {1} for tree in trees)
    nodes = all(len(positions(tokens(tree))) == len(subtrees(tree)) for tree in trees)
    lengths = all(3 * s.count("]") + 1 == len(s) and 3 * height(parse(s)) < len(s) for s in known)
    right = injective and ends and nodes and lengths and prefix_free(known) and ("]",) not in known
    text = (
        f"All {len(trees)} trees have different strings, none a prefix of another; from every "
        "position of I_t exactly one substring is a tree; |str(t)| = 3·leaves - 2 and the height is "
        "at most (|str(t)| - 1)/3."
    )
    scope = f"all {len(trees)} trees over two letters with at most {leaves} leaves"
    certificate = {"kind": "trees.strings", "letters": 2, "leaves": leaves, "trees": len(trees)}
    for claim, reading in WHOLE:
        yield either(right, holds(claim, reading, Strength.EXHAUSTIVE, scope, text, certificate))


@check("tree.str.definition", "tree.str.injective", "tree.one-to-one", "pre.trees.definition")
def small_slips_on_strings(job: Job) -> Iterator[Evidence]:
    """Show the smallest tree for each slip in the definitions of trees and strings."""
    written = tokens(("a", "b"))
    outside = len(written) > 1 and not set(written) <= set("ab")
    word = {"kind": "trees.word", "tokens": list(written), "alphabet": ["a", "b"]}
    text = f"str((a, b)) = {drawn(written)} is neither a word over Σ nor a single bracket."
    shown = f"{drawn(written)} is not in Σ* ∪ {{[, ]}}."
    evidence = fails("tree.str.definition", LITERAL, "Σ = {a, b}", text, word, shown)
    yield either(outside, evidence)
    yield bracket_letters()
    same = tuple("[aa]")
    twice, places = len(set(subtrees(parse(same)))), len(positions(same))
    text = f"[aa] has {twice} different subtrees and {places} positions in I_t."
    counted = {
        "kind": "trees.repeated",
        "tokens": list(same),
        "subtrees": twice,
        "positions": places,
    }
    evidence = fails("tree.one-to-one", LITERAL, "the tree [aa]", text, counted, text)
    yield either(twice < places, evidence)
    letters: tuple[Tree, ...] = ("a", ("a", "a"))
    pairs = [letter for letter in letters if isinstance(letter, tuple)]
    text = "If Σ contains a and the pair (a, a), then (a, a) is both a leaf and a node."
    certificate = {"kind": "trees.pair-letter", "letters": [plain_tree(x) for x in letters]}
    scope = "Σ = {a, (a, a)}"
    evidence = fails("pre.trees.definition", LITERAL, scope, text, certificate, text)
    yield either(all(x in letters for pair in pairs for x in pair), evidence)


@check("wta.sim.definition", "thm3.shifted")
def strings_have_their_own_lengths(job: Job) -> Iterator[Evidence]:
    """Compare the length of the smallest string with what a definition takes for granted."""
    single = len(tokens("a"))
    lengths = {len(tokens(tree)) for tree in trees_within("a", 4)}
    text = (
        f"The tree a has |str(a)| = {single} ≤ 4, yet f is defined on strings of length exactly 4; "
        "and no tree at all has length 5, since |str(t)| = 3·leaves - 2."
    )
    short = {"kind": "trees.lengths", "length": 4, "tokens": ["a"]}
    evidence = fails("wta.sim.definition", LITERAL, "T = 4", text, short, "T = 4 and the tree a.")
    yield either(single < 4 and 5 not in lengths, evidence)
    text = f"Position T is to hold m_{{T+1}}; the tree a has T = {single} and no second symbol."
    short = {"kind": "trees.lengths", "length": 2, "tokens": ["a"]}
    evidence = fails("thm3.shifted", LITERAL, "the tree a, T = 1", text, short, "The tree a: m_2.")
    yield either(single < 2, evidence)
    yield shifted_back(5)


def shifted_back(leaves: int) -> Evidence:
    """m_{i-1} exists everywhere but at the first position, where 0 is put."""
    rule = next(rule for rule in RULES if rule.id == "shift")
    count = sum(len(rule.mended(symbols)) for symbols in strings(leaves))
    certificate = {
        "kind": "trees.rule",
        "rule": rule.id,
        "reading": "repaired",
        "leaves": leaves,
        "positions": count,
    }
    text = f"m_{{i-1}} is what a head brings at all {count} positions, 0 at the first ones."
    scope = all_shapes(leaves)
    evidence = holds("thm3.shifted", REPAIRED, Strength.EXHAUSTIVE, scope, text, certificate)
    return either(rule.everywhere(leaves) is None, evidence)


@check("pre.wta.definition", "pre.wta.states", "pre.wta.bottom-up")
def a_wta_computes_bottom_up(job: Job) -> Iterator[Evidence]:
    """Evaluate WTAs by recursion on pairs and by a scan of the string, on all small trees."""
    machines = [random_wta(n, 20 + n) for n in (1, 2, 3)]
    trees = trees_within("ab", 4)
    right = all(
        machine.states(tokens(tree))[1] == machine.state(tree)
        and {len(v) for v in machine.states(tokens(tree)).values()} == {machine.n}
        for machine in machines
        for tree in trees
    )
    text = (
        f"Recursion on pairs and a scan of the string agree on {len(trees)} trees for n = 1, 2, 3; "
        "every subtree's state has n entries."
    )
    scope = (
        f"3 WTAs with n = 1, 2, 3, all {len(trees)} trees over two letters with at most 4 leaves"
    )
    certificate = {
        "kind": "trees.shapes",
        "leaves": 4,
        "shapes": 9,
        "positions": 49,
        "automata": [plain(machine) for machine in machines],
    }
    for claim, reading in (
        ("pre.wta.definition", LITERAL),
        ("pre.wta.definition", CHARITABLE),
        ("pre.wta.states", LITERAL),
        ("pre.wta.bottom-up", LITERAL),
    ):
        evidence = holds(claim, reading, Strength.EXHAUSTIVE, scope, text, certificate)
        yield either(right, evidence)


def bracket_letters() -> Evidence:
    """Two trees with the same string, where brackets may be letters."""
    found = collision("a[]", 3)
    if found is None:
        return Evidence(
            "tree.str.injective",
            Outcome.UNKNOWN,
            Strength.OBSERVED,
            "three leaves",
            "No collision among trees with at most three leaves.",
        )
    one, other = found
    string = drawn(tokens(one))
    certificate = {"kind": "trees.collision", "one": plain_tree(one), "other": plain_tree(other)}
    text = f"With brackets among the letters two different trees have the string {string}"
    return fails(
        "tree.str.injective",
        LITERAL,
        "Σ = {a, [, ]}, at most three leaves",
        f"{text}.",
        certificate,
        f"{text}: {one!r} and {other!r}.",
        repair="The brackets must not be letters.",
    )
