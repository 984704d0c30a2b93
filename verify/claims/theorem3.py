"""Theorem 3: transformers simulate weighted tree automata; the statement, sizes and remarks.

Claims     the theorem, its footnote's sizes, its discussion, the remarks that close Section 4.2
Notation   p size of the positional embedding, depth(t) height of the tree
Places     Section 4.2, restated in Appendix C; steps in `theorem3_left`, `theorem3_right`
"""

from verify.claims.model import Claim, Kind
from verify.claims.shorthand import MATERIAL, SLIP, at, charitable, repaired

STATEMENT = (
    Claim(
        "thm3.exists",
        "Transformers simulate every WTA to any precision",
        Kind.THEOREM,
        at("4.2", 283, 286, "thm:approx.wta"),
        "For every WTA with n states, T and ε > 0 there is a transformer of the printed sizes "
        "that simulates it at length T within ε, with depth O(T), or O(log T) on balanced trees.",
        "a WTA and a tree that no transformer of these sizes gets right within ε",
        MATERIAL,
        (
            charitable(
                "Embedding O(n) beside the coordinates that positions and depth need; masks "
                "may be used.",
                "sizes in n for fixed T; Section 2.4 has no masks",
            ),
            repaired(
                "The repaired construction, masks or extra layers included, simulates every WTA "
                "on every tree with |str(t)| ≤ T.",
                "each repair of the proof listed",
            ),
        ),
        ("wta.sim.definition", "wta.sim.approximate"),
    ),
    Claim(
        "thm3.size.order",
        "Orders of growth of Theorem 3",
        Kind.SIZE,
        at("4.2", 285),
        "Embedding dimension and attention width are O(n), with O(1) heads.",
        "a coordinate count that grows with T, or faster than n",
        MATERIAL,
        (charitable("For fixed T.", "the step function's coordinates may grow with T"),),
    ),
    Claim(
        "thm3.size.mlp-order",
        "MLP width O(n³)",
        Kind.SIZE,
        at("4.2", 285),
        "An MLP of width O(n³) is enough for one layer.",
        "the proof's own count, or a built model, that needs another order",
        SLIP,
    ),
    Claim(
        "thm3.size.depth",
        "Depth is exactly 1 + depth(t)",
        Kind.FOOTNOTE,
        at("4.2", 285),
        "The number of layers is exactly one more than the depth of the tree.",
        "a tree for which the construction of the proof has another number of layers",
        SLIP,
        (
            repaired(
                "Two layers for the depths, at least, then depth(t) parse layers.",
                "the proof itself takes two layers before parsing",
            ),
        ),
    ),
    Claim(
        "thm3.size.embedding",
        "Embedding dimension n + 4 + p",
        Kind.FOOTNOTE,
        at("4.2", 285),
        "The embedding dimension is n + 4 + p, with p the size of the positional embedding.",
        "a coordinate of the construction that this count leaves out",
        SLIP,
        (
            charitable(
                "The enriched embedding has n + p + 4 coordinates.",
                "the MLP's input, with both children, has 3n + p + 4",
            ),
        ),
    ),
    Claim(
        "thm3.size.attention-width",
        "Attention width n + 4 + p",
        Kind.FOOTNOTE,
        at("4.2", 285),
        "The attention width is n + 4 + p.",
        "a head whose queries, keys or values need more",
        SLIP,
    ),
    Claim(
        "thm3.size.mlp-width",
        "MLP width ½(2n+1)(2n+2)",
        Kind.FOOTNOTE,
        at("4.2", 285),
        "The MLP width is ½(2n+1)(2n+2), that is C(2n+2, 2).",
        "a map of the proof, of degree four in more than 2n inputs, that this width does not "
        "cover; or the order O(n³) of the same sentence",
        SLIP,
        (
            charitable(
                "That width covers the bilinear part alone, with a smooth activation.",
                "gate and copied coordinates are left out",
            ),
        ),
        ("mlp.width",),
    ),
    Claim(
        "thm3.size.no-large-constant",
        "The orders hide no large constant",
        Kind.FOOTNOTE,
        at("4.2", 285),
        "The big O notation hides no large constant: exact figures follow.",
        "an exact figure that contradicts the order in the theorem",
        SLIP,
        rests_on=("thm3.size.depth", "thm3.size.embedding", "thm3.size.mlp-width"),
    ),
    Claim(
        "thm3.size.heads",
        "A constant number of heads",
        Kind.SIZE,
        at("4.2", 285),
        "O(1) attention heads are enough.",
        "a number of heads that grows with n or T",
        SLIP,
    ),
    Claim(
        "thm3.depth.arbitrary",
        "Depth O(T) for arbitrary trees",
        Kind.SIZE,
        at("4.2", 285),
        "Arbitrary trees are simulated with O(T) layers.",
        "a tree that needs more layers than a constant times T",
        MATERIAL,
        rests_on=("thm3.exists",),
    ),
    Claim(
        "thm3.depth.balanced",
        "Depth O(log T) for balanced trees",
        Kind.SIZE,
        at("4.2", 285),
        "Balanced trees, those of depth of order log T, are simulated with O(log T) layers.",
        "balanced trees for which the construction takes more layers",
        MATERIAL,
        rests_on=("thm3.exists",),
    ),
    Claim(
        "thm3.restated",
        "Theorem 3 restated",
        Kind.THEOREM,
        at("C", 826, 828, "thm:approx.wta"),
        "The appendix repeats Theorem 3 in the same words, without the footnote's sizes.",
        "a difference between the two wordings",
        SLIP,
        rests_on=("thm3.exists",),
    ),
)

