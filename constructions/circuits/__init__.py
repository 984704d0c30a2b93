"""Circuits: what a decoder computes, where its stream holds it, and what every intervention does to it.

circuit             the description as data: features, subspaces, hooks, components, edges
file                `circuit.json`, a document with a schema, and back
sites               where each library's class can be hooked, by the library's own names
components          the components and edges of a decoder
machine             the exact values of every feature for a word, with interventions or without
directions          vectors up to a scale whose square is exact: the values of a normalised stream
normalised_parts    the components and edges of a decoder with such a stream
normalised_machine  the exact values of its features
interventions       interchange and ablation, as data
"""
