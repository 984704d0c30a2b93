"""The built models as Coq prints them: the term for Coq, the build, the fields, the reader of numbers.

Coq prints a decoder in the program's form, which has the same outputs as the form that the theorems
are about (`DecoderForm.same_outputs`). The forward pass of the proofs fixes some parts that their data
do not hold; `fixed` names them: the attention with its mask, the activation, residual connections and
normalisations. With hard attention the proofs on trees average over the maximisers of a score; the tree
decoder does so where it attends to all tokens, and refuses a tie elsewhere, where none occurs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache, partial
from math import ceil, exp
from typing import Any

from constructions.automata.pebbling import most_steps
from constructions.automata.trees import CLOSE, OPEN, most_leaves
from constructions.automata.wfa import WFA
from constructions.blocks.multiplication import Multiplier, slim_multiplier
from constructions.blocks.smoothing import FourUnits
from constructions.core.matrix import Entry, Matrix
from constructions.core.transformer import Gated, Layer
from constructions.decoder import Design
from verify.coq.builds import (
    BUILDS,
    Build,
    log_depth_short,
    printed_mlp,
    softened,
    tree_decoder,
    with_units,
    word_decoder,
)
from verify.coq.numbers import (
    Letters,
    Reader,
    decoder_reader,
    four_units,
    multiples,
    silu_steps,
    tree_reader,
    word_reader,
)
from verify.coq.printed import Case, Weight
from verify.coq.samples import tree_sample, word_sample
from verify.coq.walk import (
    DECODER,
    ENCODER,
    Blocks,
    bilinear_parts,
    encoding,
    mlp_parts,
    products,
    renewed,
    units,
    walk,
)

ACTIVATION = "tanh"
FINENESS = 3
UNITS = FourUnits.of(ACTIVATION, FINENESS)
BASE, SINK = 5, 3
FACTOR = ceil(exp(SINK))
NOTHING = "nothing"
Weights = Mapping[str, Weight]


# Weights that are walked


def padded_weights(blocks: Blocks, built: Any, symbols: Any) -> Weights:
    """Return the weights of a model with pads, its tokens, and the rows of its T + 1 outputs."""
    rows, model = built.encode(symbols), built.transformer
    outputs = " ".join(str(built.row(t)) for t in range(built.span + 1))
    return walk(model, rows, blocks) | {"encoding": encoding(model, rows), "rows": outputs}


def encoder_weights(blocks: Blocks, built: Any, symbols: Any) -> Weights:
    """Return the weights of an encoder, its tokens, and which coordinates are supplied again."""
    rows = built.encode(symbols)
    return walk(built.transformer, rows, blocks) | {"renewed": renewed(built.transformer, rows)}


def written_anew(built: Any) -> Weights:
    """Return in words which coordinates are supplied again."""
    positions = built.transformer.positions
    return {"written anew": str(positions) if positions else NOTHING}


def no_pads_weights(built: Any, symbols: Any) -> Weights:
    """Return the weights and the tokens of the exact model without pads."""
    weights = walk(built.transformer, built.encode(symbols), bilinear_parts)
    return {**weights, **written_anew(built)}


def decoder_weights(built: Any, symbols: Any) -> Weights:
    """Return the weights of a built decoder and its embeddings."""
    weights = walk(built.transformer, built.encode(symbols), decoder_parts, biases=True)
    tokens, places = Matrix.dense(built.token_rows()), Matrix.dense(built.position_rows())
    return {**weights, "tokens": tokens, "places": places, **written_anew(built)}


def decoder_parts(layer: Layer[Matrix]) -> dict[str, Weight]:
    """Return the weights of a gated or a plain block."""
    block = layer.feedforward
    if not isinstance(block, Gated):
        return mlp_parts(layer)
    return {
        "inward": block.inward,
        "gate": block.gate,
        "output": block.output,
        "activation": block.activation,
    }


# Forms


@dataclass(frozen=True)
class Form:
    """A model as it is compared; the term has fields for sizes and for the word or the tree."""

    term: str
    build: Build
    weights: Callable[[Any, Any], Weights]
    fixed: Mapping[str, str] = field(default_factory=dict)

    def reader(self, automaton: Any, symbols: Any, saturation: Fraction) -> Reader:
        """Return the reader of printed numbers."""
        raise NotImplementedError

    def fields(self, automaton: Any, n: int, length: int, symbols: Any) -> dict[str, object]:
        """Return what stands for the fields of the term."""
        return {"n": n, "T": length, "L": f"(Nat.log2_up {length})"}

    def case(self, n: int, length: int, *rest: Any) -> Case:
        """Return the case of n, T, for trees the string of a tree, and C."""
        *tree, saturation = rest
        automaton, symbols = tree_sample(n, *tree) if tree else word_sample(n, length)

        def program() -> Weights:
            return self.weights(self.build(automaton, length, saturation, None), symbols)

        return Case(
            ", ".join((f"n = {n}, T = {length}", *tree)),
            self.term.format(**self.fields(automaton, n, length, symbols)),
            program,
            self.reader(automaton, symbols, saturation),
            self.fixed,
        )


@dataclass(frozen=True)
class WordForm(Form):
    """An encoder on words; `letters` returns the numbers of its hidden units for n."""

    letters: Callable[[int], Letters] = lambda n: four_units(UNITS)

    def reader(self, automaton: Any, symbols: Any, saturation: Fraction) -> Reader:
        """Return the reader of printed numbers."""
        return word_reader(automaton, symbols, saturation, self.letters(automaton.n))


@dataclass(frozen=True)
class TreeForm(Form):
    """An encoder on trees; the string is a list in Coq, and N counts the end token too."""

    def fields(self, automaton: Any, n: int, length: int, symbols: Any) -> dict[str, object]:
        """Return what stands for the fields of the term."""
        more = {"N": length + 1, "steps": most_steps(most_leaves(length))}
        factor = f"(Coq.ZArith.BinInt.Z.of_nat {FACTOR})"
        return {"n": n, "T": length, **more, "A": factor, "string": symbols_of(symbols)}

    def reader(self, automaton: Any, symbols: Any, saturation: Fraction) -> Reader:
        """Return the reader of printed numbers."""
        return tree_reader(automaton, symbols, saturation, (BASE, SINK), four_units(UNITS))


@dataclass(frozen=True)
class DecoderForm(Form):
    """A decoder; letters have numbers, and hard attention has no C."""

    activation: str = "silu"
    soft: bool = True
    gated: bool = True

    def fields(self, automaton: Any, n: int, length: int, symbols: Any) -> dict[str, object]:
        """Return what stands for the fields of the term."""
        numbers = {letter: a for a, letter in enumerate(automaton.alphabet)}
        word = "; ".join(str(numbers[x]) for x in symbols if x in numbers)
        string = symbols_of(symbols, numbers.get)
        return {"n": n, "T": length, "letters": len(numbers), "word": word, "string": string}

    def reader(self, automaton: Any, symbols: Any, saturation: Fraction) -> Reader:
        """Return the reader of printed numbers."""
        alphabet = automaton.alphabet
        words: Letters = {
            "initial": (1, lambda i: automaton.alpha[i]),
            "transition": (3, lambda a, i, j: automaton.matrix(alphabet[a])[i][j]),
        }
        trees: Letters = {
            "leaf": (2, lambda a, i: automaton.leaf(alphabet[a])[i]),
            "tensor": (3, lambda a, left, right: automaton.tensor[a][left][right]),
        }
        letters = words if isinstance(automaton, WFA) else trees
        steps = {} if self.gated else silu_steps(FINENESS)
        constant: Entry | None = saturation if self.soft else None
        return decoder_reader({**letters, **steps}, constant, self.activation)


def symbols_of(symbols: Any, number: Callable[[str], int | None] = ord) -> str:
    """Return a string of a tree as a list in Coq, whose letters have numbers."""
    names = {OPEN: "Open", CLOSE: "Close"}
    return "[" + "; ".join(names.get(s, f"Sym {number(s)}") for s in symbols) + "]"


@cache
def multiplier(n: int) -> Multiplier:
    """Return the MLP of 4n³ units, with some step and scale."""
    return slim_multiplier(n, ACTIVATION, Fraction(2), Fraction(1, 1000))


def attending(attention: str, mask: str = "none") -> dict[str, str]:
    """Return the attention of all heads, and that an encoder is plain."""
    return {" attention": f"{attention} {mask}", **ENCODER}


def decoding(term: str, build: Build, activation: str, soft: bool, **more: Any) -> DecoderForm:
    """Return the form of a decoder; the first head of the hard one on trees averages."""
    fixed = {
        " attention": f"{'soft' if soft else 'hard'} causal",
        " activation": activation,
        "written anew": NOTHING,
        **DECODER,
        **more.pop("fixed", {}),
    }
    return DecoderForm(term, build, decoder_weights, fixed, activation, soft, **more)


PADDED = partial(padded_weights, bilinear_parts)
PRODUCTS, HIDDEN = partial(encoder_weights, products), partial(encoder_weights, units)
SMOOTH = {" activation": ACTIVATION, **ENCODER}
WORDS = "word_weights_of {n} {T} {L}"
HIDDEN_WORDS = "units_of (TreeModel.Transformer (word_model {n} Soft {L}) nil nil)"
WORD_DECODER = "words_decoder {{n}} {{T}} {{T}} {} [{{word}}]"
TREE_DECODER = "trees_decoder {n} {letters} {T} {string}"
# What Coq prints of a tree model in a mode, the soft model itself, and the name of the build.
TREES = {
    "trees": (
        "tree_weights_of {n} {T} (tallest {T}) MODE {string}",
        "tree_model {n} {N} Soft (tallest {T})",
        "masked",
    ),
    "free": (
        "free_weights_of {n} {T} (2 * tallest {T}) MODE {string}",
        "free_model {n} {N} Soft (2 * tallest {T})",
        "maskless",
    ),
    "clean-trees": (  # the weights depend on no length
        "clean_weights_of {n} (2 * tallest {T}) MODE {string}",
        "clean_model {n} Soft (2 * tallest {T})",
        "clean trees",
    ),
    "logdepth-trees": (
        "encoder_weights_of {n} {T} {steps} MODE {string}",
        "encoder {n} {T} Soft {steps}",
        "log depth",
    ),
}
SHORT = "short_weights_of {n} {T} {A} {steps} {string}"
SHORT_MODEL = "short_encoder {n} {T} {A} {steps}"
SHORT_BUILD = log_depth_short(BASE, SINK)


def tree_form(name: str, mode: str, build: Build) -> TreeForm:
    """Return the form of a tree model in a mode, `Hard` or `Soft`."""
    return TreeForm(TREES[name][0].replace("MODE", mode), build, PRODUCTS, SMOOTH)


def hidden_units(term: str, model: str, soft: Build) -> TreeForm:
    """Return the form of a soft tree model with hidden units in the place of products."""
    term = term.replace("MODE", "Soft")
    units_in_place = f"List.app (without_products ({term})) (units_of ({model}))"
    return TreeForm(units_in_place, with_units(soft, UNITS), HIDDEN, SMOOTH)


FORMS: dict[str, tuple[Form, ...]] = {
    "sequences": (
        WordForm("weights_of {n} {L} (fun w => w)", BUILDS["printed"], PADDED, attending("hard")),
        WordForm("weights_of {n} {L} RootC", BUILDS["printed soft"], PADDED, attending("soft")),
    ),
    "unrolled": (
        WordForm("unrolled_weights_of {n} {L} {T}", BUILDS["stepwise"], PADDED, attending("hard")),
    ),
    "no-pads": (
        WordForm(
            "clean_weights {n} {T}",
            BUILDS["no pads"],
            no_pads_weights,
            {"written anew": NOTHING, **attending("hard")},
        ),
    ),
    "clean-words": (
        WordForm(f"{WORDS} Hard", BUILDS["clean words"], PRODUCTS, SMOOTH),
        WordForm(f"{WORDS} Soft", softened("clean words"), PRODUCTS, SMOOTH),
        WordForm(
            f"List.app (without_products ({WORDS} Soft)) ({HIDDEN_WORDS})",
            with_units(softened("clean words"), UNITS, power=2),
            HIDDEN,
            SMOOTH,
        ),
    ),
    "mlp": (
        WordForm(
            "mlp_weights_of {n} {L} 0",
            printed_mlp(multiplier),
            partial(padded_weights, mlp_parts),
            {" activation": ACTIVATION, **attending("soft")},
            lambda n: multiples(multiplier(n)),
        ),
    ),
    **{
        name: (tree_form(name, "Hard", BUILDS[build]), tree_form(name, "Soft", softened(build)))
        for name, (_, _, build) in TREES.items()
    },
    "logdepth-short": (TreeForm(SHORT, SHORT_BUILD, PRODUCTS, SMOOTH),),
    "tree-units": (
        *(hidden_units(term, model, softened(build)) for term, model, build in TREES.values()),
        hidden_units(SHORT, SHORT_MODEL, SHORT_BUILD),
    ),
    "decoder": tuple(
        decoding(
            WORD_DECODER.format("true" if design.gated else "false"),
            word_decoder(design, soft),
            design.activation,
            soft,
            gated=design.gated,
        )
        for design, soft in (
            (Design("relu"), False),
            (Design("silu"), True),
            (Design("silu", FINENESS), False),
            (Design("silu", FINENESS), True),
        )
    ),
    "tree-decoder": (
        decoding(
            TREE_DECODER,
            tree_decoder("relu", soft=False),
            "relu",
            soft=False,
            fixed={"layer 0 head 0 attention": "saturated causal"},
        ),
        decoding(TREE_DECODER, tree_decoder("silu", soft=True), "silu", soft=True),
    ),
}
FORMS["trees"] += (tree_form("trees", "Soft", BUILDS["masked soft"]),)  # built soft too
