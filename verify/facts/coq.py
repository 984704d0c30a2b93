"""Facts about the Coq proofs and the weights in them.

coq.checked    Coq's independent checker accepts all compiled files
coq.weights    the weights in the proofs are those that the program builds
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from verify.facts.registry import Inputs, fact
from verify.judge.outcome import Outcome


@fact("coq.checked", "machine-checked", needs=("coq",))
def checked() -> Outcome:
    """Coq's independent checker accepts all compiled files, and names no axiom beyond the library's."""
    from verify.coq.build import compiled
    from verify.coq.checker import LOADED, check_compiled
    from verify.coq.sources import Refused, files

    try:
        with compiled(files()) as build:
            check_compiled(build)
    except Refused as error:
        return Outcome(crash=str(error))
    return Outcome(True, {"axioms": sorted(LOADED)})


@fact("coq.weights", "exact", needs=("coq",), batch=True)
def weights(inputs: Inputs, asked: Sequence[Mapping[str, Any]]) -> list[Outcome]:
    """The weights that the proofs on these models speak of are the program's; built models run right."""
    from verify.coq.runs import draws
    from verify.coq.samples import new_seed
    from verify.coq.weights import MODELS, compare_all

    seed = new_seed() if inputs.seed is None else inputs.seed
    # Lists of models overlap: each model is compared once.
    every = list(dict.fromkeys(name for each in asked for name in each["models"]))
    differences = compare_all(seed, every)
    found = []
    for names in (each["models"] for each in asked):
        values = {
            "sizes": {name: MODELS[name].sizes for name in names},
            "seed": seed,
            "drawn": {name: [draw.sizes for draw in MODELS[name].drawn(seed)] for name in names},
            "runs": {name: [draw.sizes for draw in draws(name, seed)] for name in names},
        }
        wrong = [str(each) for each in differences if each.model in names]
        found.append(Outcome(not wrong, values, {"differences": wrong[:3]} if wrong else None))
    return found
