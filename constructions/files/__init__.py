"""Automata read from files: JSON, PAutomaC models, AT&T / OpenFst text.

Start at `reader`. A new format is one module and an entry in `formats`.
"""
