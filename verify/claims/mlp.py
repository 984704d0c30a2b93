"""Theorem 4 as abridged: two-layer MLPs of fixed width approximate polynomials.

Claims     the function classes, the statement, each hypothesis that the abridgement drops
Notation   σ activation, d degree, m_1 inputs, m_2 outputs, N = C(m_1+d, d) hidden units
Places     Appendix B.2; the theorem is cited, so what is judged is the sentence printed here
"""

from verify.claims.model import Claim, Kind
from verify.claims.shorthand import MATERIAL, SLIP, at, charitable, repaired

CLAIMS: tuple[Claim, ...] = (
    Claim(
        "mlp.class",
        "C(R) is the set of all real valued functions",
        Kind.DEFINITION,
        at("B.2", 729),
        "C(R) denotes all real valued functions on the line, so the theorem admits every function "
        "that is no polynomial of low degree as an activation.",
        "a function outside the polynomials that cannot serve as an activation",
        SLIP,
        (charitable("C(R) denotes the continuous functions.", "continuous, as the letter says"),),
    ),
    Claim(
        "mlp.polynomials",
        "Vector valued polynomials of bounded degree",
        Kind.DEFINITION,
        at("B.2", 729),
        "P_{≤d}(R^m1, R^m2) denotes all multivariate polynomial maps; the bound d is not used.",
        "a map of degree above d that the set contains",
        SLIP,
        (charitable("Maps whose components have degree at most d.", "degree bound kept"),),
    ),
    Claim(
        "mlp.theorem",
        "Fixed width approximates every polynomial map",
        Kind.THEOREM,
        at("B.2", 730, 732, "thm_mlp"),
        "For d ≥ 2, f of degree at most d and any activation that is no polynomial of degree "
        "below d, an MLP W_1, W_2 with N = C(m_1+d, d) units is within ε of f in sup norm, for "
        "every ε > 0.",
        "a polynomial, an activation and an ε that no such MLP reaches",
        MATERIAL,
        (
            charitable(
                "On a compact domain, with biases, for continuous activations that are no "
                "polynomials of degree below d.",
                "domain, biases, continuity",
            ),
            repaired(
                "On a compact domain, with biases, for activations that are smooth near a point "
                "with a non-zero d-th derivative there.",
                "domain, biases and a smooth activation",
            ),
        ),
        ("mlp.class", "mlp.polynomials"),
    ),
    Claim(
        "mlp.domain",
        "Sup norm over the whole space",
        Kind.THEOREM,
        at("B.2", 731),
        "The approximation is uniform on all of R^m1, as no domain is given.",
        "an activation for which the error is unbounded far out",
        MATERIAL,
        (repaired("Uniform on a compact set.", "compact domain"),),
    ),
    Claim(
        "mlp.biases",
        "No biases",
        Kind.THEOREM,
        at("B.2", 731),
        "The parameters are two matrices; no biases are needed.",
        "an activation and a polynomial that no bias-free MLP approximates",
        MATERIAL,
        (repaired("The hidden layer has biases.", "biases in the hidden layer"),),
    ),
    Claim(
        "mlp.activation",
        "Every activation that is no low-degree polynomial",
        Kind.THEOREM,
        at("B.2", 731),
        "Any activation outside the polynomials of degree below d does at this fixed width.",
        "ReLU: N units miss x² on [0,1] by at least 1/(8(N+1)²)",
        MATERIAL,
        (
            repaired(
                "Any activation with a point around which it is d times continuously "
                "differentiable with non-zero d-th derivative.",
                "smooth at a point; ReLU excluded",
            ),
        ),
    ),
    Claim(
        "mlp.relu",
        "ReLU at fixed width",
        Kind.THEOREM,
        at("B.2", 731),
        "The theorem covers ReLU, the default of the trained models: fixed width, every ε.",
        "an ε that no ReLU network of that width reaches for x² on [0,1]",
        MATERIAL,
        (repaired("For ReLU the width must grow like ε^(-1/2).", "width depends on ε"),),
        ("mlp.activation",),
    ),
    Claim(
        "mlp.width",
        "N = C(m_1+d, d) units",
        Kind.SIZE,
        at("B.2", 731),
        "C(m_1+d, d) hidden units are enough for degree d in m_1 variables.",
        "a polynomial, and an activation that the theorem admits, that need more units",
        MATERIAL,
        (
            charitable(
                "For smooth activations with biases on a compact set that many units are enough.",
                "hypotheses as in the repaired theorem",
            ),
        ),
    ),
    Claim(
        "mlp.product",
        "An explicit MLP multiplies",
        Kind.THEOREM,
        at("B.2", 773),
        "An MLP for the matrix product exists though none is given.",
        "an ε that no MLP with a smooth activation reaches on a box",
        MATERIAL,
        (
            charitable(
                "Four units of a smooth activation give xy to any precision on a box, so 4n³ "
                "units give the product of two n × n matrices.",
                "the MLP is written down",
            ),
        ),
    ),
    Claim(
        "mlp.size-constant",
        "Width does not depend on ε",
        Kind.TEXT,
        at("B.2", 733),
        "The numbers m, n and N do not depend on ε, so the construction's size is the same for "
        "all ε.",
        "an activation allowed by the theorem whose width must grow as ε falls",
        MATERIAL,
        (
            charitable(
                "m_1, m_2 and N do not depend on ε, for the activations of the repaired theorem.",
                "m, n in print; smooth activations only",
            ),
        ),
        ("mlp.theorem",),
    ),
)
