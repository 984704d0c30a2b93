"""The error analysis of Theorem 2, step by step, up to Equation (1) and what is drawn from it.

Claims     each printed identity, each inequality, each definition of an error
Notation   ε_attn, ε_mlp errors of one block; ε_tot^(l) after layer l; M = 2 max ‖A^σ‖₂
Places     Appendix B.2, paragraph 'Error analysis'
"""

from verify.claims.model import Claim, Kind
from verify.claims.shorthand import MATERIAL, SLIP, at, charitable, repaired

CLAIMS: tuple[Claim, ...] = (
    Claim(
        "thm2.error.attention",
        "Error after the first attention block",
        Kind.EQUATION,
        at("B.2", 789, 791),
        "Soft attention is the exact filter plus E_attn, so the block's output is the exact one "
        "plus E_attn X W_V.",
        "an X for which the two sides differ",
        SLIP,
    ),
    Claim(
        "thm2.error.first-layer",
        "Product of two perturbed maps",
        Kind.EQUATION,
        at("B.2", 792, 796),
        "The perturbed product plus the MLP's error equals the exact product plus four error "
        "terms.",
        "matrices for which the two sides differ, or a term of the wrong shape",
        SLIP,
        (
            repaired(
                "The last error term is mat(e_mlp).", "printed once as a vector, added to matrices"
            ),
        ),
    ),
    Claim(
        "thm2.error.rows-of",
        "Which rows meet in the first layer",
        Kind.TEXT,
        at("B.2", 797, 798),
        "The errors of the two factors are rows 1 and 2 of E'_attn, the MLP's error is row i.",
        "a position whose factors carry errors of other rows or of other heads",
        SLIP,
        (
            charitable(
                "Written for one position; each position has its two errors, one a head.",
                "one E'_attn a head, rows of the same position",
            ),
        ),
    ),
    Claim(
        "thm2.error.norm",
        "Total error of the first layer",
        Kind.EQUATION,
        at("B.2", 798, 799),
        "ε_tot^(1) is the norm of the sum of the four error terms.",
        "a sum of matrices and a vector, which has no norm",
        SLIP,
        (repaired("The spectral norm, with mat(e_mlp).", "matricised last term"),),
        ("thm2.error.first-layer",),
    ),
    Claim(
        "thm2.error.triangle",
        "First bound",
        Kind.EQUATION,
        at("B.2", 800, 802),
        "ε_tot^(1) ≤ ε_attn (‖A^σ1‖ + ‖A^σ2‖) + ε_attn² + ε_mlp.",
        "matrices and errors within ε_attn and ε_mlp that exceed the right side",
        MATERIAL,
    ),
    Claim(
        "thm2.error.cauchy-schwarz",
        "Which inequality is used",
        Kind.TEXT,
        at("B.2", 800),
        "The bound follows from the triangle inequality and Cauchy–Schwarz.",
        "a step that needs another inequality",
        SLIP,
        (
            charitable(
                "The bound follows from the triangle inequality and submultiplicativity of "
                "the spectral norm.",
                "submultiplicativity for Cauchy–Schwarz",
            ),
        ),
    ),
    Claim(
        "thm2.error.max",
        "Norms replaced by M",
        Kind.EQUATION,
        at("B.2", 803, 804),
        "With M = 2 max ‖A^σ‖₂ the first layer's error is at most ε_attn M + ε_attn² + ε_mlp.",
        "a first-layer factor of larger norm, such as an identity pad when all norms are below 1",
        MATERIAL,
        (repaired("M = 2 max(1, max ‖A^σ‖₂).", "the identity pads are factors too"),),
        ("thm2.error.triangle",),
    ),
    Claim(
        "thm2.error.attn-size",
        "ε_attn is the norm of the attention layer's error",
        Kind.TEXT,
        at("B.2", 804),
        "One number ε_attn, the norm of the attention layer's error, serves all rows and layers.",
        "a layer at which the attention error is larger than at the first",
        MATERIAL,
        (
            repaired(
                "a_l bounds the error of layer l; it scales with the entries of that layer's "
                "input.",
                "one number a layer",
            ),
        ),
    ),
    Claim(
        "thm2.error.filter",
        "The attention filter does not see the error",
        Kind.EQUATION,
        at("B.2", 805),
        "A(X + E_tot) = A(X), since scores depend on positions alone.",
        "a score that reads a coordinate with error",
        SLIP,
        rests_on=("thm1.positions.access",),
    ),
    Claim(
        "thm2.error.attention-2",
        "Error after the second attention block",
        Kind.EQUATION,
        at("B.2", 805, 806),
        "The second block's output is the exact one plus A E W_V + E_attn X W_V + E_attn E W_V.",
        "matrices for which the two sides differ",
        SLIP,
    ),
    Claim(
        "thm2.error.rows",
        "Each row of E_tot has norm ε_tot",
        Kind.TEXT,
        at("B.2", 807),
        "E_tot^(1) is a matrix whose rows all have norm ε_tot^(1).",
        "two positions with different errors, or a row that holds both copies",
        SLIP,
        (
            charitable(
                "Each half of each row has norm at most ε_tot^(1).",
                "at most; a row holds two copies, so √2 times that",
            ),
        ),
    ),
    Claim(
        "thm2.error.redefinition",
        "E_tot is redefined to hold the second attention error",
        Kind.EQUATION,
        at("B.2", 807, 808),
        "Setting E_tot := E_tot + A E_tot W_V + E_attn X W_V + E_attn E_tot W_V simplifies the "
        "analysis of the second layer without changing ε_tot^(1).",
        "a norm of the new E_tot that exceeds the bound of the old one",
        MATERIAL,
        (
            charitable(
                "ε_tot^(1) in the next lines means the norm of the redefined error.",
                "the old bound on ε_tot^(1) is then no longer available",
            ),
            repaired(
                "The second layer's input error is A E_tot + E_attn X + E_attn E_tot, of norm at "
                "most ε_tot + a_2.",
                "E_tot itself is not added; the new norm is bounded",
            ),
        ),
        ("thm2.error.attention-2",),
    ),
    Claim(
        "thm2.error.second",
        "Second layer",
        Kind.EQUATION,
        at("B.2", 809, 810),
        "ε_tot^(2) ≤ ε_tot^(1) M + (ε_tot^(1))² + ε_mlp^(2).",
        "an automaton, a word and a C whose second-layer error exceeds the right side",
        MATERIAL,
        (
            repaired(
                "ε^(2) ≤ 2 μ_2 δ + δ² + ε_mlp with δ = ε^(1) + a_2 and μ_2 the largest norm of a "
                "product of at most two maps, or 1.",
                "norms of products, attention error of the second layer",
            ),
        ),
        ("thm2.error.redefinition", "thm2.error.max"),
    ),
    Claim(
        "thm2.recursion",
        "Equation (1), the recursive bound",
        Kind.EQUATION,
        at("B.2", 815, 818),
        "For every layer l, ε^(l) ≤ ε^(l-1) M + (ε^(l-1))² + ε_mlp^(l) with M = 2 max ‖A^σ‖₂.",
        "an automaton, a word, a C and a layer whose measured error certainly exceeds the bound",
        MATERIAL,
        (
            charitable(
                "ε^(l-1) counts the attention error of layer l too.",
                "the redefined error throughout",
            ),
            repaired(
                "ε^(l) ≤ 2 μ_l δ + δ² + ε_mlp^(l) with δ = ε^(l-1) + a_l, μ_l the largest norm of "
                "a product of at most 2^(l-1) maps, or 1, and a_l the attention error of layer "
                "l.",
                "norms of the products that layer l multiplies; attention error per layer",
            ),
        ),
        ("thm2.error.second",),
    ),
    Claim(
        "thm2.recursion.base",
        "Where the recursion starts",
        Kind.EQUATION,
        at("B.2", 813, 817),
        "The recursion holds for l = 1 too, with some ε^(0).",
        "no value of ε^(0) for which the case l = 1 is the bound proved for the first layer",
        SLIP,
        (charitable("ε^(0) stands for ε_attn.", "ε^(0) is not defined in print"),),
    ),
    Claim(
        "thm2.recursion.contractive",
        "The recursion where all norms are at most one",
        Kind.EQUATION,
        at("B.2", 816, 818),
        "For automata whose maps have norm at most 1 the recursion of Equation (1) holds.",
        "such an automaton whose error exceeds the printed bound",
        MATERIAL,
        (
            repaired(
                "With M = 2 and δ = ε^(l-1) + a_l in place of ε^(l-1).",
                "identity pads and the attention error of each layer",
            ),
        ),
        ("thm2.recursion",),
    ),
    Claim(
        "thm2.bounded",
        "The error remains bounded for any number of layers",
        Kind.TEXT,
        at("B.2", 818),
        "For any number of layers the error remains bounded.",
        "fixed C and ε_mlp for which the errors grow without bound with the number of layers",
        MATERIAL,
        (
            charitable(
                "For each fixed number of layers the error has some finite bound.",
                "no bound uniform in the number of layers is meant",
            ),
        ),
        ("thm2.recursion",),
    ),
    Claim(
        "thm2.choose",
        "C and the MLP's error can be chosen",
        Kind.TEXT,
        at("B.2", 818),
        "For every ε* some C and some MLP errors keep ε_tot at every layer at most ε*.",
        "an automaton, T and ε* for which no C works",
        MATERIAL,
        (
            repaired(
                "By the corrected recursion: for every automaton, T and ε* there is such a C, "
                "and it grows like T² (log T + log 1/ε* + log of the amplification).",
                "follows from the corrected recursion, not from Equation (1)",
            ),
        ),
        ("thm2.saturation",),
    ),
    Claim(
        "thm2.frobenius",
        "From one row to the definition's norm",
        Kind.TEXT,
        at("B.2", 818),
        "The bound on ε_tot^(L), an error of one product in spectral norm, gives precision ε* in "
        "the sense of Definition 3.2.",
        "an automaton with ε_tot ≤ ε* whose states differ by more than ε* in Frobenius norm",
        MATERIAL,
        (
            repaired(
                "The states differ by at most ‖α‖ √(T+1) √n ε_tot in Frobenius norm.",
                "readout, number of rows and change of norm are counted; non-strict ≤ made strict",
            ),
        ),
        ("sim.approx.definition",),
    ),
    Claim(
        "thm2.parameters",
        "Precision without more parameters",
        Kind.TEXT,
        at("B.2", 820),
        "The bound is reached without ever increasing the number of parameters.",
        "an ε for which more parameters are needed",
        MATERIAL,
        (
            charitable(
                "The number of parameters is fixed by n and T.",
                "fixed in ε; depth still grows with T",
            ),
        ),
        ("thm2.width.epsilon", "thm2.saturation.constant"),
    ),
)
