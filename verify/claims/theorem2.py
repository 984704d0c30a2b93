"""Theorem 2: soft attention and an MLP simulate every WFA to any precision; the construction.

Claims     the statement in both wordings, its sizes, the saturating constant, the MLP's width
Notation   C saturating constant, N hidden units, m_1 inputs and m_2 outputs of the MLP
Places     Section 3.2 for the statement, Appendix B.2 for the rest; errors in `theorem2_errors`
"""

from verify.claims.model import Claim, Kind
from verify.claims.shorthand import MATERIAL, SLIP, at, charitable, repaired

STATEMENT = (
    Claim(
        "thm2.exists",
        "Soft attention and MLPs simulate every WFA to any precision",
        Kind.THEOREM,
        at("3.2", 239, 242, "thmapprox"),
        "For every n, T, ε > 0 and every WFA with n states there is a soft-attention transformer "
        "with an MLP, of the printed sizes, that simulates it at length T with precision ε.",
        "a WFA, a length and an ε for which no transformer of these sizes comes within ε",
        MATERIAL,
        (
            charitable(
                "The activation may be chosen, with biases, and inputs range over the bounded "
                "set that the words of length T give.",
                "activation, biases and domain are not said in the statement",
            ),
            repaired(
                "With exact products, or a smooth activation that is no polynomial of degree "
                "below 2 and biases, and for T + 1 states.",
                "activation class, biases, number of rows",
            ),
        ),
        ("pre.wfa.definition", "sim.approx.definition"),
    ),
    Claim(
        "thm2.size.order",
        "Orders of growth of Theorem 2",
        Kind.SIZE,
        at("3.2", 240),
        "Depth O(log T), embedding dimension and attention width O(n²), MLP width O(n⁴) and O(1) "
        "heads are enough for Theorem 2.",
        "a size of the built model that outgrows the printed order",
        MATERIAL,
        rests_on=("thm2.exists",),
    ),
    Claim(
        "thm2.size.epsilon-free",
        "The size does not depend on ε",
        Kind.SIZE,
        at("3.2", 243),
        "The size of the approximate construction does not depend on the precision, so that "
        "arbitrary precision costs nothing in size.",
        "a precision that takes more layers, units or coordinates",
        MATERIAL,
        (
            charitable(
                "The numbers of layers, coordinates, heads and units do not depend on ε; the "
                "weights grow without bound as ε falls.",
                "size is the number of parameters, not their magnitude or digits",
            ),
        ),
        ("thm2.exists",),
    ),
    Claim(
        "thm2.standard",
        "Theorem 2 uses a more standard transformer",
        Kind.TEXT,
        at("3.2", 237),
        "Hard attention and bilinear layers are not what is used in practice; the second theorem "
        "relies on softmax and a standard feed-forward MLP.",
        "an ingredient of the second construction that is not standard",
        SLIP,
        (
            charitable(
                "Softmax and an MLP replace hard attention and the bilinear layer; pads, "
                "missing residuals and normalisation, and positions at each layer remain.",
                "standard in these two respects only",
            ),
        ),
        ("thm2.assumptions",),
    ),
    Claim(
        "thm2.restated",
        "Theorem 2 with its exact sizes",
        Kind.THEOREM,
        at("B.2", 724, 726, "thmapprox"),
        "The appendix restates Theorem 2 with depth log T, embedding dimension and attention width "
        "2n² + 2 and MLP width 2n⁴ + 3n² + 1.",
        "a WFA, a length and an ε for which no model of these sizes comes within ε",
        MATERIAL,
        (
            repaired(
                "Depth ⌈log2 T⌉, smooth activation with biases.",
                "depth rounded up, activation named",
            ),
        ),
        (
            "thm2.exists",
            "thm2.size.depth",
            "thm2.size.embedding",
            "thm2.size.attention-width",
            "thm2.size.mlp-width",
        ),
    ),
    Claim(
        "thm2.size.depth",
        "Depth log T",
        Kind.SIZE,
        at("B.2", 725),
        "The approximate construction has log T layers.",
        "a T for which the number of layers is not log2 T",
        SLIP,
        (
            charitable("For T a power of two the depth is log2 T.", "T a power of two"),
            repaired("For every T ≥ 1 the depth is ⌈log2 T⌉.", "rounded up"),
        ),
    ),
    Claim(
        "thm2.size.embedding",
        "Embedding dimension 2n² + 2",
        Kind.SIZE,
        at("B.2", 725),
        "The approximate construction has embedding dimension 2n² + 2.",
        "a built model with another embedding dimension",
        MATERIAL,
    ),
    Claim(
        "thm2.size.attention-width",
        "Attention width 2n² + 2",
        Kind.SIZE,
        at("B.2", 725),
        "The approximate construction has attention width 2n² + 2.",
        "a built model whose attention width is another number",
        SLIP,
        (charitable("The width of a head's values is 2n² + 2.", "queries and keys have width 2"),),
    ),
    Claim(
        "thm2.size.mlp-width",
        "MLP width 2n⁴ + 3n² + 1",
        Kind.SIZE,
        at("B.2", 725),
        "An MLP with 2n⁴ + 3n² + 1 hidden units is wide enough for the construction.",
        "an n and an ε for which that many units do not reach ε on the domain",
        MATERIAL,
        (
            charitable(
                "For a smooth activation with biases on a bounded domain that width is enough.",
                "activation class, biases and domain named",
            ),
        ),
    ),
)

