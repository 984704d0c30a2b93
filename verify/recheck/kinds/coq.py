"""The weights of the proofs: the sizes that were compared; that there is no difference is trusted.

Coq's theorems themselves are confirmed for any paper (`verify.recheck.shared.coq`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Any

from verify.recheck.declarations import Different, confirms
from verify.recheck.errors import Recomputed, integer_in

WORDS = ["n = 1, T = 1", "n = 1, T = 2", "n = 2, T = 3", "n = 2, T = 4", "n = 3, T = 2"]
FIVE = [*WORDS[:3], "n = 2, T = 5", "n = 3, T = 2"]
TREES = ["n = 1, T = 4, [ab]", "n = 2, T = 7, [a[bc]]", "n = 2, T = 8, [[ab]a]", "n = 3, T = 1, a"]
SIZES = {
    **dict.fromkeys(("sequences", "unrolled", "decoder"), WORDS),
    **dict.fromkeys(("no-pads", "clean-words"), FIVE),
    "mlp": ["n = 1, T = 2", "n = 2, T = 3", "n = 3, T = 2"],
    **dict.fromkeys(("trees", "clean-trees", "free"), TREES),
    "tree-units": TREES[:2],
    **dict.fromkeys(("logdepth-trees", "logdepth-short"), TREES),
    "tree-decoder": [*TREES[:2], "n = 2, T = 10, [[ab]a]", TREES[3]],
}

Ranges = Sequence[tuple[tuple[int, int], tuple[int, int]]]
MOST_SEED = 10**18
AXIOMS = [
    "Coq.Logic.Classical_Prop.classic",
    "Coq.Logic.FunctionalExtensionality.functional_extensionality_dep",
    "Coq.Reals.ClassicalDedekindReals.sig_forall_dec",
    "Coq.Reals.ClassicalDedekindReals.sig_not_dec",
]


@confirms("coq.checked", "machine-checked", "coqchk, not run by --coq")
def checked() -> Recomputed:
    """The axioms that Coq's library states; that coqchk accepts the files is taken on trust."""
    return Recomputed(True, {"axioms": AXIOMS})


# Ranges of n and T from which the sizes of each model's runs are drawn.
LONG, WIDE, MIDDLE, SOFT, BUSHY = (2049, 4096), (5, 16), (17, 64), (65, 256), (22, 64)
RUNS = {
    "sequences": [((1, 2), LONG), ((7, 8), WIDE), ((3, 6), MIDDLE), ((1, 3), SOFT)],
    "unrolled": [((7, 8), WIDE), ((1, 6), MIDDLE)],
    "no-pads": [((7, 8), WIDE), ((1, 6), MIDDLE)],
    "clean-words": [((1, 2), LONG), ((7, 8), WIDE), ((1, 3), SOFT)],
    "mlp": [((4, 5), (2, 4))],
    "trees": [((5, 8), BUSHY)],
    "free": [((5, 8), BUSHY)],
    "clean-trees": [((5, 8), BUSHY), ((1, 4), (512, 1024))],
    "logdepth-trees": [((5, 8), (16, 40))],
    "logdepth-short": [((5, 8), (16, 40))],
    "tree-units": [((4, 5), (7, 10))],
    "decoder": [((1, 2), LONG), ((7, 8), WIDE), ((1, 3), SOFT)],
    "tree-decoder": [((1, 2), LONG), ((5, 8), BUSHY), ((1, 3), SOFT)],
}

# The same for comparisons.
FEW, MANY, NINE, PAIR, SOME, TALL = (1, 2), (4, 5), (9, 9), (2, 3), (8, 12), (41, 70)
LARGE, ROWS, ONE, FOUR = (65, 100), (33, 40), (1, 1), (4, 4)
DRAWN = {
    "sequences": [(ONE, LARGE), (FEW, SOME), (MANY, PAIR), (NINE, (2, 2))],
    "unrolled": [(FEW, ROWS), (MANY, PAIR), (NINE, (2, 2))],
    "no-pads": [(ONE, LARGE), (FEW, SOME), (MANY, PAIR)],
    "clean-words": [(FEW, LARGE), (MANY, SOME), (NINE, (2, 2))],
    "mlp": [(ONE, ROWS), (FEW, SOME), (FOUR, (2, 2))],
    **dict.fromkeys(("trees", "free", "clean-trees"), ((FEW, LARGE), (NINE, (4, 7)))),
    **dict.fromkeys(("logdepth-trees", "logdepth-short"), ((ONE, TALL), (NINE, FOUR))),
    "tree-units": [(ONE, (41, 46)), ((3, 3), FOUR)],
    "decoder": [(ONE, (33, 64)), (FEW, SOME), (FOUR, (2, 2))],
    "tree-decoder": [(ONE, LARGE), (FOUR, FOUR)],
}


@confirms(
    "coq.weights", "exact", "Coq's weights, not run by --coq",
    models=Different(tuple(SIZES), 1, len(SIZES)),
)  # fmt: skip
def weights(models: list[str], certificate: Mapping[str, Any]) -> Recomputed:
    """Check which sizes were compared and run; that there is no difference is taken on trust."""
    seed = integer_in(certificate["values"], "seed", 0, MOST_SEED)
    sizes = {model: SIZES[model] for model in models}
    drawn = {model: drawn_sizes(f"compared {model}", DRAWN[model], seed) for model in models}
    runs = {model: drawn_sizes(model, RUNS[model], seed) for model in models}
    return Recomputed(True, {"sizes": sizes, "seed": seed, "drawn": drawn, "runs": runs})


def drawn_sizes(model: str, ranges: Ranges, seed: int) -> list[str]:
    """Return the sizes from some ranges of n and T that a seed decides."""

    def number(name: str, low: int, high: int) -> int:
        digits = sha256(f"{seed} {model} {name}".encode()).digest()
        return low + int.from_bytes(digits, "big") % (high - low + 1)

    return [
        f"n = {number(f'{place} n', *states)}, T = {number(f'{place} T', *lengths)}"
        for place, (states, lengths) in enumerate(ranges)
    ]
