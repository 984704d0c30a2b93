"""Arithmetics: number types in which a model with exact weights can run.

Rational()         exact rationals, attention decided exactly        (python-flint fmpq)
RationalStates()   the same states, attention decided by balls         (fmpq and arb)
Polynomial(names)  polynomials with rational coefficients            (python-flint fmpq_mpoly)
SymPyRing(names, field)  polynomials and cosines by SymPy alone, for symbolic proofs
FreeMonoid()       words of a free monoid: matrices of every size at once
FreeAlgebra()      rational combinations of words: sums of matrices of every size
Multiprecision(d)  d decimal digits, measured, not rigorous          (mpmath)
Balls(bits)        rigorous enclosures                               (python-flint arb)
Floats(dtype)      float64, float32, float16                         (NumPy)
Torch(dtype)       float64, float32, bfloat16, float16               (PyTorch)

Start at `exact`. A new arithmetic is one class with the methods of `core.transformer.Arithmetic`.
"""

from constructions.arithmetic.balls import Balls
from constructions.arithmetic.exact import Polynomial, Rational, RationalStates
from constructions.arithmetic.floats import Floats
from constructions.arithmetic.free import Combination, FreeAlgebra
from constructions.arithmetic.multiprecision import Multiprecision
from constructions.arithmetic.sympy_ring import CosineField, SymPyRing
from constructions.arithmetic.words import FreeMonoid, MonoidWord

__all__ = [
    "Balls",
    "Combination",
    "CosineField",
    "Floats",
    "FreeAlgebra",
    "FreeMonoid",
    "MonoidWord",
    "Multiprecision",
    "Polynomial",
    "Rational",
    "RationalStates",
    "SymPyRing",
]
