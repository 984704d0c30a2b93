"""Section 5: what the experiments are said to show.

Claims     each sentence with a number or a comparison; PAutomaC, layers, embedding size
Notation   T length, L layers, d embedding size, k counted symbols, n = k + 1 states
Places     Section 5; the training details of Appendix D.1 are in `training`
"""

from verify.claims.model import Claim, Kind
from verify.claims.shorthand import MATERIAL, SLIP, at, charitable, repaired

FINDINGS = (
    Claim(
        "exp.simulate",
        "Trained transformers simulate WFAs approximately",
        Kind.EXPERIMENT,
        at("5", 318),
        "Transformers trained on state sequences are capable of approximately simulating WFAs.",
        "training as described that stays far from the target",
        MATERIAL,
        (
            charitable(
                "Mean squared error below 10⁻³ on test words of the training length is reached "
                "for some automata.",
                "Definition 3.2 bounds the norm for all words",
            ),
        ),
    ),
    Claim(
        "exp.layers-matter",
        "The number of layers has an important effect, as predicted",
        Kind.EXPERIMENT,
        at("5", 318),
        "The number of layers has an important effect on performance, as theory predicts.",
        "tables in which more layers do not lower the error",
        MATERIAL,
        (
            charitable(
                "Errors fall with the first layers in Table 3; the theory gives an upper bound "
                "on the layers needed and predicts no threshold.",
                "an upper bound predicts no failure below it",
            ),
        ),
        ("tab3.decrease",),
        tags=("over-claim",),
    ),
    Claim(
        "exp.question",
        "Can logarithmic shortcuts be found by gradient descent?",
        Kind.QUESTION,
        at("5", 317),
        "The section asks whether logarithmic shortcuts are found by gradient descent.",
        "a trained model whose mechanism is shown to be something else",
        MATERIAL,
        uncheckable="low error does not show which mechanism a trained model uses; the paper "
        "inspects none",
    ),
)

PAUTOMAC = (
    Claim(
        "exp.pautomac.setup",
        "PAutomaC targets at T = 64",
        Kind.EXPERIMENT,
        at("5.1", 321),
        "Target automata are taken from PAutomaC; state sequences have length T = 64.",
        "an automaton of the table that is not in that collection",
        SLIP,
        rests_on=("tab1.states", "tab1.alphabet"),
    ),
    Claim(
        "exp.pautomac.minimum",
        "Smallest L with test error below 10⁻³",
        Kind.EXPERIMENT,
        at("5.1", 323),
        "Table 1 reports the least number of layers, among 2, 4, 6, 8, 10, with test MSE below "
        "10⁻³, and a dash where none was found.",
        "an entry that Table 2 contradicts",
        MATERIAL,
        rests_on=("tab1.layers",),
    ),
    Claim(
        "exp.pautomac.necessary",
        "Number of layers necessary",
        Kind.EXPERIMENT,
        at("5.1", 323),
        "The reported number is the minimum number of layers necessary to reach the error.",
        "a model with fewer layers, constructed or trained, that reaches it",
        SLIP,
        (
            charitable(
                "The least number with which the runs reached it.",
                "an upper bound from a few runs; L odd or 1 was not tried",
            ),
            repaired(
                "The least tried number whose error in Table 2 is below 10⁻³: 4 for automaton 38.",
                "the least that was tried; one entry; automaton 4 has no row in Table 2",
            ),
        ),
        tags=("over-claim",),
    ),
    Claim(
        "exp.pautomac.information",
        "The table holds all practical information",
        Kind.TEXT,
        at("5.1", 323),
        "The table includes all practical information on the target automata.",
        "a descriptor that is printed without definition, such as symbol sparsity",
        SLIP,
        (
            charitable(
                "Number of states, alphabet size, type and sparsity.",
                "what sparsity is, is not said",
            ),
        ),
    ),
    Claim(
        "exp.pautomac.more-than-half",
        "More than half reach the error",
        Kind.EXPERIMENT,
        at("5.1", 325),
        "For more than half of the considered automata a solution below 10⁻³ is found.",
        "a count of at most half of the columns of Table 1, or of the rows of Table 2",
        MATERIAL,
        rests_on=("tab1.layers",),
    ),
    Claim(
        "exp.pautomac.threshold",
        "L = 6 is the expected threshold",
        Kind.TEXT,
        at("5.1", 325),
        "Since T = 64 the theory makes L = 6 the threshold.",
        "log2 64 other than 6, or a theory that gives an upper bound and no threshold",
        SLIP,
        (
            charitable(
                "log2 64 = 6 layers are enough by the constructions.", "sufficient, not a threshold"
            ),
        ),
        ("thm2.size.depth",),
    ),
    Claim(
        "exp.pautomac.inconsistent",
        "Minimum values do not follow the threshold",
        Kind.EXPERIMENT,
        at("5.1", 325),
        "The minimum values attained are not always consistent with L = 6.",
        "a Table 1 in which all entries are 6",
        SLIP,
    ),
    Claim(
        "exp.pautomac.insufficient",
        "For some automata ten layers are not enough",
        Kind.EXPERIMENT,
        at("5.1", 325),
        "For certain automata the maximum number of layers considered does not seem sufficient.",
        "a dash of Table 1 whose row of Table 2 has an error below 10⁻³",
        SLIP,
        (
            charitable(
                "For certain automata no tried number of layers reached the error.",
                "says nothing on more layers",
            ),
        ),
    ),
    Claim(
        "exp.pautomac.complexity",
        "Success does not follow states, alphabet or sparsity",
        Kind.EXPERIMENT,
        at("5.1", 325),
        "Which automata succeed is not consistent with number of states, alphabet size or symbol "
        "sparsity.",
        "one of the three that separates the automata with an entry from those with a dash",
        SLIP,
    ),
    Claim(
        "exp.pautomac.future",
        "Would a hyper-parameter search find the others?",
        Kind.QUESTION,
        at("5.1", 326),
        "A more thorough search might find shortcuts for the remaining automata.",
        "a search that fails to find any",
        SLIP,
        uncheckable="a suggestion for future work",
    ),
    Claim(
        "exp.pautomac.width",
        "An embedding of 64 meets the theory",
        Kind.EXPERIMENT,
        at("D.1", 919),
        "With embedding and hidden size 64 the required transformers stay small, and the theory "
        "speaks of the trained models.",
        "2n² + 2 above 64 for every automaton with n ≥ 6",
        MATERIAL,
        (
            charitable(
                "The trained models are smaller than those of the theorems.",
                "the theorems' widths are not met",
            ),
        ),
    ),
)

