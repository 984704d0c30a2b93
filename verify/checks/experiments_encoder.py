"""The encoder that was trained, beside the transformer that the theorems speak of.

Claimed       (Appendix D.1) PyTorch's TransformerEncoder is used; Section 2.4 calls its own architecture
              very similar to the encoder
Checked       what a layer with zero weights returns, and every size of a trained model beside the one
              that the constructions take
"""

from __future__ import annotations

from collections.abc import Iterator

import torch
from torch import nn

from verify.check import Job, check
from verify.checks.section5 import compare
from verify.evidence import Condition, Evidence, Outcome, Strength


@check("exp.train.hypotheses")
def the_trained_encoder_is_not_the_one_of_the_theorems(job: Job) -> Iterator[Evidence]:
    """Set all weights of PyTorch's layer to zero and see whether the output is zero, as in 2.4."""
    output = silent_layer(nn.TransformerEncoderLayer(2, 2, 2, 0.0, batch_first=True))
    differs = bool((output != 0).any())
    yield Evidence(
        "exp.train.hypotheses",
        Outcome.FAILS if differs else Outcome.HOLDS,
        Strength.EXACT,
        "PyTorch's TransformerEncoderLayer with its defaults",
        f"With all weight matrices zero a layer of Section 2.4 returns 0; PyTorch's returns "
        f"({', '.join(f'{float(x):.3f}' for x in output.flatten())}) for (1, -1), by its residual "
        f"connections and layer norms.",
        engine="torch",
        certificate={
            "kind": "experiments.residual",
            "input": ["1", "-1"],
            "section": ["0", "0"],
            "positive": differs,
        },
        conditions=conditions(),
        counterexample="zero weights, input (1, -1)",
    )


def silent_layer(layer: nn.Module) -> torch.Tensor:
    """The output of a layer whose weight matrices and biases are zero, norms left alone."""
    for name, parameter in layer.named_parameters():
        if "norm" not in name:
            nn.init.zeros_(parameter)
    with torch.no_grad():
        return torch.as_tensor(layer.eval()(torch.tensor([[[1.0, -1.0]]])))


def conditions() -> tuple[Condition, ...]:
    """The hypotheses of the theorems, and whether the trained models meet them."""
    sizes = (
        ("embedding, zero-counting", compare("embedding", 2, 16, 16)),
        ("hidden width of Theorem 2, zero-counting", compare("hidden", 2, 16, 16)),
        ("embedding, PAutomaC 39", compare("embedding", 6, 64, 64)),
        ("depth, k-counting", compare("depth", 3, 32, 4)),
        ("pads before the word", compare("pads", 2, 16, 0)),
    )
    met = [
        Condition(name, bool(body["met"]), f"{body['trained']} where {body['needed']} are needed")
        for name, body in sizes
    ]
    layer = nn.TransformerEncoderLayer(2, 2, 2)
    smooth = getattr(layer.activation, "__name__", "") != "relu"
    met.append(Condition("smooth activation", smooth, "the default of PyTorch is ReLU"))
    bare = not hasattr(layer, "norm1")
    met.append(Condition("no layer normalisation", bare, "norm1 and norm2 of PyTorch's layer"))
    return tuple(met)
