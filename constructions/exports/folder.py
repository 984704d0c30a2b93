"""A folder for one model: weights, configuration, tokenizer, model card and a loading script.

Every format has `model.json` (sizes, constants, certified error, coordinates by name), `stream.json`
(the automaton whose matrices the stream holds: reduced, and scaled where that helps) and a `README.md`
that says the same to people. Files are written whole or not at all, `model.json` last.
"""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import save as save_tensors
from torch import Tensor

from constructions import __version__
from constructions.core.errors import InputError
from constructions.core.layout import Layout
from constructions.core.writing import write_folder
from constructions.exports import huggingface, tokenizer, transformerlens
from constructions.exports.constructions import finite
from constructions.exports.stock import shape
from constructions.exports.widths import as_stored
from constructions.files.reader import to_json
from constructions.modules.decoder import DecoderModule

SCHEMA = "assay-decoder-1"
DTYPES = {"float64": torch.float64, "float32": torch.float32}
Files = dict[str, bytes]


@dataclass(frozen=True)
class Note:
    """What the card says of a model, as plain data."""

    theorem: str
    length: int
    inputs: str
    constants: dict[str, str]
    eps: str
    error: str
    readout: str
    example: tuple[str, ...]
    states: tuple[int, int]
    dtype: str = "float64"
    limits: tuple[str, ...] = ()
    rounded: str | None = None
    measured: str | None = None


def _json(data: Any) -> bytes:
    return (json.dumps(data, indent=1, ensure_ascii=False) + "\n").encode()


def _tensors(weights: dict[str, Tensor], dtype: str) -> bytes:
    found = {name: w.detach().to(DTYPES[dtype]).contiguous() for name, w in weights.items()}
    return bytes(save_tensors(finite(found), metadata={"format": "pt"}))


def _transformerlens(simulation: Any, note: Note) -> Files:
    return {
        "config.json": _json(transformerlens.config(shape(simulation))),
        "model.safetensors": _tensors(transformerlens.state_dict(simulation), note.dtype),
        "load.py": transformerlens.LOADER.encode(),
    }


def _huggingface(simulation: Any, note: Note, config: Any, weights: dict[str, Tensor]) -> Files:
    alphabet, outputs = simulation.symbols[:-1], simulation.transformer.readout.shape[1]
    text = " ".join(note.example).replace("\\", "\\\\").replace('"', '\\"')
    script = huggingface.LOADER.replace("{dtype}", note.dtype)
    script = script.replace("{example}", text).replace("{outputs}", str(outputs))
    return {
        "config.json": _json(config),
        "model.safetensors": _tensors(weights, note.dtype),
        "load.py": script.encode(),
        **tokenizer.files(alphabet, len(simulation.position_rows())),
    }


def _gpt2(simulation: Any, note: Note) -> Files:
    config = huggingface.gpt2_config(simulation, note.dtype)
    return _huggingface(simulation, note, config, huggingface.gpt2_state_dict(simulation))


def _llama(simulation: Any, note: Note) -> Files:
    config = huggingface.llama_config(simulation, note.dtype)
    return _huggingface(simulation, note, config, huggingface.llama_state_dict(simulation))


PT2_LOADER = '''"""Load this folder's model and run it; needs torch alone."""

import json
from pathlib import Path

import torch

here = Path(__file__).parent
note = json.loads((here / "model.json").read_text("utf-8"))
model = torch.export.load(here / "model.pt2").module()
index = {symbol: i for i, symbol in enumerate(note["tokens"])}
words = torch.tensor([[index[s] for s in ["<bos>", *note["example"]]]])
print(ascii(["<bos>", *note["example"]]))  # one row of the output for each of these tokens
print(model(words)[0])
'''


def _pt2(simulation: Any, note: Note) -> Files:
    module, buffer = DecoderModule(simulation, DTYPES[note.dtype], dense=True), io.BytesIO()
    finite(module.state_dict())
    longest = len(simulation.position_rows())
    sizes = {0: torch.export.Dim("batch"), 1: torch.export.Dim("tokens", min=2, max=longest)}
    example = torch.zeros((2, min(longest, 3)), dtype=torch.int64)
    torch.export.save(torch.export.export(module, (example,), dynamic_shapes=(sizes,)), buffer)
    return {"model.pt2": buffer.getvalue(), "load.py": PT2_LOADER.encode()}


PLAIN_LOADER = '''"""Load this folder's model and run it; needs torch and safetensors alone."""

import json
from pathlib import Path

import torch
from safetensors.torch import load_file
from torch.nn import functional

here = Path(__file__).parent
note, w = json.loads((here / "model.json").read_text("utf-8")), load_file(here / "model.safetensors")
names = {"gelu_new": lambda x: functional.gelu(x, approximate="tanh"), "tanh": torch.tanh}
sigma = names.get(note["sizes"]["activation"]) or getattr(functional, note["sizes"]["activation"])


def model(tokens):
    x = w["embed.W_E"][tokens] + w["pos_embed.W_pos"][: tokens.shape[-1]]
    future = torch.ones(len(tokens), len(tokens), dtype=torch.bool).triu(1)
    for i in range(note["sizes"]["layers"]):
        a, m = ({k: w[f"blocks.{i}.{b}.{k}"] for k in ks.split()} for b, ks in PARTS)
        q, k = x @ a["W_Q"] + a["b_Q"][:, None], x @ a["W_K"]
        scores = (q @ k.mT / q.shape[-1] ** 0.5).masked_fill(future, -torch.inf)
        x = x + (scores.softmax(-1) @ (x @ a["W_V"]) @ a["W_O"]).sum(0)
        hidden = sigma(x @ m[GATE] + m["b_in"])
        x = x + (hidden * (x @ m["W_in"]) if GATE == "W_gate" else hidden) @ m["W_out"]
    return x @ w["unembed.W_U"] + w["unembed.b_U"]


GATE = "W_gate" if note["sizes"]["gated"] else "W_in"
PARTS = (("attn", "W_Q W_K W_V W_O b_Q"), ("mlp", f"W_in W_out b_in {GATE}"))
index = {symbol: i for i, symbol in enumerate(note["tokens"])}
print(ascii(["<bos>", *note["example"]]))  # one row of the output for each of these tokens
print(model(torch.tensor([index[s] for s in ["<bos>", *note["example"]]])))
'''


