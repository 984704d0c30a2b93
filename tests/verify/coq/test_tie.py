"""The tie between proofs and program: equal as they are, and every change of the program is refused."""

from contextlib import suppress
from dataclasses import fields, is_dataclass, replace
from enum import Enum
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from constructions import decoder, decoder_tree, theorem1, theorem2, theorem3
from constructions.automata.wta import WTA
from constructions.blocks.multiplication import slim_multiplier
from constructions.blocks.smoothing import FourUnits
from constructions.core.matrix import Matrix, Tensor
from constructions.core.transformer import Attention, Mask, Norm, Transformer
from constructions.variants import (
    carried_positions,
    logdepth_clean,
    nopads,
    theorem2_clean,
    theorem3_clean,
    theorem3_variants,
    unrolled,
)
from verify.coq import runs, samples, walk, weights
from verify.coq.models import FORMS, decoder_parts
from verify.coq.printed import Unread
from verify.coq.samples import tree_sample, word_sample
from verify.coq.sources import files
from verify.coq.weights import MODELS, compare
from verify.recheck.kinds import coq as kinds

SEED = 20_260_101
QUICK = {"mlp", "no-pads"}  # the others take Coq longer


def slow_unless_quick(name):
    return [] if name in QUICK else [pytest.mark.slow]


@pytest.mark.coq
@pytest.mark.parametrize("name", [pytest.param(n, marks=slow_unless_quick(n)) for n in MODELS])
def test_the_program_s_models_are_those_of_the_proofs(name):
    assert compare(name, SEED) == []


# Changes of the program that only larger sizes, other numbers or MLPs show


def whole(weight):
    """A rational weight cut to an integer."""
    return int(weight) if isinstance(weight, Fraction) else weight


def built(change, when=lambda automaton, length, *more: True):
    """Change the transformer that a function builds, for some of its arguments."""

    def changed(build):
        def function(automaton, length, *more, **named):
            made = build(automaton, length, *more, **named)
            if not when(automaton, length, *more):
                return made
            return replace(made, transformer=change(made.transformer))

        return function

    return changed


def for_tensor(change, least):
    return lambda tensor: lambda n: change(tensor(n)) if n >= least else tensor(n)


def with_argument(place, change):
    """Change one of the arguments with which a model is built."""

    def changed(build):
        def function(*given, **named):
            given = list(given)
            if len(given) > place:
                given[place] = change(given[place])
            return build(*given, **named)

        return function

    return changed


def one_entry(tensor, factor=Fraction(1001, 1000)):
    place = max(tensor.entries)
    return type(tensor)(tensor.shape, {**tensor.entries, place: factor * tensor.entries[place]})


def no_last_layer(model):
    return replace(model, layers=model.layers[:-1])


def long(least):
    return lambda automaton, length, *_: length > least


def readout(change):
    return lambda model: replace(model, readout=model.readout.map(change))


def letters_as_the_first(encode):
    return lambda self, word: encode(self, [x if t < 7 else word[0] for t, x in enumerate(word)])


def rows_as_the_first(token_rows):
    return lambda self: [
        row if a < 7 else token_rows(self)[0] for a, row in enumerate(token_rows(self))
    ]


def doubled_output(block):
    def function(self, *given):
        made = block(self, *given)
        return replace(made, output=made.output.map(lambda x: 2 * x))

    return function


def swapped(automaton):
    tensor = [[list(column) for column in zip(*matrix, strict=True)] for matrix in automaton.tensor]
    leaves = {a: list(automaton.leaf(a)) for a in automaton.alphabet}
    return WTA.of(list(automaton.alpha), tensor, leaves) if automaton.n >= 9 else automaton


def swapped_heads(model):
    layers = [replace(layer, heads=layer.heads[::-1]) for layer in model.layers]
    return replace(model, layers=tuple(layers))


def one_hidden_weight(model):
    *others, last = model.layers
    block = replace(last.feedforward, hidden=one_entry(last.feedforward.hidden, -1))
    return replace(model, layers=(*others, replace(last, feedforward=block)))


