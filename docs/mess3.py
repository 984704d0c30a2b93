"""The picture of docs/hmm.md: beliefs of Mess3 in the residual stream of Olmo 2's class, layer by layer.

    python docs/mess3.py [FILE]

All 3^12 words of 12 letters are run. At each layer's last position a linear probe is fitted by least squares
from the residual stream to the exact belief of the whole word. It prints R² (every word counts alike, over
the three coordinates together) and draws what the probe reads in the triangle of beliefs; the colour of a
pixel is the mean exact belief of its words. Needs transformers; about two minutes on an idle core.
"""

from __future__ import annotations

import sys
import tempfile
from itertools import product
from pathlib import Path

import numpy as np
import torch
from matplotlib.figure import Figure

import assay

LENGTH, BATCH, PIXELS = 12, 3**7, 320
CORNERS = np.array([[0.0, 0.0], [1.0, 0.0], [0.5, 3**0.5 / 2]])


def beliefs() -> np.ndarray:
    """The exact distribution of the state after every word, in the words' alphabetical order."""
    process = assay.processes.mess3()
    states = np.array([process.alpha], dtype=float)
    letters = [np.array(process.matrix(a), dtype=float) for a in process.alphabet]
    for _ in range(LENGTH):
        states = np.stack([states @ letter for letter in letters], axis=1).reshape(-1, 3)
    return states / states.sum(1, keepdims=True)


def streams(model: torch.nn.Module) -> list[np.ndarray]:
    """The residual stream at the last position after the embedding and after each layer."""
    words = torch.arange(3**LENGTH)[:, None] // 3 ** torch.arange(LENGTH)[None].flip(1) % 3
    tokens = torch.cat([torch.full((len(words), 1), model.config.bos_token_id), words], 1)
    parts = []
    with torch.inference_mode():
        for batch in tokens.split(BATCH):
            found = model(batch, output_hidden_states=True, logits_to_keep=1).hidden_states
            parts.append([stream[:, -1].numpy().copy() for stream in found])
    return [np.concatenate(layer) for layer in zip(*parts, strict=True)]


def probe(stream: np.ndarray, exact: np.ndarray) -> tuple[np.ndarray, float]:
    """What a linear probe reads, and its R²."""
    inputs, centred = stream - stream.mean(0, dtype=float), exact - exact.mean(0)
    spread = inputs.std(0)
    varies = spread > 1e-5 * abs(stream).max(0)  # K and the constant 1 do not
    inputs = inputs[:, varies] / spread[varies]
    fitted = inputs @ np.linalg.lstsq(inputs.T @ inputs, inputs.T @ centred, rcond=1e-10)[0]
    return exact.mean(0) + fitted, 1 - ((centred - fitted) ** 2).sum() / (centred**2).sum()


def image(read: np.ndarray, corner: np.ndarray, scale: float, colours: np.ndarray) -> np.ndarray:
    """The words as dots on white, larger where they are few; overlapping dots have their mean colour."""
    x, y = ((read @ CORNERS - corner) / scale * PIXELS).astype(int).T
    radius = 4 if len(np.unique(x * PIXELS + y)) < 200 else 0
    total, count = np.zeros((PIXELS, PIXELS, 3)), np.zeros((PIXELS, PIXELS, 1))
    for dx, dy in product(range(-radius, radius + 1), repeat=2):
        where = tuple(np.clip(place, 0, PIXELS - 1) for place in (PIXELS - 1 - y + dy, x + dx))
        np.add.at(total, where, colours)
        np.add.at(count, where, 1)
    return np.where(count > 0, total / np.maximum(count, 1), 1.0)


def numbers() -> list[tuple[str, np.ndarray]]:
    """A title with R² for each layer, and what its probe reads; last the exact beliefs."""
    from transformers import AutoModelForCausalLM

    order = assay.Order(LENGTH, format="olmo2", head="next", dtype="float32")
    with tempfile.TemporaryDirectory() as folder:
        written = assay.export(assay.processes.mess3(), order, folder)
        model = AutoModelForCausalLM.from_pretrained(written.folder, attn_implementation="eager")
    exact, found = beliefs(), []
    for layer, stream in enumerate(streams(model)):
        read, score = probe(stream, exact)
        found.append((f"layer {layer}" if layer else "embedding", score, read))
    return [*((f"{name}\nR² = {score:.5f}", read) for name, score, read in found), ("exact", exact)]


def picture(found: list[tuple[str, np.ndarray]]) -> Figure:
    """One triangle beside the other, all at one scale."""
    exact = found[-1][1]
    places = exact @ CORNERS
    margin = 0.06 * np.ptp(places, axis=0).max()
    corner, scale = places.min(0) - margin, np.ptp(places, axis=0).max() + 2 * margin
    colours = (exact - exact.min()) / (exact.max() - exact.min())
    figure = Figure(figsize=(1.75 * len(found), 2.4), layout="constrained")
    for axes, (title, read) in zip(figure.subplots(1, len(found)), found, strict=True):
        axes.imshow(image(read, corner, scale, colours), interpolation="nearest")
        axes.set_title(title, fontsize=9)
        axes.axis("off")
    return figure


if __name__ == "__main__":
    drawn = numbers()
    print(*(title.replace("\n", ": ") for title, _ in drawn[:-1]), sep="\n")
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).with_suffix(".png")
    picture(drawn).savefig(target, dpi=160)
