"""The constructions with one thing changed: no pads, no mask, residuals, as printed step by step.

Start at the theorem's own module in `constructions`. Each variant belongs to one statement or finding.
"""
