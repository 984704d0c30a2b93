"""Section 2: weighted automata, trees, the transformer, bilinear layers.

Claims     types and shapes of each definition, and the remarks made beside them
Notation   α, A^σ, β of a WFA; α, T, v_σ of a WTA; W_Q, W_K, W_V of a head; ×_k contracts mode k
"""

from verify.claims.model import Claim, Kind
from verify.claims.shorthand import MATERIAL, SLIP, at, charitable, repaired

SEQUENCES = (
    Claim(
        "pre.columns",
        "All vectors are column vectors",
        Kind.DEFINITION,
        at("2.1", 112),
        "All vectors are column vectors unless it is said otherwise.",
        "a vector that is used as a row without notice, such as an embedding or a state",
        SLIP,
        (
            charitable(
                "Tokens and states are rows, parameters α, β, v are columns.",
                "rows where X stacks tokens; the proof of Theorem 3 stacks columns again",
            ),
        ),
    ),
    Claim(
        "pre.wfa.subsumes",
        "WFAs subsume DFAs and NFAs",
        Kind.TEXT,
        at("2.2", 121),
        "Deterministic and non-deterministic finite automata are WFAs.",
        "a finite automaton whose language no real WFA recognises by non-zero weight",
        MATERIAL,
        (
            charitable(
                "With 0/1 matrices, a word is accepted when its weight is non-zero.",
                "a real WFA counts accepting paths",
            ),
        ),
        ("pre.wfa.definition",),
    ),
    Claim(
        "pre.wfa.definition",
        "Weighted finite automaton",
        Kind.DEFINITION,
        at("2.2", 123, 125),
        "A WFA is α, {A^σ}, β with α, β in R^n and A^σ n × n, and maps x_1…x_t to "
        "αᵀ A^x1 ⋯ A^xt β.",
        "shapes that do not fit, or a sum over paths that differs",
        MATERIAL,
    ),
    Claim(
        "pre.wfa.product",
        "Products of transition maps",
        Kind.DEFINITION,
        at("2.2", 127),
        "A^{x_1…x_t} is the product in order, so A^{uv} = A^u A^v and A^ε = I.",
        "words u, v for which the product law fails",
        SLIP,
    ),
    Claim(
        "pre.wfa.state",
        "State of a WFA",
        Kind.DEFINITION,
        at("2.2", 129),
        "The state on x_1…x_t is αᵀ A^x1 ⋯ A^xt, in likeness to a DFA.",
        "a DFA whose state, as a unit vector, is not this product",
        SLIP,
    ),
    Claim(
        "pre.wfa.states",
        "Sequence of states",
        Kind.EQUATION,
        at("2.2", 130, 135),
        "A(x) collects the states of all T + 1 prefixes as (αᵀ, αᵀA^x1, …)ᵀ.",
        "a shape other than (T+1) × n",
        SLIP,
        (
            charitable(
                "The states are stacked as rows of a (T+1) × n matrix.",
                "a row of rows, transposed, is one column of length n(T+1)",
            ),
        ),
    ),
    Claim(
        "pre.wfa.hmm",
        "HMMs are a subset of WFAs",
        Kind.TEXT,
        at("2.2", 136),
        "WFAs encompass many families, hidden Markov models among them.",
        "an HMM whose probabilities no WFA computes",
        SLIP,
        rests_on=("fam.hmm.equal",),
    ),
)

TREES = (
    Claim(
        "pre.wta.extend",
        "WTAs extend WFAs to trees",
        Kind.TEXT,
        at("2.3", 140),
        "Weighted tree automata extend the notion of WFAs to trees.",
        "a WFA that no WTA reproduces on any encoding of words as trees",
        SLIP,
    ),
    Claim(
        "pre.trees.definition",
        "Binary trees with labelled leaves",
        Kind.DEFINITION,
        at("2.3", 141, 144),
        "The trees over Σ are the smallest set that contains Σ and all pairs of its members.",
        "a pair that is also a letter, so that a tree is both leaf and node",
        SLIP,
        (charitable("For alphabets that contain no pairs of trees.", "letters are atoms"),),
    ),
    Claim(
        "pre.wta.bottom-up",
        "A WTA computes bottom up",
        Kind.TEXT,
        at("2.3", 146),
        "States of leaves are n-dimensional vectors, states of nodes come from a bilinear map of "
        "the children's states, and the output is linear in the root's state.",
        "a definition that does otherwise",
        SLIP,
        rests_on=("pre.wta.definition",),
    ),
    Claim(
        "pre.wta.definition",
        "Weighted tree automaton",
        Kind.DEFINITION,
        at("2.3", 147, 153),
        "A WTA is α, an n × n × n tensor and leaf vectors; μ((t1,t2)) = T ×_2 μ(t1) ×_3 μ(t2) and "
        "f(t) = ⟨α, μ(t)⟩.",
        "shapes that do not fit",
        MATERIAL,
        (
            charitable(
                "×_k contracts mode k with a vector and the result is a vector.",
                "the mode product with a column vector is not defined in print",
            ),
        ),
    ),
    Claim(
        "pre.wta.states",
        "States of a WTA",
        Kind.TEXT,
        at("2.3", 154),
        "The states are the vectors μ(τ) of all subtrees τ; Figure 2 shows an example.",
        "a subtree whose state has another dimension",
        SLIP,
    ),
    Claim(
        "pre.wta.derivations",
        "Derivation trees form a regular tree language",
        Kind.CITATION,
        at("2.3", 156),
        "The derivation trees of a context-free grammar are recognised by a tree automaton.",
        "a grammar whose derivation trees no tree automaton recognises",
        SLIP,
    ),
    Claim(
        "pre.wta.wcfg",
        "A weighted grammar sums a WTA over derivation trees",
        Kind.CITATION,
        at("2.3", 156),
        "A weighted context-free grammar gives a sequence the sum of a WTA's values on its "
        "derivation trees.",
        "a weighted grammar and a sequence for which the two differ",
        SLIP,
        (
            charitable(
                "For grammars in Chomsky normal form, whose derivations are binary trees with "
                "letters at the leaves.",
                "the WTAs here know binary trees only",
            ),
        ),
    ),
)

