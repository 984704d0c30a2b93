"""transformerlens: the arguments of a configuration, and a state dict for `HookedTransformer`.

`HookedTransformer(HookedTransformerConfig(**config))` loads the state dict strictly; buffers that
hold no weights (the causal mask, the number for masked scores) are the model's own. TransformerLens 4
has `TransformerBridge` in its place, which reads the folders of gpt2 and llama; `load.py` says so.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from constructions.blocks.gated import GATES
from constructions.exports.formats import ExportFormat, Files
from constructions.exports.safetensors import EXAMPLE, WEIGHTS
from constructions.exports.stock import Shape, shape, state_dict, typed

if TYPE_CHECKING:
    from constructions.exports.model import ExportModel

CONFIG = "config.json"
LOADER = '''"""Load this folder's model in TransformerLens and run it; needs transformer_lens."""

import json
from pathlib import Path

import torch
from safetensors.torch import load_file

try:
    from transformer_lens import HookedTransformer, HookedTransformerConfig
except ImportError:
    raise SystemExit(
        "this folder is for TransformerLens 3; for version 4 export with --format gpt2 or llama, then "
        "TransformerBridge.boot_transformers(folder) and enable_compatibility_mode(no_processing=True)"
    ) from None

here = Path(__file__).parent
config, note = (json.loads((here / name).read_text("utf-8")) for name in ("config.json", "model.json"))
dtype = getattr(torch, note["dtype"])
model = HookedTransformer(HookedTransformerConfig(**config, dtype=dtype, device="cpu"))
model.load_state_dict({**model.state_dict(), **load_file(here / "model.safetensors")}, strict=True)
'''


def config(size: Shape) -> dict[str, Any]:
    """The arguments of `HookedTransformerConfig`, but for the floating-point type."""
    return {
        "n_layers": size.layers,
        "n_heads": size.heads,
        "d_model": size.model,
        "d_head": size.head,
        "d_mlp": size.hidden,
        "n_ctx": size.context,
        "d_vocab": size.vocabulary,
        "d_vocab_out": size.outputs,
        "act_fn": size.activation,
        "gated_mlp": size.gated,
        "normalization_type": None,
        "positional_embedding_type": "standard",
        "attention_dir": "causal",
        "use_attn_scale": True,
        "default_prepend_bos": False,
        "seed": 0,
    }


@dataclass(frozen=True, kw_only=True)
class TransformerLens(ExportFormat):
    """A folder for HookedTransformer."""

    def write(self, model: ExportModel) -> Files:
        """Configuration, weights and script."""
        from safetensors.numpy import save

        weights = typed(state_dict(model.simulation), model.order.dtype)
        return {
            CONFIG: (json.dumps(config(shape(model.simulation)), indent=1) + "\n").encode(),
            WEIGHTS: save(weights, {"format": "pt"}),
            "load.py": (LOADER + EXAMPLE).encode(),
        }

    def load(self, folder: Path, description: dict[str, Any]) -> Any:
        """A `HookedTransformer`."""
        import torch
        from safetensors.torch import load_file
        from transformer_lens import HookedTransformer, HookedTransformerConfig

        settings = json.loads((folder / CONFIG).read_text("utf-8"))
        dtype = getattr(torch, description["dtype"])
        model = HookedTransformer(HookedTransformerConfig(**settings, dtype=dtype, device="cpu"))
        weights = load_file(folder / WEIGHTS)
        model.load_state_dict({**model.state_dict(), **weights}, strict=True)
        return model


FORMAT = TransformerLens(
    name="transformerlens",
    files=(CONFIG, WEIGHTS, "load.py"),
    libraries=("torch", "safetensors", "transformer_lens"),
    gates=GATES,
    smooth=("gelu", "gelu_new", "silu"),
)
