"""The weights of the machine-checked proofs and those of the program, entry by entry.

Each model that a theorem of `verify/coq` speaks of is written out by Coq as text (`Entries.v`,
`MLPEntries.v`, `TreeEntries.v`, `FreeEntries.v`) for small sizes, read back here, and compared with
what `constructions` builds for an automaton whose weights are all different.

    sequences   Theorems 1 and 2: heads, selectors, tensor, readout, embedding, with and without √C
    mlp         the MLP of 4n³ units
    trees       Theorem 3 with masks and integer positions: heads with attention and mask, products
    free        Theorem 3 without masks, likewise

Theorems that are about no such model (strings, norms, activations) have nothing to compare.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from itertools import count, islice
from pathlib import Path

from constructions import theorem1, theorem2, theorem3
from constructions.exact import cos_pi, root, sin_pi
from constructions.matrix import Entry, Matrix, Tensor
from constructions.multiplication import Multiplier, slim
from constructions.smoothing import softened
from constructions.theorem3 import Places
from constructions.theorem3_variants import build_maskless
from constructions.transformer import Bilinear, Layer, Transformer
from constructions.trees import CLOSE, OPEN
from constructions.wfa import WFA
from constructions.wta import WTA

Place = tuple[int, ...]
Entries = dict[Place, Entry]
Weight = Matrix | Tensor | Entries | str
Number = Callable[[list[str]], Entry]
PAIR = re.compile(r'\("([^"]*)", "([^"]*)"\)')
SATURATION = Fraction(2)
HEADER = "Import ListNotations. Set Printing Width 10000000. Set Printing Depth 10000000."


class Unread(ValueError):
    """A weight that Coq printed and that is not understood."""


@dataclass(frozen=True)
class Case:
    """One size: the term that Coq evaluates, the program's weights, how a printed number reads."""

    where: str
    term: str
    program: Callable[[], Mapping[str, Weight]]
    number: Number

    def differences(self, printed: str) -> Iterator[str]:
        """Where the weights that Coq printed and those of the program are not the same."""
        proof, program = dict(PAIR.findall(printed)), self.program()
        if sorted(proof) != sorted(program):
            yield f"{self.where}: weights {sorted(set(proof) ^ set(program))}"
        for name in sorted(set(proof) & set(program)):
            for line in unequal(proof[name], program[name], self.number):
                yield f"{self.where}, {name}: {line}"


@dataclass(frozen=True)
class Model:
    """A model that proofs speak of: the files with its theorems, and the cases compared."""

    name: str
    files: frozenset[str]
    modules: str
    cases: tuple[Case, ...]

    def script(self) -> str:
        """The Coq text that evaluates all cases."""
        lines = [
            "From Coq Require Import String List.",
            f"From Assay Require Import {self.modules}.",
        ]
        lines += [HEADER, "Open Scope string_scope."]
        for place, case in enumerate(self.cases):
            lines.append(f'Redirect "{self.name}{place}" Eval vm_compute in ({case.term}).')
        return "\n".join(lines) + "\n"

    def differences(self, build: Path) -> Iterator[str]:
        """Where proof and program differ, once the script has run in a folder."""
        for place, case in enumerate(self.cases):
            yield from case.differences((build / f"{self.name}{place}.out").read_text("utf-8"))

    def witness(self) -> str:
        """For which sizes the weights are compared."""
        sizes = dict.fromkeys(case.where for case in self.cases)
        return f"{self.name}: compared entry by entry for {'; '.join(sizes)}"


def unequal(printed: str, built: Weight, number: Number) -> Iterator[str]:
    """Where one weight of the proof and one of the program differ, in shape or in an entry."""
    if isinstance(built, str):
        if printed != built:
            yield f"{printed} in the proof, {built} in the program"
        return
    shape, entries = read(printed, number)
    if not isinstance(built, dict) and shape != built.shape:
        yield f"shape {shape} in the proof, {built.shape} in the program"
    found: Entries = dict((built if isinstance(built, dict) else built.entries).items())
    for place in sorted(set(entries) | set(found)):
        left, right = entries.get(place, 0), found.get(place, 0)
        if left != right:
            yield f"entry {place} is {left} in the proof, {right} in the program"


def read(text: str, number: Number) -> tuple[Place, Entries]:
    """Shape and non-zero entries of a weight that Coq printed."""
    size, *lines = text.split("; ")
    entries: Entries = {}
    for line in lines:
        place, _, weight = line.partition(" : ")
        at = tuple(map(int, place.split()))
        if at in entries:
            raise Unread(f"entry {at} is there twice")
        entries[at] = number(weight.split())
    return tuple(int(k) for k in size.split()[1:]), entries


# Theorems 1 and 2


