"""Cases for the laws of every confirmation of our paper, which `test_kinds.py` has.

CASES     small parameters of each fact; where a fact can fail there is a case that fails
REFUSED   changes of the first case's parameters that are refused and no range of a declaration sees
FORGED    places of a certificate and values that contradict it, or what it was computed from
"""

from typing import Any

# fmt: off
LAYERS = {"16": 4, "32": 5, "64": 6}
PAIRS = {"tensor": [[[1, 1], [-1, 1]], [[0, 1], [1, -1]]], "letters": {"a": [1, 2], "b": [-1, 1], "c": [2,
    1], "d": [1, -1]}}
MIXING = {"tensor": [[["3/4", "1/3"], ["1/2", "1/5"]], [["1/4", "2/3"], ["1/2", "4/5"]]], "letters": {"a":
    ["1", "0"], "b": ["0", "1"], "c": ["1/2", "1/2"], "d": ["1/3", "2/3"]}}
RULES = {"n": 2, "leaves": {"a": [0, 1]}, "rules": [[0, 0, 0], [0, 0, 1], [0, 1, 0], [0, 1, 1], [1, 0, 0],
    [1, 0, 1], [1, 1, 0], [1, 1, 1]]}
SPARSE = {"n": 3, "leaves": {"a": [0], "b": [1, 2]}, "rules": [[0, 1, 2], [2, 0, 1], [1, 1, 0]]}
SATURATED = {"automata": {"weight 2": {"alpha": ["1"], "transitions": {"a": [["2"]]}}, "counting":
    {"alpha": ["0", "1"], "transitions": {"0": [["1", "0"], ["1", "1"]], "1": [["1", "0"], ["0", "1"]]}}},
    "lengths": [2, 4], "eps": "1/1000"}
MEASURED = {"automata": {"two": {"a": [["2"]]}, "signed": {"a": [["1/2", "-3/4", "1/8"], ["5/8", "1/4",
    "-1/2"], ["-3/8", "1/2", "3/4"]]}}, "words": {"two": "aaaa", "signed": "aaaa"}, "length": 4,
    "decades": [2, 8, 12], "mlps": [["tanh", "1/10000"]]}
