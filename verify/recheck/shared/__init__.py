"""Confirmations of the kinds of evidence that any paper may use (`verify.evidence`).

One module for each kind of evidence; a new kind is a new module.
"""
