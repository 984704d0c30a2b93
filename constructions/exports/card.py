"""README.md of a model: what model.json says, for people."""

from __future__ import annotations

from typing import Any

CARD = """---
tags: [weighted-automata, interpretability, ground-truth]
---
# A weighted automaton in a transformer, by construction

This model was not trained. Its weights are written down so that {readout}, for every {inputs}.
It is a model of {theorem}, made by Assay {assay}.

| | |
|---|---|
{rows}

{error}
{scale}{limits}
{stream}

```python
{script}```
"""
TAKEN = ("format", "dtype", "attention", "feedforward", "activation")


def card(body: dict[str, Any], script: str) -> str:
    """The card of a description, with the loading script."""
    choices = {name: body[name] for name in TAKEN if body[name]}
    rows = {**choices, **body["sizes"], **body["constants"]}
    return CARD.format(
        readout=body["readout"], inputs=body["inputs"], theorem=body["theorem"],
        assay=body["assay"], script=script, error=_error(body), scale=_scale(body), stream=_stream(body),
        rows="\n".join(f"| {name} | {value} |" for name, value in rows.items()),
        limits="".join(f"\n- {limit}" for limit in body["limits"]) + "\n",
    )  # fmt: skip


def _error(body: dict[str, Any]) -> str:
    """What is certified, with what rounding adds, or that nothing is."""
    if body["certified_error"] is None:
        return f"No error is certified: C was given. {_rounding(body)}"
    asked = "" if body["asked_error"] is None else f" (asked for: {body['asked_error']})"
    exact, rounded = body["certified_error"], body["certified_error_with_rounding"]
    line = f"**Certified error: {rounded or exact}**{asked}, {body['error_of']}, for every such input, "
    if rounded is None:
        return f"{line}in exact arithmetic. {_rounding(body)}"
    return (
        f"{line}with rounding in {body['rounding_in']}, if every operation rounds once and exp and the "
        f"activation are within the units that `verify.bounds` assumes; {exact} in exact arithmetic."
        f"{_seen(body)}"
    )


def _seen(body: dict[str, Any]) -> str:
    """What was measured beside a certified error."""
    measured = body["measured_error"]
    return "" if measured is None else f" Measured on {body['measured_on']}: {measured}."


def _scale(body: dict[str, Any]) -> str:
    """How large what the error is an error of is, and where the certificate says nothing."""
    scale = body["scale"]
    return "" if scale is None else f"\n{' '.join(scale['sentences'])}\n"


def _rounding(body: dict[str, Any]) -> str:
    """What rounding adds, as far as it was measured."""
    dtype, measured = body["rounding_in"], body["measured_error"]
    if measured is None:
        return f"Rounding in {dtype} comes on top; it is not certified."
    return (
        f"Rounding in {dtype} comes on top; it is measured, not certified: {measured} in all on "
        f"{body['measured_on']}."
    )


def _stream(body: dict[str, Any]) -> str:
    """Where the stream holds what, and of which automaton."""
    blocks = ", ".join(
        f"{name} {first}" + (f"–{end - 1}" if end > first + 1 else "")
        for name, (first, end) in body["coordinates"].items()
    )
    where = f"Coordinates of the residual stream: {blocks}. " if blocks else ""
    return (
        f"{where}The automaton whose weights the model holds has {body['states_in_the_model']} of the "
        f"{body['states']} states; it is in `{body['matrices']}`."
    )
