"""Weights of proofs and program: what agrees gives no line, every mutant of the program is refused."""

from dataclasses import dataclass, fields, replace
from itertools import pairwise

import pytest

from constructions import decoder, decoder_tree, theorem1, theorem2, theorem3
from constructions.blocks import smoothing
from constructions.core.matrix import Matrix, Tensor
from constructions.core.transformer import Attention, Head, Mask, Norm
from constructions.variants import (
    carried_positions,
    logdepth_clean,
    nopads,
    theorem2_clean,
    theorem3_clean,
    theorem3_variants,
    unrolled,
)
from verify.coq import walk, weights, weights_trees, weights_words
from verify.coq.printed import Unread, pairs, read, unequal
from verify.coq.sources import files
from verify.coq.weights import MODELS, compare

needs_coq = pytest.mark.coq


# Changes of a built model


def each_layer(change):
    return lambda model: replace(model, layers=tuple(change(layer) for layer in model.layers))


def last_layer(change):
    return lambda model: replace(model, layers=(*model.layers[:-1], change(model.layers[-1])))


def head(place, **changes):
    def change(layer):
        heads = list(layer.heads)
        made = {k: v(heads[place]) if callable(v) else v for k, v in changes.items()}
        heads[place] = replace(heads[place], **made)
        return replace(layer, heads=tuple(heads))

    return change


def block(**changes):
    def change(layer):
        made = {k: v(getattr(layer.feedforward, k)) for k, v in changes.items()}
        return replace(layer, feedforward=replace(layer.feedforward, **made))

    return change


def doubled(weight):
    return weight.map(lambda x: 2 * x)


def one_flipped(weight, which=max):
    place = which(weight.entries)
    return type(weight)(weight.shape, {**weight.entries, place: -weight.entries[place]})


def one_dropped(weight):
    place = max(weight.entries)
    return type(weight)(weight.shape, {at: x for at, x in weight.entries.items() if at != place})


def columns_reversed(matrix):
    last = matrix.shape[1] - 1
    return Matrix(matrix.shape, {(i, last - j): x for (i, j), x in matrix.entries.items()})


def shifted_layers(model):
    """Layers numbered 2 … L + 1: each has the keys of the next one."""
    layers = model.layers
    later = [
        replace(layer, heads=(replace(layer.heads[0], key=after.heads[0].key), layer.heads[1]))
        for layer, after in pairwise(layers)
    ]
    return replace(model, layers=(*later, layers[-1]))


def swapped_heads(layer):
    return replace(layer, heads=layer.heads[::-1])