WORDS = theorem1.WordSimulation
MUTANTS = {
    # The ten that a review tried, of which nine passed an earlier comparison
    "a tensor entry is 1.001 for n >= 4": ("sequences", theorem1, "tensor", for_tensor(one_entry, 4)),
    "a tensor is zero for n >= 9": (
        "sequences", theorem1, "tensor", for_tensor(lambda t: t.map(lambda x: 0 * x), 9)),
    "letters are wrong from the eighth on": ("mlp", WORDS, "encode", letters_as_the_first),
    "weights of letters are cut to integers": (
        "mlp", WORDS, "encode",
        lambda encode: lambda self, word: [list(map(whole, row)) for row in encode(self, word)]),
    "α is cut to integers": ("mlp", theorem2, "build", built(readout(whole))),
    "C is halved above 1000": (
        "mlp", theorem2, "build", with_argument(2, lambda c: c / 2 if c > 1000 else c)),
    "log-depth is wrong for T > 40": (
        "logdepth-trees", logdepth_clean, "build", built(no_last_layer, long(40))),
    "units are doubled in the clean word model": ("clean-words", FourUnits, "block", doubled_output),
    "units are doubled in the tree models": ("tree-units", FourUnits, "block", doubled_output),
    "masked trees are wrong for T > 64": (
        "trees", theorem3, "build", with_argument(1, lambda length: min(length, 64))),
    # Ten more
    "the signs of α are lost": ("mlp", theorem2, "build", built(readout(abs))),
    "a hidden weight has another sign for n >= 4": (
        "mlp", theorem2, "build", built(one_hidden_weight, lambda automaton, *_: automaton.n >= 4)),
    "θ has another sign for M >= 128": (
        "sequences", theorem1, "theta",
        lambda theta: lambda layer, span: theta(layer, span) * (-1 if span >= 128 else 1)),
    "a step is halved for T > 64": (
        "no-pads", nopads, "step",
        lambda step: lambda length: step(length) / (2 if length > 64 else 1)),
    "a layer is missing for T > 32": ("unrolled", unrolled, "build", built(no_last_layer, long(32))),
    "heads are swapped for n >= 9": (
        "clean-words", theorem2_clean, "build", built(swapped_heads, lambda a, *_: a.n >= 9)),
    "letters of the decoder are wrong from the eighth on": (
        "decoder", decoder.DecoderSimulation, "token_rows", rows_as_the_first),
    "C of the tree decoder is cut to an integer": (
        "tree-decoder", decoder_tree, "build", with_argument(3, lambda c: c and whole(c))),
    "the tensor is transposed for n >= 9": (
        "free", theorem3_variants, "build_maskless", with_argument(0, swapped)),
    "the clean tree model is wrong for T > 64": (
        "clean-trees", theorem3_clean, "build", built(no_last_layer, long(64))),
    "the base is another one for T > 40": (
        "logdepth-short", logdepth_clean, "build_short",
        lambda build: lambda automaton, length, c, base, sink: build(
            automaton, length, c, base + (length > 40), sink)),
}  # fmt: skip


@pytest.mark.coq
@pytest.mark.parametrize(
    "what", [pytest.param(what, marks=slow_unless_quick(m[0])) for what, m in MUTANTS.items()]
)
def test_a_change_of_the_program_is_refused(monkeypatch, what):
    model, owner, name, change = MUTANTS[what]
    monkeypatch.setattr(owner, name, change(getattr(owner, name)))
    assert compare(model, SEED)


# Every part of a built model is compared


BLOCKS = {
    "sequences": walk.bilinear_parts,
    "mlp": walk.mlp_parts,
    "clean-trees": walk.products,
    "decoder": decoder_parts,
}


def small(name):
    """A small built model of each kind, and its tokens."""
    automaton, word = word_sample(2, 3)
    if name == "clean-trees":
        trees, symbols = tree_sample(2, "[a[bc]]")
        made = theorem3_clean.build(trees, 7)
        return made.transformer, made.encode(symbols)
    if name == "decoder":
        made = decoder.build(automaton, 3, decoder.Design("silu"), Fraction(3))
    elif name == "mlp":
        units = slim_multiplier(2, "tanh", Fraction(2), Fraction(1, 1000))
        made = theorem2.build(automaton, 3, Fraction(3), units)
    else:
        made = theorem1.build(automaton, 3)
    return made.transformer, made.encode(word)


def leaves(part, path=()):
    """The paths to all parts of a model that can be changed."""
    yield path
    if is_dataclass(part) and not isinstance(part, (Matrix, Tensor, Norm)):
        for field in fields(part):
            if field.name != "name":
                yield from leaves(getattr(part, field.name), (*path, field.name))
    elif isinstance(part, tuple):
        for place, item in enumerate(part):
            yield from leaves(item, (*path, place))


