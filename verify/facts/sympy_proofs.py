"""SymPy proves exactness: the transformers are built and run on symbols in place of weights.

    sequence.sympy     all T + 1 outputs of a word transformer are the states, for every WFA of a size
    sequence.contents  after each layer of Theorem 1 position t holds the product of its last 2^l letters
    tree.sympy         Theorem 3's transformer gives every state of every small tree, for every WTA
    product.sympy      the built tensor of Lemma 1 takes vec(A) and vec(B) to vec(AB)

Every weight is a symbol and every position has a letter of its own, so that equal polynomials prove
the claim for every automaton with n states, every alphabet and every word of length T. SymPy's
polynomial rings hold the states, its number field QQ<cos(π/D)> the positions, and which score of
hard attention is largest is decided there (`constructions.arithmetic.sympy_ring`).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import Any

from constructions import theorem1
from constructions.theorem3 import Places
from verify.exactness import sequences, symbolic
from verify.exactness.symbolic import Comparison, Difference
from verify.facts.registry import fact
from verify.facts.sequences import window
from verify.judge.outcome import Outcome, first_problem


@fact("sequence.sympy", "symbolic")
def outputs_are_states(construction: str, states: Sequence[int], lengths: Sequence[int]) -> Outcome:
    """For each n and T all outputs equal the states as SymPy polynomials in every weight."""
    chosen, total = sequences.CONSTRUCTIONS[construction], Comparison(0, 0)
    for n, length in product(states, lengths):
        found = symbolic.word_mismatch(chosen.build, chosen.codes(length), n, length)
        if isinstance(found, Difference):
            return Outcome(False, {}, {"n": n, "T": length, "t": found.position})
        total += found
    return Outcome(True, {"terms": total.terms})


@fact("sequence.contents", "symbolic")
def contents(n: int, length: int) -> Outcome:
    """After layer l of Theorem 1 position t = 0 … T holds the product of letters max(1, t - 2^l + 1) … t."""
    layers = symbolic.token_contents(n, length)
    start = 1 - theorem1.span(length)
    for layer, tokens in enumerate(layers):
        for t in range(length + 1):
            held, _ = tokens[t - start]
            if held != tuple(k + 1 for k in window(t - 1, layer)):
                return Outcome(False, {}, {"T": length, "layer": layer, "t": t})
    return Outcome(
        True, {"drawing": drawing(layers, start, length), "entries": entries(layers, start, length)}
    )


def drawing(layers: Sequence[Sequence[Any]], start: int, length: int) -> dict[str, Any]:
    """The letters that each token has multiplied, by layer and position."""
    rows = [[list(letters) for letters, _ in tokens] for tokens in layers]
    return {"length": length, "positions": [start + k for k in range(len(rows[0]))], "rows": rows}


def entries(layers: Sequence[Sequence[Any]], start: int, length: int) -> list[list[list[str]]]:
    """For each layer and position 1 … T: the entry (1, 1) of the token, monomial by monomial."""
    return [
        [symbolic.monomials(tokens[t - start][1][0][0]) for t in range(1, length + 1)]
        for tokens in layers
    ]


@fact("tree.sympy", "symbolic")
def tree_states(places: str, states: Sequence[int], leaves: int) -> Outcome:
    """For each n every tree with at most that many leaves gets all of its states, for every WTA."""
    trees = 0
    for n in states:
        found = symbolic.tree_mismatch(n, leaves, Places(places))
        if not isinstance(found, int):
            string, position = found
            return Outcome(False, {}, {"n": n, "string": "".join(string), "position": position})
        trees = found
    return Outcome(True, {"trees": trees})


@fact("product.sympy", "symbolic")
def tensor_multiplies(states: Sequence[int]) -> Outcome:
    """For each n the built tensor, contracted with vec(A) and vec(B), gives vec(AB), entry by entry."""
    return first_problem(_wrong_entry(n) for n in states)


def _wrong_entry(n: int) -> dict[str, Any] | None:
    found = symbolic.product_mismatch(theorem1.tensor(n), n)
    return None if found is None else {"n": n, "entry": list(found)}