DISCUSSION = (
    Claim(
        "thm3.idea",
        "Attend to both children, then apply the bilinear map",
        Kind.TEXT,
        at("4.2", 287),
        "Each node attends to its left and right subtree, and the feed-forward layer approximates "
        "the bilinear map of their states.",
        "a node whose head cannot attend to its child",
        MATERIAL,
        rests_on=("thm3.left-head", "thm3.right-head"),
    ),
    Claim(
        "thm3.modes",
        "Modes one and two, or two and three",
        Kind.EQUATION,
        at("4.2", 287),
        "μ((t1,t2)) = T ×_1 μ(t1) ×_2 μ(t2), where Definition 2.3 contracts modes two and three.",
        "a tensor for which the two contractions differ",
        SLIP,
        (repaired("T ×_2 μ(t1) ×_3 μ(t2), as in Definition 2.3.", "modes of the definition"),),
        ("pre.wta.definition",),
    ),
    Claim(
        "thm3.leaf-initial",
        "Leaves start with their state",
        Kind.TEXT,
        at("4.2", 287),
        "In the initial embedding each leaf position holds its leaf state v_σ.",
        "a leaf position that holds something else",
        SLIP,
    ),
    Claim(
        "thm3.after-one",
        "After one layer depth up to 2 is done",
        Kind.TEXT,
        at("4.2", 287),
        "After one layer the states of all subtrees of depth up to 2, leaves and pairs of leaves, "
        "are computed.",
        "a pair of leaves whose state is not there after one layer of the construction",
        SLIP,
        (
            charitable(
                "One parse layer, with a leaf's depth counted as 1.",
                "the proof counts a leaf as depth 0 and spends layers on depths first",
            ),
        ),
        ("thm3.invariant",),
    ),
    Claim(
        "thm3.after-l",
        "After l layers depth up to l + 1 is done",
        Kind.TEXT,
        at("4.2", 287),
        "After the l-th layer all states of subtrees of depth up to l + 1 are computed.",
        "a subtree of depth at most l + 1 whose state is not there",
        SLIP,
        (
            charitable(
                "l parse layers, a leaf's depth counted as 1.", "layers of the second part only"
            ),
        ),
        ("thm3.invariant",),
    ),
    Claim(
        "thm3.layers-are-depth",
        "As many layers as the tree is deep",
        Kind.TEXT,
        at("4.2", 287),
        "After as many layers as the depth of the tree all states have been computed.",
        "a tree for which this number of layers is not enough, or the footnote's 1 + depth(t)",
        SLIP,
        (
            charitable(
                "As many parse layers as the height of the tree, leaves at height 0.",
                "parse layers only; layers for the depths come first",
            ),
        ),
        ("thm3.invariant",),
    ),
    Claim(
        "thm3.depth-convention",
        "One convention for the depth of a leaf",
        Kind.TEXT,
        at("4.2", 287),
        "Depth is used in one sense: subtrees (σ1, σ2) have depth 2 here, depth 1 in the proof.",
        "two passages that give the same tree different depths",
        SLIP,
        (repaired("A leaf has depth 0 throughout.", "one convention"),),
    ),
)

