"""The small paper that `assay new` writes: a LaTeX source, its data, its facts and their confirmations.

It is the template of a paper's folder, the example of `docs/your-paper.md`, and what the rules of the
judge, the forgeries and the renderings are tested on.

Changing its paper changes what `assay new` writes and the expected outputs of many tests.
"""
