"""Lemma 1: one tensor multiplies two vectorised matrices.

Claims     existence, the tensor's shape in statement and proof, its entries, the sum
Places     Appendix B.1
"""

from verify.claims.model import Claim, Kind
from verify.claims.shorthand import SLIP, at, charitable, repaired

CLAIMS: tuple[Claim, ...] = (
    Claim(
        "lem1.matmul",
        "A tensor computes the vectorised matrix product",
        Kind.LEMMA,
        at("B.1", 703, 709, "matmul_lemma"),
        "For every n one tensor, contracted with vec(A) and vec(B), gives vec(AB) for all n × n "
        "matrices; the tensor is printed as n × n × n.",
        "two matrices whose product the tensor misses, or a shape that cannot be contracted",
        SLIP,
        (repaired("The tensor is n² × n² × n².", "n² for n in each mode, as the proof has it"),),
    ),
    Claim(
        "lem1.shape",
        "The tensor is n × n × n",
        Kind.SIZE,
        at("B.1", 704),
        "The tensor of the lemma lies in the space of n × n × n tensors.",
        "n ≥ 2: vec(A) has n² coordinates and cannot be contracted with a mode of length n",
        SLIP,
        (repaired("The tensor is n² × n² × n².", "as line 716 of the source says"),),
    ),
    Claim(
        "lem1.sum",
        "The matrix product as a sum of indicators",
        Kind.EQUATION,
        at("B.1", 711, 715),
        "C_ij equals the sum over i', j', i'', j'' of [i'=i, j'=i'', j''=j] A_i'j' B_i''j''.",
        "indices for which the two sums differ",
        SLIP,
    ),
    Claim(
        "lem1.tensor",
        "Entries of the tensor",
        Kind.EQUATION,
        at("B.1", 716, 717),
        "The tensor's entry at (i', j', j'') is the indicator [i'=i, j'=i'', j''=j].",
        "an index of the right side that the left side does not bind",
        SLIP,
        (
            repaired(
                "The entry at ((i',j'), (i'',j''), (i,j)) is that indicator.",
                "six indices in three pairs where three single ones are printed",
            ),
        ),
    ),
    Claim(
        "lem1.interactions",
        "All products, then those of the matrix product are summed",
        Kind.TEXT,
        at("B.1", 719),
        "The tensor takes all products of entries and sums those that the matrix product asks for.",
        "a product of entries that is summed and should not be, or the other way round",
        SLIP,
        (charitable("The tensor has n³ ones and no other non-zero entry.", "said as a count"),),
        ("lem1.tensor",),
    ),
    Claim(
        "lem1.proof",
        "The printed proof of Lemma 1",
        Kind.PROOF,
        at("B.1", 710, 720),
        "The printed derivation defines the tensor and proves the lemma.",
        "a step that is ill-typed or does not follow",
        SLIP,
        (
            repaired(
                "With the tensor's indices paired, the derivation proves the lemma.",
                "indices of the tensor",
            ),
        ),
        ("lem1.sum", "lem1.tensor"),
    ),
)
