"""Results of the theorems for a user's automaton: conditions, sizes of models, error bounds, and the export.

report          the report as one value (`report_data`), for words and trees (`words_and_trees`)
conditions      conditions of the theorems with what decides each; `classes`: PFA, HMM, DFA
precision       errors of each model against the length, in each floating-point format
export          choose constants (`constants`, `language`, `normalised`), certify (`certificate`), run
                (`trial_run`), write
explanation     reads and contents of a decoder on one word
rounding*       error bounds with rounding; `soft`: softmax and MLPs on trees
float_runs      measured errors (`measure`, `precision_runs`, `sampling`, `variation`, `enclosure`)

Start at `report`. Wording (`sentence`) can be changed freely; the tests attack every certified bound.
"""
