"""Mathematics shared by confirmations: polynomials, intervals, trees.

Functions of the standard library alone; every confirmation rests on them, so change them with their tests.
"""
