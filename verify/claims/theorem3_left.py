"""The construction of Theorem 3, step by step as printed in Appendix C.

Claims     embeddings, depth formula, averaging, mask, both heads, the step function, the gate
Notation   m_i marker (0 leaf, 1 opening, -1 closing bracket), d_i depth, p_i position, R rotation
Places     Appendix C
"""

from verify.claims.model import Claim, Kind
from verify.claims.shorthand import MATERIAL, SLIP, at, charitable, repaired

FRAME = (
    Claim(
        "thm3.goal",
        "O(depth(t)) layers, and depth is at most the length",
        Kind.TEXT,
        at("C", 829),
        "The output after O(depth(t)) layers is right at all i in I_t, and the depth of a tree is "
        "at most |str(t)|, so both parts of the theorem follow.",
        "a tree deeper than its string is long",
        SLIP,
    ),
    Claim(
        "thm3.length",
        "One transformer for all trees up to T",
        Kind.TEXT,
        at("C", 829),
        "The construction takes T = |str(t)| and O(depth(t)) layers, and so gives one function for "
        "all trees with |str(t)| ≤ T, as Definition 4.2 asks.",
        "a tree shorter than T, or shallower than the number of layers, on which weights or layers "
        "made for T are wrong",
        SLIP,
        (
            charitable(
                "Weights are made for the largest length, layers for the largest depth; more "
                "layers than needed change nothing.",
                "T is a bound, not the tree's length",
            ),
        ),
        ("wta.sim.definition",),
    ),
    Claim(
        "thm3.parts",
        "A constant part, then depth(t) layers",
        Kind.TEXT,
        at("C", 831),
        "The first part, of a constant number of layers, adds the structure; the second computes "
        "all subtree states in depth(t) layers.",
        "a tree that takes another number of layers in one of the parts",
        MATERIAL,
        rests_on=("thm3.invariant",),
    ),
    Claim(
        "thm3.proof",
        "The printed proof of Theorem 3",
        Kind.PROOF,
        at("C", 833, 908),
        "The construction as printed proves Theorem 3.",
        "a printed step that fails on a tree",
        MATERIAL,
        (
            repaired(
                "With depth formula, sums, masks, both heads, step function and gate mended, the "
                "construction proves Theorem 3.",
                "each repair is a claim of its own",
            ),
        ),
        (
            "thm3.depth-formula",
            "thm3.averaging",
            "thm3.mask",
            "thm3.depth-square",
            "thm3.left-head",
            "thm3.right-head",
            "thm3.fourier",
            "thm3.copy-head",
            "thm3.gate",
            "thm3.invariant",
            "thm3.error",
            "mlp.theorem",
        ),
    ),
    Claim(
        "thm3.error",
        "Errors of many layers",
        Kind.TEXT,
        at("C", 906),
        "Each layer is right to arbitrary precision, which concludes the proof for any number of "
        "layers.",
        "no analysis of how errors grow from layer to layer, and a WTA for which they grow",
        SLIP,
        (
            repaired(
                "A recursion for trees bounds the error of each height by that of its children.",
                "an error analysis, which the print does not give",
            ),
        ),
    ),
)

