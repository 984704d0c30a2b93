"""Kinds of evidence that any paper may use without writing code.

coq       Coq accepts a theorem of the paper's proofs, with the statement that is pinned for it
lean      a build log of Lean names a theorem, its statement and its axioms
cells     a cell of a table follows from other printed numbers, or is a possible value at all
source    a line of a file in the paper's folder says something; no line of the source does
person    a named person has read something and signs for it; this proves nothing

A new kind of evidence is a module here and its confirmation in `verify/recheck/shared`.
"""
