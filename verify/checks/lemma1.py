"""Lemma 1: one tensor computes the vectorised matrix product.

Claims        lem1.matmul, lem1.shape, lem1.sum, lem1.tensor, lem1.interactions, lem1.proof
Roads         Kronecker deltas with a symbol n, for all n; polynomial identities for n ≤ 8
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import sympy
from sympy.concrete.delta import deltasummation

from constructions import theorem1
from constructions.arithmetic import Polynomial
from constructions.matrix import Tensor
from verify.check import Job, check
from verify.claims.model import Name
from verify.evidence import Evidence, Outcome, Plain, Strength, settled

HOLDS, FAILS = Outcome.HOLDS, Outcome.FAILS
STATES = list(range(1, 9))
CERTIFICATE: dict[str, Plain] = {"kind": "theorem1.lemma", "states": list(STATES)}
BOUND = ("i'", "j'", "j''")
EQUALITIES = (("i'", "i"), ("j'", "i''"), ("j''", "j"))
ILL_TYPED: dict[str, Plain] = {"kind": "lemma1.shape", "n": 2, "mode": 2, "vector": 4}


def for_all_n() -> str | None:
    """Sum the indicators with a symbol n; why the result is not (AB)_ij, or None."""
    n = sympy.Symbol("n", integer=True, positive=True)
    a, b = sympy.MatrixSymbol("A", n, n), sympy.MatrixSymbol("B", n, n)
    i, j, i1, j1, i2, j2 = sympy.symbols("i j i' j' i'' j''", integer=True)
    within = (0, n - 1)

    def delta(left: sympy.Symbol, right: sympy.Symbol) -> sympy.Expr:
        return sympy.KroneckerDelta(left, right, within)

    term = delta(i1, i) * delta(j1, i2) * delta(j2, j) * a[i1, j1] * b[i2, j2]
    for index in (i1, i2, j2):
        term = deltasummation(term, (index, *within))
    total = sympy.Sum(term, (j1, *within))
    return None if total.dummy_eq((a * b)[i, j]) else f"the sum is {total}"


def for_small_n(n: int, tensor: Tensor | None = None) -> str | None:
    """Contract with matrices of symbols; why the result is not vec(AB), or None."""
    names = [f"{m}{i}_{j}" for m in "ab" for i in range(n) for j in range(n)]
    ring = Polynomial(names)
    left = [ring.generators[f"a{i}_{j}"] for i in range(n) for j in range(n)]
    right = [ring.generators[f"b{i}_{j}"] for i in range(n) for j in range(n)]
    found = ring.contract(tensor or theorem1.tensor(n), ring.array([left]), ring.array([right]))[0]
    for i in range(n):
        for j in range(n):
            product = sum((left[i * n + k] * right[k * n + j] for k in range(n)), start=0)
            if found[i * n + j] != product:
                return f"n = {n}: entry ({i}, {j}) of the product is missed"
    return None


@check("lem1.matmul", "lem1.sum", "lem1.proof", "lem1.tensor")
def the_tensor_multiplies_for_all_n(job: Job) -> Iterator[Evidence]:
    """Sum the Kronecker deltas of the tensor with a symbol n."""
    problem = for_all_n()
    summary = "Σ δ(i',i) δ(j',i'') δ(j'',j) A_i'j' B_i''j'' = Σ_k A_ik B_kj for a symbol n."
    item = Evidence(
        "lem1.sum", HOLDS, Strength.SYMBOLIC, "all n ≥ 1", summary,
        engine="SymPy, Kronecker deltas", certificate=CERTIFICATE,
    )  # fmt: skip
    yield settled(problem, item)
    for claim in ("lem1.matmul", "lem1.proof", "lem1.tensor"):
        yield settled(problem, replace(item, claim=claim, reading=Name.REPAIRED))


@check("lem1.matmul", "lem1.shape", "lem1.interactions")
def the_tensor_multiplies_for_small_n(job: Job) -> Iterator[Evidence]:
    """Contract the built tensor with matrices of symbols, n ≤ 8."""
    problem = next((text for n in STATES if (text := for_small_n(n))), None)
    item = Evidence(
        "lem1.matmul", HOLDS, Strength.SYMBOLIC, "n ≤ 8",
        "The built n² × n² × n² tensor with n³ ones gives vec(AB) for matrices of symbols.",
        reading=Name.REPAIRED, engine="python-flint fmpz_mpoly", certificate=CERTIFICATE,
        repair="n² in each mode",
    )  # fmt: skip
    for claim in ("lem1.matmul", "lem1.shape"):
        yield settled(problem, replace(item, claim=claim))
    counts = all(len(theorem1.tensor(n).entries) == n**3 for n in STATES)
    for reading in (Name.LITERAL, Name.CHARITABLE):
        touched = replace(item, claim="lem1.interactions", reading=reading, repair="")
        yield settled(problem or (None if counts else "not n³ ones"), touched)


@check("lem1.matmul", "lem1.shape", "lem1.tensor", "lem1.proof")
def the_printed_tensor_is_ill_typed(job: Job) -> Iterator[Evidence]:
    """Compare the printed modes, of length n, with the vectors they are contracted with."""
    n = 2
    vector, mode = len(theorem1.identity(n)) ** 2, n
    text = f"n = {n}: vec(A) has {vector} coordinates, the printed mode {mode}."
    for claim in ("lem1.matmul", "lem1.shape", "lem1.proof"):
        yield Evidence(
            claim, FAILS if vector != mode else HOLDS, Strength.EXACT, "all n ≥ 2",
            "An n × n × n tensor cannot be contracted with vectors of n² coordinates unless n = 1.",
            engine="shapes", counterexample=text, certificate=ILL_TYPED,
        )  # fmt: skip
    used = sorted({index for pair in EQUALITIES for index in pair})
    free = [index for index in used if index not in BOUND]
    yield Evidence(
        "lem1.tensor", FAILS if free else HOLDS, Strength.EXACT, "all n ≥ 2",
        f"The right side 1{{i'=i, j'=i'', j''=j}} uses {', '.join(free)}, which T(i', j', j'') "
        "does not bind: three indices stand where six are needed.",
        engine="free indices",
        counterexample=f"Free on the right and not bound on the left: {', '.join(free)}.",
        certificate={"kind": "lemma1.indices", "bound": list(BOUND), "used": used},
    )  # fmt: skip
