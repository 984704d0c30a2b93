"""The construction of Theorem 3, second half: right head, step function, gate, induction.

Claims     the right head's rule and scores, the Fourier step, the MLP's map, the invariants
Notation   β penalty, R rotation by 2π/T, k terms of the Fourier sum
Places     Appendix C
"""

from verify.claims.model import Claim, Kind
from verify.claims.shorthand import MATERIAL, SLIP, at, charitable, repaired

RIGHT = (
    Claim(
        "thm3.right-child",
        "The right child is the second tree one level down",
        Kind.TEXT,
        at("C", 870),
        "In τ_i, τ_{i+1}, … the right child of τ_i is the second tree of depth depth(τ_i) + 1.",
        "a tree in which another position comes second",
        MATERIAL,
        (
            charitable(
                "Among later positions of I_t, by number of ancestors.",
                "closing brackets carry no tree; depth means level",
            ),
        ),
    ),
    Claim(
        "thm3.right-head.rule",
        "Attend to the closest j > i + 1 one level down",
        Kind.TEXT,
        at("C", 870),
        "The closest position j > i + 1 with d_j = d_i + 1 is the right child.",
        "a tree in which a closing bracket, or another node, is closer",
        MATERIAL,
        (
            repaired(
                "With d_j the number of opening minus closing brackets strictly before j.",
                "closing brackets are in the running; their d decides",
            ),
        ),
        ("thm3.depth-formula",),
    ),
    Claim(
        "thm3.right-head.shapes",
        "Query and key of the right head are (n+6) × 7",
        Kind.SIZE,
        at("C", 870),
        "W_Q and W_K of the right head are (n+6) × 7.",
        "a rank of the printed score above 7, or coordinates beyond n + 6",
        SLIP,
        (
            repaired(
                "(n+6) × 4 on the half circle, (n+6) × 3 with positions (i, i²).",
                "a mask and flags at left children in place of the Fourier sum",
            ),
        ),
        ("thm3.fourier.constant",),
    ),
    Claim(
        "thm3.right-head.score",
        "Scores of the right head",
        Kind.EQUATION,
        at("C", 871, 872),
        "The score is -β (1 - (d_j - d_i))² + p_iᵀ Rᵀ p_j + 2 [j ≥ i+2], with R by 2π/T, and is a "
        "product of queries and keys.",
        "a term that is no bilinear function of the two embeddings",
        MATERIAL,
        (
            charitable(
                "[j ≥ i+2] exact, positions on a half circle, R by 2π/T moving i to i + 2.",
                "the step taken as exact",
            ),
        ),
    ),
    Claim(
        "thm3.right-head.penalty",
        "A large β forces d_j = d_i + 1",
        Kind.TEXT,
        at("C", 873),
        "With β large the argmax has d_j = d_i + 1, and the term vanishes there.",
        "a position whose argmax has another depth for every β",
        SLIP,
        (charitable("For positions that have such a j.", "leaves may have none"),),
    ),
    Claim(
        "thm3.right-head.closest",
        "The second term picks the closest to i + 2",
        Kind.TEXT,
        at("C", 873),
        "Among positions one level down the second term picks the one closest to i + 2.",
        "a tree in which a farther position scores higher, or a tie",
        MATERIAL,
        (
            charitable(
                "Among positions j ≥ i + 2, with positions on a half circle.",
                "on a full circle distances wrap around",
            ),
        ),
    ),
    Claim(
        "thm3.right-head.step",
        "The last term forces j ≥ i + 2",
        Kind.TEXT,
        at("C", 873),
        "The term 2 [j ≥ i+2] enforces that the argmax is at least i + 2.",
        "an approximate step, or a difference of positional terms above 2",
        MATERIAL,
        (
            repaired(
                "With an exact step, and depths strictly before i, the argmax from an opening "
                "bracket is at least i + 2.",
                "exact step in place of the Fourier sum; opening brackets",
            ),
        ),
        ("thm3.fourier",),
    ),
    Claim(
        "thm3.fourier",
        "Fourier approximation of the step",
        Kind.EQUATION,
        at("C", 874, 879),
        "½ (1 + Σ_{l=0…k} sin((2l+1)(i - j - 1.25π/T)) / (2l+1)) is about 1 for j ≥ i + 2 and "
        "about 0 for j ≤ i + 1.",
        "i, j and k for which the sum is far from the step",
        MATERIAL,
        (
            repaired(
                "½ (1 + (4/π) Σ sin((2l+1)(j - i - 1.5) π/T') / (2l+1)) with T' ≥ T.",
                "factor 4/π, scale π/T', sign of i - j",
            ),
        ),
    ),
    Claim(
        "thm3.fourier.constant",
        "A constant number of terms is enough",
        Kind.TEXT,
        at("C", 873),
        "The step is obtained with a constant number of positional embeddings and layers.",
        "a T at which k terms of the repaired sum no longer separate the cases",
        MATERIAL,
        (repaired("The number of terms grows with T.", "the steps become finer as T grows"),),
        ("thm3.fourier",),
    ),
    Claim(
        "thm3.right-head.second",
        "Second position after i with d_j = d_{i+1}",
        Kind.TEXT,
        at("C", 880),
        "For all i in I_t the argmax is the second position after i with d_j = d_{i+1}, which is "
        "the right subtree.",
        "a leaf, or a tree in which that position is another node",
        SLIP,
        (charitable("For opening brackets, where d_{i+1} = d_i + 1.", "brackets only"),),
    ),
    Claim(
        "thm3.right-head",
        "The right head attends the right child",
        Kind.TEXT,
        at("C", 880),
        "With weights large enough each position of I_t attends to its right subtree.",
        "a tree and an opening bracket whose right head attends elsewhere",
        MATERIAL,
        (
            repaired(
                "With depths strictly before i, an exact or masked step, and positions on a half "
                "circle, each opening bracket attends to its right child.",
                "depth formula, step, positions",
            ),
        ),
        ("thm3.right-head.rule", "thm3.right-head.score", "thm3.fourier"),
    ),
    Claim(
        "thm3.right-head.children",
        "Column i is the right child's vector",
        Kind.TEXT,
        at("C", 880),
        "Column i of the right head's output is the right child's vector for all i in I_t.",
        "a leaf, which has no right child",
        SLIP,
        (charitable("For all positions of opening brackets.", "brackets only"),),
        ("thm3.right-head",),
    ),
)

