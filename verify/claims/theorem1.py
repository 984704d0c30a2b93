"""Theorem 1 and its proof: hard attention and a bilinear layer simulate every WFA exactly.

Claims     the statement in both wordings, its sizes, and the assumptions of the proof
Notation   n states, T length, L = log2 T layers, positions -T+1 … T, heads (L) and (R)
Places     Section 3.2 for the statement, Appendix B.1 for the rest; steps in `theorem1_steps`
"""

from verify.claims.model import Claim, Kind
from verify.claims.shorthand import MATERIAL, SLIP, at, charitable, repaired

STATEMENT = (
    Claim(
        "thm1.exact",
        "Hard attention and bilinear layers simulate every WFA exactly",
        Kind.THEOREM,
        at("3.2", 232, 235, "thmexact"),
        "For every n, T and every WFA with n states there is a transformer with hard attention and "
        "bilinear layers whose output on every word of length T is the sequence of states.",
        "a WFA, a length and a word on which the built transformer gives another state",
        MATERIAL,
        (
            repaired(
                "As stated, with the T + 1 states from the empty prefix to the whole word as "
                "output.",
                "Definition 3.1 asks for T rows, the sequence of states has T + 1",
            ),
        ),
        ("pre.wfa.definition", "pre.bilinear.definition", "sim.exact.definition"),
    ),
    Claim(
        "thm1.size.order",
        "Orders of growth of Theorem 1",
        Kind.SIZE,
        at("3.2", 233),
        "Depth O(log T), embedding dimension, attention width and MLP width O(n²) and O(1) heads "
        "are enough for Theorem 1.",
        "a size of the built model that outgrows the printed order",
        MATERIAL,
        rests_on=("thm1.exact",),
    ),
    Claim(
        "thm1.restated",
        "Theorem 1 with its exact sizes",
        Kind.THEOREM,
        at("B.1", 594, 596, "thmexact"),
        "The appendix restates Theorem 1 with depth log T, embedding dimension and attention width "
        "2n² + 2 and MLP width 2n², for all T.",
        "a length or a number of states for which no model of these sizes is exact",
        MATERIAL,
        (
            repaired(
                "Depth ⌈log2 T⌉, with positional coordinates supplied anew at each layer.",
                "log T is no integer unless T is a power of two; positions at each layer are "
                "part of the sizes",
            ),
        ),
        (
            "thm1.exact",
            "thm1.size.depth",
            "thm1.size.embedding",
            "thm1.size.attention-width",
            "thm1.size.mlp-width",
        ),
    ),
    Claim(
        "thm1.size.depth",
        "Depth log T",
        Kind.SIZE,
        at("B.1", 595),
        "The exact construction has log T layers.",
        "a T for which the number of layers is not log2 T",
        SLIP,
        (
            charitable(
                "For T a power of two the depth is log2 T.",
                "T restricted to powers of two, as the proof assumes",
            ),
            repaired(
                "For every T ≥ 1 the depth is ⌈log2 T⌉.",
                "rounded up, so that every length is covered",
            ),
        ),
    ),
    Claim(
        "thm1.size.embedding",
        "Embedding dimension 2n² + 2",
        Kind.SIZE,
        at("B.1", 595),
        "The exact construction has embedding dimension 2n² + 2.",
        "a built model with another embedding dimension",
        MATERIAL,
    ),
    Claim(
        "thm1.size.attention-width",
        "Attention width 2n² + 2",
        Kind.SIZE,
        at("B.1", 595),
        "The exact construction has attention width 2n² + 2.",
        "a built model whose query, key or value width is another number",
        SLIP,
        (
            charitable(
                "The width of a head's values is 2n² + 2; queries and keys have width 2.",
                "Section 2.4 gives queries, keys and values one width k",
            ),
        ),
    ),
    Claim(
        "thm1.size.mlp-width",
        "MLP width 2n²",
        Kind.SIZE,
        at("B.1", 595),
        "The bilinear block that stands for the MLP has width 2n².",
        "a built model whose feed-forward block has another width",
        SLIP,
        (
            charitable(
                "The two selected inputs of the bilinear layer have 2n² coordinates together.",
                "width of a bilinear layer is not defined; here the size of its inputs",
            ),
        ),
    ),
    Claim(
        "thm1.size.heads",
        "Two heads suffice",
        Kind.SIZE,
        at("B.1", 636),
        "Every self-attention block of the exact construction has two heads.",
        "a layer that needs a third head",
        SLIP,
        (
            charitable(
                "Two heads, where positional coordinates are available at each layer for free.",
                "carrying the positions by attention takes a third head",
            ),
        ),
    ),
)

