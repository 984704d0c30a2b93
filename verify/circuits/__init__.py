"""Circuits held against models: interventions in the library that loads a folder, and their bounds.

library      a folder's model, with every hook read and every intervention made by torch's own hooks
hooked       the module for folders that no library loads, with the hook points of TransformerLens
allowance    how far a model may be from the exact machine, for one run, with rounding
trials       which interventions are tried, by seed
check        a circuit against its model: what agrees, and the first that does not
"""