def _safetensors(simulation: Any, note: Note) -> Files:
    weights = _tensors(transformerlens.state_dict(simulation), note.dtype)
    return {"model.safetensors": weights, "load.py": PLAIN_LOADER.encode()}


FORMATS: dict[str, Callable[[Any, Note], Files]] = {
    "transformerlens": _transformerlens,
    "gpt2": _gpt2,
    "llama": _llama,
    "pt2": _pt2,
    "safetensors": _safetensors,
}


def body(simulation: Any, note: Note, name: str) -> dict[str, Any]:
    """The contents of model.json."""
    layout, dropped = simulation.layout, ("place",) if name == "llama" else ()
    blocks = {block: len(layout[block]) for block in layout if block not in dropped}
    return {
        "schema": SCHEMA,
        "assay": __version__,
        "format": name,
        "theorem": note.theorem,
        "length": note.length,
        "inputs": note.inputs,
        "states": note.states[0],
        "states_in_the_model": note.states[1],
        "tokens": list(simulation.symbols),
        "example": list(note.example),
        "readout": note.readout,
        "dtype": note.dtype,
        "constants": note.constants,
        "asked_error": note.eps,
        "certified_error": note.error,
        "certified_error_with_rounding": note.rounded,
        "measured_error": note.measured,
        "sizes": _sizes(simulation, name),
        "coordinates": _places(blocks),
        "limits": list(note.limits),
    }


def _sizes(simulation: Any, name: str) -> dict[str, Any]:
    """The sizes in the library's class."""
    found = shape(simulation)
    model, head = as_stored(name, simulation.automaton.n, found.model, found.head)
    return vars(replace(found, model=model, head=head))


def _places(blocks: dict[str, int]) -> dict[str, list[int]]:
    """Where each block begins and ends."""
    layout = Layout(**blocks)
    return {block: [layout[block].start, layout[block].stop] for block in layout}


CARD = """---
tags: [weighted-automata, interpretability, ground-truth]
---
# A weighted automaton in a decoder, by construction

This model was not trained. Its weights are written down so that {readout}, for every {inputs}.
It is a model of {theorem}, made by Assay {assay}.

| | |
|---|---|
{rows}

**Certified error: {error}** (asked for: {asked}) in the Euclidean norm, for every position of every
such input, in exact arithmetic. {rounding}
{limits}
Coordinates of the residual stream: {coordinates}. The automaton whose matrices stand there has
{inside} of the {states} states; it is in `stream.json`.
{script}"""


def card(found: dict[str, Any], script: str) -> str:
    """README.md."""
    sizes = {name: value for name, value in found["sizes"].items() if value}
    rows = {**sizes, **found["constants"]}
    blocks = (
        f"{name} {a}" + (f"–{b - 1}" if b > a + 1 else "")
        for name, (a, b) in found["coordinates"].items()
    )
    return CARD.format(
        readout=found["readout"], inputs=found["inputs"], theorem=found["theorem"],
        assay=found["assay"], error=found["certified_error"], asked=found["asked_error"],
        rounding=_rounding(found), rows="\n".join(f"| {name} | {value} |" for name, value in rows.items()),
        limits="".join(f"\n- {limit}" for limit in found["limits"]) + "\n",
        coordinates=", ".join(blocks), inside=found["states_in_the_model"],
        states=found["states"], script=f"\n```python\n{script}```\n" if script else "",
    )  # fmt: skip


def _rounding(found: dict[str, Any]) -> str:
    """What rounding adds, as far as it is known."""
    with_it, dtype = found["certified_error_with_rounding"], found["dtype"]
    if with_it is None:
        seen = found["measured_error"]
        said = "not certified" if seen is None else "measured, not certified"
        return f"Rounding in {dtype} comes on top; it is {said}" + (
            "." if seen is None else f": {seen} in all on one input.")  # fmt: skip
    return (f"With rounding in {dtype}: {with_it}, if every operation rounds once and exp and the "
            "activation are within 8 units (`verify.bounds.decoder_rounding`).")  # fmt: skip


def write(simulation: Any, note: Note, name: str, folder: Path) -> Path:
    """Write the folder and return it."""
    if name not in FORMATS:
        raise InputError("format", name, f"one of {', '.join(FORMATS)}")
    if note.dtype not in DTYPES:
        raise InputError("dtype", note.dtype, f"one of {', '.join(DTYPES)}")
    files, found = FORMATS[name](simulation, note), body(simulation, note, name)
    files["README.md"] = card(found, files.get("load.py", b"").decode()).encode()
    files["stream.json"] = to_json(simulation.automaton).encode()
    files["model.json"] = _json(found)
    write_folder(folder, files, "--out")
    return folder
