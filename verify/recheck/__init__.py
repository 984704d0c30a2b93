"""An independent second look at a record: standard library only, no code of the first look.

    program    reads a folder, confirms its certificates, judges again, compares
    files      reads record and certificates, within limits
    header     what a record says of itself: the paper, the version, what the run lacked
    evidence   which certificates there must be, and what each is worth
    judge      bindings and confirmed facts → verdicts and standings, by rules written anew
    again      builds all that follows anew and compares it with the record, field by field
    said       what a sentence must say, whoever composed it
    pages      what a page says, beside the page that the record gives
    asked      how a confirmation is declared: its fact, its method, its parameters and their ranges
    kinds      confirms facts by other computations, a module for each mathematical object
    kernel     polynomials, intervals, matrices, trees: the little mathematics that kinds share

It reads the same data files (`verify/paper/*.toml`) as the first look. What it cannot run by
itself (Coq, training, somebody's text or data) it names and counts apart, and compares with the
committed data as far as they go.
"""
