"""What a built model is asked for: states, weights, attention patterns, in a chosen arithmetic."""