# Fields that no encoder of the proofs has.
FOREIGN = {
    "the queries have a bias": (
        last_layer(head(0, bias=lambda h: (1,) * h.query.shape[1])),
        "head 0 bias: only in the program",
    ),
    "a layer adds to the stream": (
        last_layer(lambda layer: replace(layer, residual=True)),
        "stream",
    ),
    "what a layer adds is normalised": (
        last_layer(lambda layer: replace(layer, after=(Norm(False, 1), Norm(False, 1)))),
        "normalised behind its blocks",
    ),
    "a layer is normalised": (
        last_layer(lambda layer: replace(layer, norm=Norm(True, 1))),
        "stream",
    ),
    "the readout has a bias": (
        lambda m: replace(m, bias=(1,) * m.readout.shape[1]),
        "readout bias: only in the program",
    ),
    "the readout is normalised": (
        lambda m: replace(m, norm=Norm(False, 1)),
        "before the readout",
    ),
}
WORDS = FOREIGN | {
    "the right head reads the left block": (
        each_layer(lambda layer: head(1, value=layer.heads[0].value)(layer)),
        "head 1 value",
    ),
    "the layers are numbered 2 … L + 1": (shifted_layers, "head 0 key"),
    "α is doubled": (lambda m: replace(m, readout=doubled(m.readout)), "readout"),
    "the heads are swapped": (each_layer(swapped_heads), "head 0 key"),
    "the last layer is missing": (
        lambda m: replace(m, layers=m.layers[:-1]),
        "only in the proof",
    ),
    "a layer is there twice": (
        lambda m: replace(m, layers=(*m.layers, *m.layers[-1:])),
        "only in the program",
    ),
    "a query has another sign": (
        last_layer(head(0, query=lambda h: one_flipped(h.query))),
        "query",
    ),
    "a head averages over ties": (
        last_layer(head(1, attention=Attention.SATURATED)),
        "head 1 attention",
    ),
    "a head is causal": (last_layer(head(0, mask=Mask.CAUSAL)), "head 0 attention"),
    "W_O forgets an entry": (
        last_layer(lambda layer: replace(layer, combine=one_dropped(layer.combine))),
        "combine",
    ),
    "the tensor multiplies the other way round": (
        last_layer(
            block(
                tensor=lambda t: Tensor(
                    t.shape, {(b, a, c): x for (a, b, c), x in t.entries.items()}
                )
            )
        ),
        "tensor",
    ),
    "W_out writes to one block": (last_layer(block(output=one_dropped)), "output"),
    "the left selector is turned round": (
        last_layer(block(left=columns_reversed)),
        "left select",
    ),
    "the positions are not written anew": (lambda m: replace(m, positions=range(0)), "encoding"),
    "other coordinates are written anew": (
        lambda m: replace(m, positions=range(m.positions.start - 1, m.positions.stop)),
        "encoding",
    ),
}
MLPS = {
    "a hidden weight has another sign": (last_layer(block(hidden=one_flipped)), "hidden"),
    "an output weight is doubled": (last_layer(block(output=doubled)), "output"),
    "a bias is moved": (last_layer(block(bias=lambda b: (*b[:-1], b[-1] + 1))), "bias"),
    "there is an offset": (last_layer(block(offset=lambda c: (*c[:-1], 1))), "offset"),
    "a layer has another activation": (
        last_layer(block(activation=lambda _: "relu")),
        "activation",
    ),
}
TREES = FOREIGN | {
    "a mask is turned round": (last_layer(head(1, mask=Mask.CAUSAL)), "head 1 attention"),
    "the last head reads with another sign": (
        last_layer(
            lambda layer: head(len(layer.heads) - 1, value=layer.heads[-1].value.map(lambda x: -x))(
                layer
            )
        ),
        " value",
    ),
    "a key is doubled": (last_layer(head(0, key=lambda h: doubled(h.key))), "head 0 key"),
    "a value reads other coordinates": (
        last_layer(head(0, value=lambda h: h.value.map(lambda x: 3 * x))),
        "head 0 value",
    ),
    "W_O turns round what the heads read": (
        last_layer(lambda layer: replace(layer, combine=columns_reversed(layer.combine))),
        "combine",
    ),
    "a selector of the block is doubled": (last_layer(block(left=doubled)), "products"),
    "the block forgets a product": (last_layer(block(tensor=one_dropped)), "products"),
    "the block writes twice as much": (last_layer(block(output=doubled)), "products"),
    "the readout is turned": (
        lambda m: replace(m, readout=m.readout.map(lambda x: -x)),
        "readout",
    ),
    "another coordinate is written anew": (lambda m: replace(m, positions=range(1)), "renewed"),
    "a layer is missing": (lambda m: replace(m, layers=m.layers[:-1]), "only in the proof"),
}
UNITS = {
    "a unit has another sign": (last_layer(block(output=one_flipped)), "units"),
    "a unit reads another sign": (last_layer(block(hidden=one_flipped)), "units"),
    "a unit is silent": (last_layer(block(output=one_dropped)), "units"),
    "a bias is moved": (last_layer(block(bias=lambda b: (b[0] + 1, *b[1:]))), "units"),
    "a layer has another activation": (
        last_layer(block(activation=lambda _: "softplus")),
        "activation",
    ),
}


def later_layers(model):
    """Layers numbered 2 … L + 1: each has the head of the next one."""
    later = [replace(layer, heads=after.heads) for layer, after in pairwise(model.layers)]
    return replace(model, layers=(*later, model.layers[-1]))


def moved_down(matrix):
    """A matrix that reads the coordinates after those that it read."""
    rows = matrix.shape[0]
    return Matrix(matrix.shape, {((i + 1) % rows, j): x for (i, j), x in matrix.entries.items()})