REMARKS = (
    Claim(
        "obs.balanced",
        "Balanced trees need O(log T) layers",
        Kind.TEXT,
        at("4.2", 289),
        "For all balanced trees all states are computed after O(log T) layers.",
        "balanced trees that take more",
        SLIP,
        rests_on=("thm3.depth.balanced",),
    ),
    Claim(
        "obs.shortcut",
        "On balanced trees the construction is a shortcut",
        Kind.TEXT,
        at("4.2", 289),
        "Restricted to trees of depth O(log T) the construction is a shortcut.",
        "a definition of shortcut that does not speak of trees, or a depth that is not o(T)",
        SLIP,
        (
            charitable(
                "Shortcut in the sense of Definition 3.3, carried over to WTAs.",
                "Definition 3.3 speaks of WFAs only",
            ),
        ),
        ("thm3.depth.balanced", "sim.shortcut.definition"),
    ),
    Claim(
        "obs.comb.linear",
        "A comb takes O(T) layers",
        Kind.TEXT,
        at("4.2", 290),
        "The most unbalanced tree is a comb, and the construction takes O(T) layers on it.",
        "a tree of greater depth for its length, or a comb that takes fewer layers than order T",
        SLIP,
        (
            charitable(
                "The construction takes a number of layers of exact order T on a comb.", "Θ for O"
            ),
        ),
    ),
    Claim(
        "obs.comb.wfa",
        "A comb can be computed by a WFA",
        Kind.TEXT,
        at("4.2", 290),
        "On a comb the WTA's computation can be carried out by a WFA.",
        "a WTA whose states on combs are the states of no WFA reading the same leaves",
        MATERIAL,
        (
            charitable(
                "A WFA with n + 1 states, or n, that reads the leaves from the last to the first.",
                "a right comb is evaluated from its end; the first leaf needs a state of its own",
            ),
        ),
    ),
    Claim(
        "obs.comb.log",
        "A comb can be simulated with O(log T) layers",
        Kind.TEXT,
        at("4.2", 290),
        "By the WFA results the computation on a comb is simulated with O(log T) layers.",
        "a comb on which the sequence construction fails",
        SLIP,
        rests_on=("obs.comb.wfa", "thm2.exists"),
    ),
    Claim(
        "obs.question",
        "Can arbitrary trees be done with O(log T) layers?",
        Kind.QUESTION,
        at("4.2", 290),
        "The paper asks for a construction between the two that simulates WTAs on arbitrary trees "
        "with O(log T) layers.",
        "a proof that no such construction exists",
        MATERIAL,
        (charitable("Such a construction exists.", "the question answered in the affirmative"),),
    ),
    Claim(
        "obs.learn",
        "Transformers can learn shortcuts to WTAs on balanced trees",
        Kind.TEXT,
        at("4.2", 290),
        "The result shows that transformers can learn shortcuts to WTAs on balanced trees.",
        "a result about existence, with no training and no statement on learning",
        SLIP,
        (
            charitable(
                "Shortcuts to WTAs on balanced trees exist among transformers.", "exist, not learn"
            ),
        ),
        ("thm3.depth.balanced",),
        tags=("over-claim",),
    ),
)

CLAIMS: tuple[Claim, ...] = STATEMENT + DISCUSSION + REMARKS
