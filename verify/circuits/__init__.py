"""Circuits compared with models: interventions in the library that loads a folder, and their bounds.

Start with `check`. Formats of files are in docs/circuits.md; a disguise is one function in `disguise`.

check             compares a circuit with its model, on trials
trials            words and interventions, drawn by a seed
library           a folder's model in its library: every hook read, every intervention made
run_state         the torch hooks of one run
hooked            our own module, with the hook points of TransformerLens
allowance         bounds for all numbers of a run: the machine in an arithmetic that carries bounds
additive_errors, normalised_errors   these arithmetics; bounded_sum, circuit_setting,
logarithm_bound   what they use
catalogue, benchmark, truth, edges   the models of the benchmark, their files, what matters in each
stream_map, disguise, distractors    the same computation on another stream
score             scores of an answer
"""
