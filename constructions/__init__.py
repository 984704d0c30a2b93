"""The paper's objects: automata, trees, transformers, and the constructions between them.

Nothing here passes a verdict; `verify` does. A construction is written once, with exact
weights, and runs in any of the arithmetics of `constructions.arithmetic`.

Start at `theorem1`. Adding a construction or a variant is safe; weights are compared with the proofs
(`verify/coq/weights.py`) and must change with them.
"""

__version__ = "0.5.0"
__url__ = ""  # the public URL or DOI; every citation has it, or leaves it out while it is empty