SETTING = (
    Claim(
        "thm1.idea.copies",
        "Two copies, one shifted by a power of two",
        Kind.TEXT,
        at("B.1", 598),
        "The proof runs the parallel scan: two copies of each transition map are stored and "
        "attention shifts one of them by a power of two.",
        "a layer whose head does not shift by a power of two",
        SLIP,
        rests_on=("thm1.shift", "scan.invariant"),
    ),
    Claim(
        "thm1.idea.every-combination",
        "Every ordered combination of transition maps",
        Kind.TEXT,
        at("B.1", 600),
        "After log T layers every ordered combination of transition maps has been obtained, as in "
        "the parallel scan.",
        "an ordered product of consecutive maps that no position holds after the last layer",
        SLIP,
        (
            charitable(
                "After log T layers every prefix product has been obtained.",
                "the scan yields T prefixes, not all T(T+1)/2 infixes",
            ),
        ),
        ("thm1.recover",),
    ),
    Claim(
        "thm1.any-length",
        "Padding extends the construction to every T",
        Kind.TEXT,
        at("B.1", 607),
        "It is enough to treat T a power of two: padding extends the construction to arbitrary T.",
        "a T that is no power of two for which the padded construction is wrong",
        MATERIAL,
        rests_on=("thm1.exact",),
    ),
    Claim(
        "thm1.pads",
        "T extra tokens that carry the identity",
        Kind.TEXT,
        at("B.1", 608),
        "With T extra tokens at positions -T+1 … 0, embedded as vectorised identities, the shifted "
        "maps always find their place.",
        "a word for which the head wraps around into data that reach a position 0 … T",
        MATERIAL,
    ),
    Claim(
        "thm1.pads.mlp-instead",
        "A more complicated MLP could replace the pads",
        Kind.TEXT,
        at("B.1", 608),
        "The same could equally be achieved without pads by a more complicated MLP.",
        "no construction without pads at the printed sizes",
        SLIP,
        (
            charitable(
                "Some construction without identity pads exists, with a larger feed-forward block.",
                "nothing is said of the sizes it takes",
            ),
        ),
        uncheckable="the paper gives no such construction, and none is built or excluded here",
    ),
    Claim(
        "thm1.pads.needed",
        "The buffer takes T tokens",
        Kind.TEXT,
        at("B.1", 608),
        "T extra tokens are what the buffer of the shifted maps needs.",
        "a smaller number of pads with which every output is still exact",
        SLIP,
    ),
    Claim(
        "thm1.no-residual",
        "No residual connections are used",
        Kind.TEXT,
        at("B.1", 609),
        "The construction works without residual connections.",
        "a step of the construction that needs the block's own input",
        SLIP,
        rests_on=("thm1.positions.access",),
    ),
    Claim(
        "thm1.saturated",
        "Hard or saturated attention, one bilinear layer a block",
        Kind.TEXT,
        at("B.1", 610),
        "Hard and saturated attention may be used alike, and one bilinear layer serves as the MLP.",
        "a row of scores with a tie, where the two kinds of attention differ",
        SLIP,
        rests_on=("thm1.argmax",),
    ),
    Claim(
        "thm1.positions.access",
        "Positional encodings at each layer",
        Kind.TEXT,
        at("B.1", 611),
        "Positional encodings are assumed to be available at each layer.",
        "an output block that already keeps them, or a layer that does not read them",
        SLIP,
    ),
    Claim(
        "thm1.positions.third-head",
        "A third head could carry the positions",
        Kind.TEXT,
        at("B.1", 611),
        "A third attention head is an easy way to keep the positional encodings at each layer.",
        "no third head, at the printed embedding dimension, whose block keeps the positions",
        SLIP,
    ),
    Claim(
        "thm1.positions.residual",
        "Residual connections could carry the positions",
        Kind.TEXT,
        at("B.1", 611),
        "Residual connections are another easy way to keep the positional encodings.",
        "no residual variant of the construction that stays exact",
        SLIP,
        (
            charitable(
                "With a residual connection, and values or W_out changed so that the maps are "
                "replaced and not added to.",
                "W_out must subtract what the residual adds",
            ),
        ),
    ),
    Claim(
        "thm1.without-assumptions",
        "The assumptions are for ease of exposition only",
        Kind.TEXT,
        at("B.1", 613),
        "All listed assumptions, hard attention and the bilinear layer among them, could be "
        "dropped in a more complicated proof.",
        "an assumption without which exact simulation at these sizes is impossible",
        MATERIAL,
        (
            charitable(
                "Length, pads, missing residuals and free positions are for ease only.",
                "hard attention and the bilinear layer are left out: they are the theorem's "
                "own hypotheses",
            ),
        ),
        uncheckable="the paper gives no proof without them; neither one nor an impossibility is "
        "shown here",
        tags=("over-claim",),
    ),
)

CLAIMS: tuple[Claim, ...] = STATEMENT + SETTING
