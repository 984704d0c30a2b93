"""The weights of the proofs: which sizes were compared; that there is no difference is trusted.

Coq's theorems themselves are confirmed for any paper (`verify.recheck.shared.coq`).
"""

from __future__ import annotations

from verify.recheck.declarations import confirms
from verify.recheck.errors import Answer

WORDS = ["n = 1, T = 1", "n = 1, T = 2", "n = 2, T = 3", "n = 2, T = 4", "n = 3, T = 2"]
FIVE = [*WORDS[:3], "n = 2, T = 5", "n = 3, T = 2"]
TREES = ["n = 1, T = 4, [ab]", "n = 2, T = 7, [a[bc]]", "n = 2, T = 8, [[ab]a]", "n = 3, T = 1, a"]
SIZES = {
    **dict.fromkeys(("sequences", "decoder"), WORDS),
    **dict.fromkeys(("no-pads", "clean-words"), FIVE),
    "mlp": ["n = 1, T = 2", "n = 2, T = 3", "n = 3, T = 2"],
    **dict.fromkeys(("trees", "tree-units", "clean-trees", "free"), TREES),
    **dict.fromkeys(("logdepth-trees", "logdepth-short"), TREES),
    "tree-decoder": [*TREES[:2], "n = 2, T = 10, [[ab]a]", TREES[3]],
}


@confirms("coq.weights", "exact", "Coq's weights, not run by --coq", model=tuple(SIZES))
def weights(model: str) -> Answer:
    """No other sizes than these were compared; that there is no difference is taken on trust."""
    return Answer(True, {"sizes": SIZES[model]})
