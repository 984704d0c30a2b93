"""transformerlens: the arguments of a configuration, and a state dict for `HookedTransformer`.

TransformerLens 3   `HookedTransformer(HookedTransformerConfig(**config))` loads the state dict strictly;
                    buffers that hold no weights (the causal mask, the number for masked scores) are
                    the model's own
TransformerLens 4   `HookedTransformer` is gone; `boot_native` makes a `TransformerBridge` of the library's
                    own model, which has the same names for hooks, and its converter turns the state
                    dict over. `enable_compatibility_mode()` would fold and centre weights: it is not called
"""

from __future__ import annotations

import inspect
import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from constructions.blocks.gated import GATES
from constructions.core.bounded_files import read_text
from constructions.exports.formats import ExportFormat, Files
from constructions.exports.safetensors import EXAMPLE, WEIGHTS
from constructions.exports.stock import Shape, shape, state_dict, typed

if TYPE_CHECKING:
    from constructions.exports.built_model import ExportModel

CONFIG = "config.json"


def hooked_model(config: dict[str, Any], dtype: Any, weights: dict[str, Any]) -> Any:
    """Return a `HookedTransformer`, or the bridge that replaces it since TransformerLens 4."""
    import transformer_lens as lens

    if "HookedTransformer" not in vars(lens):
        return native_bridge(config, dtype, weights)
    model = lens.HookedTransformer(
        lens.HookedTransformerConfig(**config, dtype=dtype, device="cpu")
    )
    own = {k: v for k, v in model.state_dict().items() if k.endswith(("mask", "IGNORE"))}
    model.load_state_dict({**own, **weights}, strict=True)
    return model


def native_bridge(config: dict[str, Any], dtype: Any, weights: dict[str, Any]) -> Any:
    """A `TransformerBridge` of TransformerLens' own model; its gated blocks have no biases."""
    from transformer_lens import TransformerBridgeConfig
    from transformer_lens.model_bridge.sources import native
    from transformer_lens.utilities.tl_checkpoint_conversion import convert_tl_checkpoint

    settings = TransformerBridgeConfig(**config, architecture="TransformerLensNative")
    model = native.boot(settings, device="cpu", dtype=dtype)
    absent = ("mlp.b_in", "mlp.b_out") if config["gated_mlp"] else ()
    given = {k: w for k, w in weights.items() if not k.endswith(absent) or w.any()}
    model.load_state_dict(convert_tl_checkpoint(given, settings), strict=True)
    return model


LOADER = f'''"""Load this folder's model in TransformerLens, 3 or 4, and run it; needs transformer_lens."""

import json
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import load_file


{inspect.getsource(hooked_model)}

{inspect.getsource(native_bridge)}

here = Path(__file__).parent
config, note = (json.loads((here / name).read_text("utf-8")) for name in ("config.json", "model.json"))
model = hooked_model(config, getattr(torch, note["dtype"]), load_file(here / "model.safetensors"))
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


@dataclass(frozen=True)
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
        """A `HookedTransformer` or a `TransformerBridge`."""
        import torch
        from safetensors.torch import load_file

        settings = json.loads(read_text(folder / CONFIG))
        dtype = getattr(torch, description["dtype"])
        return hooked_model(settings, dtype, load_file(folder / WEIGHTS))


FORMAT = TransformerLens(
    name="transformerlens",
    hub="transformer-lens",
    files=(CONFIG, WEIGHTS, "load.py"),
    libraries=("torch", "safetensors", "transformer_lens"),
    gates=GATES,
    smooth=("gelu", "gelu_new", "silu"),
    places=("blocks.0.hook_resid_pre", "blocks.{}.attn.hook_pattern", "blocks.{}.hook_resid_post"),
)
