"""Beyond the paper: what is shown here and not claimed there.

Claims     log-depth simulation of WTAs on arbitrary trees, slim multiplying MLPs, the saturation
           that soft attention needs, counting at constant depth, the paper's targets built
Notation   N leaves, P_k Padovan numbers 2, 3, 4, 5, 7, 9, 12, …, ρ ≈ 1.3247 the plastic number
Places     the sentence of the paper that each answers or sharpens
"""

from verify.claims.model import Claim, Kind
from verify.claims.shorthand import MATERIAL, SLIP, at

QUESTION = at("4.2", 290)

LOGDEPTH = (
    Claim(
        "beyond.logdepth",
        "WTAs on arbitrary trees with O(log T) layers",
        Kind.BEYOND,
        QUESTION,
        "For every WTA a transformer with 2 + O(log N) layers simulates it exactly on every tree "
        "with N leaves, at every position of I_t.",
        "a WTA and a tree on which the construction is wrong or takes more layers",
        MATERIAL,
        rests_on=(
            "beyond.logdepth.construction",
            "beyond.logdepth.step",
            "beyond.logdepth.steps-bound",
        ),
    ),
    Claim(
        "beyond.logdepth.construction",
        "The construction is exact",
        Kind.BEYOND,
        QUESTION,
        "Two preparation layers and one weight-tied layer, repeated, with three heads and a "
        "bilinear block, give μ at every position of I_t.",
        "a tree and a position with another value",
        MATERIAL,
    ),
    Claim(
        "beyond.logdepth.preparation",
        "Two preparation layers find depths and children",
        Kind.BEYOND,
        QUESTION,
        "After two layers each node knows what its heads need to find left child and right child.",
        "a tree and a node whose head attends elsewhere",
        MATERIAL,
    ),
    Claim(
        "beyond.logdepth.step",
        "One step keeps the invariant",
        Kind.BEYOND,
        QUESTION,
        "If μ(v) = M μ(c) + b holds at every node before a step, it holds after it, with M', b', "
        "f', g', c' given by polynomials of degree two.",
        "a node and a step after which the identity fails",
        MATERIAL,
    ),
    Claim(
        "beyond.logdepth.steps-bound",
        "At most log_ρ((N+1)/2) steps",
        Kind.BEYOND,
        QUESTION,
        "A tree that takes at least k steps has at least P_k - 1 leaves, so that N leaves take at "
        "most log_ρ((N+1)/2) steps.",
        "a tree with fewer leaves that takes k steps",
        MATERIAL,
    ),
    Claim(
        "beyond.logdepth.steps-tight",
        "The bound is attained",
        Kind.BEYOND,
        QUESTION,
        "The trees t_k = (leaf, (t_{k-3}, t_{k-2})) take k steps with the least number of leaves.",
        "a k for which t_k takes another number of steps",
        SLIP,
    ),
    Claim(
        "beyond.logdepth.combs",
        "Combs take 2 + ⌊log2(N-2)⌋ steps",
        Kind.BEYOND,
        QUESTION,
        "A comb with N ≥ 3 leaves takes 2 + ⌊log2(N-2)⌋ steps.",
        "a comb that takes another number",
        SLIP,
    ),
    Claim(
        "beyond.logdepth.height",
        "Never more steps than the height",
        Kind.BEYOND,
        QUESTION,
        "No tree takes more steps than its height.",
        "a tree that does",
        SLIP,
    ),
    Claim(
        "beyond.logdepth.positions",
        "Integer and circular positions both do",
        Kind.BEYOND,
        QUESTION,
        "The heads work with positions i, i² and with cosines and sines.",
        "a tree on which one of the two fails",
        SLIP,
    ),
    Claim(
        "beyond.logdepth.causal",
        "Causal masks are enough",
        Kind.BEYOND,
        QUESTION,
        "A variant that reads the state at the closing bracket needs causal masks only.",
        "a tree on which it fails",
        SLIP,
    ),
    Claim(
        "beyond.logdepth.soft",
        "Soft attention and MLP with a certified bound",
        Kind.BEYOND,
        QUESTION,
        "With soft attention and smooth MLPs the error is bounded by a recursion and made smaller "
        "than any ε by the constants.",
        "a tree and constants for which the error exceeds the bound",
        MATERIAL,
    ),
    Claim(
        "beyond.logdepth.sizes",
        "Sizes of the construction",
        Kind.BEYOND,
        QUESTION,
        "Embedding O(n²), three heads, a bilinear block of degree two, and a number of parameters "
        "that does not depend on the tree.",
        "a built model with other sizes",
        SLIP,
    ),
)

