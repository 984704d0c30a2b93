"""The decoder: every automaton in an ordinary causal transformer with a residual stream.

decoder.words      which product of letters each position ends with (all n at once)
decoder.layer      one layer on fresh symbols turns Y into X + Y + XY and leaves nothing behind
decoder.trees      the tree decoder is right on all shapes, after every layer, at every position
decoder.needed     the C that keeps an error, beside the C of the paper's circle
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Any

from constructions import decoder_tree
from constructions.automata.named import automaton_by_name
from constructions.automata.random_trees import labelled_shape, rational_wta
from constructions.automata.trees import shapes, tokens
from verify.bounds.decoder_sweep import NeededSaturation, needed_saturations
from verify.exactness import decoder
from verify.facts import tree_decoder_invariant
from verify.facts.registry import fact
from verify.judge.outcome import Outcome, curve, first_problem

LETTERS = "abcdefghi"


def _first_mismatch(problems: Iterator[tuple[dict[str, Any], Any]]) -> Outcome:
    """Holds where there is no mismatch; the sizes of the first one are the witness."""
    return first_problem(None if m is None else {**sizes, "what": str(m)} for sizes, m in problems)


@fact("decoder.words", "exact")
def words_at_positions(most: int) -> Outcome:
    """For T = 1 … most position t ends with the product of the letters 1 … t, minus the identity."""
    return _first_mismatch(({"T": t}, decoder.prove_words(t)) for t in range(1, most + 1))


@fact("decoder.layer", "exact")
def layer_multiplies(states: Sequence[int]) -> Outcome:
    """For each n one layer turns Y into X + Y + XY, erases its scratch and writes nothing else."""
    return _first_mismatch(({"n": n}, decoder.prove_block(n)) for n in states)


@fact("decoder.trees", "exhaustive")
def tree_decoder(leaves: int, states: int, seed: int) -> Outcome:
    """A random rational WTA on all shapes with at most that many leaves: states, marks, gaps."""
    automaton = rational_wta(states, seed)
    trees = [
        labelled_shape(s, seed, LETTERS) for count in range(1, leaves + 1) for s in shapes(count)
    ]
    longest = max(len(tokens(tree)) for tree in trees)
    simulation = decoder_tree.build(automaton, longest, "relu")
    outcome = _first_mismatch(
        ({"tree": " ".join(tokens(tree))}, tree_decoder_invariant.first_violation(simulation, tree))
        for tree in trees
    )
    return Outcome(outcome.holds, {"shapes": len(trees)}, outcome.witness)


@fact("decoder.needed", "enclosure")
def saturation(automaton: str, eps: str, lengths: Sequence[int]) -> Outcome:
    """The decoder's certified C is at most 64 at every length, the circle's grows at least like T²."""
    known = automaton_by_name(automaton)
    rows = needed_saturations(known, list(lengths), Fraction(eps), by_layers=True)
    grows = all(_grows_like_square(one, two) for one, two in pairwise(rows))
    holds = grows and all(row.decoder <= 64 for row in rows)
    values = {"curves": _curves(rows)}
    witness = {"circle": [str(r.circle) for r in rows], "decoder": [str(r.decoder) for r in rows]}
    return Outcome(holds, values, None if holds else witness)


def _grows_like_square(one: NeededSaturation, two: NeededSaturation) -> bool:
    """The circle's C grows at least as fast as the square of the length."""
    return two.circle * one.length**2 >= one.circle * two.length**2


def _curves(rows: Sequence[NeededSaturation]) -> list[dict[str, Any]]:
    x = [row.length for row in rows]
    return [
        curve("Theorem 2's circle", x, (_decimal(row.circle) for row in rows)),
        curve("decoder", x, (_decimal(row.decoder) for row in rows)),
    ]


def _decimal(value: Fraction) -> str:
    """A number with three decimals, rounded up."""
    thousandths = -(-value.numerator * 1000 // value.denominator)
    return f"{thousandths // 1000}.{thousandths % 1000:03}"