EMBEDDING = (
    Claim(
        "thm3.embedding",
        "Initial embedding of a symbol",
        Kind.EQUATION,
        at("C", 836, 838),
        "Symbol i is embedded as v_σi, p_i, m_i, 1: n + p + 2 coordinates.",
        "a count other than n + p + 2",
        SLIP,
    ),
    Claim(
        "thm3.embedding.leaf",
        "Brackets have zero leaf part",
        Kind.DEFINITION,
        at("C", 841),
        "v_σ is the automaton's leaf vector for letters and 0 for both brackets.",
        "a bracket position that starts with a non-zero state",
        SLIP,
    ),
    Claim(
        "thm3.positions",
        "The positional encoding",
        Kind.DEFINITION,
        at("C", 842, 843),
        "p_i is the positional encoding; which one, and of what size, is not said here.",
        "a head of the proof that no single choice of p_i serves",
        SLIP,
        (
            charitable(
                "p_i = (cos πi/T, sin πi/T), with more coordinates for the step function.",
                "taken from the proof of Theorem 1",
            ),
        ),
    ),
    Claim(
        "thm3.marker",
        "Markers tell letters and brackets apart",
        Kind.DEFINITION,
        at("C", 844),
        "m_i is 0 for letters, 1 for an opening and -1 for a closing bracket.",
        "two kinds of symbol with the same marker",
        SLIP,
    ),
    Claim(
        "thm3.embedding.bias",
        "A constant coordinate for biases",
        Kind.TEXT,
        at("C", 845),
        "The last entry, equal to 1, carries the bias terms of attention scores.",
        "a bias of the construction that this coordinate cannot give",
        SLIP,
    ),
    Claim(
        "thm3.enriched",
        "Enriched embedding",
        Kind.EQUATION,
        at("C", 849, 850),
        "After the first part a symbol is v, p, m, 1, d, d²: n + p + 4 coordinates.",
        "a count other than n + p + 4, or a coordinate that the later heads need and lack",
        SLIP,
    ),
    Claim(
        "thm3.depth-meaning",
        "What d_i is",
        Kind.DEFINITION,
        at("C", 851),
        "d_i is the depth of the root of τ_i in t; a few lines on it is written depth(τ_i).",
        "a tree where the depth of a node and the depth of its subtree differ",
        SLIP,
        (
            repaired(
                "d_i is the number of ancestors of node i.",
                "depth(τ_i) elsewhere means the height of the subtree",
            ),
        ),
    ),
    Claim(
        "thm3.two-layers",
        "Two layers compute the depths",
        Kind.TEXT,
        at("C", 853),
        "The depth at each position of I_t can easily be computed with two layers.",
        "no two layers of the architecture of Section 2.4 that give the depths",
        MATERIAL,
        (
            charitable(
                "With a causal mask, exactly.",
                "a mask, which Section 2.4 does not have; without one, to any precision only",
            ),
        ),
        ("thm3.depth-formula", "thm3.averaging", "thm3.mask"),
    ),
    Claim(
        "thm3.shift",
        "Markers shifted one position to the right",
        Kind.TEXT,
        at("C", 853),
        "Shifting the markers one position to the right adds the coordinate m_{i+1}.",
        "a shift to the right, which brings m_{i-1} to position i",
        SLIP,
        (
            repaired(
                "The added coordinate is m_{i-1}, with 0 at the first position.", "i - 1 for i + 1"
            ),
        ),
    ),
    Claim(
        "thm3.shifted",
        "Intermediate embedding",
        Kind.EQUATION,
        at("C", 853, 854),
        "After the first layer a symbol is v, p, m, 1, m_{i+1}.",
        "the last position, where m_{T+1} does not exist",
        SLIP,
        (repaired("v, p, m, 1, m_{i-1}.", "i - 1 for i + 1"),),
        ("thm3.shift",),
    ),
    Claim(
        "thm3.depth-formula",
        "The depth as a sum of markers",
        Kind.EQUATION,
        at("C", 856),
        "For all i in I_t the depth is the sum of m_{j+1} over j ≤ i.",
        "a tree and a position where the sum is not the depth; [ab] gives 0, 0, -1 for 0, 1, 1",
        MATERIAL,
        (
            repaired(
                "The depth is the sum of m_j over j < i, that is, of m_{j-1} over j ≤ i.",
                "markers strictly before i",
            ),
        ),
    ),
    Claim(
        "thm3.depth-difference",
        "Opening minus closing brackets before i",
        Kind.TEXT,
        at("C", 856),
        "The sum is the number of opening minus closing brackets before position i.",
        "a position where the printed sum counts a bracket at or after i",
        SLIP,
        (
            charitable(
                "The depth of i in I_t is the number of opening minus closing brackets "
                "strictly before i.",
                "the words, without the formula",
            ),
        ),
        ("thm3.depth-formula",),
    ),
    Claim(
        "thm3.averaging",
        "Equal weights compute the sum",
        Kind.TEXT,
        at("C", 856),
        "Attention with equal weight on all previous positions computes the sum.",
        "weights of a softmax add up to one: attention yields the mean, not the sum",
        MATERIAL,
        (
            repaired(
                "Attention yields the mean over i positions, and the layer multiplies it by i, "
                "which a coordinate supplies.",
                "rescaling by the number of positions",
            ),
        ),
    ),
    Claim(
        "thm3.mask",
        "Attending to previous positions",
        Kind.TEXT,
        at("C", 856),
        "A head can attend to all previous positions with equal weight.",
        "the architecture of Section 2.4, which has no mask",
        MATERIAL,
        (
            repaired(
                "A causal mask is added, or scores that grow with the position difference.",
                "a mask, or extra layers",
            ),
        ),
    ),
    Claim(
        "thm3.depth-square",
        "d_i² by an MLP of constant size",
        Kind.TEXT,
        at("C", 856),
        "d_i² is approximated to any precision by an MLP with a constant number of neurons.",
        "an activation or a T for which a constant number is not enough",
        SLIP,
        (charitable("For a smooth activation, on depths up to T.", "activation and domain"),),
        ("mlp.theorem",),
    ),
)

