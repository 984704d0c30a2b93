"""Run a built model: states, weights, attention patterns, in a chosen arithmetic.

Start at `simulation`. Renderings (`drawing`, `patterns`) can be changed freely; the states of
`simulation` are what facts compare with the automaton.
"""
