"""Section 3.1 and the remarks of 3.2: what it is to simulate a WFA, and what a shortcut is.

Claims     both definitions of simulation, shortcuts, the T-layer remark, the scan remark
Notation   A(x) sequence of T + 1 states, ε precision, L depth
"""

from verify.claims.model import Claim, Kind
from verify.claims.shorthand import MATERIAL, SLIP, at, charitable, repaired

CLAIMS: tuple[Claim, ...] = (
    Claim(
        "sim.exact.definition",
        "Exact simulation",
        Kind.DEFINITION,
        at("3.1", 205, 207),
        "f from Σ^T to R^{T×n} simulates a WFA exactly if f(x) = A(x), the states of all prefixes "
        "from the empty one on.",
        "A(x) has T + 1 rows, so no f with values in R^{T×n} equals it",
        SLIP,
        (
            charitable(
                "f gives the last T states, one after each symbol.", "without the first row"
            ),
            repaired("f has values in R^{(T+1)×n}.", "T + 1 rows"),
        ),
        ("pre.wfa.states",),
    ),
    Claim(
        "sim.approx.always",
        "Some function always simulates within ε",
        Kind.TEXT,
        at("3.1", 209),
        "For every tolerance a function that simulates the WFA up to it can always be found.",
        "a WFA and an ε without such a function",
        SLIP,
        (
            charitable(
                "As a statement on all functions it is trivial: A itself is one; for "
                "transformers it is Theorem 2.",
                "function, not transformer",
            ),
        ),
    ),
    Claim(
        "sim.approx.definition",
        "Approximate simulation",
        Kind.DEFINITION,
        at("3.1", 211, 213),
        "f from Σ^T to R^{T×n} simulates a WFA with precision ε if ‖f(x) - A(x)‖_F < ε for all x.",
        "a difference of a T × n and a (T+1) × n matrix",
        SLIP,
        (
            charitable("f gives the last T states.", "without the first row"),
            repaired("f has values in R^{(T+1)×n}.", "T + 1 rows"),
        ),
        ("pre.wfa.states",),
    ),
    Claim(
        "sim.linear-depth",
        "T layers simulate a WFA easily",
        Kind.TEXT,
        at("3.1", 215),
        "A transformer with T layers simulates a WFA at length T, one step a layer.",
        "a WFA that no T-layer transformer simulates",
        SLIP,
        (
            charitable(
                "With a bilinear layer or an MLP that multiplies.",
                "the kind of feed-forward block is not said",
            ),
        ),
    ),
    Claim(
        "sim.shallow",
        "Transformers are shallow, deep models more expressive",
        Kind.CITATION,
        at("3.1", 217),
        "Transformers are typically very shallow, while deeper models tend to be more expressive.",
        "deep transformers in use, or a depth separation that fails",
        SLIP,
        uncheckable="a remark on practice and on cited works",
    ),
    Claim(
        "sim.shortcut.definition",
        "Shortcut solution",
        Kind.DEFINITION,
        at("3.1", 219, 221),
        "A shortcut exists if for every T ≥ 0 a transformer simulates the WFA at length T with "
        "depth L ≤ o(T).",
        "T = 0, or a single T, for which o(T) says nothing",
        SLIP,
        (
            repaired(
                "There are transformers f_T, T ≥ 1, whose depths L(T) satisfy L(T)/T → 0, and "
                "in the approximate case for every ε.",
                "a condition on the sequence of depths; precision quantified",
            ),
        ),
        ("sim.exact.definition", "sim.approx.definition"),
    ),
    Claim(
        "fig.wta",
        "Figure 2: the tree (a, ((b,b), b))",
        Kind.FIGURE,
        at("3.1", 222, 227, "fig:wta"),
        "The figure shows a WTA and its simulation on t = (a, ((b,b), b)).",
        "a drawing that shows another computation",
        SLIP,
        uncheckable="the figure's image is not part of the source",
    ),
    Claim(
        "sim.proofs-in-appendix",
        "The proofs are in Appendix B",
        Kind.TEXT,
        at("3.2", 230),
        "The proofs of the theorems of Section 3.2 are in Appendix B.",
        "a theorem of the section without a proof there",
        SLIP,
    ),
    Claim(
        "sim.scan",
        "Both proofs rest on the prefix sum algorithm",
        Kind.TEXT,
        at("3.2", 245),
        "Both proofs rely on an algorithm that computes all T prefixes in O(log T) time.",
        "a total of operations of order T log T, so that O(log T) is parallel time only",
        SLIP,
        (charitable("O(log T) rounds with T processors.", "parallel time"),),
        ("scan.invariant",),
    ),
    Claim(
        "sim.partial-sums",
        "All partial sums",
        Kind.TEXT,
        at("3.2", 245),
        "Given x_1 … x_T the algorithm returns x_1, x_1 + x_2, …, x_1 + … + x_T.",
        "an input on which an output is another sum",
        SLIP,
        rests_on=("scan.invariant",),
    ),
    Claim(
        "sim.composition",
        "Composition of transition maps is the sum",
        Kind.TEXT,
        at("3.2", 247),
        "With composition of transition maps as the operation the construction implements the "
        "scan, layer by layer.",
        "a layer whose content differs from the scan's round",
        MATERIAL,
        (
            charitable(
                "Composition in reading order: A^x1 first, as states are rows.",
                "order of the product",
            ),
        ),
        ("thm1.recover",),
    ),
    Claim(
        "sim.shortcuts-exist",
        "Are fewer than linearly many layers enough?",
        Kind.QUESTION,
        at("3.1", 217),
        "The question whether transformers simulate WFAs with fewer than linearly many layers is "
        "answered in the affirmative.",
        "a WFA without a shortcut",
        MATERIAL,
        rests_on=("thm1.exact", "sim.shortcut.definition"),
    ),
)
