"""Statements, checks, verdicts, certificates and the command line of Assay."""
