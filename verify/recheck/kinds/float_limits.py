"""Hard attention in floating point: PyTorch's measurements are taken on trust, the rule on them is not.

A format with b bits after the point has the machine epsilon e = 2^-b. The longest length a that
was reached must lie between √(5/e)/6 and 2√(5/e).
"""

from __future__ import annotations

from collections.abc import Mapping
from math import isqrt
from typing import Any

from verify.recheck.declarations import confirms
from verify.recheck.errors import Recomputed, Refused, figure_curve, list_in, text

Table = Mapping[str, Any]
BITS = {"bfloat16": 7, "float16": 10, "float32": 23, "float64": 52}


@confirms(
    "float.lengths", "observed", "torch", formats=[tuple(BITS), 1, len(BITS)], rows=(1, 10**6)
)
def lengths(formats: list[str], rows: int, certificate: Table) -> Recomputed:
    """The stated lengths, powers of two, against √(5/e) of each format."""
    bits = [BITS[each] for each in formats]
    curves = list_in(certificate["values"], "curves", 2, 2)
    reached = [_power_of_two(y) for y in list_in(curves[0], "y", len(bits), len(bits))]
    roots = [isqrt(5 << b) for b in bits]
    found = [figure_curve("longest length", bits, reached), figure_curve("√(5/e)", bits, roots)]
    far = [f for f, a, b in zip(formats, reached, roots, strict=True) if not b <= 6 * a <= 12 * b]
    return Recomputed(not far, {"curves": found}, {"formats": far} if far else None)


def _power_of_two(given: Any) -> int:
    known = {str(1 << k): 1 << k for k in range(64)}
    if text({"length": given}, "length") not in known:
        raise Refused(f"length = {given!a}, expected a power of two")
    return known[given]
