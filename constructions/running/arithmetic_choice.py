"""The arithmetic in which a simulation runs: rationals, balls, or a floating-point type.

Exactness     hard attention and products run in rationals; softmax and smooth activations have no exact
              value, so they run in balls that enclose it (`flint.arb`), 1024 bits wide
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from fractions import Fraction
from typing import Any

import flint
import numpy as np

from constructions.arithmetic import Balls, Floats, RationalStates
from constructions.core.errors import InputError
from constructions.core.exact import Exact, fraction, rational
from constructions.core.transformer import Arithmetic, Attention, Bilinear, Transformer

BITS = 1024
FLOATS = ("float64", "float32", "float16")


def is_hard(model: Transformer[Any]) -> bool:
    """True if every head is hard and every block bilinear, so that rationals suffice."""
    return all(
        isinstance(layer.feedforward, Bilinear)
        and all(head.attention is not Attention.SOFT for head in layer.heads)
        for layer in model.layers
    )


@contextmanager
def arithmetic_for(model: Transformer[Any], dtype: Any = None) -> Iterator[Arithmetic]:
    """Yield rationals or balls, or the arithmetic of a floating-point type."""
    if dtype is not None:
        yield floats(dtype)
    elif is_hard(model):
        with RationalStates() as exact:
            yield exact
    else:
        with Balls(BITS) as balls:
            yield balls


def floats(dtype: Any) -> Arithmetic:
    """The arithmetic of a floating-point type: a name, a NumPy type or a torch type."""
    name = str(dtype).removeprefix("torch.")
    if name == "bfloat16":
        import torch

        from constructions.arithmetic.torch import Torch

        return Torch(torch.bfloat16)
    try:
        kind = np.dtype(name if isinstance(dtype, str) or "torch" in str(dtype) else dtype).name
    except TypeError:
        kind = name
    if kind not in FLOATS:
        raise InputError("dtype", name, f"one of {', '.join(FLOATS)}, bfloat16")
    return Floats(kind)


def python_number(value: Any) -> Any:
    """A number as Python has it: `Fraction`, `float`, or a ball."""
    if isinstance(value, Exact):
        rational = value.rational()
        return value if rational is None else rational
    if isinstance(value, flint.fmpq):
        return fraction(value)
    if isinstance(value, (int, Fraction)):
        return Fraction(value)
    return value if isinstance(value, flint.arb) else float(value)


def dot(left: Iterable[Any], right: Iterable[Any]) -> Any:
    """Σ l r, in the numbers of the right side."""
    pairs = [(a, b) for a, b in zip(left, right, strict=True)]
    if all(isinstance(b, float) for _, b in pairs):
        return sum(float(a) * b for a, b in pairs)
    if any(isinstance(b, flint.arb) for _, b in pairs):
        with flint.ctx.workprec(BITS):
            return sum((rational(a) * b for a, b in pairs), flint.arb(0))
    return sum((a * b for a, b in pairs), Fraction(0))
