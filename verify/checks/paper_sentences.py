"""The sentences that facts of the LaTeX source settle, with the facts.

Notation      a `Count` says how often a string occurs in a range of lines; `same` names passages that
              agree without labels, footnotes and environments. If all facts are met the sentence has
              the stated outcome, else the one it has `otherwise`
"""

from __future__ import annotations

from dataclasses import dataclass

from verify.claims.model import Name
from verify.evidence import Outcome

HOLDS, FAILS, UNKNOWN = Outcome.HOLDS, Outcome.FAILS, Outcome.UNKNOWN
LITERAL, CHARITABLE, REPAIRED = Name.LITERAL, Name.CHARITABLE, Name.REPAIRED
LAST_LINE = 1039
Range = tuple[int, int]


@dataclass(frozen=True)
class Count:
    """A string occurs so often in lines first … last."""

    first: int
    last: int
    needle: str
    times: int = 1


@dataclass(frozen=True)
class Sentence:
    """A statement that facts of the text settle, and how."""

    claim: str
    outcome: Outcome
    summary: str
    counts: tuple[Count, ...] = ()
    same: tuple[Range, ...] = ()
    reading: Name = LITERAL
    repair: str = ""
    otherwise: Outcome = UNKNOWN


SECTIONS = (
    Sentence(
        "abs.learn",
        FAILS,
        "The abstract claims WFAs and WTAs and says that transformers learn these solutions; Section 5 "
        "and Appendix D, the experiments, speak of no tree and no WTA.",
        (
            Count(93, 93, "weighted tree automata (WTA)"),
            Count(93, 93, "able to learn these compact solutions"),
            Count(315, 358, "WTA", 0),
            Count(315, 358, "tree", 0),
            Count(910, LAST_LINE, "WTA", 0),
            Count(910, LAST_LINE, "tree", 0),
        ),
        repair="For some WFAs trained transformers reach a small error.",
    ),
    Sentence(
        "pre.transformer.composition",
        FAILS,
        "One map has two names: f_tf in line 172 and f_ft in the equation of line 174.",
        (Count(172, 172, r"f_{\text{tf}}"), Count(173, 177, r"f_{\text{ft}}")),
    ),
    Sentence(
        "pre.transformer.mlp",
        FAILS,
        "Line 178 says the block is simply an MLP; Theorem 1 has bilinear layers in place of an MLP "
        "(line 233) and calls one the MLP block (line 610).",
        (
            Count(178, 178, "simply a multilayer perceptron"),
            Count(233, 233, "bilinear layers in place of an MLP"),
            Count(610, 610, "a unique bilinear layer as the MLP block"),
        ),
    ),
    Sentence(
        "pre.transformer.similar",
        HOLDS,
        "Section 2.4 has the encoder's two blocks in its order, and no residual connection, no "
        "normalisation and no scaling of scores.",
        (
            Count(160, 160, "very similar to the encoder"),
            Count(172, 172, "multi-head attention block followed by a feedforward block"),
            Count(158, 178, "residual", 0),
            Count(158, 178, "normali", 0),
            Count(158, 178, r"\sqrt", 0),
        ),
        reading=CHARITABLE,
        otherwise=FAILS,
    ),
    Sentence(
        "sim.proofs-in-appendix",
        HOLDS,
        "Appendix B proves both theorems of Section 3.2 by name, and one lemma.",
        (
            Count(229, 247, r"\begin{theorem}", 2),
            Count(591, 591, r"\label{appendix:B}"),
            Count(591, 822, r"\subsection{Proof of Theorem \ref{thmexact}}"),
            Count(591, 822, r"\subsection{Proof of Theorem \ref{thmapprox}}"),
            Count(591, 822, r"\begin{proof}", 3),
        ),
        otherwise=FAILS,
    ),
    Sentence(
        "thm3.restated",
        HOLDS,
        "Without the footnote the two wordings are the same, character by character.",
        same=((283, 286), (826, 828)),
        otherwise=FAILS,
    ),
    Sentence(
        "fam.wfa",
        HOLDS,
        "Lines 481-483 repeat lines 123-125, character by character.",
        same=((123, 125), (481, 483)),
        otherwise=FAILS,
    ),
)

