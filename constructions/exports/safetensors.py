"""safetensors: the weights by name; a decoder's script holds the whole forward pass.

Decoders      weights under TransformerLens' names; `load.py` needs torch and safetensors
Others        the paper's constructions: the `state_dict` of their torch module; `load.py` needs Assay
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from constructions.blocks.gated import GATES
from constructions.core.bounded_files import LARGEST_WEIGHTS, read_bytes
from constructions.core.errors import InputError
from constructions.exports.formats import ExportFormat, Files
from constructions.exports.stock import infinite, state_dict, typed

if TYPE_CHECKING:
    import torch

    from constructions.exports.built_model import ExportModel

SMOOTH = ("gelu", "gelu_new", "silu", "tanh")
WEIGHTS = "model.safetensors"
EXAMPLE = """
index = {symbol: i for i, symbol in enumerate(note["tokens"])}
example = [*note["begin"], *note["example"]]
print(ascii(example))  # one row of the output for each of these tokens
print(model(torch.tensor([[index[s] for s in example]]))[0])
"""
DECODER = '''"""Load this folder's model and run it; needs torch and safetensors alone."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path

import torch
from safetensors.torch import load_file
from torch.nn import functional


{decode}

here = Path(__file__).parent
note = json.loads((here / "model.json").read_text("utf-8"))
model = partial(decode, load_file(here / "model.safetensors"), note)
'''
PAPER = '''"""Load the model of this folder and run it; needs torch and assay."""

from pathlib import Path

import assay

model = assay.load_model(Path(__file__).parent)
print(" ".join(model.description["example"]))
print(model.states([model.description["example"]])[0])
'''


def torch_state(module: torch.nn.Module, dtype: str) -> dict[str, torch.Tensor]:
    """The `state_dict` of a torch module, if its type can hold the weights."""
    import torch

    weights = {name: w.detach().contiguous() for name, w in module.state_dict().items()}
    for name, weight in weights.items():
        if not torch.isfinite(weight).all():
            raise infinite(name, torch.finfo(weight.dtype).max, dtype)
    return weights


def decoder_script() -> bytes:
    """`load.py` of a decoder, with the forward pass in it."""
    from constructions.exports.textbook import SOURCE

    return (DECODER.replace("{decode}", SOURCE) + EXAMPLE).encode()


def module_from(weights: dict[str, torch.Tensor], folder: Path, note: dict[str, Any]) -> Any:
    """The module of a folder with these weights: a decoder's, or that of a construction."""
    from constructions.exports.loader import construction
    from constructions.exports.textbook import TextbookDecoder, check_shapes

    if note["construction"] == "decoder":
        check_shapes(weights, note, str(folder))
        return TextbookDecoder(weights, note)
    module = construction(folder, note)
    try:
        module.load_state_dict(weights)
    except RuntimeError as error:
        reason = str(error).strip().split("\n")[-1].strip()
        raise InputError("weights", reason, "the module's weights", str(folder)) from None
    return module


@dataclass(frozen=True)
class Safetensors(ExportFormat):
    """Weights in one file of tensors by name."""

    def write(self, model: ExportModel) -> Files:
        """The weights and the script."""
        if model.order.decoder:
            from safetensors.numpy import save

            weights = save(typed(state_dict(model.simulation), model.order.dtype), {"format": "pt"})
            return {WEIGHTS: weights, "load.py": decoder_script()}
        from safetensors.torch import save as save_tensors

        weights = save_tensors(torch_state(model.module(), model.order.dtype))
        return {WEIGHTS: weights, "load.py": PAPER.encode()}

    def load(self, folder: Path, description: dict[str, Any]) -> Any:
        """A module of ours."""
        from safetensors import SafetensorError
        from safetensors.torch import load

        try:
            weights = load(read_bytes(folder / WEIGHTS, LARGEST_WEIGHTS))
        except SafetensorError as error:
            raise InputError("weights", str(error), "safetensors", str(folder / WEIGHTS)) from None
        return module_from(weights, folder, description)


FORMAT = Safetensors(
    name="safetensors",
    files=(WEIGHTS, "load.py"),
    libraries=("torch", "safetensors"),
    gates=GATES,
    smooth=SMOOTH,
    paper=True,
    dtypes=("float64", "float32", "bfloat16"),
)
