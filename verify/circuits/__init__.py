"""Circuits held against models: interventions in the library that loads a folder, and their bounds.

library      a folder's model, with every hook read and every intervention made by torch's own hooks
run_state    the hooks of one run
hooked       the module for folders that no library loads, with the hook points of TransformerLens
allowance    how far a model may be from the exact machine, for one run, with rounding
logarithm_bound   the same for logits
trials       which interventions are tried, by seed
check        a circuit against its model: what agrees, and the first that does not
disguise     the same computation in another basis, in superposition, among distractors
catalogue    the models of a benchmark     truth      which components and edges matter
benchmark    the folders of a benchmark, byte for byte the same
score        what was found, against what is true      references   answers by simple methods
"""
