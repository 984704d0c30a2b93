"""Assay: what of a theory paper may be cited, and a transformer that simulates your own automaton.

    >>> import assay
    >>> counter = assay.WFA.of([0, 1], {"a": [[1, 0], [1, 1]], "b": [[1, 0], [0, 1]]}, [1, 0])
    >>> print(*[count for count, _ in assay.theorem1.build(counter, length=6).states("abbaab")])
    0 1 1 1 2 3 3

The public interface is this module and `assay.papers` (a paper of your own), `assay.circuits` (known
circuits of exported models), `assay.processes` (stochastic processes by name) and `assay.strategies`
(Hypothesis strategies). Names are listed in `__init__.pyi` and imported when they are first used,
so that `import assay` is quick and PyTorch is needed only by what uses it.

Start at `__init__.pyi`. Adding a name there is safe; removing one needs a line in CHANGELOG.md.
"""

from assay._lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