CONSTRUCTION = (
    Claim(
        "thm2.idea.difference",
        "What differs from the exact proof",
        Kind.TEXT,
        at("B.2", 727),
        "The proof keeps the shift; attention and composition are no longer exact, and the total "
        "error can be kept below any ε.",
        "an ε that no choice of constants reaches",
        SLIP,
        rests_on=("thm2.choose",),
    ),
    Claim(
        "thm2.assumptions",
        "Same assumptions as for Theorem 1",
        Kind.TEXT,
        at("B.2", 738),
        "The proof makes the same assumptions as the proof of Theorem 1.",
        "an assumption of the first proof that the second one drops",
        SLIP,
        (
            charitable(
                "Length, pads, no residuals and positions at each layer; not hard attention "
                "and the bilinear layer.",
                "the fourth assumption is what this proof replaces",
            ),
        ),
    ),
    Claim(
        "thm2.embeddings",
        "Same embeddings as for Theorem 1",
        Kind.TEXT,
        at("B.2", 741),
        "The embedding scheme of the exact proof is used unchanged.",
        "a coordinate of the soft construction that the exact one lacks",
        SLIP,
        rests_on=("thm1.embedding",),
    ),
    Claim(
        "thm2.heads",
        "Two heads, log2 T layers",
        Kind.SIZE,
        at("B.2", 746),
        "The approximate construction has two heads a layer and log2 T layers.",
        "a T for which two heads or log2 T layers are not enough",
        SLIP,
        (repaired("Two heads and ⌈log2 T⌉ layers.", "rounded up"),),
    ),
    Claim(
        "thm2.qk",
        "Query and key matrices with √C",
        Kind.MATRIX,
        at("B.2", 748, 769),
        "Queries and keys are those of the exact proof, each times √C with C > 0, so that every "
        "score is multiplied by C.",
        "blocks that cannot stand side by side, or a score that is not C times the exact one",
        SLIP,
        (
            repaired(
                "Zero blocks 2 × n², as for the exact construction.",
                "zero blocks 2 × n² where n² × 2 is printed",
            ),
        ),
    ),
    Claim(
        "thm2.saturation",
        "A large C approximates the shift to any precision",
        Kind.TEXT,
        at("B.2", 770),
        "As C grows soft attention comes arbitrarily close to the exact shift.",
        "a length at which the attention error does not tend to 0",
        MATERIAL,
        rests_on=("thm1.argmax",),
    ),
    Claim(
        "thm2.saturation.leak",
        "How fast the error falls as C grows",
        Kind.TEXT,
        at("B.2", 770),
        "The weight that soft attention gives away falls with C to any desired size.",
        "a C and T where 1 - w_max exceeds (2T-1) exp(-C (1 - cos(π/T)))",
        MATERIAL,
        (
            charitable(
                "The weight off the right position is at most (2T-1) exp(-C (1 - cos(π/T))).",
                "the rate is ours; the print gives none",
            ),
        ),
        ("thm1.argmax",),
    ),
    Claim(
        "thm2.saturation.constant",
        "C is a constant without effect on the number of parameters",
        Kind.TEXT,
        at("B.2", 770),
        "C is a constant, and so does not change the number of parameters.",
        "a number of parameters that depends on C",
        SLIP,
        (
            charitable(
                "C does not change the number of parameters, though it must grow with T and 1/ε.",
                "constant for fixed automaton, T and ε only",
            ),
        ),
    ),
    Claim(
        "thm2.mlp.invoked",
        "The MLP theorem gives the product",
        Kind.TEXT,
        at("B.2", 773),
        "Matrix multiplication is a multivariate polynomial, so the MLP theorem applies and no "
        "MLP need be given.",
        "a hypothesis of the MLP theorem that the use here does not meet",
        MATERIAL,
        rests_on=("mlp.theorem",),
    ),
    Claim(
        "thm2.degree",
        "Degree two",
        Kind.TEXT,
        at("B.2", 775),
        "Matrix multiplication has degree 2, so d = 2.",
        "a monomial of another degree in an entry of the product",
        SLIP,
    ),
    Claim(
        "thm2.dimensions",
        "m_1 = 2n² + 2 inputs and m_2 = n² outputs",
        Kind.SIZE,
        at("B.2", 775),
        "The MLP takes the whole embedding, 2n² + 2 coordinates, and returns n².",
        "another number of inputs in the formula for the width",
        SLIP,
        (
            repaired(
                "The MLP takes the two maps, 2n² coordinates, and returns n².",
                "positions are not inputs of the product; C(2n²+2, 2) needs m_1 = 2n²",
            ),
        ),
    ),
    Claim(
        "thm2.width",
        "C(n²+2, 2) = 2n⁴ + 3n² + 1",
        Kind.EQUATION,
        at("B.2", 777),
        "The hidden size is the binomial of n² + 2 over 2, which equals 2n⁴ + 3n² + 1.",
        "an n ≥ 1 for which the two sides differ",
        SLIP,
        (
            charitable("C(2n²+2, 2) = 2n⁴ + 3n² + 1.", "2n² for n² in the binomial"),
            repaired(
                "C(m_1+2, 2) with m_1 = 2n² is 2n⁴ + 3n² + 1; with the printed m_1 = 2n² + 2 it "
                "is 2n⁴ + 7n² + 6.",
                "m_1 as in the equation, not as in the line before",
            ),
        ),
        ("thm2.dimensions",),
    ),
    Claim(
        "thm2.width.epsilon",
        "The width does not depend on ε",
        Kind.TEXT,
        at("B.2", 777),
        "The number of hidden units is O(n⁴) and independent of ε.",
        "an activation for which a smaller ε takes more units",
        MATERIAL,
        (
            charitable(
                "For smooth activations other than polynomials of degree below 2.",
                "piecewise linear activations excluded",
            ),
        ),
        ("mlp.theorem",),
    ),
    Claim(
        "thm2.wout",
        "W_out is appended to the MLP",
        Kind.MATRIX,
        at("B.2", 779, 785),
        "The linear layer (I I 0)ᵀ after the MLP copies the product into both halves.",
        "a shape that does not map n² coordinates to 2n² + 2",
        SLIP,
        (
            repaired(
                "W_out = (I I 0) acts on rows and is merged into W_2.", "without the transpose"
            ),
        ),
    ),
    Claim(
        "thm2.proof",
        "The printed proof of Theorem 2",
        Kind.PROOF,
        at("B.2", 734, 822),
        "The construction and the error analysis as printed prove Theorem 2.",
        "a step of the proof that is false or does not follow",
        MATERIAL,
        (
            repaired(
                "With the corrected recursion and the MLP theorem with its hypotheses, the same "
                "construction proves Theorem 2.",
                "product norms per layer, attention error in each layer, activation and domain",
            ),
        ),
        (
            "thm2.qk",
            "thm2.saturation",
            "thm2.mlp.invoked",
            "thm2.width",
            "thm2.wout",
            "thm2.recursion",
            "thm2.bounded",
            "thm2.choose",
            "thm2.frobenius",
            "mlp.theorem",
        ),
    ),
)

CLAIMS: tuple[Claim, ...] = STATEMENT + CONSTRUCTION