DECODERS = {
    "the head reads other coordinates": (
        last_layer(head(0, value=lambda h: moved_down(h.value))),
        "head 0 value",
    ),
    "the head forgets to write into the scratch": (
        last_layer(lambda layer: replace(layer, combine=one_dropped(layer.combine))),
        "combine",
    ),
    "a query has another sign": (
        last_layer(head(0, query=lambda h: one_flipped(h.query))),
        "head 0 query",
    ),
    "a key is doubled": (last_layer(head(0, key=lambda h: doubled(h.key))), "head 0 key"),
    "the mask is dropped": (last_layer(head(0, mask=Mask.NONE)), "head 0 attention"),
    "a head averages over ties": (
        last_layer(head(0, attention=Attention.SATURATED)),
        "head 0 attention",
    ),
    "the scratch is not erased": (last_layer(block(output=one_dropped)), "output"),
    "a unit has another sign": (
        last_layer(block(output=lambda w: one_flipped(w, min))),
        "output",
    ),
    "a layer has another activation": (
        last_layer(block(activation=lambda _: "gelu")),
        "activation",
    ),
    "a layer does not add to the stream": (
        last_layer(lambda layer: replace(layer, residual=False)),
        "stream",
    ),
    "a layer is normalised": (
        last_layer(lambda layer: replace(layer, norm=Norm(True, 1))),
        "stream",
    ),
    "the readout is doubled": (lambda m: replace(m, readout=doubled(m.readout)), "readout"),
    "the readout is normalised": (
        lambda m: replace(m, norm=Norm(True, 1)),
        "before the readout",
    ),
    "positions are written anew": (
        lambda m: replace(m, positions=range(1, 2)),
        "written anew",
    ),
    "the last layer is missing": (
        lambda m: replace(m, layers=m.layers[:-1]),
        "only in the proof",
    ),
    "a layer is there twice": (
        lambda m: replace(m, layers=(*m.layers, *m.layers[-1:])),
        "only in the program",
    ),
}
WORD_DECODERS = {
    "the layers are numbered 2 … L + 1": (later_layers, "head 0 query"),
    "α is doubled in the bias alone": (
        lambda m: replace(m, bias=m.bias and tuple(2 * x for x in m.bias)),
        "readout bias",
    ),
    "the queries lose their bias": (last_layer(head(0, bias=None)), "head 0 bias"),
    "the hidden units have a bias": (
        lambda m: last_layer(block(bias=lambda b: (*b[:-1], 1)))(m) if m.bias else m,
        "bias",
    ),
    "the gate is doubled": (
        lambda m: m if m.bias else last_layer(block(gate=doubled))(m),
        "gate",
    ),
}
TREE_DECODERS = {
    "the heads are swapped": (last_layer(swapped_heads), "head 0 query"),
    "the last head reads what the first one reads": (
        last_layer(lambda layer: head(-1, query=layer.heads[0].query)(layer)),
        "query",
    ),
    "the mean is hard": (
        lambda m: replace(
            m, layers=(head(0, attention=Attention.HARD)(m.layers[0]), *m.layers[1:])
        ),
        "layer 0 head 0 attention",
    ),
    "the depths are not squared": (
        lambda m: replace(m, layers=(m.layers[0], *m.layers[2:])),
        "layer 1",
    ),
    "the gate is doubled": (last_layer(block(gate=doubled)), "gate"),
}


def refused(name, expected):
    found = [str(difference) for difference in compare(name)]
    assert found, "the mutant gives no difference"
    assert any(expected in line for line in found), found[:5]


def with_change(monkeypatch, module, name, change):
    build = getattr(module, name)

    def changed(*arguments, **options):
        made = build(*arguments, **options)
        model = made.transformer
        return replace(made, transformer=change(model) if model.layers else model)

    monkeypatch.setattr(module, name, changed)


# What is shipped


QUICK = {"sequences", "mlp", "decoder", "tree-decoder"}  # the others take Coq half a minute


@needs_coq
@pytest.mark.parametrize(
    "name", [n if n in QUICK else pytest.param(n, marks=pytest.mark.slow) for n in MODELS]
)
def test_the_program_s_models_are_those_of_the_proofs(name):
    assert compare(name) == []


# Mutants of the program


def test_a_part_with_another_field_is_refused():
    @dataclass(frozen=True)
    class Other(Head):
        temperature: int = 1

    model = theorem1.build(weights_words.word_sample(1, 2)[0], 2)
    layer = model.transformer.layers[0]
    other = Other(**{field.name: getattr(layer.heads[0], field.name) for field in fields(Head)})
    for part in (other, replace(layer, heads=(other, *layer.heads[1:]))):
        with pytest.raises(Unread, match=r"Other has a field \w+ that is not compared"):
            walk.check_fields(part) if part is other else walk.walk_layer(
                "layer 0", part, walk.bilinear_parts, False
            )