def changed(part, path, draw):
    """The part with another value at a path."""
    if path:
        step, *rest = path
        if isinstance(part, tuple):
            return (*part[:step], changed(part[step], rest, draw), *part[step + 1 :])
        return replace(part, **{step: changed(getattr(part, step), rest, draw)})
    match part:
        case Matrix() | Tensor():
            places = [tuple(draw(st.integers(0, size - 1)) for size in part.shape)]
            place = draw(st.sampled_from([*part.entries, *places]))
            entries = {**part.entries, place: part.entries.get(place, 0) + Fraction(1, 1000)}
            return type(part)(part.shape, entries)
        case bool():
            return not part
        case Enum():
            return draw(st.sampled_from([other for other in type(part) if other is not part]))
        case str():
            return f"{part}x"
        case range():
            return range(part.start + 1, part.stop) if part else range(1)
        case tuple():
            return (*part, part[0]) if part else (1,)
        case None:
            return None
        case _:
            return (
                part + 1 if isinstance(part, (int, Fraction)) or hasattr(part, "__add__") else part
            )


@settings(max_examples=60)
@given(st.sampled_from(sorted(BLOCKS)), st.data())
def test_a_change_of_any_part_changes_the_weights_that_are_compared(name, data):
    model, rows = small(name)
    path = data.draw(st.sampled_from([p for p in leaves(model) if p]))
    other = changed(model, path, data.draw)

    def compared(each):
        renewed = walk.renewed(each, rows)
        return walk.walk(each, rows, BLOCKS[name], biases=True) | {"renewed": renewed}

    if other != model:
        with suppress(Unread, ValueError, IndexError, TypeError):  # refused, or no model any more
            assert compared(other) != compared(model)


NORM = Norm(True, 1)
FOREIGN = {
    "layer 0 stream": lambda m: replace(m, layers=(replace(m.layers[0], norm=NORM), *m.layers[1:])),
    "layer 1 stream": lambda m: replace(
        m, layers=(m.layers[0], replace(m.layers[1], after=(NORM, NORM)), *m.layers[2:])),
    "before the readout": lambda m: replace(m, norm=NORM),
    "readout bias": lambda m: replace(m, bias=(1,) * m.readout.shape[1]),
    "layer 0 head 0 bias": lambda m: replace(m, layers=(replace(m.layers[0], heads=(
        replace(m.layers[0].heads[0], bias=(1,) * m.layers[0].heads[0].query.shape[1]),
        *m.layers[0].heads[1:])), *m.layers[1:])),
}  # fmt: skip


@pytest.mark.parametrize("weight", FOREIGN)
def test_a_part_that_no_encoder_of_the_proofs_has_is_a_weight_of_its_own(weight):
    model, rows = small("sequences")
    before = walk.walk(model, rows, walk.bilinear_parts)
    after = walk.walk(FOREIGN[weight](model), rows, walk.bilinear_parts)
    assert {name for name in after if before.get(name) != after[name]} == {weight}


def test_a_part_with_a_field_that_is_not_compared_is_refused():
    for kind, names in walk.FIELDS.items():
        assert {field.name for field in fields(kind)} == names, kind

    class Other(Transformer):
        pass

    with pytest.raises(Unread, match=r"Other has a field \w+ that is not compared"):
        walk.check_fields(Other(*(getattr(small("mlp")[0], f.name) for f in fields(Transformer))))
    for name, parts in (("mlp", walk.bilinear_parts), ("sequences", walk.units)):
        with pytest.raises(Unread, match="expected a"):
            parts(small(name)[0].layers[0])


# Sizes


@given(st.integers(0, 10**18))
def test_the_re_checker_finds_the_sizes_that_a_seed_decides(seed):
    assert (
        FORMS.keys() == runs.RUNS.keys() == MODELS.keys() == kinds.RUNS.keys() == kinds.DRAWN.keys()
    )
    for name, model in MODELS.items():
        drawn = [draw.sizes for draw in model.drawn(seed)]
        assert drawn == kinds.drawn_sizes(f"compared {name}", kinds.DRAWN[name], seed)
        run = [draw.sizes for draw in runs.draws(name, seed)]
        assert run == kinds.drawn_sizes(name, kinds.RUNS[name], seed)
        assert model.sizes == kinds.SIZES[name]
        for draw in (*model.drawn(seed), *runs.draws(name, seed)):
            assert draw.sizes in model.witness(seed)


@given(st.integers(0, 10**9))
def test_every_seed_draws_many_letters_many_states_and_a_large_c(seed):
    for name, model in MODELS.items():
        drawn = model.drawn(seed)
        assert max(draw.n for draw in drawn) >= 3 and max(draw.length for draw in drawn) > 32, name
        assert {f"{module}.v" for module in model.modules.split()} <= set(files())
    for name in ("trees", "free", "clean-trees", "tree-decoder", "logdepth-trees"):
        large = max(MODELS[name].drawn(seed), key=lambda draw: draw.length)
        string = samples.distinct_leaves(large, weights.LEAVES)
        letters = [s for s in string if s.isalpha()]
        assert len(letters) == len(set(letters)) == 9 and len(string) <= large.length


