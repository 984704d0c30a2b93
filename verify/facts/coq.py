"""What Coq says of the proofs and of the weights that they speak of.

coq.checked    Coq's independent checker accepts all compiled files
coq.weights    the weights that the proofs speak of are those that the program builds
"""

from __future__ import annotations

from verify.facts.registry import fact
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
def weights(model: str) -> Outcome:
    """The weights that the proofs on a model speak of are the program's; built models run right."""
    from verify.coq.runs import draws
    from verify.coq.samples import new_seed
    from verify.coq.weights import MODELS, compare, run

    seed = new_seed()
    differences = [str(item) for item in (*compare(model), *run(model, seed))]
    runs = [draw.sizes for draw in draws(model, seed)]
    values = {"sizes": MODELS[model].sizes, "seed": seed, "runs": runs}
    if differences:
        return Outcome(False, values, {"differences": differences[:3]})
    return Outcome(True, values)
