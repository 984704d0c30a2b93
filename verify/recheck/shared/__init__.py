"""Confirmations of the kinds of evidence that any paper may use (`verify.evidence`)."""
