"""Feed-forward blocks that multiply, and the layers that several constructions share.

Start at `smoothing`. Each block has its error bound in its docstring: change both together.
"""