def test_a_run_has_a_new_seed_unless_the_user_gives_one(monkeypatch):
    monkeypatch.delenv(samples.SEED, raising=False)
    assert len({samples.new_seed() for _ in range(5)}) > 1
    monkeypatch.setenv(samples.SEED, "17")
    assert samples.new_seed() == 17


@pytest.mark.parametrize("name", MODELS)
def test_a_number_that_is_not_understood_is_refused(name):
    case = FORMS[name][0].case(*MODELS[name].fixed[0], Fraction(3))
    for text in ("tan 1/2", "luck of 7", "minus", "1 2", "score 1" if "decoder" in name else "C"):
        with pytest.raises(Unread, match="a weight reads"):
            case.number(text.split())


# Runs


FAST = ("unrolled", "no-pads", "mlp", "trees", "free", "clean-trees", "tree-units")


@pytest.mark.parametrize(
    "name", [n if n in FAST else pytest.param(n, marks=pytest.mark.slow) for n in MODELS]
)
def test_built_models_have_the_automaton_s_states(name):
    assert runs.mistakes(name, samples.new_seed()) == []


def frozen(rows):
    return lambda self: [rows(self)[min(t, 200)] for t in range(len(rows(self)))]


RUN_MUTANTS = {
    "products are 1.001 times as large for n >= 7": (
        "no-pads", carried_positions, "tensor",
        for_tensor(lambda tensor: tensor.map(lambda x: Fraction(1001, 1000) * x), 7)),
    "positions are frozen from t = 200": (
        "decoder", decoder.DecoderSimulation, "position_rows", frozen),
    "half of the layers are missing for T > 500": (
        "clean-trees", theorem3_clean, "build",
        built(lambda m: replace(m, layers=m.layers[: len(m.layers) // 2]), long(500))),
}  # fmt: skip


@pytest.mark.parametrize(
    "what",
    [
        pytest.param(n, marks=[pytest.mark.slow] * (RUN_MUTANTS[n][0] == "decoder"))
        for n in RUN_MUTANTS
    ],
)
def test_a_change_for_large_sizes_is_refused_by_a_run(monkeypatch, what):
    model, owner, name, change = RUN_MUTANTS[what]
    monkeypatch.setattr(owner, name, change(getattr(owner, name)))
    assert runs.mistakes(model, SEED)


SCORES = st.lists(st.integers(-100, 100), min_size=2, max_size=9)


@given(
    SCORES, st.lists(st.integers(-9, 9), min_size=9, max_size=9), st.sampled_from(list(Attention))
)
def test_the_arithmetic_of_runs_attends_as_the_definition_says(scores, values, attention):
    """Queries 1 and keys that are the scores; a tie of a hard head is refused."""
    keys = np.array(scores, dtype=float)[:, None]
    column = np.array(values[: len(scores)], dtype=float)[:, None]
    top = [v for s, v in zip(scores, column[:, 0], strict=True) if s == max(scores)]
    given_scores = runs.Certain().scores(np.ones_like(keys), keys)
    if attention is Attention.HARD and len(top) > 1:
        with pytest.raises(Unread, match="row 0 are too near for float64"):
            runs.Certain().mix(given_scores, column, attention, Mask.NONE)
        return
    mixed = runs.Certain().mix(given_scores, column, attention, Mask.NONE)[:, 0]
    soft = np.exp(keys[:, 0] - max(scores))
    expected = (soft @ column[:, 0] / soft.sum()) if attention is Attention.SOFT else np.mean(top)
    assert mixed == pytest.approx([expected] * len(scores), rel=1e-12, abs=1e-12)


@given(st.sampled_from([-1.0, 1.0]), st.integers(-8, 8))
def test_a_choice_that_rounding_could_change_is_refused(size, ulps):
    keys = np.array([[size], [size * (1 + ulps * 2.0**-50)]])
    certain = runs.Certain()
    with pytest.raises(Unread, match="too near"):
        certain.mix((np.ones((2, 1)), keys), np.ones((2, 1)), Attention.HARD, Mask.NONE)


@given(st.integers(0, 10**9), st.integers(1, 9), st.integers(1, 40))
def test_states_of_the_automata_of_runs_are_signs_and_zeros(seed, n, length):
    draw = samples.Draw(seed, "sequences", 0, n, length)
    states = samples.words_automaton(draw).states(samples.word_of(draw))
    assert {abs(x) for state in states for x in state} <= {0, 1}
