"""What a model errs by on one input, measured in its own floating-point type.

Said of a model where rounding is not certified: one word or one balanced tree, letters in turn. A
measurement on one input bounds nothing.
"""

from __future__ import annotations

from math import inf
from typing import Any

import flint
import torch

from constructions.arithmetic.torch import measurement_mode
from constructions.automata.trees import balanced_tree, most_leaves, tokens
from constructions.automata.wfa import WFA
from constructions.automata.wta import WTA
from constructions.core.exact import ball
from constructions.exports.loading import FolderModel
from constructions.exports.model import ExportModel

LONGEST = 256  # of decoders, whose dense pass takes T² scores
BITS, MOST_BITS = 256, 1 << 16
NEGLIGIBLE = 60  # bits after which a float64 does not see the width of a ball


def sample(model: ExportModel) -> tuple[str, ...]:
    """A word, or the string of a balanced tree, with all letters in turn."""
    length, letters = model.order.length, model.automaton.alphabet
    size = min(length, LONGEST) if model.order.decoder else length
    count = size if model.words else most_leaves(size)
    word = tuple(letters[i % len(letters)] for i in range(count))
    return word if model.words else tokens(balanced_tree(word))


def sample_of(model: ExportModel) -> str:
    """The sample in words."""
    count = len(sample(model))
    return f"one word of {count} letters" if model.words else f"one balanced tree of {count} tokens"


def truth(automaton: WFA | WTA, word: tuple[str, ...], weights: bool) -> dict[int, list[Any]]:
    """The true outputs: states or weights of prefixes by their length, states of subtrees by place."""
    if isinstance(automaton, WTA):
        return {begin: list(state) for begin, state in automaton.states(word).items()}
    states = enumerate(automaton.states(word))
    if not weights:
        return {t: list(state) for t, state in states}
    return {t: [sum(a * b for a, b in zip(state, automaton.beta, strict=True))]
            for t, state in states}  # fmt: skip


def rounded(
    automaton: WFA | WTA, word: tuple[str, ...], weights: bool, bits: int = BITS
) -> dict[int, list[float]]:
    """The true outputs as floats; infinite beyond them, and where `MOST_BITS` do not tell.

    From balls, for rationals may be long.
    """
    with flint.ctx.workprec(bits):
        outputs = truth(automaton.mapped(ball), word, weights)
        balls = [x for row in outputs.values() for x in row]
        wide, large = (max(part(x) for x in balls) for part in (flint.arb.rad, abs))
        narrow = bool(wide <= large * flint.arb(2) ** -NEGLIGIBLE)
    if not narrow and bits < MOST_BITS:
        return rounded(automaton, word, weights, 2 * bits)
    return {t: [float(x.mid()) if narrow else inf for x in row] for t, row in outputs.items()}


def measure(model: ExportModel) -> float:
    """The error on the sample, in the norm of the certificate; infinite where floats end."""
    word, order = sample(model), model.order
    exact = rounded(model.automaton, word, order.minimise)
    rows = torch.tensor(list(exact.values()), dtype=torch.float64)
    if not rows.isfinite().all():
        return inf
    note = {"tokens": list(model.tokens), "begin": model.begin, "length": order.length}
    with measurement_mode():
        module = model.module(dense=order.decoder)
        (states,) = FolderModel(module, note, model.automaton).states([word])
    errors = torch.stack([states[place].double() for place in exact]) - rows
    if order.decoder:
        return float(errors.norm(dim=-1).max())
    return float(errors.norm() if model.words else errors.abs().max())
