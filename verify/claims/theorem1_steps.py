"""The construction of Theorem 1, matrix by matrix, and the printed proof as a whole.

Claims     embeddings, scores, the shift, values, selectors, the tensor, the readout
Notation   n states, T length, positions -T+1 … T, heads (L) and (R), θ angle of a layer
Places     Appendix B.1
"""

from verify.claims.model import Claim, Kind
from verify.claims.shorthand import MATERIAL, SLIP, at, charitable, repaired

EMBEDDING = (
    Claim(
        "thm1.embedding",
        "Embedding of a symbol",
        Kind.EQUATION,
        at("B.1", 614, 624),
        "Symbol t is embedded as vec(A), vec(A), P_1(t), P_2(t), a vector of 2n² + 2 coordinates.",
        "a count of coordinates other than 2n² + 2",
        SLIP,
    ),
    Claim(
        "thm1.embedding.pads",
        "Embedding of the pads",
        Kind.EQUATION,
        at("B.1", 625, 628),
        "Positions t ≤ 0 are embedded as vec(I), vec(I), P_1(t), P_2(t).",
        "a position t ≤ 0 where another matrix is needed",
        SLIP,
    ),
    Claim(
        "thm1.positional",
        "Positions on half circles",
        Kind.EQUATION,
        at("B.1", 625),
        "P_1(t) = cos(πt/T) and P_2(t) = sin(πt/T) tell all 2T positions apart.",
        "two positions with the same pair",
        MATERIAL,
    ),
    Claim(
        "thm1.positional.pads",
        "Positions are defined on the pads, which is crucial",
        Kind.TEXT,
        at("B.1", 631),
        "The positional embeddings are defined on the pads too, and the shift needs this.",
        "a construction whose shift works with positions on 1 … T alone",
        SLIP,
        (
            charitable(
                "There are T extra padded positions.",
                "the print speaks of T padded dimensions; tokens are meant",
            ),
        ),
    ),
)

ROUTING = (
    Claim(
        "thm1.layers",
        "L = log2 T layers of attention and feed-forward",
        Kind.SIZE,
        at("B.1", 636),
        "The construction uses L = log2 T layers, each of an attention and a feed-forward block.",
        "a T for which fewer layers are exact, or this number is not enough",
        MATERIAL,
        (repaired("L = ⌈log2 T⌉ layers for every T ≥ 1.", "rounded up"),),
    ),
    Claim(
        "thm1.qk",
        "Query and key matrices of the exact construction",
        Kind.MATRIX,
        at("B.1", 638, 648),
        "W_Q of both heads and W_K of the right head are two zero blocks n² × 2 beside I_2, "
        "transposed; W_K of the left head has ρ_θ for I_2.",
        "blocks whose row counts differ, so that they cannot stand side by side",
        SLIP,
        (
            repaired(
                "The matrices are (0 0 I_2)ᵀ and (0 0 ρ_θ)ᵀ with zero blocks 2 × n², so that "
                "each is (2n² + 2) × 2.",
                "zero blocks 2 × n² where n² × 2 is printed",
            ),
        ),
    ),
    Claim(
        "thm1.rotation",
        "ρ_θ is a rotation matrix",
        Kind.MATRIX,
        at("B.1", 649, 653),
        "ρ_θ = (cos θ, sin θ; -sin θ, cos θ) is a rotation.",
        "an entry that breaks orthogonality or determinant one",
        SLIP,
    ),
    Claim(
        "thm1.theta",
        "Angle of layer l",
        Kind.EQUATION,
        at("B.1", 654, 656),
        "In layer l the angle is θ = -π 2^(l-1) / T.",
        "an angle of the other sign, or size, that the shift needs",
        MATERIAL,
        rests_on=("thm1.qk",),
    ),
    Claim(
        "thm1.qk.select",
        "Three matrices select the positions, the fourth rotates them",
        Kind.TEXT,
        at("B.1", 657),
        "The first three matrices pick the positional coordinates; the last picks and rotates "
        "them.",
        "a coordinate outside P_1, P_2 with a non-zero weight",
        SLIP,
        rests_on=("thm1.qk",),
    ),
    Claim(
        "thm1.shift",
        "The rotation makes the shift by a power of two",
        Kind.TEXT,
        at("B.1", 657),
        "At layer l the left head of position t attends position t - 2^(l-1), modulo 2T, and the "
        "right head attends position t.",
        "a layer and a position where the head attends elsewhere",
        MATERIAL,
        (
            repaired(
                "With W_K's lower block ρ_θ transposed, as the outer transpose says.",
                "reading the lower block as ρ_θ itself turns the shift round",
            ),
        ),
        ("thm1.positional", "thm1.theta"),
    ),
    Claim(
        "thm1.argmax",
        "Each row of scores has one largest entry",
        Kind.TEXT,
        at("B.1", 610),
        "At every layer and position the scores of both heads have a unique maximum, with gap "
        "1 - cos(π/T).",
        "a row with a tie, or a smaller gap",
        MATERIAL,
        rests_on=("thm1.positional",),
    ),
    Claim(
        "thm1.values",
        "Value matrices",
        Kind.MATRIX,
        at("B.1", 659, 673),
        "The value matrices of both heads are printed in three block rows of n² rows each.",
        "a number of rows other than the embedding dimension 2n² + 2",
        SLIP,
        (repaired("The third block row has 2 rows.", "2 rows where n² are printed"),),
    ),
    Claim(
        "thm1.values.select",
        "Values select the left and the right half",
        Kind.TEXT,
        at("B.1", 674),
        "The left head's values keep the left map, the right head's keep the right one.",
        "a coordinate outside the head's own half that survives",
        SLIP,
        rests_on=("thm1.values",),
    ),
    Claim(
        "thm1.combination",
        "How two heads become one vector",
        Kind.MATRIX,
        at("B.1", 678, 688),
        "The selectors act on vectors of 2n² + 2 coordinates that come out of the attention block.",
        "a linear layer after the heads that the construction needs and does not give",
        SLIP,
        (
            repaired(
                "The heads are concatenated and mapped by two identity blocks, that is, added.",
                "a combination matrix, which Section 2.4 asks for and the proof leaves out",
            ),
        ),
        ("pre.attention.multihead",),
    ),
)

