"""Names for the folder of another paper: facts, their outcomes, and their confirmations."""

from assay._lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
