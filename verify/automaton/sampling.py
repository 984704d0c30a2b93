"""What a decoder errs by on one input, measured in its own floating-point type.

Said of a model where rounding is not certified. One word of at most 256 letters or one balanced tree,
letters in turn; a measurement on one input bounds nothing.
"""

from __future__ import annotations

from math import inf
from typing import Any

import flint
import torch

from constructions.automata.trees import balanced_tree, ends, most_leaves, tokens
from constructions.automata.wfa import WFA
from constructions.automata.wta import WTA
from constructions.core.exact import ball
from constructions.modules.decoder import DecoderModule

DTYPES = {"float64": torch.float64, "float32": torch.float32}
LONGEST = 256
BITS, MOST_BITS = 256, 1 << 16
NEGLIGIBLE = 60  # bits after which a float64 does not see the width of a ball


def sample(automaton: WFA | WTA, length: int) -> tuple[str, ...]:
    """A word, or the string of a balanced tree, with all letters in turn."""
    trees = isinstance(automaton, WTA)
    size, letters = min(length, LONGEST), automaton.alphabet
    word = tuple(letters[i % len(letters)] for i in range(most_leaves(size) if trees else size))
    return tokens(balanced_tree(word)) if trees else word


def wanted(automaton: WFA | WTA, word: tuple[str, ...], weights: bool) -> dict[int, list[Any]]:
    """The true outputs by position: states, or weights of prefixes, or states of subtrees."""
    if isinstance(automaton, WTA):
        states, last = automaton.states(word), ends(word)
        return {last[begin]: list(state) for begin, state in states.items()}
    found = enumerate(automaton.states(word))
    if not weights:
        return {t: list(state) for t, state in found}
    return {t: [sum(a * b for a, b in zip(state, automaton.beta, strict=True))]
            for t, state in found}  # fmt: skip


def rounded(
    automaton: WFA | WTA, word: tuple[str, ...], weights: bool, bits: int = BITS
) -> dict[int, list[float]]:
    """The true outputs as floats; infinite beyond them, and where `MOST_BITS` do not tell.

    From balls, for rationals may be long.
    """
    with flint.ctx.workprec(bits):
        found = wanted(automaton.mapped(ball), word, weights)
        balls = [x for row in found.values() for x in row]
        wide, large = (max(part(x) for x in balls) for part in (flint.arb.rad, abs))
        narrow = bool(wide <= large * flint.arb(2) ** -NEGLIGIBLE)
    if not narrow and bits < MOST_BITS:
        return rounded(automaton, word, weights, 2 * bits)
    return {t: [float(x.mid()) if narrow else inf for x in row] for t, row in found.items()}


def measured(simulation: Any, automaton: WFA | WTA, dtype: str, weights: bool = False) -> float:
    """The largest Euclidean error of an output over the sample; infinite where floats end."""
    word = sample(automaton, simulation.length)
    exact = rounded(automaton, word, weights)
    rows = torch.tensor(list(exact.values()), dtype=torch.float64)
    if not rows.isfinite().all():
        return inf
    with torch.no_grad():
        (found,) = DecoderModule(simulation, DTYPES[dtype], dense=True).states([word])
    return float((found.double()[list(exact)] - rows).norm(dim=-1).max())
