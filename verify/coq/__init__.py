"""Machine-checked proofs: the Coq development, how it is compiled, and its tie to the program."""
