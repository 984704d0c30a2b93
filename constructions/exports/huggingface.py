"""What the formats of transformers share: a folder for `from_pretrained`, with a tokenizer.

Logits        the first n logits of a position are the state; further ones, if the vocabulary is
              larger, are 0
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from constructions.decoder import DecoderSimulation
from constructions.exports import tokenizer
from constructions.exports.formats import ExportFormat, Files
from constructions.exports.safetensors import WEIGHTS
from constructions.exports.stock import Shape, Weights, typed

if TYPE_CHECKING:
    from constructions.exports.model import ExportModel

CONFIG = "config.json"
FILES = (CONFIG, WEIGHTS, "load.py", *tokenizer.FILES)
LOADER = '''"""Load this folder's model in transformers and run it; needs transformers and torch."""

import json
from pathlib import Path

import torch
from transformers import AutoModelForCausalLM, AutoTokenizer

here = Path(__file__).parent
note = json.loads((here / "model.json").read_text("utf-8"))
tokenizer = AutoTokenizer.from_pretrained(here)
model = AutoModelForCausalLM.from_pretrained(
    here, dtype=getattr(torch, note["dtype"]), attn_implementation="eager"
)
words = tokenizer([" ".join(note["example"])], return_tensors="pt")
states = model(input_ids=words["input_ids"]).logits[..., : note["sizes"]["outputs"]]
print(ascii(tokenizer.convert_ids_to_tokens(words["input_ids"][0])))  # a row of the output for each
print(states[0])
'''


def common_config(simulation: DecoderSimulation, size: Shape, dtype: str) -> dict[str, Any]:
    """What every configuration has."""
    return {
        "vocab_size": max(size.vocabulary, size.outputs),
        "tie_word_embeddings": False,
        "bos_token_id": simulation.bos,
        "eos_token_id": simulation.bos,
        "dtype": dtype,
        "use_cache": False,
    }


@dataclass(frozen=True, kw_only=True)
class HuggingFace(ExportFormat):
    """A folder for `AutoModelForCausalLM` and `AutoTokenizer`.

    `config` and `weights` make config.json and the weights by the names of the class.
    """

    config: Callable[[DecoderSimulation, str], dict[str, Any]]
    weights: Callable[[DecoderSimulation], Weights]

    def write(self, model: ExportModel) -> Files:
        """Configuration, weights, tokenizer and script."""
        from safetensors.numpy import save

        simulation, dtype = model.simulation, model.order.dtype
        return {
            CONFIG: (json.dumps(self.config(simulation, dtype), indent=1) + "\n").encode(),
            WEIGHTS: save(typed(self.weights(simulation), dtype), {"format": "pt"}),
            "load.py": LOADER.encode(),
            **tokenizer.files(simulation.symbols[:-1], model.context),
        }

    def load(self, folder: Path, description: dict[str, Any]) -> Any:
        """What `from_pretrained` returns, its logits cut to the outputs."""
        import torch
        from transformers import AutoModelForCausalLM

        dtype, outputs = getattr(torch, description["dtype"]), description["sizes"]["outputs"]
        model = AutoModelForCausalLM.from_pretrained(
            folder, dtype=dtype, attn_implementation="eager"
        )
        return Logits(model, outputs)


@dataclass(frozen=True)
class Logits:
    """A causal language model whose first logits are the outputs."""

    model: Any
    outputs: int

    def __call__(self, tokens: Any) -> Any:
        """Outputs for tokens, BOS first."""
        return self.model(input_ids=tokens).logits[..., : self.outputs]
