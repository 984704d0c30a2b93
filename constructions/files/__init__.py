"""Automata read from files: JSON, PAutomaC models, AT&T / OpenFst text."""
