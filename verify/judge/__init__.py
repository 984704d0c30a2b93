"""The judge: statements, bindings and facts become verdicts, standings, findings and sentences.

data       the fields of a statement, a binding and a finding
paper      reads `verify/paper/*.toml` and refuses data that break one of the `rules`
verdict    facts and bindings → one judgement a statement; a pure function
sentence   a judgement → the sentence a careful author may write
names      finds the statement that "Theorem 2", "eq1" or an old id means

Start at `verdict`. Texts of `sentence` may be changed; a rule of `verdict` has its twin in
`verify.recheck.judge`, written anew.
"""
