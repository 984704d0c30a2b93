"""The constructions with one thing changed: no pads, no mask, residuals, as printed step by step."""
