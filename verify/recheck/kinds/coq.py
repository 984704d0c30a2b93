"""Machine-checked theorems: their statements are compared with the pinned ones; `--coq` runs Coq.

Without Coq the re-checker cannot know that a theorem is proved. It can know which statement is
meant: the text that Coq printed is pinned in `verify/coq/statements.json`, and a certificate with
any other text is refused. That the weights of the proofs are those of the program (`coq.weights`)
is taken on trust with and without `--coq`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

from verify.recheck.asked import confirms
from verify.recheck.errors import Answer, Refused, brief, text

WORDS = ["n = 1, T = 1", "n = 1, T = 2", "n = 2, T = 3", "n = 2, T = 4", "n = 3, T = 2"]
FIVE = [*WORDS[:3], "n = 2, T = 5", "n = 3, T = 2"]
TREES = ["n = 1, T = 4, [ab]", "n = 2, T = 7, [a[bc]]", "n = 2, T = 8, [[ab]a]", "n = 3, T = 1, a"]
SIZES = {
    **dict.fromkeys(("sequences", "decoder"), WORDS),
    **dict.fromkeys(("no-pads", "clean-words"), FIVE),
    "mlp": ["n = 1, T = 2", "n = 2, T = 3", "n = 3, T = 2"],
    **dict.fromkeys(("trees", "tree-units", "clean-trees", "free"), TREES),
    "tree-decoder": [*TREES[:2], "n = 2, T = 10, [[ab]a]", TREES[3]],
}


@cache
def pinned() -> dict[str, dict[str, Any]]:
    """The statement and the assumptions of each theorem, as Coq printed them."""
    found: dict[str, dict[str, Any]] = json.loads(
        (files("verify") / "coq" / "statements.json").read_text("utf-8")
    )
    return found


@confirms("coq.theorem", "machine-checked", "Coq, run by --coq", theorem=str)
def theorem(theorem: str) -> Answer:
    """A theorem that Coq accepts has the statement and the assumptions that were pinned for it."""
    if theorem not in pinned():
        raise Refused(f"no theorem {brief(theorem)} is pinned")
    return Answer(True, pinned()[theorem])


@confirms("coq.weights", "exact", "Coq's weights, not run by --coq", model=tuple(SIZES))
def weights(model: str) -> Answer:
    """No other sizes than these were compared; that there is no difference is taken on trust."""
    return Answer(True, {"sizes": SIZES[model]})


def compile_again(parameters: Mapping[str, Any]) -> None:
    """Run Coq on the theorem; a proof it does not accept is refused."""
    from verify.coq.compile import established
    from verify.coq.sources import Refused as NotProved

    name = text(parameters, "theorem")
    try:
        established([name])
    except (NotProved, OSError, RuntimeError, ValueError, LookupError) as error:
        raise Refused(f"Coq does not confirm {name}: {error}") from None
