"""Hypothesis strategies for automata, words, trees and papers, for tests of what is built on this package."""

from assay._lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
