"""Weighted automata over words and trees: definitions, families, reductions, random ones."""