SCAN = (
    Sentence(
        "scan.assignment",
        FAILS,
        "Line 460 has two assignment arrows, the second after a plus, and no ⊕.",
        (Count(460, 460, r"\gets", 2), Count(460, 460, r"+ \gets"), Count(451, 465, r"\oplus", 0)),
        repair="One arrow, and ⊕ for +.",
    ),
    Sentence(
        "scan.assignment",
        HOLDS,
        "Without the second arrow line 460 has one assignment and one operator between two elements.",
        (
            Count(460, 460, r"\gets", 2),
            Count(460, 460, r"x_j^{i + 1} \gets x_j^i + \gets x_{j - 2^i}^i"),
        ),
        reading=CHARITABLE,
        otherwise=FAILS,
    ),
    Sentence(
        "scan.index",
        HOLDS,
        "In the pseudocode superscripts of x are i and i + 1 alone, and line 467 explains them.",
        (
            Count(456, 460, "x_j^{i + 1}", 2),
            Count(456, 460, "x_j^i", 2),
            Count(456, 460, "x_{j - 2^i}^i"),
            Count(456, 460, "x_", 5),
            Count(467, 467, "at timestep $i$"),
        ),
        otherwise=FAILS,
    ),
    Sentence(
        "fig.scan",
        FAILS,
        "The label stands in line 472, before the caption of line 476; LaTeX then takes the number of "
        "the section for it.",
        (
            Count(472, 472, r"\label{fig:prefix_sum}"),
            Count(472, 475, r"\caption", 0),
            Count(476, 477, r"\caption"),
            Count(473, 477, r"\label", 0),
        ),
        repair="Put the label after the caption.",
    ),
)

CONCLUSION = (
    Sentence(
        "con.upper-only",
        FAILS,
        "Line 377 says that only upper bounds are given; line 372 says that the number of layers must "
        "be equivalent to the depth.",
        (
            Count(377, 377, "we only provide upper bounds"),
            Count(372, 372, "the number of layers must be equivalent to the depth"),
        ),
        repair="Leave out 'must'.",
    ),
    Sentence(
        "con.upper-only",
        HOLDS,
        "'Lower bound' occurs once, in line 377 as future work, and Ω nowhere.",
        (
            Count(1, LAST_LINE, "lower bound"),
            Count(377, 377, "lower bound"),
            Count(1, LAST_LINE, r"\Omega", 0),
        ),
        reading=CHARITABLE,
        otherwise=FAILS,
    ),
    Sentence(
        "con.existence",
        FAILS,
        "Line 378 says existence; the abstract (93), the introduction (104), Section 4.2 (290) and line "
        "373 say that transformers learn.",
        (
            Count(378, 378, "about the existence of shortcut solutions"),
            Count(93, 93, "able to learn these compact solutions"),
            Count(104, 104, "transformers can learn shortcuts"),
            Count(290, 290, "can indeed learn shortcuts"),
            Count(373, 373, "transformers can learn shortcuts"),
        ),
        repair="Say 'exist' for 'learn'.",
    ),
    Sentence(
        "con.existence",
        HOLDS,
        "The three theorems and the corollary say 'simulate', and never 'learn'.",
        tuple(
            Count(a, b, word, times)
            for a, b in ((232, 235), (239, 242), (283, 286), (293, 296))
            for word, times in (("learn", 0), ("simulate", 1))
        ),
        reading=CHARITABLE,
        otherwise=FAILS,
    ),
)

