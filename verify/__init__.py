"""Statements, checks, verdicts, certificates and the command line of Assay.

Start at `cli` (commands) and `judge.verdict` (verdicts). A command or a fact is a new file; the rules of
`judge` and `recheck` change together.
"""
