"""Bounds on errors: the printed recursion of Theorem 2, the corrected ones, and the C they ask.

leak         what a softmax row gives away
floating     floating-point formats: u, the smallest and the largest number
norms        norms of one matrix, enclosed
growth       norms of products of transition matrices, over all words
recursion    Equation (1) in each of its readings, and the corrected recursion with its proof
saturation   how large C must be for a given ε, sound for all words
named        the families of automata that sweeps run over
sweep        one row: the error at one C beside every bound
budget       soft attention and hidden units on any construction, coordinate by coordinate
states       the largest states of a tree automaton
trees        Theorem 3: a recursion in norms, and what `budget` asks
logdepth     the log-depth construction: what `budget` asks
outward      short decimals beside a ball, for what is written down
"""
