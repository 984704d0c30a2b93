"""README.md of a model: the contents of model.json, for people and for the Hub."""

from __future__ import annotations

from typing import Any

from constructions.exports.formats import format_of

CARD = """---
license: apache-2.0
library_name: {library}{task}
tags: [weighted-automata, interpretability, ground-truth]
---
# A weighted automaton in a transformer, by construction

This model was not trained. Its weights are written down so that {readout}, for every {inputs}.
It is {theorem}, made by Assay {assay}.

**{headline}**, {error_of}{asked}.
{measured}
{scale}
**Do not fine-tune, cast or quantise it.** {fragile}
{limits}
| | |
|---|---|
{rows}

{stream}

```python
{script}```
"""
CHOICES = ("format", "dtype", "attention", "feedforward", "activation")
FRAGILE = "Its weights are exact numbers of very different sizes; no other type or step was tried."
ASSUMED = (
    " A certificate with rounding assumes that every operation rounds once and that exp and the "
    "activation are within the units that `verify.bounds` states."
)


def card(body: dict[str, Any], script: str) -> str:
    """The card of a description, with the loading script."""
    choices = {name: body[name] for name in CHOICES if body[name]}
    rows = {**choices, **body["sizes"], **body["constants"]}
    words = ("readout", "inputs", "theorem", "assay", "headline", "error_of")
    return CARD.format(
        **{name: body[name] for name in words},
        library=format_of(body["format"]).hub,
        task="\npipeline_tag: text-generation" if body["outputs"] == "logits" else "",
        asked="" if body["asked_error"] is None else f" (for eps = {body['asked_error']})",
        measured=_measured(body),
        scale=_scale(body),
        fragile=" ".join(body["fragile"]) or FRAGILE,
        limits="".join(f"\n- {limit}" for limit in body["limits"]) + "\n",
        rows="\n".join(f"| {name} | {value} |" for name, value in rows.items()),
        stream=_stream(body),
        script=script,
    )


def _measured(body: dict[str, Any]) -> str:
    """The inputs of the measurement, and the assumptions of the certificate."""
    on = "" if body["measured_on"] is None else f"Measured on {body['measured_on']}."
    return on + (ASSUMED if body["certified_error_with_rounding"] else "")


def _scale(body: dict[str, Any]) -> str:
    """Return the size of the outputs, and the inputs on which the certificate says nothing."""
    scale = body["scale"]
    return "" if scale is None else f"\n{' '.join(scale['sentences'])}\n"


def _stream(body: dict[str, Any]) -> str:
    """The coordinates of the stream, and of which automaton."""
    blocks = ", ".join(
        f"{name} {first}" + (f"–{end - 1}" if end > first + 1 else "")
        for name, (first, end) in body["coordinates"].items()
    )
    where = f"Coordinates of the residual stream: {blocks}. " if blocks else ""
    if body["matrices"] is None:
        return where
    zeros = 100 * (1 - body["sizes"]["nonzero"] / max(body["sizes"]["entries"], 1))
    return (
        f"{where}The automaton whose weights the model holds has {body['states_in_the_model']} of the "
        f"{body['states']} states; it is in `{body['matrices']}`. About {zeros:.0f} % of the weights are 0: "
        "matrices are written as dense ones."
    )