GATE = (
    Claim(
        "thm3.copy-head",
        "A third attention layer copies the tokens",
        Kind.TEXT,
        at("C", 882),
        "A third attention layer copies each token, so that the MLP sees both children and itself.",
        "a third layer, which would come after the MLP; a third head is needed",
        SLIP,
        (repaired("A third head of the same layer.", "head for layer"),),
    ),
    Claim(
        "thm3.mlp-input",
        "Input of the MLP",
        Kind.EQUATION,
        at("C", 882, 886),
        "The MLP's input is left, right, v, p, m, 1, d, d²: 3n + p + 4 coordinates, with both "
        "children right for all i in I_t.",
        "another count, or a leaf, which has no children",
        SLIP,
        (charitable("Right for opening brackets.", "brackets only"),),
    ),
    Claim(
        "thm3.gate",
        "Map of the MLP",
        Kind.EQUATION,
        at("C", 886, 887),
        "The MLP approximates m² (T ×_1 left ×_2 right) + (1 - m²) v, with p, m, 1, d, d² copied.",
        "a position in I_t at which this map gives another value than the state",
        MATERIAL,
        (repaired("With modes two and three.", "modes of Definition 2.3"),),
    ),
    Claim(
        "thm3.gate.degree",
        "The map has degree four",
        Kind.TEXT,
        at("C", 888),
        "The map is a polynomial of degree 4.",
        "a monomial of higher degree, or none of degree 4",
        SLIP,
    ),
    Claim(
        "thm3.gate.width",
        "O(n⁴) neurons",
        Kind.SIZE,
        at("C", 888),
        "O(n⁴) neurons approximate the map to any precision, by the MLP theorem.",
        "a count by that theorem of another order, or the theorem's own O(n³)",
        SLIP,
        (
            charitable(
                "The count of the MLP theorem, C(3n+p+8, 4), is of order n⁴ for fixed p.",
                "a count alone, nothing on precision; contradicts O(n³) in the statement and "
                "C(2n+2, 2) in the footnote",
            ),
        ),
        ("mlp.theorem", "mlp.width"),
    ),
    Claim(
        "thm3.gate.closing",
        "Closing brackets",
        Kind.TEXT,
        at("C", 890),
        "Only positions in I_t matter, so closing brackets may hold anything.",
        "a closing bracket whose value reaches a position in I_t",
        SLIP,
    ),
)

INDUCTION = (
    Claim(
        "thm3.obs.leaves",
        "Leaves are copied",
        Kind.TEXT,
        at("C", 892),
        "At leaves m = 0, so the layer copies the state, which is right from the start.",
        "a leaf whose state the layer changes",
        SLIP,
        rests_on=("thm3.gate",),
    ),
    Claim(
        "thm3.obs.deep",
        "Deeper subtrees stay zero in the first layer",
        Kind.TEXT,
        at("C", 893),
        "At subtrees of depth above 1 the first layer copies the input, since one child is no "
        "leaf and starts at 0.",
        "a subtree of depth above 1 with a non-zero output after the first layer",
        SLIP,
        rests_on=("thm3.gate",),
    ),
    Claim(
        "thm3.obs.depth-one",
        "Depth-one subtrees get their state",
        Kind.EQUATION,
        at("C", 894, 901),
        "At subtrees of depth 1 both children are leaves, so the output is μ(τ_i).",
        "a pair of leaves whose state comes out wrong",
        MATERIAL,
        (repaired("With modes two and three and the repaired heads.", "modes, heads"),),
        ("thm3.left-head", "thm3.right-head", "thm3.gate"),
    ),
    Claim(
        "thm3.invariant.first",
        "After the first parse layer",
        Kind.TEXT,
        at("C", 904),
        "After this layer x_i = μ(τ_i) for all i in I_t with depth at most 1.",
        "a tree and such a position with another value",
        MATERIAL,
        (
            charitable(
                "The first n coordinates of x_i are μ(τ_i).", "x_i holds more than the state"
            ),
        ),
        ("thm3.obs.leaves", "thm3.obs.depth-one"),
    ),
    Claim(
        "thm3.invariant",
        "After each parse layer one more height is done",
        Kind.TEXT,
        at("C", 906),
        "x^(l)_i = μ(τ_i) for all i in I_t whose subtree has depth at most l - 1.",
        "a tree, a layer and a position of at most that depth with another value",
        MATERIAL,
        (
            repaired(
                "After l parse layers of the repaired construction exactly the subtrees of "
                "height at most l are sure to be right.",
                "repaired layers, counted from 1",
            ),
        ),
        ("thm3.invariant.first",),
    ),
)

CLAIMS: tuple[Claim, ...] = RIGHT + GATE + INDUCTION