FEEDFORWARD = (
    Claim(
        "thm1.feedforward.same",
        "One feed-forward block for all layers, row by row",
        Kind.TEXT,
        at("B.1", 676),
        "The feed-forward block is the same in all layers and acts on each row alone.",
        "a layer that needs other weights",
        SLIP,
    ),
    Claim(
        "thm1.selectors",
        "Selector matrices",
        Kind.MATRIX,
        at("B.1", 678, 689),
        "W_sel of the left and the right side pick the first and second n² coordinates.",
        "a shape that does not map 2n² + 2 coordinates to n²",
        SLIP,
    ),
    Claim(
        "thm1.tensor",
        "The tensor of Lemma 1 multiplies left by right",
        Kind.TEXT,
        at("B.1", 689),
        "With the tensor of Lemma 1 the block computes the product of left and right map.",
        "two maps whose product comes out wrong, or in the wrong order",
        MATERIAL,
        rests_on=("lem1.matmul", "thm1.selectors"),
    ),
    Claim(
        "thm1.wout",
        "W_out copies the product to both halves",
        Kind.MATRIX,
        at("B.1", 691, 697),
        "W_out = (I I 0)ᵀ copies the n² coordinates of the product into both halves.",
        "a shape that does not map a row of n² coordinates to 2n² + 2",
        SLIP,
        (
            charitable(
                "W_out acts on column vectors, or is read without the transpose on rows.",
                "every other matrix acts on rows from the right",
            ),
            repaired(
                "W_out = (I I 0), n² × (2n² + 2), acts on rows; positions are added anew.",
                "without the transpose",
            ),
        ),
        ("thm1.positions.access",),
    ),
    Claim(
        "thm1.recover",
        "All prefix products stand in the right half",
        Kind.TEXT,
        at("B.1", 699),
        "After the last layer position t holds vec(A^(σ_1…σ_t)) in its right half, for t = 1 … T.",
        "a position whose right half is not the prefix product",
        MATERIAL,
        rests_on=("thm1.shift", "thm1.tensor", "thm1.wout", "thm1.combination"),
    ),
    Claim(
        "thm1.readout",
        "A linear readout gives the states",
        Kind.EQUATION,
        at("B.1", 699),
        "One linear map takes vec(A^w) to αᵀA^w.",
        "an automaton for which the map is not linear or not the same for all positions",
        MATERIAL,
    ),
    Claim(
        "thm1.all-states",
        "The initial state is among the outputs",
        Kind.TEXT,
        at("B.1", 699),
        "The construction yields T states, one for each symbol; position 0 holds the identity, so "
        "that the readout gives α there and all T + 1 states of Definition 3.1 are reached.",
        "a position 0 that no longer holds the identity after the last layer",
        SLIP,
        rests_on=("thm1.recover", "thm1.readout"),
    ),
    Claim(
        "thm1.proof",
        "The printed proof of Theorem 1",
        Kind.PROOF,
        at("B.1", 602, 701),
        "The construction as printed, matrix by matrix, proves Theorem 1.",
        "a printed matrix or step that has to be changed before the model runs",
        SLIP,
        (
            repaired(
                "With zero blocks, value rows, combination matrix and W_out mended, the "
                "construction proves Theorem 1.",
                "shapes only; the idea is untouched",
            ),
        ),
        (
            "thm1.qk",
            "thm1.shift",
            "thm1.argmax",
            "thm1.values",
            "thm1.combination",
            "thm1.selectors",
            "thm1.tensor",
            "thm1.wout",
            "thm1.recover",
            "thm1.readout",
            "thm1.pads",
            "thm1.any-length",
            "lem1.matmul",
        ),
    ),
)

CLAIMS: tuple[Claim, ...] = EMBEDDING + ROUTING + FEEDFORWARD
