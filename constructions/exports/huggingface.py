"""The common part of the formats of transformers: a folder for `from_pretrained`, with a tokenizer.

Logits        with `--head next` softmax is the distribution of the next symbol; with `--head states`
              the first n logits of a position are the state, further ones, if the vocabulary is
              larger, are 0
Tokens        letters, BOS, and two of the tokenizer's own: a pad, embedded like BOS, which holds the
              identity, so that pads in front change nothing, with or without a mask; and the unknown
              letter, whose matrix is 0: a word that has one has weight 0
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from constructions.core.matrix import Entry
from constructions.decoder import DecoderSimulation, minus_identity
from constructions.exports import ngram, tokenizer
from constructions.exports.config import end_token
from constructions.exports.formats import ExportFormat, Files
from constructions.exports.safetensors import WEIGHTS
from constructions.exports.stock import Weights, typed
from constructions.ngram_model import NgramModel

if TYPE_CHECKING:
    from constructions.exports.built_model import ExportModel

CONFIG, GENERATION = "config.json", "generation_config.json"
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
outputs = model(**words).logits[..., : note["sizes"]["outputs"]]
if note["outputs"] == "logits":
    outputs = outputs.softmax(-1)  # the distribution of the next symbol
print(ascii(tokenizer.convert_ids_to_tokens(words["input_ids"][0])))  # a row of the output for each
print(outputs[0])
'''


def token_table(simulation: DecoderSimulation) -> list[list[Entry]]:
    """W_E: letters and BOS, the pad like BOS, and the unknown letter, whose matrix is 0."""
    rows = simulation.token_rows()
    nothing = minus_identity([[0] * simulation.automaton.n] * simulation.automaton.n)
    return [*rows, rows[simulation.bos], simulation.layout.vector({"window": nothing})]


def generation_config(simulation: DecoderSimulation, context: int) -> dict[str, Any]:
    """`generate()` samples from the distribution itself: no truncation, temperature 1.

    `max_new_tokens` may be given in a call without a warning; `max_length` may not.
    """
    return {
        "bos_token_id": simulation.bos,
        "pad_token_id": simulation.bos + 1,
        "eos_token_id": end_token(simulation.symbols),
        "do_sample": True,
        "temperature": 1.0,
        "top_k": 0,
        "top_p": 1.0,
        "max_new_tokens": max(1, context // 2),
    }


@dataclass(frozen=True, kw_only=True)
class HuggingFace(ExportFormat):
    """A folder for `AutoModelForCausalLM` and `AutoTokenizer`.

    `config` and `weights` make config.json and the weights by the names of the class.
    """

    hub: str = "transformers"
    files: tuple[str, ...] = FILES
    libraries: tuple[str, ...] = ("torch", "transformers")
    trees: bool = False
    extra_files: tuple[str, ...] = (GENERATION,)
    config: Callable[[Any, str], dict[str, Any]]
    weights: Callable[[Any], Weights]

    def stored(self, sizes: dict[str, int], n: int) -> dict[str, int]:
        """The head is as wide as the stream."""
        return sizes | {"d_head": sizes["d_model"]}

    def write(self, model: ExportModel) -> Files:
        """Configuration, weights, tokenizer and script."""
        from safetensors.numpy import save

        simulation, dtype = model.simulation, model.order.dtype
        table = isinstance(simulation, NgramModel)
        config, weights = (ngram.config, ngram.state_dict) if table else (self.config, self.weights)
        files = {
            CONFIG: _json(config(simulation, dtype)),
            WEIGHTS: save(typed(weights(simulation), dtype), {"format": "pt"}),
            "load.py": LOADER.encode(),
            **tokenizer.files(simulation.symbols[:-1], model.context),
        }
        if model.order.language:
            files[GENERATION] = _json(generation_config(simulation, model.context))
        return files

    def load(self, folder: Path, description: dict[str, Any]) -> Any:
        """A model of `from_pretrained` whose logits are cut to the outputs."""
        import torch
        from transformers import AutoModelForCausalLM

        dtype, outputs = getattr(torch, description["dtype"]), description["sizes"]["outputs"]
        with no_progress_bar():
            model = AutoModelForCausalLM.from_pretrained(
                folder, dtype=dtype, attn_implementation="eager"
            )
        return Logits(model, outputs)


@contextmanager
def no_progress_bar() -> Iterator[None]:
    """Keep transformers from drawing a bar for a model that is loaded in a moment."""
    from transformers.utils import logging

    shown = logging.is_progress_bar_enabled()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        if shown:
            logging.enable_progress_bar()


def _json(data: dict[str, Any]) -> bytes:
    return (json.dumps(data, indent=1) + "\n").encode()


@dataclass(frozen=True)
class Logits:
    """A causal language model whose first logits are the outputs."""

    model: Any
    outputs: int

    def __call__(self, tokens: Any) -> Any:
        """Outputs for tokens, BOS first."""
        return self.model(input_ids=tokens).logits[..., : self.outputs]