def word_sample(n: int, length: int) -> tuple[WFA, tuple[str, ...]]:
    """An automaton whose weights are all different, and a word of different letters."""
    numbers = count(2)
    word = tuple(str(t) for t in range(1, length + 1))
    square = {letter: [list(islice(numbers, n)) for _ in range(n)] for letter in word}
    vector = list(islice(numbers, n))
    return WFA.of(vector, square, vector), word


def hard_weights(automaton: WFA, word: Sequence[str]) -> dict[str, Weight]:
    """Theorem 1's weights under the names that the proof gives them."""
    n, length = automaton.n, len(word)
    simulation = theorem1.build(automaton, length)
    layers, span = range(1, theorem1.depth(length) + 1), theorem1.span(length)
    return {
        "query": theorem1.query(n),
        "right key": theorem1.query(n),
        "left value": theorem1.value(n, "left"),
        "right value": theorem1.value(n, "right"),
        "combine": theorem1.combine(n),
        "left select": theorem1.select(n, "left"),
        "right select": theorem1.select(n, "right"),
        "tensor": theorem1.tensor(n),
        "output": theorem1.output(n),
        "readout": theorem1.readout(automaton.alpha),
        "embedding": Matrix.dense(simulation.encode(word)),
        **{f"left key {layer}": theorem1.left_key(n, layer, span) for layer in layers},
    }


def soft_weights(automaton: WFA, word: Sequence[str]) -> dict[str, Weight]:
    """Theorem 2's weights: queries and keys times √C, the rest as in Theorem 1."""
    weights = hard_weights(automaton, word)
    span = theorem1.span(len(word))
    for layer in range(1, theorem1.depth(len(word)) + 1):
        left, right = theorem2.heads(automaton.n, layer, span, SATURATION)
        weights |= {"query": left.query, "right key": right.key, f"left key {layer}": left.key}
    return weights


def word_number(automaton: WFA, word: Sequence[str], words: list[str]) -> Entry:
    """One weight of the proof as an exact number."""
    match words:
        case ["0" | "1" as digit]:
            return int(digit)
        case ["cos" | "sin" as name, angle]:
            return (cos_pi if name == "cos" else sin_pi)(Fraction(angle))
        case ["minus", *rest]:
            return -word_number(automaton, word, rest)
        case ["rootC", *rest]:
            return root(SATURATION) * word_number(automaton, word, rest)
        case ["alpha", i]:
            return automaton.alpha[int(i)]
        case ["letter", t, i, j]:
            return automaton.matrix(word[int(t) - 1])[int(i)][int(j)]
    raise Unread(f"a weight reads {' '.join(words)!r}")


def word_cases() -> Iterator[Case]:
    """(n, T) = (1, 2), (1, 4), (2, 4), (3, 2), with and without √C."""
    for n, layers in ((1, 1), (1, 2), (2, 2), (3, 1)):
        automaton, word = word_sample(n, 2**layers)
        for scale, weights in (("(fun w => w)", hard_weights), ("RootC", soft_weights)):
            yield Case(
                f"n = {n}, T = {2**layers}",
                f"weights_of {n} {layers} {scale}",
                partial(weights, automaton, word),
                partial(word_number, automaton, word),
            )


# The MLP


def multiplier(n: int) -> Multiplier:
    """The program's MLP, with some step and scale."""
    return slim(n, "tanh", Fraction(2), Fraction(1, 1000))


def mlp_weights(made: Multiplier) -> dict[str, Weight]:
    """The program's MLP under the names that the proof gives its parts."""
    block = made.block
    return {
        "hidden": block.hidden,
        "bias": Matrix.dense([list(block.bias)]),
        "output": block.output,
        "offset": Matrix.dense([list(block.offset)]),
    }


def mlp_number(made: Multiplier, words: list[str]) -> Entry:
    """A multiple of the step h, of the scale s or of the point b."""
    unit = {"h": made.step, "s": made.scale, "b": made.point}
    name, *factor = words
    if name not in unit:
        raise Unread(f"a weight reads {' '.join(words)!r}")
    return unit[name] * int(factor[0] if factor else 1)


def mlp_cases() -> Iterator[Case]:
    """n = 1, 2, 3."""
    for n in (1, 2, 3):
        made = multiplier(n)
        term = f"mlp_weights_of (multiplier {n} 0)"
        yield Case(f"n = {n}", term, partial(mlp_weights, made), partial(mlp_number, made))


# Theorem 3, with and without masks


def tree_sample(n: int, symbols: str) -> WTA:
    """An automaton whose weights are all different."""
    numbers = count(2)
    tensor = [[list(islice(numbers, n)) for _ in range(n)] for _ in range(n)]
    letters = sorted(set(symbols) - {OPEN, CLOSE})
    alpha = list(islice(numbers, n))
    return WTA.of(alpha, tensor, {letter: list(islice(numbers, n)) for letter in letters})


def picked(size: int, rows: Sequence[int]) -> Matrix:
    """The matrix that picks some coordinates."""
    return Matrix((size, len(rows)), {(row, k): 1 for k, row in enumerate(rows)})


