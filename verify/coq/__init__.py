"""Machine-checked proofs: the Coq development, how it is compiled, and its tie to the program.

Start at `compile` (theorems) and `weights` (the tie to the program). New theorems are files of the
development and entries of `statements.json`; `checker` and `pins` are trusted and must stay as strict.
"""