LAYERS = (
    Claim(
        "exp.scale",
        "How error scales with layers and embedding size",
        Kind.EXPERIMENT,
        at("5.2", 329),
        "The influence of layers and embedding size is studied on synthetic WFAs.",
        "an experiment that varies something else",
        SLIP,
        uncheckable="announces what the next paragraphs report",
    ),
    Claim(
        "exp.layers.setup",
        "Counting zeros with two states, T = 16, 32, 64",
        Kind.EXPERIMENT,
        at("5.2", 331),
        "Data come from the two-state WFA that counts zeros, with T in 16, 32, 64.",
        "a description in the appendix that differs",
        SLIP,
        rests_on=("fam.counting.state",),
    ),
    Claim(
        "exp.layers-threshold",
        "log2 T is the theoretical value for shortcuts",
        Kind.TEXT,
        at("5.2", 331),
        "log2 T is the theoretical value of layers for shortcuts to be found on this task.",
        "a transformer of constant depth that counts zeros",
        MATERIAL,
        (
            charitable(
                "log2 T layers are enough for every WFA; for this one fewer may do.",
                "an upper bound for all WFAs",
            ),
        ),
        tags=("over-claim",),
    ),
    Claim(
        "exp.layers.elbow",
        "The error curves have a pronounced elbow",
        Kind.EXPERIMENT,
        at("5.2", 333),
        "For all three lengths the error falls steeply with the first layers and then bends.",
        "a column of Table 3 without such a bend",
        MATERIAL,
        rests_on=("tab3.decrease",),
    ),
    Claim(
        "exp.layers.negligible",
        "After a threshold more layers have negligible effect",
        Kind.EXPERIMENT,
        at("5.2", 333),
        "Past a threshold the MSE stabilises and more layers have negligible effect.",
        "a column of Table 3 whose error still falls by a large factor after it",
        MATERIAL,
        rests_on=("tab3.decrease",),
    ),
    Claim(
        "exp.layers.close",
        "The stabilisation point is close to log2 T",
        Kind.EXPERIMENT,
        at("5.2", 333),
        "The error stabilises close to the number of layers necessary for shortcuts.",
        "columns of Table 3 that stabilise elsewhere, or not at all",
        MATERIAL,
        (
            charitable(
                "In absolute terms, on a linear axis, the curves are flat from about log2 T.",
                "flat to the eye; in ratio the error keeps falling",
            ),
        ),
        ("tab3.decrease",),
    ),
    Claim(
        "exp.layers.necessary",
        "Layers necessary for shortcut solutions",
        Kind.TEXT,
        at("5.2", 333),
        "log2 T is the number of layers necessary for shortcut solutions.",
        "a shortcut with fewer layers for this task",
        MATERIAL,
        (charitable("log2 T layers are sufficient.", "sufficient, not necessary"),),
        tags=("over-claim",),
    ),
    Claim(
        "fig.layers",
        "Figure: MSE against layers",
        Kind.FIGURE,
        at("5.2", 342, 348, "fig:avg_mse_layers"),
        "For all lengths more layers help at first and little after a point that is consistent "
        "with the theory.",
        "a column of Table 3, the figure's data, that shows otherwise",
        SLIP,
        rests_on=("exp.layers.negligible", "exp.layers.close"),
    ),
)

