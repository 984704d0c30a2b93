"""An independent second look at a record: standard library only, no code of the first look.

    program   reads a folder, confirms its certificates, judges again, compares
    kinds     confirms facts by other computations, a module for each mathematical object
    kernel    polynomials, intervals, matrices, trees: the little mathematics that kinds share
    judge     bindings and confirmed facts → verdicts and standings, by rules written anew

It reads the same data files (`verify/paper/*.toml`) as the first look. What it cannot run by
itself (Coq, training, somebody's text or data) it names and counts apart.
"""
