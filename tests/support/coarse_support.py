"""An arithmetic that rounds after every operation to few bits, so that rounding can be seen."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, frexp, ldexp, sqrt
from typing import Any

from constructions.arithmetic.floats import nearest_float
from constructions.arithmetic.objects import ObjectArithmetic, Objects, map_entries


@dataclass(frozen=True)
class Rounded:
    """A number of so many bits."""

    value: float
    bits: int

    def near(self, value: float) -> "Rounded":
        mantissa, exponent = frexp(value)
        return Rounded(ldexp(round(ldexp(mantissa, self.bits)), exponent - self.bits), self.bits)

    def __add__(self, other: Any) -> "Rounded":
        return self.near(self.value + getattr(other, "value", other))

    def __mul__(self, other: Any) -> "Rounded":
        return self.near(self.value * getattr(other, "value", other))

    def __truediv__(self, other: Any) -> "Rounded":
        return self.near(self.value / getattr(other, "value", other))

    __radd__, __rmul__ = __add__, __mul__


class Coarse(ObjectArithmetic):
    """Every sum, product, quotient and root is rounded once; so is each exponential and activation."""

    def __init__(self, bits: int) -> None:
        self.bits = bits

    def element(self, value: Any) -> Rounded:
        number = value.value if isinstance(value, Rounded) else nearest_float(value)
        return Rounded(0.0, self.bits).near(number)

    def softmax(self, row: Sequence[Any]) -> list[Rounded]:
        top = max(score.value for score in row)
        powers = [score.near(exp(score.value - top)) for score in row]
        total = sum(powers[1:], powers[0])
        return [power / total for power in powers]

    def activate(self, name: str, x: Objects) -> Objects:
        if name != "silu":
            raise TypeError(name)
        return map_entries(lambda y: y.near(y.value / (1 + exp(min(-y.value, 700)))), x)

    def root(self, value: Any) -> Rounded:
        return value.near(sqrt(value.value))
