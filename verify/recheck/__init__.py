"""Independent re-checker of a record: standard library only, no code of the first computation.

    program          reads a folder, confirms its certificates, judges again, compares
    files            reads record, certificates and the data that a report carries, within limits
    data             a paper's data as plain tables
    header           what a record says of itself: the paper, the version, what the run lacked
    evidence         which certificates there must be, and what each is worth
    judge            bindings and confirmed facts → verdicts and standings, by rules written anew
    rebuild          builds all that follows anew and compares it with the record, field by field
    sentence_rules   what a sentence must say, whoever composed it
    folder           the files of a folder beside the pages that its record gives
    pages            what a page says, beside the page that the record gives
    declarations     how a confirmation is declared: its fact, its method, its parameters' ranges
    confirmations    which facts of a paper can be confirmed, and what is taken on trust
    kinds            confirms the facts of our paper, a module for each mathematical object
    shared           confirms the kinds of evidence that any paper may use
    kernel           polynomials, intervals, matrices, trees: the little mathematics that kinds share

It reads the same data files as the first computation: those of the package, of a folder that is given, or
those that a report carries along. Code of such a folder is never run unless it is trusted. What it
cannot run by itself (Coq, training, the user's text, data or code) it names and counts separately.

Start at `program`. Adding a confirmation is safe. Nothing here may import code of the first computation.
"""
