"""Facts that Coq establishes: a theorem of the development is proved, with its pinned statement."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from verify.facts.registry import fact
from verify.judge.outcome import Outcome


@fact("coq.theorem", "machine-checked", needs=("coq",), batch=True)
def theorems(asked: Sequence[Mapping[str, Any]]) -> list[Outcome]:
    """Coq accepts the theorem as pinned, with at most the axioms of its real numbers."""
    from verify.coq.compile import established
    from verify.coq.sources import Refused

    names = [str(parameters["theorem"]) for parameters in asked]
    try:
        known = established(names)
    except Refused:
        return [_alone(name) for name in names]
    return [_found(known[name]) for name in names]


def _alone(name: str) -> Outcome:
    """One theorem by itself, so that a fault is said of the theorem that has it."""
    from verify.coq.compile import established
    from verify.coq.sources import Refused

    try:
        return _found(established([name], whole=False)[name])
    except Refused as error:
        return Outcome(crash=str(error))


def _found(theorem: Any) -> Outcome:
    return Outcome(
        True, {"statement": theorem.statement, "assumptions": sorted(theorem.assumptions)}
    )


@fact("coq.weights", "exact", needs=("coq",))
def weights(model: str) -> Outcome:
    """The weights that the proofs on a model speak of are those that the program builds."""
    from verify.coq.weights import MODELS, compare

    differences = [str(item) for item in compare(model)]
    sizes = list(dict.fromkeys(case.where for case in MODELS[model].cases))
    if differences:
        return Outcome(False, {"sizes": sizes}, {"differences": differences[:3]})
    return Outcome(True, {"sizes": sizes})