LEFT = (
    Claim(
        "thm3.parse",
        "Two heads and a bilinear map",
        Kind.TEXT,
        at("C", 859, 860),
        "Each opening bracket attends to its two subtrees and the MLP approximates the bilinear "
        "map T ×_1 μ(τ) ×_2 μ(τ') to any precision.",
        "a tree on which a head attends elsewhere, or other modes than the definition's",
        MATERIAL,
        (repaired("With the repaired heads and modes two and three.", "heads and modes"),),
        ("thm3.left-head", "thm3.right-head", "mlp.theorem"),
    ),
    Claim(
        "thm3.left-child",
        "The left child stands one position on",
        Kind.TEXT,
        at("C", 862),
        "For each i in I_t the left child of τ_i is τ_{i+1}.",
        "a leaf, which is in I_t and has no left child",
        SLIP,
        (charitable("For each position of an opening bracket.", "brackets only"),),
    ),
    Claim(
        "thm3.left-head.shapes",
        "Query and key of the left head are (n+6) × 2",
        Kind.SIZE,
        at("C", 862),
        "W_Q and W_K of the left head are (n+6) × 2.",
        "an embedding dimension other than n + 6",
        SLIP,
        (
            charitable(
                "With two positional coordinates, n + 4 + p = n + 6.",
                "p = 2, which the right head's step function exceeds",
            ),
        ),
    ),
    Claim(
        "thm3.left-head.score",
        "Scores of the left head",
        Kind.EQUATION,
        at("C", 863, 864),
        "The score is p_iᵀ Rᵀ p_j with R the rotation by π/T.",
        "a position from which the largest score is not at i + 1",
        MATERIAL,
        (
            charitable(
                "With p_i = (cos πi/T, sin πi/T) and R counter-clockwise or clockwise, "
                "whichever moves i to i + 1.",
                "positions are not defined in this proof",
            ),
        ),
    ),
    Claim(
        "thm3.left-head",
        "The left head attends the next position",
        Kind.TEXT,
        at("C", 865),
        "i + 1 is the argmax of the left head's scores, so each position attends to the next.",
        "the last position, which has no next; or positions of another period",
        SLIP,
        (charitable("For i < T, with positions on a half circle.", "the last position excluded"),),
        ("thm3.left-head.score",),
    ),
    Claim(
        "thm3.saturation",
        "Large weights make soft attention hard",
        Kind.TEXT,
        at("C", 865),
        "Weights multiplied by a large enough constant make each position attend to the argmax.",
        "a row with a tie, or a gap that closes as T grows so that no constant serves all T",
        SLIP,
        (charitable("For each T a constant exists; it grows like T².", "constant for fixed T"),),
    ),
    Claim(
        "thm3.left-head.output",
        "Output of the left head",
        Kind.EQUATION,
        at("C", 866),
        "The left head's output is (v_2, v_3, …, v_T, v_T): the last position attends to itself.",
        "a T for which the last position attends elsewhere",
        SLIP,
    ),
    Claim(
        "thm3.left-head.children",
        "Column i is the left child's vector",
        Kind.TEXT,
        at("C", 867),
        "Column i of the output is the left child's vector for all i in I_t.",
        "a leaf, which has no left child",
        SLIP,
        (
            charitable(
                "For all positions of opening brackets; rows, not columns, are tokens.",
                "brackets only",
            ),
        ),
        ("thm3.left-head",),
    ),
)

CLAIMS: tuple[Claim, ...] = FRAME + EMBEDDING + LEFT
