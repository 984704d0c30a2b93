"""Facts about the Coq proofs and the weights in them.

coq.checked    Coq's independent checker accepts all compiled files
coq.weights    the weights in the proofs are those that the program builds
"""

from __future__ import annotations

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


@fact("coq.weights", "exact", needs=("coq",))
def weights(inputs: Inputs, models: list[str]) -> Outcome:
    """The weights that the proofs on these models speak of are the program's; built models run right."""
    from verify.coq.runs import draws
    from verify.coq.samples import new_seed
    from verify.coq.weights import MODELS, compare_all

    seed = new_seed() if inputs.seed is None else inputs.seed
    differences = [str(item) for item in compare_all(seed, models)]
    values = {
        "sizes": {name: MODELS[name].sizes for name in models},
        "seed": seed,
        "drawn": {name: [draw.sizes for draw in MODELS[name].drawn(seed)] for name in models},
        "runs": {name: [draw.sizes for draw in draws(name, seed)] for name in models},
    }
    if differences:
        return Outcome(False, values, {"differences": differences[:3]})
    return Outcome(True, values)