def test_every_field_of_every_part_is_walked():
    for kind, names in walk.FIELDS.items():
        assert {field.name for field in fields(kind)} == names, kind


@needs_coq
@pytest.mark.parametrize("what", WORDS)
def test_a_changed_model_of_theorem_1_is_refused(monkeypatch, what):
    change, expected = WORDS[what]
    with_change(monkeypatch, theorem1, "build", change)
    refused("sequences", expected)


@needs_coq
@pytest.mark.parametrize("what", ["the right head reads the left block", "α is doubled"])
def test_a_changed_model_of_theorem_2_is_refused(monkeypatch, what):
    change, expected = WORDS[what]
    with_change(monkeypatch, theorem2, "build", change)
    refused("sequences", expected)


ONE_STEP = {
    "the positions are not written anew",
    "the heads are swapped",
    "the last layer is missing",
    "the left selector is turned round",
    "W_out writes to one block",
}


@needs_coq
@pytest.mark.parametrize("what", sorted(ONE_STEP | FOREIGN.keys()))
def test_a_changed_unrolled_model_is_refused(monkeypatch, what):
    change, expected = WORDS[what]
    with_change(monkeypatch, unrolled, "build", change)
    refused("unrolled", expected)


@needs_coq
@pytest.mark.parametrize(
    ("name", "change", "expected"),
    [
        ("step", lambda good: lambda *given: good(*given) / 2, "embedding"),
        ("shift", lambda good: lambda *given: -good(*given), "head 0 key"),
        ("code_value", lambda good: lambda *given: good(*given).scaled(2), "head 2 value"),
        ("tensor", lambda good: lambda *given: theorem1.tensor(*given), "tensor"),
    ],
)
def test_a_changed_model_without_pads_is_refused(monkeypatch, name, change, expected):
    module = nopads if name == "step" else carried_positions
    monkeypatch.setattr(module, name, change(getattr(module, name)))
    refused("no-pads", expected)


@needs_coq
@pytest.mark.parametrize("what", MLPS)
def test_a_changed_mlp_of_theorem_2_is_refused(monkeypatch, what):
    change, expected = MLPS[what]
    with_change(monkeypatch, theorem2, "build", change)
    refused("mlp", expected)


@needs_coq
@pytest.mark.parametrize("what", DECODERS | WORD_DECODERS)
def test_a_changed_decoder_is_refused(monkeypatch, what):
    change, expected = (DECODERS | WORD_DECODERS)[what]
    with_change(monkeypatch, decoder, "build", change)
    refused("decoder", expected)


@needs_coq
@pytest.mark.parametrize("what", DECODERS | TREE_DECODERS)
def test_a_changed_tree_decoder_is_refused(monkeypatch, what):
    change, expected = (DECODERS | TREE_DECODERS)[what]
    with_change(monkeypatch, decoder_tree, "build", change)
    refused("tree-decoder", expected)


@needs_coq
@pytest.mark.parametrize(
    ("module", "name", "changed", "expected"),
    [
        (decoder, "minus_identity", lambda a: [w for row in a for w in row], "tokens"),
        (decoder, "span", lambda length: 2 * length, "places"),
        (decoder, "erasing_weight", lambda *_: 1, "output"),
        (decoder_tree, "depth", lambda length: 3, "only in the proof"),
        (decoder_tree, "minus", lambda form: form, "head 1 key"),
    ],
)
def test_a_changed_part_of_a_decoder_is_refused(monkeypatch, module, name, changed, expected):
    monkeypatch.setattr(module, name, changed)
    refused("decoder" if module is decoder else "tree-decoder", expected)


@needs_coq
def test_a_begin_token_that_is_not_zero_is_refused(monkeypatch):
    rows = decoder.DecoderSimulation.token_rows
    monkeypatch.setattr(
        decoder.DecoderSimulation, "token_rows", lambda self: [*rows(self)[:-1], rows(self)[0]]
    )
    refused("decoder", "tokens")


def test_a_score_with_a_root_is_refused():
    with pytest.raises(Unread, match="root of 4"):
        MODELS["decoder"].cases[0].number(["score", "4", "2"])


