"""The weights that the proofs speak of are those that the program builds; Coq evaluates them."""

from __future__ import annotations

from verify.facts.registry import fact
from verify.judge.outcome import Outcome


@fact("coq.weights", "exact", needs=("coq",))
def weights(model: str) -> Outcome:
    """The weights that the proofs on a model speak of are those that the program builds."""
    from verify.coq.weights import MODELS, compare

    differences = [str(item) for item in compare(model)]
    sizes = list(dict.fromkeys(case.where for case in MODELS[model].cases))
    if differences:
        return Outcome(False, {"sizes": sizes}, {"differences": differences[:3]})
    return Outcome(True, {"sizes": sizes})
