"""The sizes that a stock class adds or leaves out, without torch.

GPT-2         its one head is as wide as the stream
Llama         no place coordinates (positions are angles), and a head of even width, at least 4: two
              pairs, so that the slowest can turn as asked
"""

from __future__ import annotations

PLACES = 2


def rotary_width(n: int) -> int:
    """The width of Llama's head: even, at least 4, n² or more."""
    return max(4, n * n + n * n % 2)


def as_stored(form: str, n: int, model: int, head: int) -> tuple[int, int]:
    """d_model and the width of a head in the class of a format, from those of the construction."""
    if form == "gpt2":
        return model, model
    return (model - PLACES, rotary_width(n)) if form == "llama" else (model, head)
