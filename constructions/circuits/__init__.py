"""Circuits of decoders: features of the stream, and exact results of interventions.

Start with `circuit`. A component's kind is one entry in `wiring` and one branch in `arithmetic`.

parts, circuit      the description as data: features, subspaces, hooks, components, edges
wiring              which features each kind of component reads and writes
file, check_file    `circuit.json`, and the checks of what is read
sites               where each library's class can be hooked, by the library's own names
interventions       interchange and ablation, as data, and the refusal of places that are not there
machine             the values of every feature for a word, in any arithmetic
arithmetic          exact values: rational, and up to a scale whose square is rational
trace               the exact values at hooks, outputs, states and beliefs
"""