EDGES = {"edges": [{"from": 0, "to": 1, "weight": "1/2"}]}
TREES_MEASURED = {
    "automata": {
        "one": {"tensor": [[["-3/2"]]], "leaves": {"a": ["3/2"]}},
        "mixed": {
            "tensor": [[["3/4", "-1/3"], ["1/2", "1/5"]], [["1/4", "2/3"], ["-1/2", "4/5"]]],
            "leaves": {"a": ["1", "-1/2"]},
        },
    },
    "leaves": 3, "decades": [4, 8, 12], "mlps": ["1/10000"],
}
CASES: dict[str, list[dict[str, Any]]] = {
    "attention.sources": [{"lengths": [1, 2, 8]}],
    "budget.error": [MIXING | {"construction": "maskless", "length": 4, "eps": "1/1000", "leaves": 1}],
    "cell.follows": [
        {"printed": "7.0", "operation": "sum", "parts": ["1.5", "2.5", "3"]},
        {"printed": "2.0", "operation": "mean", "parts": ["1.5", "2.5"]},
        {"printed": "4.0", "operation": "difference", "parts": ["7.25", "3.25"]},
        {"printed": "-6.0", "operation": "product", "parts": ["3", "-2.0"]},
        {"printed": "0.333", "operation": "quotient", "parts": ["1", "3"]},
        {"printed": "43.0", "operation": "percentage", "parts": ["43", "100"]},
        {"printed": "1", "operation": "sum", "parts": ["1", "1"]},
    ],
    "cell.possible": [
        {"printed": "58.5", "cases": 12, "percentage": True},
        {"printed": "2.33", "cases": 3, "percentage": False},
    ],
    "cited.says": [
        {"work": "Liu et al. 2023, Transformers Learn Shortcuts to Automata", "about":
         "size for all automata", "value": "polynomial"},
        {"work": "Liu et al. 2023, Transformers Learn Shortcuts to Automata", "about":
         "size for all automata", "value": "log T"},
    ],
    "code.line": [{"values": {"heads": "2", "mask": "None"}}, {"values": {"mask": "causal"}}],
    "comb.word": [{"n": 2, "longest": 3}],
    "counting.one-layer": [{"longest": 3}],
    "counting.reaches": [
        {"states": 2, "length": 16, "width": 16, "layers": 4},
        {"states": 6, "length": 64, "width": 64, "layers": 10},
    ],
    "counting.soft-layer": [{"bases": [16, 1024], "longest": 3}],
    "counting.state": [
        {"counted": 2, "symbols": 3, "word": "00011", "expected": [3, 2, 1]},
        {"counted": 2, "symbols": 3, "word": "00011", "expected": [0, 0, 1]},
        {"counted": 1, "symbols": 2, "word": "1", "expected": [0, 1]},
        {"counted": 1, "symbols": 1, "word": "0" * 1000, "expected": [1000, 1]},
    ],
    "counting.step": [{"counted": [1, 2], "symbols": 3}],
    "decoder.layer": [{"states": [1]}],
    "decoder.trees": [{"leaves": 3, "states": 1, "seed": 1}],
    "decoder.words": [{"most": 6}],
    "depth.vanishes": [
        {"depth": "⌈log₂ T⌉"}, {"depth": "T"}, {"depth": "7"}, {"depth": "3T²"},
        {"depth": "T-T"}, {"depth": "2T+7"}, {"depth": "3-4T"}, {"depth": "2T²-9T"}, {"depth": "9T-2T²"},
    ],
    "family.accepts": [{"states": 2, "longest": 1}, {"states": 1, "longest": 3}],
    "family.count-step": [
        {"matrix": [[1, 0], [1, 1]], "adds": 1}, {"matrix": [[1, 0], [0, 1]], "adds": 0},
    ],
    "family.counts": [
        {"initial": "last", "most": 2, "longest": 2}, {"initial": "first", "most": 2, "longest": 2},
    ],
    "family.hmm": [{"states": [1, 2], "lengths": [1, 2]}],
    "family.hmm-total": [{"states": [1, 2], "lengths": [1, 2]}],
    "family.pfa": [
        EDGES | {"initial": ["1", "0"], "final": ["1/2", "1"], "reading": "printed"},
        EDGES | {"initial": ["1", "0"], "final": ["1/2", "1"], "reading": "repaired"},
        EDGES | {"initial": ["1", "0"], "final": ["1/3", "1"], "reading": "repaired"},
        EDGES | {"initial": ["2", "-1"], "final": ["1/2", "1"], "reading": "repaired"},
        {"initial": ["1/2", "1/2"], "final": ["1/2", "1/2"], "reading": "printed",
         "edges": [{"from": p, "to": q, "weight": "1/4"} for p in (0, 1) for q in (0, 1)]},
    ],
    "family.row-sums": [{"of": "letter", "states": [2, 1]}, {"of": "total", "states": [1, 2]}],
    "free.bound": [
        {"expression": "(X + P D) (Y + F) - X Y", "sizes": {"X": "μ", "Y": "μ", "D": "δ", "F": "δ", "P":
         "1"}, "at_most": "μ δ + δ μ + δ δ"},
        {"expression": "(X + D) (Y + F) - X Y", "sizes": {"X": "μ", "Y": "μ", "D": "δ", "F": "δ", "P":
         "1"}, "at_most": "μ δ + δ δ"},
    ],
    "free.identity": [{"left": "(A + E) X", "right": "A X + E X"}, {"left": "X Y", "right": "Y X"}],
    "identity.polynomial": [
        {"left": "C(2n²+2, 2)", "right": "2n⁴+3n²+1"}, {"left": "C(n²+2, 2)", "right": "2n⁴+3n²+1"},
        {"left": "T", "right": "T+1"}, {"left": "n·T", "right": "T+n"},
    ],
    "indices.bound": [
        {"left": ["i'", "j'", "j''"], "right": [["i'", "i"], ["j'", "i''"], ["j''", "j"]]},
        {"left": ["i'", "j'", "j''", "i''", "i", "j"], "right": [["i'", "i"], ["j'", "i''"], ["j''",
         "j"]]},
    ],
    "indices.sum": [
        {"equalities": [["i'", "i"], ["j'", "i''"], ["j''", "j"]], "left": ["i'", "j'"], "right": ["i''",
         "j''"], "entry": ["i", "j"]},
        {"equalities": [["i'", "i"], ["j'", "i''"]], "left": ["i'", "j'"], "right": ["i''", "j''"],
         "entry": ["i", "j"]},
        {"equalities": [["i'", "j"], ["j'", "i''"], ["j''", "i"]], "left": ["i'", "j'"], "right": ["i''",
         "j''"], "entry": ["i", "j"]},
    ],
    "layer.product": [{"states": [1, 2, 3]}],
    "layers.alike": [{"n": 2, "length": 4}],
    "logdepth.states": [
        PAIRS | {"leaves": 4},
        PAIRS | {"leaves": 2},
    ],
    "logdepth.step": [
        {"n": 1},
        {"n": 2},
    ],
    "model.precision": [
        {"alpha": ["0", "1"], "transitions": {"0": [["1", "0"], ["1", "1"]], "1": [["1", "0"], ["0",
         "1"]]}, "length": 2, "saturation": "40", "activation": "gelu", "radius": "10", "tolerance":
         "1/1000000000", "eps": "1/1000"},
    ],
    "model.sizes": [
        *({"construction": name, "sizes": {"embedding": width, "attention": width, "heads": "3",
           "depth": depth}, "states": [1, 2], "lengths": [1, 4, 10]} for name, width, depth in (
               ("clean", "2n+8", "2h"), ("masked", "n+6", "h+2"), ("masked", "n+7", "h+2"),
               ("clean", "2n+8", "h"))),
        {"construction": "clean", "sizes": {"depth": "2h"}, "states": [1], "lengths": [4, 100]},
        *({"construction": "logdepth", "sizes": {"embedding": width, "heads": heads, "products":
           "n³+2n²+3n+17"}, "states": [1, 2, 3], "lengths": [1, 100]} for width, heads in (
               ("n²+n+12", "4"), ("n²+n+12", "3"), ("2n²-2n+14", "4"))),
        {"construction": "theorem1", "sizes": {"depth": "⌈log₂ T⌉", "embedding": "2n²+2", "feedforward":
         "2n²", "heads": "2"}, "states": [1, 2], "lengths": [2, 3, 8]},
        {"construction": "theorem1", "sizes": {"depth": "log₂ T"}, "states": [1, 2], "lengths": [2, 3,
         8]},
        {"construction": "theorem1", "sizes": {"depth": "⌈log₂ T⌉", "embedding": "2n²+2", "feedforward":
         "2n²", "heads": "2"}, "states": [1, 2], "lengths": [1]},
        {"construction": "third-head", "sizes": {"heads": "3", "embedding": "2n²+2", "tokens": "T"},
         "states": [1, 2], "lengths": [2, 3, 8]},
        {"construction": "no-pads", "sizes": {"heads": "3", "tokens": "T+1", "feedforward": "2n²+4"},
         "states": [1, 2], "lengths": [2, 3, 8]},
        {"construction": "residual", "sizes": {"embedding": "2n²+3", "attention": "2n²+3", "feedforward":
         "2n²+2"}, "states": [1, 2], "lengths": [2, 3, 8]},
        {"construction": "unrolled", "sizes": {"depth": "T", "embedding": "n²+n+3", "feedforward":
         "n²+n+2"}, "states": [1, 2], "lengths": [2, 3, 8]},
    ],
    "network.parity": [
        {"activation": "tanh", "polynomial": [[[2], 1]], "point": "1"},
        {"activation": "tanh", "polynomial": [[[4], 3], [[0], 1]], "point": "1/2"},
    ],
    "order.at-most": [
        {"size": "C(2n²+2, 2)", "order": "n⁴"}, {"size": "2n²+2", "order": "n"},
        {"size": "3n²-2n+5", "order": "n²"}, {"size": "n", "order": "n³"},
        {"size": "n-n", "order": "n"}, {"size": "n³", "order": "n²"},
    ],
    "pads.enough": [{"lengths": [4], "fewer": True}, {"lengths": [1, 2], "fewer": True}],
    "pads.needed": [{"lengths": [2, 1, 4]}, {"lengths": [2, 4]}],
    "pebbling.combs": [{"most": 12}],
    "pebbling.steps": [{"leaves": 8}],
    "person.reads": [{"who": "A", "when": "2026-01-01", "what": "it"}],
    "product.sympy": [{"states": [1, 2, 3]}],
    "readout.states": [{"states": [1, 2, 3]}],
    "rotation.proper": [
        {"rows": [["cos", "sin"], ["-sin", "cos"]]}, {"rows": [["cos", "sin"], ["sin", "cos"]]},
        {"rows": [["cos", "sin"], ["sin", "-cos"]]},
    ],
    "rotation.score": [
        {"rows": [["cos", "sin"], ["-sin", "cos"]], "transposed": True, "angle": "+", "shift": "back"},
        {"rows": [["cos", "sin"], ["-sin", "cos"]], "transposed": True, "angle": "+", "shift": "ahead"},
        {"rows": [["cos", "sin"], ["-sin", "cos"]], "transposed": True, "angle": "-", "shift": "back"},
        {"rows": [["cos", "sin"], ["-sin", "cos"]], "transposed": True, "angle": "-", "shift": "ahead"},
        {"rows": [["cos", "sin"], ["-sin", "cos"]], "transposed": False, "angle": "+", "shift": "back"},
        {"rows": [["cos", "sin"], ["-sin", "cos"]], "transposed": False, "angle": "+", "shift": "ahead"},
        {"rows": [["cos", "sin"], ["-sin", "cos"]], "transposed": False, "angle": "-", "shift": "back"},
        {"rows": [["cos", "sin"], ["-sin", "cos"]], "transposed": False, "angle": "-", "shift": "ahead"},
    ],
    "saturation.closed-form": [
        SATURATED,
        {"automata": {"third": {"alpha": ["1"], "transitions": {"a": [["1/3"]], "b": [["-1/2"]]}}},
         "lengths": [2], "eps": "1/100"},
    ],
    "saturation.required": [
        SATURATED,
        {"automata": {"third": {"alpha": ["1"], "transitions": {"a": [["1/3"]], "b": [["-1/2"]]}}},
         "lengths": [2], "eps": "1/100"},
    ],
    "scan.in-place": [
        {"direction": "descending", "most": 6}, {"direction": "ascending", "most": 6},
        {"direction": "ascending", "most": 1},
    ],
    "scan.pseudocode": [
        {"range_": "whole", "order": "repaired", "operator": "words", "most": 6},
        {"range_": "whole", "order": "printed", "operator": "words", "most": 6},
        {"range_": "whole", "order": "printed", "operator": "sums", "most": 6},
        {"range_": "printed", "order": "repaired", "operator": "sums", "most": 6},
    ],
    "scan.work": [{"most": 40}],
    "scheme.product": [{"scheme": "strassen", "size": 2, "products": 7}],
    "score.rank": [
        {"pattern": "equal on j ≤ i", "length": 9, "width": 7},
        {"pattern": "[j ≥ i+2]", "length": 9, "width": 7},
        {"pattern": "[j ≥ i+2]", "length": 5, "width": 3}, {"pattern": "[j ≥ i+2]", "length": 5, "width": 2},
        {"pattern": "equal on j ≤ i", "length": 5, "width": 4},
        {"pattern": "equal on j ≤ i", "length": 5, "width": 3},
    ],
    "sequence.contents": [{"n": 2, "length": 4}],
    "sequence.rounds": [{"lengths": [1, 2, 3, 5]}],
    "sequence.sympy": [
        {"construction": "theorem1", "states": [1, 2], "lengths": [1, 2, 3]},
        {"construction": "residual", "states": [1], "lengths": [1, 4]},
        {"construction": "third-head", "states": [1], "lengths": [5]},
        {"construction": "no-pads", "states": [1], "lengths": [5]},
        {"construction": "unrolled", "states": [1], "lengths": [3]},
    ],
    "sequence.words": [
        {"construction": "theorem1", "most": 5, "also": [8]}, {"construction": "third-head", "most": 5},
        {"construction": "no-pads", "most": 6}, {"construction": "unrolled", "most": 4},
        {"construction": "theorem1", "most": 4, "also": [5]},
    ],
    "shape.product": [
        {"factors": ["(0_{n²×2} 0_{n²×2} I_2)ᵀ"], "result": ["2n²+2", "2"]},
        {"factors": ["√C (0_{2×n²} 0_{2×n²} ρ)ᵀ"], "result": ["2n²+2", "2"]},
        {"factors": ["(X_{T×d})", "(W_{k×d})"], "result": ["T", "k"]},
        {"factors": ["(A_{n×2})", "(B_{2×m})"], "result": ["n", "m"]},
        {"factors": ["(A_{n×2})", "(B_{3×m})"], "result": ["n", "m"]},
        {"factors": ["(A_{n×2})", "(B_{2×m})"], "result": ["5", "m"]},
        {"factors": ["(A_{n×2})", "(B_{2×m})"], "result": ["n", "7"]},
    ],
    "size.at-most": [
        {"size": "2n²+2", "bound": "4n²"}, {"size": "2n²+2", "bound": "3n²"},
        {"size": "n²", "bound": "3n"}, {"size": "n²", "bound": "n²"},
        {"size": "n²", "bound": "n²-1"},
    ],
    "soft-model.sizes": [
        {"sizes": {"depth": "⌈log₂ T⌉", "units": "4n³"}, "states": [1, 2], "lengths": [1, 2, 3],
         "saturations": ["40"], "tolerances": ["1/10"]},
        {"sizes": {"depth": "log₂ T"}, "states": [1, 2], "lengths": [1, 2, 3], "saturations": ["40"],
         "tolerances": ["1/10"]},
        {"sizes": {"units": "2n⁴+3n²+1"}, "states": [1, 2], "lengths": [1, 2, 3], "saturations": ["40"],
         "tolerances": ["1/10"]},
        *({"sizes": {name: "99"}, "states": [1], "lengths": [k], "saturations": ["40"],
           "tolerances": ["1/10"]}
          for name in ("attention", "heads", "units", "depth", "embedding") for k in (1, 2)),
    ],
    "soft.error": [
        {"letters": {"a": "2"}, "word": "aaaa", "saturation": "64", "layer": 2, "against": "redefined"},
        {"letters": {"a": "2"}, "word": "aaaa", "saturation": "64", "layer": 2, "against": "corrected"},
        *({"letters": {"a": "2", "b": "-1/2"}, "word": "abab", "saturation": "8", "layer": 2, "against": side}
          for side in ("printed", "stepwise", "redefined", "corrected")),
    ],
    "soft.grows": [
        {"weight": "2", "saturation": "1", "lengths": [2, 4, 8]},
        {"weight": "-1", "saturation": "1", "lengths": [4, 8]},
    ],
    "soft.measured": [
        MEASURED | {"against": "corrected"}, MEASURED | {"against": "printed"},
        MEASURED | {"against": "rate"},
    ],
    "soft.ratios": [
        {"weights": ["2", "-1"], "lengths": [2, 4], "factor": "4"},
        {"weights": ["-1"], "lengths": [2, 4], "factor": "1"},
        {"weights": ["2", "2"], "lengths": [2, 4], "factor": "4"},
    ],
    "soft.states": [
        {"alpha": "1", "weight": "2", "word": "aaaa", "saturation": "16", "factor": "1"},
        {"alpha": "1", "weight": "2", "word": "aaaa", "saturation": "16", "factor": "readout"},
    ],
    "softmax.depths": [
        {"leaves": 3, "growths": [64, 1024], "below": "1/100"},
        {"leaves": 2, "growths": [64], "below": "1/1000000"},
    ],
    "softmax.leak": [{"lengths": [1, 2, 4], "factors": ["1/4", "4"]}],
    "states.rows": [{"declared": "T", "most": 3}, {"declared": "T+1", "most": 3}],
    "statistics.curves": [{"number": 3, "columns": ["16"], "scale": "log", "name": "T"}],
    "statistics.elbow": [
        {"number": 3, "expected": LAYERS, "within": 1, "scale": "linear"},
        {"number": 3, "expected": {"64": 6}, "within": 1, "scale": "log"},
    ],
    "statistics.falls": [
        {"number": 4, "columns": ["2", "4", "6", "8"], "rows": ["2", "4", "8"]},
        {"number": 3, "columns": ["16"], "rows": ["9", "10"]},
    ],
    "statistics.farther": [
        {"near": {"number": 3, "expected": LAYERS}, "far": {"number": 4, "expected": {"2": 9, "4": 25,
         "6": 49, "8": 81}}, "scale": "linear"},
    ],
    "statistics.largest-drop": [{"number": 3, "columns": ["16", "32", "64"]}],
    "statistics.welch": [
        {"number": 3, "rows": {"16": ["4", "10"], "32": ["5", "10"], "64": ["6", "10"]}, "runs": 10,
         "level": "0.05"}, {"number": 3, "rows": {"64": ["6", "10"]}, "runs": 10, "level": "0.05"},
    ],
    "step.near": [
        {"formula": "literal", "lengths": [4], "terms": [0, 3], "within": "1/2"},
        {"formula": "repaired", "lengths": [4], "terms": [8], "within": "1/4"},
    ],
    "step.some-count": [{"most": 2, "longest": 20}, {"most": 4, "longest": 7}],
    "table.at-most": [
        {"number": 3, "rows": ["1", "2", "3", "4", "5", "6", "7", "8", "9", "10"], "columns": ["16", "32",
         "64"], "most": "1/4"},
    ],
    "table.below": [{"row": "states", "below": "20"}, {"row": "states", "below": "15"}],
    "table.bold": [{}],
    "table.complete": [{"without": []}, {"without": ["4"]}],
    "table.heads": [
        {"number": 3, "rows": ["1", "2", "3", "4", "5", "6", "7", "8", "9", "10"], "columns": ["16", "32",
         "64"], "letter": "L"},
        {"number": 3, "rows": ["1", "2", "3", "4", "5", "6", "7", "8", "9", "10"], "columns": ["16", "32",
         "64"], "letter": "T"},
    ],
    "table.inseparable": [{"descriptors": ["states", "alphabet", "sparsity"]}],
    "table.least-layers": [
        {"automata": ["12", "14", "20", "30", "31", "33", "38", "39", "45"], "below": "0.001"},
        {"automata": ["38"], "below": "0.001", "read_as": {"38": "4"}},
    ],
    "table.other-than": [{"layers": 6}],
    "table.possible": [
        {"number": 3, "runs": 10}, {"number": 4, "runs": 10},
        {"number": 4, "runs": 10, "read_as": {"8:6": "0.0769370"}},
    ],
    "table.solved": [{"below": "0.001", "more_than": "1/2"}, {"below": "0.001", "more_than": "3/5"}],
    "training.carried": [
        {"chains": "layers-T16-L1-tries10", "independent": "layers-T16-L1", "epochs": 10, "level":
         "0.05"},
    ],
    "training.cell": [
        {"cell": "layers-T16-L1", "epochs": 100, "runs": 10, "factor": "2", "level": "0.05", "ratio":
         "0.6069"},
        {"cell": "layers-T16-L2", "epochs": 100, "runs": 10, "factor": "2", "level": "0.05", "ratio":
         "1.976"},
        {"cell": "layers-T16-L2", "epochs": 100, "runs": 10, "factor": "2", "level": "0.05", "ratio":
         "1.977"},
    ],
    "training.cost": [
        {"tasks": ["layers", "embedding", "pautomac"], "at_most": 10**6}, {"tasks": ["layers"], "at_most": 1},
    ],
    "training.curves": [
        {"kind": "tries", "cells": ["layers-T16-L1-tries10", "layers-T16-L1"], "epochs": 10},
        {"kind": "positions", "cells": ["layers-T16-L2"], "epochs": 100},
        {"kind": "distances", "cells": ["layers-T16-L2"], "epochs": 100},
    ],
    "training.falls": [
        {"cells": ["layers-T16-L1", "layers-T16-L2"], "epochs": 100, "fall": "3.077"},
        {"cells": ["layers-T16-L2", "layers-T16-L1"], "epochs": 100, "fall": "0.3250"},
    ],
    "training.rounding": [{"cell": "layers-T16-L1", "epochs": 100}],
    "training.spread": [{"cells": ["layers-T16-L1", "layers-T16-L4"], "epochs": 100, "most": "1/2"}],
    "tree-automaton.bits": [
        {"machine": RULES, "heights": 3, "per_leaf": 2}, {"machine": RULES, "heights": 3, "per_leaf": 3},
        {"machine": {"n": 1, "leaves": {"a": [0]}, "rules": [[0, 0, 0]]}, "heights": 3, "per_leaf": 1},
    ],
    "tree.measured": [TREES_MEASURED | {"against": "recursion"}, TREES_MEASURED | {"against": "rate"}],
    "tree-automaton.runs": [
        {"automata": [RULES], "leaves": 3},
        {"automata": [SPARSE], "leaves": 4},
    ],
    "tree.left-head": [{"longest": 6}],
    "tree.markers": [
        {"letter": 0, "opening": 1, "closing": -1}, {"letter": 0, "opening": 1, "closing": 0},
    ],
    "tree.not-a-string": [
        {"string": "[a]"}, {"string": "[[ab]c]"},
        {"string": "a" * 200}, {"string": "[" * 66 + "a" + "a]" * 66}, {"string": "a"},
    ],
    "tree.one-length": [
        {"length": 1}, {"length": 5},
        {"length": 2}, {"length": 4},
    ],
    "tree.right-head": [
        {"depth": "printed", "step": "literal", "terms": [0, 1], "leaves": 3},
        {"depth": "before", "step": "exact", "terms": [0], "leaves": 3},
        {"depth": "before", "step": "repaired", "terms": [0, 4], "leaves": 3},
        {"depth": "before", "step": "scaled", "terms": [1], "leaves": 3},
    ],
    "tree.right-heads": [{"string": "[a[bc]]", "terms": 2}, {"string": "a", "terms": 0}],
    "tree.rule": [
        {"given": "sum of m_{j+1} over j ≤ i", "wanted": "level", "leaves": 4},
        {"given": "sum of m_j over j < i", "wanted": "enclosing brackets", "leaves": 4},
        {"given": "mean of m_{j-1} over j ≤ i", "wanted": "i times that mean", "leaves": 4},
        {"given": "m_{i+1}", "wanted": "m_{i-1}", "leaves": 4},
        {"given": "height of the subtree", "wanted": "level", "leaves": 4},
        {"given": "i + 1", "wanted": "left child", "leaves": 4},
        {"given": "second tree one level down", "wanted": "closest j > i + 1 one level down", "leaves":
         4}, {"given": "left child", "wanted": "right child", "leaves": 4},
    ],
    "tree.strings": [{"letters": 2, "leaves": 4}],
    "tree.strings-in": [
        {"among": "Σ* ∪ {[, ]}", "letters": 2, "leaves": 3},
        {"among": "(Σ ∪ {[, ]})*", "letters": 2, "leaves": 3},
        {"among": "Σ* ∪ {[, ]}", "letters": 2, "leaves": 1},
    ],
    "tree.sympy": [{"places": "line", "states": [1, 2], "leaves": 3}],
    "units.differences": [{"most": 4}],
    "units.multiply": [
        {"activations": ["gelu", "sigmoid", "silu", "softplus", "tanh"], "states": 2, "radius": "2",
         "eps": "1/1000000"},
    ],
    "units.reach": [
        {"activation": "relu", "degree": 2, "polynomial": [[[2], 1]]},
        {"activation": "relu", "degree": 2, "polynomial": [[[1], 1]]},
        {"activation": "step", "degree": 2, "polynomial": [[[1], 1]]},
        {"activation": "relu", "degree": 3, "polynomial": [[[3], -10], [[2], 33]]},
        {"activation": "relu", "degree": 3, "polynomial": [[[3], 10], [[2], 3]]},
        {"activation": "step", "degree": 2, "polynomial": [[[1], 9], [[2], -4]]},
        {"activation": "step", "degree": 2, "polynomial": [[[1], 1], [[2], 4]]},
        {"activation": "relu", "degree": 2, "polynomial": [[[1, 1], 3], [[0, 2], 1]]},
        {"activation": "relu", "degree": 2, "polynomial": [[[1, 0], 3]]},
    ],
    "wta.hidden-units": [{"most": 3, "bound": "n²+6n+10"}, {"most": 3, "bound": "20n"}],
    "wta.modes": [{"n": 1}, {"n": 3}],
    "wta.states": [
        {"construction": "masked", "n": 2, "leaves": 3},
        {"construction": "maskless", "n": 2, "leaves": 3}, {"construction": "clean", "n": 2, "leaves": 3},
        {"construction": "closing", "n": 2, "leaves": 3},
        {"construction": "printed", "n": 2, "leaves": 3},
    ],
}
REFUSED: dict[str, list[dict[str, Any]]] = {
    "budget.error": [{"construction": "masked"}, {"eps": "0"}, {"eps": "-1"}],
    "cell.follows": [
        *({"printed": text} for text in ("", "1.", ".5", "1e9", "--1", "x", "9" * 40)),
        *({"operation": "quotient", "parts": ["1", zero]} for zero in ("0", "0.0", "-0.0")),
        *({"operation": "difference", "parts": ["1"] * k} for k in (1, 3)),
    ],
    "cell.possible": [{"printed": "-0.5"}, {"printed": "1" * 13}],
    "cited.says": [{"about": "colour"}],
    "code.line": [{"values": {"no such line": "1"}}],
    "counting.state": [{"word": "03"}, {"counted": 4}, {"word": "0" * 1001}],
    "counting.step": [{"counted": [4]}],
    "depth.vanishes": [{"depth": "n"}, {"depth": ""}],
    "family.count-step": [{"matrix": m} for m in (
        [[1, 1], [1, 1]], [[2, 0], [1, 1]], [[1, 0], [1, 2]], [[1, 0], [2, 1]], [[1, 0], [10, 1]])],
    "family.pfa": [{"edges": [{"from": 0}]}],
    "free.bound": [{"sizes": {"X": "μ"}}, {"at_most": "μ - δ"}],
    "free.identity": [
        *({"left": text} for text in ("", "A +", "(A", "A)", "A * B", "2 A", "A " * 300)),
        {"left": "(A + B) " * 30},
    ],
    "identity.polynomial": [{"left": text} for text in (
        "", "n" * 201, "((n⁹)⁹)⁹", "__import__", "n..2", "n)", "(n", "C(n, m)", "n²²", "+", "C(n,)")],
    "indices.bound": [{"right": [["i"]]}],
    "indices.sum": [
        {"equalities": [["k", "i"]]}, {"left": ["i'", "i'"]}, {"left": ["i", "j'"]}, {"left": [1, 2]},
        {"left": ["", "j'"]}, {"left": ["i'", "j" * 9]},
    ],
    "layers.alike": [{"length": 1}],
    "logdepth.states": [{"tensor": [[[1, 1], [1, 1]]]}],
    "model.precision": [
        {"saturation": "3"}, {"eps": "1/100000000000000"}, {"radius": "1"}, {"transitions": {}},
        {"tolerance": "1/1000000000000000000"}, {"activation": "relu"},
    ],
    "model.sizes": [{"sizes": {"colour": "2"}}, {"sizes": {"heads": "k"}}, {"construction": "theorem9"}],
    "network.parity": [{"polynomial": [[[5], 3]]}, {"activation": "cosh"}],
    "order.at-most": [{"order": order} for order in ("n²+n", "2n", "m", "1", "n·m")],
    "pads.enough": [{"lengths": [3]}],
    "person.reads": [{"when": "yesterday"}, {"who": " "}, {"what": ""}],
    "rotation.proper": [{"rows": [["cos", "tan"], ["-sin", "cos"]]}],
    "rotation.score": [{"rows": [["cos", "sin"], ["sin", "cos"]]}],
    "saturation.required": [
        {"automata": {"a": []}}, {"automata": {"a": ["alpha", "transitions"]}}, {"eps": "0"}, {"eps": "2"},
        *({"automata": {"a": {"alpha": ["1"] * k, "transitions": {"a": [["2"]]}}}} for k in (0, 2, 3)),
        *({"automata": {"a": {"alpha": ["1"], "transitions": t}}} for t in (
            [], {}, {letter: [["1"]] for letter in "abcde"}, {"a": [["1"], ["1"]]}, {"a": "1"},
            {"a": ["1"]})),
    ],
    "sequence.words": [{"also": [4]}, {"also": [9, 4]}],
    "shape.product": [{"factors": ["()"]}],
    "size.at-most": [{"size": "n·T"}],
    "soft-model.sizes": [{"tolerances": ["0"]}, {"sizes": {"layers": "1"}}],
    "soft.error": [
        {"layer": 3}, {"word": ""}, {"word": "a" * 17}, {"word": "ab"}, {"saturation": "1000000000"},
        {"saturation": "-1"}, {"letters": {"a": "1e9"}},
    ],
    "soft.grows": [{"weight": "1001"}, {"weight": "1/1001"}, {"lengths": [2]}],
    "soft.measured": [
        {"words": {"two": "aaaa"}}, {"words": {"two": "aaaa", "signed": "aab"}}, {"decades": [8, 2]},
        {"automata": {"two": {"a": [["2"]]}, "signed": {"a": [["1", "2"]]}}}, {"mlps": [["tanh"]]},
        {"mlps": [["gelu", "1/100"]]}, {"mlps": [["tanh", "1/200"]]},
    ],
    "tree.measured": [
        {"automata": {"one": {"tensor": [[["1"]]]}}}, {"leaves": 5}, {"decades": [8, 4, 12]},
        {"automata": {"one": {"tensor": [[["1"], ["1"]]], "leaves": {"a": ["1"]}}}},
        {"automata": {"one": {"tensor": [[["1"]]], "leaves": {"[": ["1"]}}}}, {"mlps": ["1/3"]},
    ],
    "soft.states": [{"factor": "2"}],
    "softmax.leak": [{"lengths": [3]}, {"lengths": [5]}, {"lengths": [4, 4]}],
    "states.rows": [{"declared": "n"}],
    "table.complete": [{"without": ["x"]}],
    "table.inseparable": [{"descriptors": ["type"]}],
    "table.least-layers": [
        {"automata": ["12", "12"]}, {"automata": ["4"]}, {"read_as": "4"}, {"read_as": {"38": 4}},
    ],
    "table.below": [{"row": "type"}],
    "training.cell": [{"cell": "layers-T64-L1"}],
    "tree-automaton.bits": [{"machine": {**RULES, **change}} for change in (
        {"n": 0}, {"n": 7}, {"rules": []}, {"rules": [[0, 0, 0]] * 2}, {"leaves": {}}, {"leaves": {"a": [2]}},
        {"leaves": {letter: [0] for letter in "abcd"}}, {"leaves": {"a": [-1]}}, {"rules": [[0, 0, 2]]},
        {"rules": [[0, 0, 0, 0]]})],
    "tree.not-a-string": [{"string": ""}, {"string": "a" * 201}],
    "tree.right-head": [{"terms": [0, 0]}],
    "tree.rule": [{"given": "depth"}],
    "tree.strings-in": [{"among": "Σ"}],
    "units.reach": [
        {"degree": 1}, {"polynomial": [[[3], 1]]}, {"polynomial": []},
        {"polynomial": [[[1], 1], [[1, 1], 1]]},
        {"polynomial": [[[2], 1], [[2], 1]]},
    ],
}
NEEDED = ["18.563", "21.125", "24.313", "28.125", "32.625"]
FORGED: dict[str, list[tuple[str, Any]]] = {
    "budget.error": [
        ("values.model.tokens", 7), ("values.model.order", [0] * 40), ("values.model.sizes.0", "1/2"),
        ("values.model.embedded.0", "-1"), ("values.model.automaton.tensor.0.0.0", "3"),
        ("values.model.smooth.scale", "1"), ("values.model.layers", []), ("values.model.renewed", ["x"]),
        ("values.model.states", []), ("values.model.layers.0.output.0.2", "100000000"),
        ("values.model.layers.0.output.0", [-1, 0, "1"]), ("values.C", 10), ("values.k", 5),
    ],
    "decoder.needed": [
        ("values.curves.0.y", ["65.690"] * 6), ("values.curves.0.y.0", "65.590"),
        ("values.curves.0.y.0", "65.790"), ("values.curves.1.y", ["0.001"] * 6),
        *(("values.curves.1.y", [*NEEDED, last]) for last in ("64.001", "1e9", "37.750", "37.812", 37)),
    ],
    "float.lengths": [("values.curves.0.y", reached) for reached in (
        ["1", "64", "4096", "67108864"], ["64", "64", "4096", "67108864"], ["17", "64", "4096", "67108864"],
        ["016", "64", "4096", "67108864"], [16, 64, 4096, 67108864], ["16"])],
    "logdepth.step": [
        *(("values.units.0.output.0.2", wrong) for wrong in (
            1, "", None, "state_0", "near_state_0", "-pebbled_0", "t_0_0", "t_1_0_0", "t_00_0_0", "-0", "01",
            "1234", "１", "2/3")),
        *(("values.units.0.left.0.0", wrong) for wrong in ("none", 1)), ("values.units.0.left.0.1", 7),
    ],
    "pautomac.descriptors": [
        ("values", {"automata": 9, "differing": []}),
        ("", {"holds": False, **{k: {"automata": 10, "differing": ["x"]} for k in ("values", "witness")}}),
    ],
    "pautomac.no-type": [
        ("values", {"automata": 10, "found": ["4"]}),
        ("", {"holds": False, **{k: {"automata": 10, "found": ["99"]} for k in ("values", "witness")}}),
    ],
    "pautomac.probabilities": [
        ("values", {"worst": worst}) for worst in ("1/2", "0.1", "1e-99999999", "-1")],
    "pautomac.sparsity": [
        ("values.shares.4", "22/48"), ("witness.printed", "0.6556"), ("witness.automaton", "4"),
        *(("witness.share", share) for share in (
            "6555/10000", "many", "59/91", "149/90", "90/90", "58/90", "60/90")),
    ],
    "saturation.closed-form": [("values.constants.counting", []), ("values.constants.counting.1", 1)],
    "saturation.required": [
        ("values.failing.counting.1", "1111"), ("values.failing.counting.1", list("1110")),
        ("values.curves.0.y.1", "1"), ("values.curves.1.y", []),
    ],
    "scheme.product": [("values.terms.0.0.0.1", -1), ("values.terms", []), ("values.terms", [[]] * 65)],
    "soft.measured": [("values.drawing.panels.0.more", 1), ("values.drawing.panels.1.mlps", [{}])],
    "training.cell": [
        ("values.interval", "wide"), ("values.interval", ["0.11", "0.13"]), ("values.p", "٠"),
        ("values.interval.1", "1e100000000"), ("values.interval.0", "0.0715"),
    ],
    "training.curves": [("values.curves.0.label", "ours"), ("values.curves.0.y", ["0.5"])],
    "units.multiply": [("values.weights.tanh.step", "1"), ("values.weights.tanh.scale", "1"),
                       ("values.weights.tanh.point", "4")],
}
# fmt: on
