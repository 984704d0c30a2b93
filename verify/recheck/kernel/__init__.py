"""The little mathematics that confirmations share: polynomials, intervals, trees."""
