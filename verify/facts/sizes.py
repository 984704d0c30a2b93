"""Sizes of built models, compared with the printed ones; depth against length.

A printed size is a count in n, T and the greatest height h of a tree of T tokens, or "log₂ T", or
"⌈log₂ T⌉". Constructions for words are those of `verify.exactness.sequences`; for trees there are
"masked" and "clean" (on the string alone), and the repeated layer of "logdepth".

    model.sizes      the sizes of the built models are as printed, for each n and T
    depth.vanishes   a depth divided by T tends to 0
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import sympy

from constructions.automata.random_trees import random_wta
from constructions.automata.wfa import WFA
from constructions.blocks.logdepth_step import step_layer
from constructions.blocks.logdepth_weights import LogDepthPlan
from constructions.core.sizes import sizes
from constructions.theorem3 import build, greatest_height
from constructions.variants import theorem3_clean
from verify.exactness.sequences import CONSTRUCTIONS
from verify.facts import printed_formulas as printed
from verify.facts.logdepth_step_algebra import feedforward
from verify.facts.registry import fact
from verify.judge.outcome import Outcome

LOGARITHM, ROUNDED = "log₂ T", "⌈log₂ T⌉"


def zero_automaton(n: int) -> WFA:
    """An automaton with n states and one letter; for sizes its weights do not matter."""
    return WFA((0,) * n, {"a": tuple((0,) * n for _ in range(n))}, (0,) * n)


def logdepth_sizes(n: int, length: int) -> dict[str, Any]:
    """The sizes of the repeated layer of the construction of logarithmic depth."""
    plan = LogDepthPlan((((1,) * n,) * n,) * n, length)
    _, units = feedforward(plan).left.shape
    heads = len(step_layer(plan).heads)
    return {"embedding": plan.layout().size, "heads": heads, "products": units}


TREES: dict[str, Callable[[int, int], Mapping[str, Any]]] = {
    "masked": lambda n, t: vars(sizes(build(random_wta(n, n), t).transformer)),
    "clean": lambda n, t: vars(sizes(theorem3_clean.build(random_wta(n, n), t).transformer)),
    "logdepth": logdepth_sizes,
}


def built_sizes(construction: str, n: int, length: int) -> Mapping[str, Any]:
    """The sizes of a built model by name."""
    if construction in TREES:
        return TREES[construction](n, length)
    model = CONSTRUCTIONS[construction].build(zero_automaton(n), length)
    return {**vars(sizes(model.transformer)), "tokens": len(model.encode(("a",) * length))}


def printed_size(text: str, n: int, length: int) -> int | None:
    """A printed size as a number; None where it is no whole number."""
    rounded = (length - 1).bit_length()
    if text == ROUNDED:
        return rounded
    if text == LOGARITHM:
        return rounded if 1 << rounded == length else None
    return int(printed.count(text, n=n, T=length, h=greatest_height(length)))


@fact("model.sizes", "exact")
def model_sizes(
    construction: str, sizes: Mapping[str, str], states: Sequence[int], lengths: Sequence[int]
) -> Outcome:
    """Each named size of the built model is as printed, for each n and T."""
    for n in states:
        for length in lengths:
            if wrong := first_difference(sizes, built_sizes(construction, n, length), n, length):
                return Outcome(False, {}, wrong)
    return Outcome(True)


def first_difference(
    sizes: Mapping[str, str], real: Mapping[str, Any], n: int, length: int
) -> dict[str, Any]:
    """Return the first size that is not as printed; an empty witness if all are."""
    for name, text in sorted(sizes.items()):
        stated = printed_size(text, n, length)
        if stated != real[name]:
            return {"n": n, "T": length, "size": name, "printed": stated, "built": real[name]}
    return {}


@fact("depth.vanishes", "symbolic")
def depth_vanishes(depth: str) -> Outcome:
    """A depth, a count in T or ⌈log₂ T⌉, divided by T tends to 0."""
    t = sympy.Symbol("T", positive=True)
    # ⌈log₂ T⌉ is at least 0 and at most this: where this vanishes against T, so does ⌈log₂ T⌉.
    above = sympy.log(t, 2) + 1
    value = above if depth == ROUNDED else sympy.S(printed.count(depth, T=t))
    limit = sympy.limit(value / t, t, sympy.oo)
    return Outcome(
        bool(limit == 0), {"limit": str(limit)}, None if limit == 0 else {"limit": str(limit)}
    )
