"""Engines: fast methods for a proof or a certified number, each compared with the forward pass."""
