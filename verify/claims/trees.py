"""Section 4.1: trees as strings, positions as subtrees, and what it is to simulate a WTA.

Claims     str(t), injectivity, I_t, the map τ, the definition of simulation and its types
Notation   [ and ] for the two bracket symbols, I_t positions that are no closing bracket
"""

from verify.claims.model import Claim, Kind
from verify.claims.shorthand import MATERIAL, SLIP, at, charitable, repaired

CLAIMS: tuple[Claim, ...] = (
    Claim(
        "tree.str.definition",
        "String representation of a tree",
        Kind.DEFINITION,
        at("4.1", 255, 259),
        "str(σ) = σ and str((t1,t2)) = [ str(t1) str(t2) ]; its values lie in Σ* ∪ {[, ]}.",
        "a tree whose string is not in the printed set",
        SLIP,
        (repaired("The values lie in (Σ ∪ {[, ]})*.", "the star covers brackets too"),),
        ("pre.trees.definition",),
    ),
    Claim(
        "tree.str.injective",
        "str is injective",
        Kind.TEXT,
        at("4.1", 260, 261),
        "Different trees have different strings, so a tree can be recovered from its string.",
        "two trees with the same string",
        MATERIAL,
        (
            charitable(
                "For alphabets that do not contain the two brackets.",
                "the brackets are not excluded from Σ in print",
            ),
        ),
        ("tree.str.definition",),
    ),
    Claim(
        "tree.str.not-all",
        "Not every string is a tree",
        Kind.TEXT,
        at("4.1", 261),
        "Some strings over letters and brackets represent no tree.",
        "an alphabet for which every string is a tree's",
        SLIP,
    ),
    Claim(
        "tree.positions",
        "Positions of subtrees",
        Kind.DEFINITION,
        at("4.1", 263, 264),
        "I_t, the positions of str(t) that hold no closing bracket, are those of opening brackets "
        "and leaves; each opening bracket belongs to a subtree.",
        "a position in I_t that starts no subtree",
        SLIP,
    ),
    Claim(
        "tree.one-to-one",
        "Subtrees and positions correspond one to one",
        Kind.TEXT,
        at("4.1", 264),
        "The set of subtrees of t is mapped one to one to the indices in I_t.",
        "a tree with two equal subtrees: fewer subtrees than indices",
        SLIP,
        (
            charitable(
                "Occurrences of subtrees, that is nodes, correspond one to one to indices.",
                "occurrences, not trees",
            ),
        ),
        ("tree.positions",),
    ),
    Claim(
        "tree.tau",
        "The map τ from positions to subtrees",
        Kind.DEFINITION,
        at("4.1", 265, 268, "def:subtree.str.rep"),
        "τ(i) is the tree whose string is x_i … x_j for the unique j that makes it a tree.",
        "a position in I_t with no such j",
        SLIP,
        rests_on=("tree.tau.unique", "tree.str.injective"),
    ),
    Claim(
        "tree.tau.unique",
        "Exactly one substring from i on is a tree",
        Kind.TEXT,
        at("4.1", 267),
        "For each i in I_t exactly one j makes x_i … x_j the string of a tree.",
        "a position from which two substrings are trees, or none",
        MATERIAL,
    ),
    Claim(
        "wta.sim.intuition",
        "Output equals the subtree's state",
        Kind.TEXT,
        at("4.1", 270, 271),
        "A transformer simulates a WTA if its output at each i in I_t is μ(τ(i)).",
        "a definition of simulation that asks for something else",
        SLIP,
        rests_on=("wta.sim.definition",),
    ),
    Claim(
        "wta.sim.definition",
        "Simulation of a WTA at length T",
        Kind.DEFINITION,
        at("4.1", 273, 274),
        "f on strings of length T simulates a WTA if f(str(t))_i = μ(τ_i) for all trees with "
        "|str(t)| ≤ T and all i in I_t.",
        "a tree with a shorter string, on which f is not defined",
        SLIP,
        (
            repaired(
                "Strings shorter than T are padded, or f is defined on all lengths up to T.",
                "the domain is strings of length exactly T in print",
            ),
        ),
        ("tree.tau", "pre.wta.definition"),
    ),
    Claim(
        "wta.sim.family",
        "A family of functions simulates all WTAs with n states",
        Kind.DEFINITION,
        at("4.1", 276),
        "A family simulates WTAs with n states if each such WTA has a function of the family that "
        "simulates it.",
        "a use of the notion that needs more, such as one function for all WTAs",
        SLIP,
        rests_on=("wta.sim.definition",),
        uncheckable="a definition: it says when a family simulates all WTAs with n states, not that "
        "one does; that is Theorem 3",
    ),
    Claim(
        "wta.sim.approximate",
        "Approximate simulation of a WTA",
        Kind.DEFINITION,
        at("4.2", 285),
        "Theorem 3 speaks of approximate simulation of WTAs, which the definitions cover.",
        "no definition of approximate simulation for WTAs in the text",
        SLIP,
        (
            repaired(
                "‖f(str(t))_i - μ(τ_i)‖ < ε for all i in I_t and all t with |str(t)| ≤ T.",
                "a definition supplied in the manner of Definition 3.2",
            ),
        ),
        ("wta.sim.definition",),
    ),
    Claim(
        "wta.sim.figure",
        "Figure 2 illustrates WTA simulation",
        Kind.TEXT,
        at("4.1", 278),
        "Figure 2 shows the notion of WTA simulation.",
        "a figure that shows something else",
        SLIP,
        uncheckable="the figure's image is not part of the source",
    ),
    Claim(
        "thm3.causal-variant",
        "Closing brackets and causal masks do as well",
        Kind.TEXT,
        at("4.1", 278),
        "If a tree's state is read at its closing bracket, the results still hold with causally "
        "masked attention.",
        "a tree on which the mirrored construction with causal masks fails",
        MATERIAL,
        (
            repaired(
                "With the repaired construction mirrored.",
                "the printed heads fail for both variants",
            ),
        ),
        ("thm3.exists",),
    ),
)