def products(layer: Layer[Matrix]) -> Entries:
    """The products that a block adds up: factor, factor, coordinate."""
    block = layer.feedforward
    if not isinstance(block, Bilinear) or layer.combine != Matrix.identity(layer.combine.shape[0]):
        raise Unread("expected W_O = I and a bilinear block")
    if block.output != Matrix.identity(block.output.shape[0]):
        raise Unread("expected a bilinear block without an output matrix")
    left = {column: row for row, column in block.left.entries}
    right = {column: row for row, column in block.right.entries}
    entries = {(left[a], right[b], c): x for (a, b, c), x in block.tensor.entries.items()}
    return {place: x for place, x in entries.items() if x != 0}


def transformer_weights(model: Transformer[Matrix], rows: list[list[Entry]]) -> dict[str, Weight]:
    """All weights of a tree model and an embedded string, under the names of the proof."""
    found: dict[str, Weight] = {
        "renewed": picked(len(rows[0]), model.positions),
        "readout": model.readout,
        "embedding": Matrix.dense(rows),
    }
    for place, layer in enumerate(model.layers):
        found[f"layer {place} products"] = products(layer)
        for k, head in enumerate(layer.heads):
            name = f"layer {place} head {k}"
            found |= {f"{name} query": head.query, f"{name} key": head.key}
            found |= {f"{name} value": head.value}
            found[f"{name} attention"] = f"{head.attention.value} {head.mask.value}"
    return found


def masked_weights(n: int, symbols: str, mode: str) -> dict[str, Weight]:
    """Theorem 3 on the line with one parse layer, hard or soft."""
    built = theorem3.build(tree_sample(n, symbols), len(symbols), 1, Places.LINE)
    return transformer_weights(_in_mode(built.transformer, mode), built.encode(symbols))


def free_weights(n: int, symbols: str, mode: str) -> dict[str, Weight]:
    """Theorem 3 without masks, two layers, hard or soft."""
    built = build_maskless(tree_sample(n, symbols), len(symbols), 2)
    return transformer_weights(_in_mode(built.transformer, mode), built.encode(symbols))


def _in_mode(model: Transformer[Matrix], mode: str) -> Transformer[Matrix]:
    return softened(model, SATURATION) if mode == "Soft" else model


def tree_number(automaton: WTA, symbols: str, words: list[str]) -> Entry:
    """A whole number, C times one, an entry of the tensor or of a leaf's vector."""
    match words:
        case ["C", z]:
            return SATURATION * int(z)
        case ["entry", a, b, c]:
            return automaton.tensor[int(a)][int(b)][int(c)]
        case ["vector", r, k]:
            return automaton.leaf(symbols[int(r)])[int(k)]
        case [z] if z.lstrip("-").isdigit():
            return int(z)
    raise Unread(f"a weight reads {' '.join(words)!r}")


def tree_cases(name: str, weights: Callable[[int, str, str], dict[str, Weight]]) -> Iterator[Case]:
    """Four small strings, hard and soft."""
    names = {OPEN: "Open", CLOSE: "Close"}
    for n, symbols in ((1, "[ab]"), (2, "[a[bc]]"), (2, "[[ab]a]"), (3, "a")):
        word = "; ".join(names.get(s, f"Sym {ord(s)}") for s in symbols)
        for mode in ("Hard", "Soft"):
            yield Case(
                f"n = {n}, {symbols}",
                f"{name} {n} {len(symbols)} {mode} [{word}]",
                partial(weights, n, symbols, mode),
                partial(tree_number, tree_sample(n, symbols), symbols),
            )


def _files(names: str) -> frozenset[str]:
    return frozenset(f"{name}.v" for name in names.split())


MODELS = (
    Model(
        "sequences",
        _files("Sizes Attention Theorem1 Softmax Recursion Spectral Saturation Theorem2")
        | _files("Equation1 SecondLayer MLPModel Theorem2MLP"),
        "Model Entries",
        tuple(word_cases()),
    ),
    Model("mlp", _files("MLP MLPModel Theorem2MLP"), "MLP MLPEntries", tuple(mlp_cases())),
    Model(
        "trees",
        _files(
            "TreeModel TreeBlocks TreeScores TreeLayers TreeSoft TreeTargets TreeInexact TreeMLP"
        ),
        "Trees TreeModel TreeEntries",
        tuple(tree_cases("tree_weights_of", masked_weights)),
    ),
    Model(
        "free",
        _files("FreeModel FreeBlocks FreeStates FreeLayers FreeInexact FreeMLP"),
        "Trees TreeModel FreeModel FreeEntries",
        tuple(tree_cases("free_weights_of", free_weights)),
    ),
)


def models_of(file: str) -> tuple[Model, ...]:
    """The models whose weights the theorems of a file speak of."""
    return tuple(model for model in MODELS if file in model.files)
