"""Run a written model in the class that loads it, before it is announced.

Loaded        from its folder, by its format: `LlamaForCausalLM`, `HookedTransformer`, the module of a
              paper's construction. Where that library is missing and the class computes in the type of
              its weights, Assay's own module runs instead, and the first line of the export says so
Words         those of `sampling` (states) and of `variation` (distributions), up to the length T
Useless       not finite, or as far off as a model that knows nothing: such a model is not written
"""

from __future__ import annotations

import logging
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from copy import deepcopy
from dataclasses import replace
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

from constructions.automata.ngram import Ngram
from constructions.core.errors import InputError
from constructions.exports.built_model import ExportModel, Guarantee
from constructions.exports.huggingface import Logits
from constructions.exports.loader import FolderModel, load_model
from verify.automaton.sampling import Measurement, measure

HALF = 0.5  # a total variation is at most 1, and a coin says as much as one beyond 1/2
MOST_ENTRIES = 1 << 24  # of a model that is copied, cast and trained
OWN = "Assay's own module"


def with_trial_run(folder: Path, model: ExportModel, guarantee: Guarantee) -> Guarantee:
    """The guarantee with the measured error of a folder's model, or the reason for not running it."""
    with _quiet():
        try:
            loaded, ran_in, missing = load_model(folder), "", ""
            ran_in = class_name(loaded.module)
        except InputError as error:
            if error.field != "library":
                raise
            missing = f"{str(error.found).removeprefix('no module ')} is not installed"
            table = isinstance(model.automaton, Ngram)
            if table or model.order.target.computes_in is not None:
                return replace(guarantee, not_run=missing)
            loaded, ran_in = Measurement(model, dense=model.order.decoder).folder, OWN
        text, sample, useless = _measured(model, loaded)
        broken = () if missing else tuple(fragility(model, loaded))
    return replace(
        guarantee,
        measured=text,
        sample=sample,
        ran_in=ran_in,
        not_run=missing,
        useless=useless,
        fragile=broken,
    )


def class_name(module: Any) -> str:
    """The name of the class that computes."""
    return type(getattr(module, "model", module)).__name__


def _measured(model: ExportModel, loaded: FolderModel) -> tuple[str, str, bool]:
    """The error, the words it was measured on, and True if it is as large as the outputs."""
    if model.order.language:
        from verify.automaton.variation import measure_variation, sample_of

        worst = measure_variation(model, loaded)
        useless = not worst < HALF
        return (f"{worst:.1e}" if worst == worst else "inf"), sample_of(model), useless
    found = measure(model, loaded=loaded)
    return found.text, found.description(model), found.useless and model.order.attention == "soft"


def fragility(model: ExportModel, loaded: FolderModel) -> Iterator[str]:
    """Yield the effects of a cast to a shorter type and of one training step on a model of transformers."""
    if not isinstance(loaded.module, Logits) or model.sizes["entries"] > MOST_ENTRIES:
        return
    for dtype in ("bfloat16", "float16"):
        text = _measured(model, _changed(loaded, partial(_cast, dtype=dtype)))[0]
        yield f"Cast to {dtype}: {'not finite' if text == 'inf' else f'measured {text}'}."
    if model.order.language:
        from verify.automaton.variation import LONGEST, SEED

        word = model.simulation.source.sample(min(model.order.length, LONGEST), Random(SEED))
        tokens = loaded.encode(word)
        losses = list[float]()
        _changed(loaded, lambda m: _train(m, tokens, losses))
        yield f"One step of AdamW at 1e-5: the loss of a word goes from {losses[0]:.3g} to {losses[1]:.3g}."


def _changed(loaded: FolderModel, change: Callable[[Any], None]) -> FolderModel:
    """Return the folder with a changed copy of its module."""
    copy = deepcopy(loaded.module.model)
    change(copy)
    return replace(loaded, module=Logits(copy, loaded.module.outputs))


def _cast(module: Any, dtype: str) -> None:
    import torch

    module.to(getattr(torch, dtype))


def _train(module: Any, tokens: list[int], losses: list[float]) -> None:
    """Make one training step on a word; append the loss before and after."""
    import torch

    row = torch.tensor([tokens])
    steps = torch.optim.AdamW(module.parameters(), lr=1e-5)
    for _ in range(2):
        steps.zero_grad()
        loss = module(input_ids=row, labels=row).loss
        losses.append(float(loss.detach()))
        loss.backward()
        steps.step()


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep the notes of libraries from the output of a command."""
    before = logging.root.manager.disable
    logging.disable(logging.WARNING)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        logging.disable(before)
