"""Parts of every construction: exact numbers, named coordinates, matrices, the forward pass.

Start at `transformer`, the definition of the forward pass. Adding an activation (a file in
`activations`) is safe; the meaning of `Transformer` and `exact` is what all facts rest on.
"""