ARCHITECTURE = (
    Claim(
        "pre.transformer.similar",
        "Very similar to the original encoder",
        Kind.TEXT,
        at("2.4", 160),
        "The architecture is very similar to the encoder of the original transformer.",
        "residual connections, normalisation and the scaling of scores, which are left out",
        SLIP,
        (
            charitable(
                "It has the encoder's two blocks in the encoder's order, and no residual connections, "
                "normalisation or scaling of scores.",
                "what is kept and what is left out, in place of a degree",
            ),
        ),
        uncheckable="how similar is very similar is a matter of degree",
    ),
    Claim(
        "pre.attention.definition",
        "Self-attention",
        Kind.EQUATION,
        at("2.4", 161, 164),
        "f(X) = softmax(X W_Q W_Kᵀ Xᵀ) X W_V, with the softmax taken row by row.",
        "shapes that do not fit",
        SLIP,
    ),
    Claim(
        "pre.attention.one-width",
        "One width k for queries, keys and values",
        Kind.DEFINITION,
        at("2.4", 165),
        "W_Q, W_K and W_V are all d × k with one k, usually below d.",
        "a head of the constructions whose W_Q is d × 2 and whose W_V is d × d",
        SLIP,
        (repaired("W_Q and W_K are d × k, W_V is d × k'.", "two widths"),),
    ),
    Claim(
        "pre.attention.hard",
        "Hard attention",
        Kind.DEFINITION,
        at("2.4", 167),
        "Hard attention sets the largest entry of each row to 1 and all others to 0.",
        "a row whose largest value occurs twice",
        SLIP,
        (charitable("For rows with a unique largest entry.", "ties are not treated"),),
    ),
    Claim(
        "pre.attention.multihead",
        "Multi-head attention block",
        Kind.DEFINITION,
        at("2.4", 169),
        "h heads are concatenated and mapped by a linear layer.",
        "a use in the constructions without that linear layer",
        SLIP,
    ),
    Claim(
        "pre.transformer.map",
        "A transformer maps T × d to T × d",
        Kind.DEFINITION,
        at("2.4", 172),
        "An L-layer transformer maps R^{T×d} to R^{T×d}.",
        "a construction with another number of tokens or a readout to n coordinates",
        SLIP,
        (
            charitable(
                "Embedding and readout come before and after; pads make 2T tokens.",
                "length and last dimension differ in use",
            ),
        ),
    ),
    Claim(
        "pre.transformer.composition",
        "Layers are attention, then feed-forward",
        Kind.EQUATION,
        at("2.4", 173, 177),
        "The network is the composition of all layers, each a feed-forward block after an "
        "attention block; it is written f_ft here and f_tf before.",
        "an order of composition other than the described one, or two names for one map",
        SLIP,
        (charitable("f_ft is f_tf.", "one name"),),
    ),
    Claim(
        "pre.transformer.mlp",
        "The feed-forward block is an MLP",
        Kind.DEFINITION,
        at("2.4", 178),
        "The feed-forward block is an MLP whose parameters may differ from layer to layer.",
        "a theorem that uses another block under this name",
        SLIP,
        (
            charitable(
                "Except in Theorem 1, where a bilinear layer takes its place.",
                "the exception is named in the theorem",
            ),
        ),
    ),
    Claim(
        "pre.bilinear.definition",
        "Bilinear layer",
        Kind.DEFINITION,
        at("2.5", 182, 189),
        "BilinearLayer(x_1, x_2) = T ×_1 x_1 ×_2 x_2 + b with T of shape d_1 × d_2 × d_3.",
        "shapes that do not fit",
        SLIP,
    ),
    Claim(
        "pre.bilinear.universal",
        "Every bilinear map is such a layer",
        Kind.TEXT,
        at("2.5", 190),
        "Every bilinear map is computed by a bilinear layer, as a tensor represents it.",
        "a bilinear map that no tensor represents",
        SLIP,
        (charitable("With b = 0.", "a layer with b ≠ 0 is not bilinear"),),
    ),
    Claim(
        "pre.bilinear.prior",
        "Bilinear layers have been used before",
        Kind.CITATION,
        at("2.5", 190),
        "Bilinear layers were introduced and used in multi-modal and multi-view learning.",
        "cited works that do not use them",
        SLIP,
        uncheckable="what cited works used is history, not something to compute",
    ),
    Claim(
        "fig.wfa",
        "Figure 1: the word abba",
        Kind.FIGURE,
        at("2.5", 192, 197, "fig:wfa"),
        "The figure shows the simulation of a WFA on w = abba.",
        "a drawing that shows another computation",
        SLIP,
        uncheckable="the figure's image is not part of the source",
    ),
)

CLAIMS: tuple[Claim, ...] = SEQUENCES + TREES + ARCHITECTURE