MULTIPLYING = (
    Claim(
        "beyond.mlp.slim",
        "4n³ units multiply two n × n matrices",
        Kind.BEYOND,
        at("B.2", 773),
        "Four smooth units a product, 4n³ in all, give the matrix product to any precision on a "
        "box, with a rigorous remainder; fewer than the printed width for every n.",
        "an n, a box and an ε for which the bound fails",
        MATERIAL,
    ),
    Claim(
        "beyond.mlp.fast",
        "Fewer units by fast multiplication",
        Kind.BEYOND,
        at("B.2", 773),
        "Strassen's seven products bring the width below 4n³ where n is even.",
        "an even n for which the width is not smaller or the product wrong",
        SLIP,
    ),
    Claim(
        "beyond.mlp.relu-lower",
        "A lower bound for ReLU",
        Kind.BEYOND,
        at("B.2", 731),
        "A ReLU network with N hidden units misses x² on [0,1] by at least 1/(8(N+1)²).",
        "a network that comes closer",
        MATERIAL,
    ),
    Claim(
        "beyond.saturation",
        "How large C must be",
        Kind.BEYOND,
        at("B.2", 818),
        "A closed form in T, ε and the norms gives a C that is enough for all words; it grows like "
        "T² (log T + log 1/ε + log of the amplification).",
        "an automaton, T and ε for which that C is too small",
        MATERIAL,
    ),
    Claim(
        "beyond.precision",
        "What floating point allows",
        Kind.BEYOND,
        at("B.2", 770),
        "For float16, bfloat16, float32 and float64 there is a largest T at which the heads still "
        "find their position, and a smallest error of soft attention.",
        "a format and a T beyond the stated one that still works",
        SLIP,
    ),
    Claim(
        "beyond.speed",
        "The engines are fast enough to use",
        Kind.BEYOND,
        at("B.1", 603),
        "The default engine proves (n, T) = (3, 8) at least 300 times faster than plain SymPy "
        "matrices, and certifies errors at least 40 times faster than a dense pass measures them.",
        "a ratio, measured in one run, below the stated one",
        SLIP,
    ),
    Claim(
        "beyond.tree.soft",
        "Error recursion for trees",
        Kind.BEYOND,
        at("C", 906),
        "Soft attention and smooth MLPs in the repaired tree construction have an error bounded by "
        "a recursion over heights.",
        "a tree and constants for which the error exceeds the bound",
        MATERIAL,
    ),
    Claim(
        "beyond.tree.width",
        "A smaller MLP for the tree construction",
        Kind.BEYOND,
        at("C", 888),
        "The gated bilinear map takes O(n³) smooth units, not O(n⁴).",
        "an n for which the built width is larger",
        SLIP,
    ),
    Claim(
        "beyond.counting-one-layer",
        "One layer counts zeros at every length",
        Kind.BEYOND,
        at("5.2", 331),
        "A transformer with one layer gives the states of the zero-counting WFA at every length.",
        "a length and a word on which it fails",
        MATERIAL,
    ),
    Claim(
        "beyond.pautomac",
        "The paper's targets have shortcuts by construction",
        Kind.BEYOND,
        at("5.1", 325),
        "For the ten PAutomaC automata at T = 64 the construction with six layers gives the exact "
        "states.",
        "an automaton and a word on which a state differs",
        MATERIAL,
    ),
)

CLAIMS: tuple[Claim, ...] = LOGDEPTH + MULTIPLYING
