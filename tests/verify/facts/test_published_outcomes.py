"""Facts that take little time come to what the published record holds: values and witnesses too."""

import json
from pathlib import Path

import pytest

from verify.facts.registry import registered

FACTS = registered()
PUBLISHED = Path(__file__).parents[3] / "reports" / "published" / "certificates.json"
QUICK = [
    "attention.sources",
    "comb.word",
    "counting.reaches",
    "counting.state",
    "counting.step",
    "decoder.layer",
    "depth.vanishes",
    "family.count-step",
    "family.counts",
    "family.hmm-total",
    "free.bound",
    "free.identity",
    "identity.polynomial",
    "indices.bound",
    "indices.sum",
    "layer.product",
    "layers.alike",
    "model.sizes",
    "network.parity",
    "order.at-most",
    "pads.needed",
    "pebbling.steps",
    "readout.states",
    "saturation.closed-form",
    "saturation.required",
    "scan.in-place",
    "scan.pseudocode",
    "scan.work",
    "scheme.product",
    "score.rank",
    "sequence.rounds",
    "shape.product",
    "size.at-most",
    "soft.error",
    "soft.grows",
    "soft.ratios",
    "soft.states",
    "softmax.depths",
    "softmax.leak",
    "states.rows",
    "statistics.curves",
    "statistics.elbow",
    "statistics.falls",
    "statistics.farther",
    "statistics.largest-drop",
    "statistics.welch",
    "step.near",
    "step.some-count",
    "table.at-most",
    "table.below",
    "table.bold",
    "table.complete",
    "table.heads",
    "table.inseparable",
    "table.least-layers",
    "table.other-than",
    "table.possible",
    "table.solved",
    "training.carried",
    "training.cell",
    "training.cost",
    "training.curves",
    "training.falls",
    "training.rounding",
    "training.spread",
    "tree-automaton.bits",
    "tree.left-head",
    "tree.markers",
    "tree.not-a-string",
    "tree.one-length",
    "tree.right-head",
    "tree.right-heads",
    "tree.rule",
    "tree.strings",
    "tree.strings-in",
    "units.multiply",
    "units.reach",
    "wta.hidden-units",
    "wta.modes",
]


@pytest.fixture(scope="module")
def certificates():
    if not PUBLISHED.exists():
        pytest.skip("the published record is not here")
    return json.loads(PUBLISHED.read_text("utf-8"))["certificates"]


@pytest.mark.parametrize("name", QUICK)
def test_a_fact_comes_to_what_is_published(name, certificates):
    own = [each for each in certificates if each["fact"] == name]
    assert own
    for each in own:
        found = FACTS[name].run(**each["parameters"])
        outcome = {"holds": found.holds, "values": found.values, "witness": found.witness}
        assert json.loads(json.dumps(outcome)) == {key: each[key] for key in outcome}
