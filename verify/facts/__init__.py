"""Facts: what computations find about constructions, bounds, tables, texts and proofs.

    @fact("scan.prefixes", "exhaustive")
    def prefixes(most: int) -> Found:
        '''For T = 1 … most, position t ends with the product of the letters 1 … t.'''

A fact gets its parameters from the bindings in `verify/paper/*.toml` and returns a `Found`. It
knows no statement; its docstring says in one sentence what holds when it holds. Importing a
module of this package registers its facts.
"""
