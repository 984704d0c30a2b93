"""pt2: a graph of `torch.export`, which runs where only torch is installed.

Batches of any size and inputs of any length up to T are one graph, which refuses longer ones.
`torch.export.load` unpickles parts of such a file, so that a folder of unknown origin can run code.
"""

from __future__ import annotations

import io
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from constructions.blocks.gated import GATES
from constructions.exports.formats import ExportFormat, Files
from constructions.exports.safetensors import EXAMPLE, SMOOTH, torch_state

if TYPE_CHECKING:
    from constructions.exports.built_model import ExportModel

GRAPH = "model.pt2"
LOADER = '''"""Load this folder's model and run it; needs torch alone."""

import json
from pathlib import Path

import torch

here = Path(__file__).parent
note = json.loads((here / "model.json").read_text("utf-8"))
model = torch.export.load(here / "model.pt2").module()
'''


@dataclass(frozen=True)
class Pt2(ExportFormat):
    """A graph with its weights."""

    def write(self, model: ExportModel) -> Files:
        """The graph and the script."""
        import torch

        dense = model.order.decoder or not model.sizes["layers"]  # without layers, nothing to route
        module, buffer = model.module(dense), io.BytesIO()
        torch_state(module, model.order.dtype)
        longest = model.sizes["context"] if model.order.decoder else model.order.length
        # Two words of two letters or more: one word, or one letter, would fix the size at 1.
        example = torch.zeros((2, min(longest, 3)), dtype=torch.int64)
        length = torch.export.Dim("tokens", max=longest) if longest > 2 else None
        sizes = {0: torch.export.Dim("batch")} | ({} if length is None else {1: length})
        torch.export.save(torch.export.export(module, (example,), dynamic_shapes=(sizes,)), buffer)
        return {GRAPH: buffer.getvalue(), "load.py": (LOADER + EXAMPLE).encode()}

    def load(self, folder: Path, description: dict[str, Any]) -> Any:
        """The graph as a module."""
        import torch

        return torch.export.load(folder / GRAPH).module()


FORMAT = Pt2(
    name="pt2",
    files=(GRAPH, "load.py"),
    libraries=("torch",),
    gates=GATES,
    smooth=SMOOTH,
    paper=True,
    unpickles=True,
    dtypes=("float64", "float32", "bfloat16"),
)