EMBEDDING = (
    Claim(
        "exp.k.definition",
        "A k-counting WFA has k + 1 states",
        Kind.EXPERIMENT,
        at("5.2", 335),
        "k symbols are counted with k + 1 states: k counts and a last component equal to one.",
        "a word whose state differs",
        MATERIAL,
        (repaired("With the repaired parameters of Appendix A.2.", "as in fam.k-counting"),),
        ("fam.k-counting",),
    ),
    Claim(
        "exp.k.example",
        "State (3, 2, 1) for aaabb",
        Kind.EXAMPLE,
        at("5.2", 335, 339),
        "The automaton that counts a and b over {a, b, c} has state (3, 2, 1) on aaabb.",
        "another state",
        SLIP,
        (repaired("With the repaired parameters of Appendix A.2.", "as in fam.k-counting"),),
        ("fam.k-counting",),
    ),
    Claim(
        "exp.k.setup",
        "Ten symbols, k = 2, 4, 6, 8",
        Kind.EXPERIMENT,
        at("5.2", 341),
        "The alphabet is {0, …, 9}, the first k symbols are counted, k in 2, 4, 6, 8; embedding "
        "dimension and hidden size are equal.",
        "a description in the appendix with another alphabet",
        SLIP,
    ),
    Claim(
        "fig.embedding",
        "Figure: MSE against embedding size",
        Kind.FIGURE,
        at("5.2", 350, 356, "fig:avg_mse_embed"),
        "A larger embedding lowers the error; where the curves stabilise does not agree closely "
        "with the theory.",
        "a column of Table 4, the figure's data, that shows otherwise",
        SLIP,
        rests_on=("exp.k.elbow", "exp.k.threshold"),
    ),
    Claim(
        "exp.k.elbow",
        "The curves have a pronounced elbow",
        Kind.EXPERIMENT,
        at("5.2", 358),
        "Error against embedding size has a pronounced elbow for each k.",
        "a column of Table 4 without such a bend",
        SLIP,
        rests_on=("tab4.decrease",),
    ),
    Claim(
        "exp.k.threshold",
        "Stabilisation does not follow n² closely",
        Kind.EXPERIMENT,
        at("5.2", 358),
        "The error does not stabilise at the value n² as closely as for the layers.",
        "columns of Table 4 that stabilise at n²",
        SLIP,
        rests_on=("tab4.decrease",),
    ),
    Claim(
        "exp.k.n-squared",
        "The theory predicts n²",
        Kind.TEXT,
        at("5.2", 358),
        "The value predicted by the theory for the embedding dimension is n².",
        "the theorems' 2n² + 2",
        SLIP,
        (
            charitable("n² up to a constant factor.", "order of growth only"),
            repaired(
                "2n² + 2 is sufficient.", "exact size, sufficient and not predicted as needed"
            ),
        ),
        ("thm1.size.embedding",),
    ),
    Claim(
        "exp.k.training",
        "Training may be to blame",
        Kind.TEXT,
        at("5.2", 358),
        "A bigger dataset, more epochs or other hyper-parameters might follow the theory better.",
        "training of that kind with the same result",
        SLIP,
        uncheckable="a conjecture on training that is not carried out",
    ),
)

CLAIMS: tuple[Claim, ...] = FINDINGS + PAUTOMAC + LAYERS + EMBEDDING
