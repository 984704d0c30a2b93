"""What every construction is made of: exact numbers, named coordinates, matrices, the forward pass."""
