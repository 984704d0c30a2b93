"""Engines: fast roads to a proof or a certified number, each compared with the forward pass."""
