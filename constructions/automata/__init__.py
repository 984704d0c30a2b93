"""Weighted automata over words and trees: definitions, families, reductions, random ones.

Start at `wfa` and `wta`. Adding a family (`families`, `processes`, `named`) is safe; names of published
automata must keep their weights.
"""
