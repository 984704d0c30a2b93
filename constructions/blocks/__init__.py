"""Feed-forward blocks that multiply, and the layers that several constructions share."""