CHECKLIST = (
    Sentence(
        "list.complexity",
        FAILS,
        "The answer is yes for time, space and sample size; 'sample complexity' occurs once, as a "
        "question for future work (line 378).",
        (
            Count(397, 397, "sample size"),
            Count(397, 397, r"\textbf{Yes}"),
            Count(1, LAST_LINE, "sample complexity"),
            Count(378, 378, "sample complexity"),
        ),
    ),
    Sentence(
        "list.complexity",
        HOLDS,
        "Line 471 gives time and space of the scan.",
        (Count(471, 471, "total runtime of"), Count(471, 471, "space complexity of")),
        reading=CHARITABLE,
        otherwise=FAILS,
    ),
    Sentence(
        "list.source-code",
        FAILS,
        "Line 398 answers 'Not Applicable' for source code; line 410 announces a code repository.",
        (Count(398, 398, "Not Applicable"), Count(410, 410, "code repository")),
    ),
    Sentence(
        "list.proofs",
        FAILS,
        "Line 292 says that the corollary's proof can be found in the appendix; the appendix names the "
        "corollary nowhere.",
        (
            Count(404, 404, r"Complete proofs of all theoretical results. \textbf{Yes}"),
            Count(292, 292, "whose proof can be found in appendix"),
            Count(439, LAST_LINE, "corollary", 0),
            Count(439, LAST_LINE, "cor:approx.treeautomata", 0),
        ),
    ),
    Sentence(
        "list.infrastructure",
        FAILS,
        "The answer is yes; the appendix names an internal cluster and no type of machine.",
        (
            Count(413, 413, r"\textbf{Yes}"),
            Count(916, 916, "internal compute cluster"),
            Count(439, LAST_LINE, "GPU", 0),
            Count(439, LAST_LINE, "CPU", 0),
        ),
    ),
    Sentence(
        "list.infrastructure",
        HOLDS,
        "Line 916 names the internal compute cluster of the institution.",
        (Count(916, 916, "internal compute cluster"),),
        reading=CHARITABLE,
        otherwise=FAILS,
    ),
    Sentence(
        "list.citations",
        FAILS,
        "Line 418 answers 'No' for citations of creators; PAutomaC is cited in lines 321 and 919.",
        (
            Count(418, 418, r"\textbf{No}"),
            Count(321, 321, r"\citep{pautomac}"),
            Count(919, 919, r"\cite{pautomac}"),
        ),
    ),
    Sentence(
        "list.licence",
        HOLDS,
        "PAutomaC is used (line 321), the answer is 'Not Applicable', and the word licence occurs in the "
        "checklist's question alone.",
        (
            Count(419, 419, "Not Applicable"),
            Count(321, 321, r"\citep{pautomac}"),
            Count(1, LAST_LINE, "licen"),
            Count(419, 419, "licen"),
        ),
        reading=CHARITABLE,
        otherwise=FAILS,
    ),
)

TRAINING = (
    Sentence(
        "exp.train.k.alphabet",
        FAILS,
        "Line 932 samples from {0, …, k-1}, line 341 has the ten symbols {0, …, 9}.",
        (
            Count(341, 341, r"\Sigma = \{0,1,2,...,9 \}"),
            Count(932, 932, r"\Sigma = \{ 0, 1, \hdots, k-1\}"),
        ),
    ),
    Sentence(
        "exp.train.k.alphabet",
        UNKNOWN,
        "The source names both alphabets and does not say which one was used.",
        (
            Count(341, 341, r"\Sigma = \{0,1,2,...,9 \}"),
            Count(932, 932, r"\Sigma = \{ 0, 1, \hdots, k-1\}"),
        ),
        reading=CHARITABLE,
    ),
    Sentence(
        "fig.labels",
        HOLDS,
        "fig:main is defined twice and referred to nowhere: with a label of its own for the second "
        "figure every reference still has its target.",
        (Count(1, LAST_LINE, r"\label{fig:main}", 2), Count(1, LAST_LINE, r"\ref{fig:main}", 0)),
        reading=REPAIRED,
        otherwise=FAILS,
    ),
    Sentence(
        "exp.plots.announced",
        HOLDS,
        "Two pairs of plots are captioned average and minimum over 10 runs, and the two tables have 54 "
        "cells with a deviation.",
        (
            Count(962, 998, "Average MSE over 10 runs", 2),
            Count(962, 998, "Minimum MSE over 10 runs", 2),
            Count(1000, LAST_LINE, r"\caption{MSE with standard deviation", 2),
            Count(1000, LAST_LINE, r"$\pm$", 54),
        ),
        otherwise=FAILS,
    ),
)
