"""Tree decoders, loaded by the real library: states within the certified error.

Run by `tox run -e interop`; skipped where the library is missing.
"""

import json
import runpy

import pytest
import torch

from constructions.automata.random_trees import labelled_shape, random_tree
from constructions.automata.trees import balanced_tree, comb, ends, tokens, zigzag
from constructions.automata.wta import WTA
from constructions.exports.order import Order
from verify.automaton.export import export

LENGTH = 200
STOCHASTIC = WTA.of(
    [1, 0],
    [[["3/4", "1/3"], ["1/2", "1/5"]], [["1/4", "2/3"], ["1/2", "4/5"]]],
    {"a": ["1/2", "1/2"], "b": ["1/5", "4/5"]},
)


def strings():
    families = [make(["a"] * 66) for make in (comb, zigzag, balanced_tree)]
    yield from (tokens(labelled_shape(tree, 1)) for tree in families)
    yield from (tokens(random_tree(leaves, leaves)) for leaves in (1, 2, 5, 20, 66))


def test_the_loaded_model_keeps_the_certified_error_on_every_subtree(tmp_path):
    pytest.importorskip("transformer_lens")
    export(STOCHASTIC, Order(LENGTH, format="transformerlens"), tmp_path)
    note = json.loads((tmp_path / "model.json").read_text())
    model = runpy.run_path(str(tmp_path / "load.py"))["model"]
    index, worst = {symbol: i for i, symbol in enumerate(note["tokens"])}, 0.0
    for string in strings():
        ids = torch.tensor([[index["<bos>"], *(index[symbol] for symbol in string)]])
        with torch.no_grad():
            found = model(ids)[0]
        states = STOCHASTIC.states(string)
        for begin, end in ends(string).items():
            exact = torch.tensor([float(x) for x in states[begin]], dtype=torch.float64)
            worst = max(worst, float((found[end] - exact).norm()))
    print(f"trees: measured {worst:.2e}, certified {note['certified_error']}")
    assert worst <= float(note["certified_error"])
