"""The judge: statements, bindings and facts become verdicts, standings, findings and sentences.

model      what a statement, a binding and a finding are
paper      reads `verify/paper/*.toml` and refuses what breaks a rule
verdict    facts and bindings → one judgement a statement; a pure function
sentence   a judgement → the sentence a careful author may write
names      which statement a user means by "Theorem 2", "eq1" or an old id

Start at `verdict`. Texts of `sentence` may be changed; a rule of `verdict` has its twin in
`verify.recheck.judge`, written anew.
"""
