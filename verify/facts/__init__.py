"""Facts: computed results on constructions, bounds, tables, texts and proofs.

    @fact("scan.work", "exhaustive")
    def work(most: int) -> Outcome:
        '''For n = 2 … most the rounds make at most 2 n log2 n sums.'''

A fact gets its parameters from the bindings in `verify/paper/*.toml` and returns an `Outcome`. It
knows no statement; its docstring says in one sentence what holds when it holds. Importing a
module of this package registers its facts.

The places of a fact, of which `tests/verify/facts/test_registry.py` names each one that is missing
    the function       with `@fact`, and a line in the docstring of its module
    who asks for it    a binding, an observation or a figure in `verify/paper/*.toml`
    its confirmation   `@confirms` with the same method in `verify/recheck/kinds/`
    what it needs      besides `needs=` of `@fact`, its name under `[needs]` in `verify/paper/paper.toml`

Start at `registry`. Adding a fact is safe; the outcome of a fact is part of the record.
"""
