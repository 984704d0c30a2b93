"""A run: which facts are due, who computes them, the record they make, and where it is written."""
