"""Corollary 1: transformers simulate tree automata.

Claims     that WTAs subsume tree automata, how Booleans become reals, the corollary, its proof
Places     Section 4.2
"""

from verify.claims.model import Claim, Kind
from verify.claims.shorthand import MATERIAL, SLIP, at, charitable, repaired

CLAIMS: tuple[Claim, ...] = (
    Claim(
        "cor1.subsume",
        "WTAs subsume tree automata",
        Kind.TEXT,
        at("4.2", 292),
        "Classical tree automata are WTAs over the Boolean semi-ring, and WTAs with real weights "
        "subsume them.",
        "a tree automaton whose language no real WTA recognises by non-zero weight",
        MATERIAL,
        rests_on=("pre.wta.definition",),
    ),
    Claim(
        "cor1.nonzero",
        "Non-zero is true, zero is false",
        Kind.TEXT,
        at("4.2", 292),
        "Boolean computations are simulated with real weights by reading non-zero as true.",
        "real weights whose sum cancels to 0 although both are true",
        MATERIAL,
        (
            repaired(
                "With non-negative weights, for instance by counting runs.",
                "no cancellation: weights must not be negative",
            ),
        ),
    ),
    Claim(
        "cor1.exists",
        "Transformers simulate all tree automata",
        Kind.COROLLARY,
        at("4.2", 293, 296, "cor:approx.treeautomata"),
        "Transformers approximately simulate all tree automata with n states at length T, to any "
        "precision, with the sizes and depth of Theorem 3.",
        "a tree automaton and a tree on which the transformer's answer is wrong",
        MATERIAL,
        (
            charitable(
                "States are counts of runs; a state is reached if its count is above ½.",
                "what simulating a tree automaton means is not defined",
            ),
            repaired(
                "By the repaired construction, with error below ½ in the counts of runs.",
                "threshold named; precision grows with the tree",
            ),
        ),
        ("thm3.exists", "cor1.subsume"),
    ),
    Claim(
        "cor1.sizes",
        "Same hyper-parameters and depth as for WTAs",
        Kind.SIZE,
        at("4.2", 295),
        "The sizes are those of Theorem 3.",
        "a tree automaton that needs other sizes",
        SLIP,
        rests_on=("thm3.exists",),
    ),
    Claim(
        "cor1.precision",
        "Any precision will do",
        Kind.TEXT,
        at("4.2", 295),
        "The approximate states tell true from false.",
        "counts of runs that grow with the tree, so that the relative precision must grow too",
        SLIP,
        (
            charitable(
                "An absolute error below ½ in every count is enough.", "how precise is not said"
            ),
        ),
    ),
    Claim(
        "cor1.proof",
        "The proof is in the appendix",
        Kind.PROOF,
        at("4.2", 292),
        "The appendix contains a proof of the corollary.",
        "an appendix in which the corollary does not occur",
        SLIP,
        (
            repaired(
                "The argument of the paragraph: count runs and threshold.",
                "a proof supplied, as the appendix has none",
            ),
        ),
        ("cor1.subsume", "cor1.nonzero", "thm3.exists"),
    ),
)
