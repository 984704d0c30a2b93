"""Known circuits of exported models: load them, predict interventions, check and score answers."""

from assay._lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
