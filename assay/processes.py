"""Stochastic processes as automata: Mess3, RRXOR, the even process, the golden mean, GHMMs, n-grams."""

from assay._lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