def test_words_behind_a_weight_are_refused():
    with pytest.raises(Unread, match="1 2"):
        MODELS["decoder"].cases[0].number(["1", "2"])


@needs_coq
@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "module", "build"),
    [
        ("trees", theorem3, "build"),
        ("free", theorem3_variants, "build_maskless"),
        ("clean-trees", theorem3_clean, "build"),
        ("logdepth-trees", logdepth_clean, "build"),
        ("logdepth-short", logdepth_clean, "build_short"),
        ("clean-words", theorem2_clean, "build"),
    ],
)
@pytest.mark.parametrize("what", TREES)
def test_a_changed_tree_model_is_refused(monkeypatch, name, module, build, what):
    change, expected = TREES[what]
    with_change(monkeypatch, module, build, lambda m: change(m) if len(m.layers) > 2 else m)
    refused(name, expected)


@needs_coq
@pytest.mark.parametrize("what", UNITS)
def test_changed_hidden_units_of_a_tree_model_are_refused(monkeypatch, what):
    change, expected = UNITS[what]
    smooth = smoothing.smooth_transformer
    monkeypatch.setattr(
        weights_trees,
        "smooth_transformer",
        lambda *given: change(made) if (made := smooth(*given)).layers else made,
    )
    refused("tree-units", expected)


@needs_coq
def test_four_units_for_each_product_are_not_the_shared_ones(monkeypatch):
    """The program shares the units of products of the same factors, as `SharedUnits.v` proves."""
    shared = smoothing.products

    def apart(given):
        return [
            replace(product, output={target: weight})
            for product in shared(given)
            for target, weight in product.output.items()
        ]

    monkeypatch.setattr(smoothing, "products", apart)
    refused("tree-units", "hidden unit(s) only in the program")


@needs_coq
@pytest.mark.parametrize("name", ["theta", "rotation", "position", "identity"])
def test_a_changed_factory_of_theorem_1_is_refused(monkeypatch, name):
    changed = {
        "theta": lambda layer, span: -theta(layer, span),
        "rotation": lambda angle: rotation(angle).transpose,
        "position": lambda t, span: position(t + 1, span),
        "identity": lambda n: tuple((0,) * n for _ in range(n)),
    }
    theta, rotation, position = theorem1.theta, theorem1.rotation, theorem1.position
    monkeypatch.setattr(theorem1, name, changed[name])
    assert compare("sequences")


@needs_coq
def test_an_answer_read_in_the_wrong_row_is_refused(monkeypatch):
    monkeypatch.setattr(theorem1.WordSimulation, "row", lambda self, t: t + self.span)
    refused("sequences", "rows")


@needs_coq
def test_the_square_root_of_c_on_one_side_only_is_refused(monkeypatch):
    monkeypatch.setattr(
        theorem2,
        "_saturated_head",
        lambda given, factor: replace(given, query=given.query.scaled(factor * factor)),
    )
    refused("sequences", "head 0 query")


# Reading what Coq prints


def test_a_difference_names_model_sizes_weight_and_entry():
    found = weights.Difference("sequences", "n = 1, T = 2", "readout", "entry (1, 0) is 4 …")
    assert str(found) == "sequences, n = 1, T = 2, readout: entry (1, 0) is 4 …"


def test_another_shape_is_a_difference():
    assert "shape" in next(unequal("size 2 1", Matrix.zeros(1, 1), int))


@pytest.mark.parametrize("name", MODELS)
def test_an_unknown_weight_is_refused(name):
    with pytest.raises(Unread, match="tan"):
        MODELS[name].cases[0].number(["tan", "1/2"])


def test_an_entry_that_is_printed_twice_is_refused():
    with pytest.raises(Unread, match="twice"):
        read("size 1 1; 0 0 : 1; 0 0 : 1", lambda words: int(words[0]))
    with pytest.raises(Unread, match="twice"):
        pairs('("query", "size 1 1"); ("query", "size 1 1")')


def test_letters_after_the_word_are_pads():
    assert weights_words.word_number(2, 3, ["letter", "4", "1", "1"]) == 1
    assert weights_words.word_number(2, 3, ["letter", "4", "0", "1"]) == 0


def test_every_file_that_is_named_is_there_and_has_something_to_compare():
    known = set(files())
    for model in MODELS.values():
        assert {f"{module}.v" for module in model.modules.split()} <= known
        assert model.cases and "compared entry by entry for n = 1" in model.witness(1)
