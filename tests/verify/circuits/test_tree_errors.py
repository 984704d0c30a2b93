"""Errors beside the values of a tree decoder, with numbers for which every term can be followed by hand."""

from fractions import Fraction
from types import SimpleNamespace as Part

import flint
import pytest

from constructions.circuits.circuit import Component, Hook
from constructions.circuits.interventions import (
    AblateBlock,
    AblateFeature,
    AblateHead,
    AblateScratch,
    Interchange,
    RemoveEdge,
)
from constructions.circuits.tree_circuit import TreeHead
from constructions.core.errors import InputError
from verify.circuits import tree_allowance
from verify.circuits.tree_allowance import TreeAllowance, TreeRunBounds
from verify.circuits.tree_errors import (
    Mixing,
    Sight,
    absolute,
    block_polynomials,
    evaluate,
    exact_ball,
    plus,
    polynomial_error,
)

arb = flint.arb
FORM = Part(gamma=arb, roundoff=arb(0.25), normal=arb(0.5), largest=arb(1 << 40))  # γ_k is k
MOVE = Part(exp=lambda: arb(3))  # e^{2D} = 3


def balls(*rows):
    return [list(map(arb, row)) for row in rows]


def matrix(*rows):
    return flint.fmpq_mat([list(map(flint.fmpq, row)) for row in rows])


def sight(**more):
    values = {"x": matrix([2, -3], [5, 7]), "y": matrix([-4], [6])}
    errors = {"x": balls([1, 2], [4, 8]), "y": balls([16], [32])}
    return Sight(values, errors, flint.arb_mat(1, 1), **more)


# Softmax, forms, polynomials


def test_weights_are_those_of_the_mean_and_what_leaks():
    mixing = Mixing([(0,), (0, 1), (2,)], [{}, {}, {0: arb(0.25), 1: arb(7)}], [MOVE] * 3)
    assert mixing.bound.table() == balls([3, 0, 0], [1.5, 1.5, 0], [0.25, 7, 3])


def test_a_mean_is_off_by_what_is_read_what_leaks_and_how_far_its_values_are_apart():
    exact, off = balls([1, 7, 11], [0.5, 0.25, 2])
    mixing = Mixing([(0, 1), (2,)], [{2: arb(0.125)}, {0: arb(0.5)}], [MOVE] * 2)
    apart = (abs(1 - 4) + abs(7 - 4)) / 2
    assert mixing.error(0, exact, off) == 0.75 / 2 * 3 + 0.125 * (7 + 2) + (3 - 1) * apart
    assert mixing.error(1, exact, off) == 2 * 3 + 0.5 * (10 + 0.5)


def test_one_position_is_not_apart_from_itself():
    """Even if its value is known as a ball, whose difference from itself is not 0."""
    mixing = Mixing([(0,)], [{}], [MOVE])
    assert mixing.error(0, [arb(1, 0.5)], [arb(2)]) == 2 * 3


def test_a_form_has_values_and_errors_at_every_position():
    form = (("x", 1, Fraction(-2)), ("y", 0, Fraction(1, 2)))
    values, errors = evaluate(form, sight(), 2)
    assert values == [6 - 2, -14 + 3] and errors == [2 * 2 + 8, 2 * 8 + 16]
    assert evaluate((), sight(), 2) == ([0, 0], [0, 0])


def test_a_polynomial_is_off_by_its_linear_terms_and_by_products():
    x, y = ("x", 1), ("y", 0)
    terms = {(): arb(99), (x,): arb(-3), (x, y): arb(-0.5), (y, y): arb(2)}
    products = 0.5 * (3 * 16 + 4 * 2 + 2 * 16) + 2 * (4 * 16 + 4 * 16 + 16 * 16)
    assert polynomial_error(terms, sight(), 0) == 3 * 2 + products
    later = 0.5 * (7 * 32 + 6 * 8 + 8 * 32) + 2 * (6 * 32 + 6 * 32 + 32 * 32)
    assert polynomial_error(terms, sight(), 1) == 3 * 8 + later


def test_errors_are_added_where_there_are_others():
    table = {"x": balls([1, 2], [3, 4]), "y": balls([5], [6])}
    assert plus(table, {"x": balls([10, 20], [30, 40])}) == {
        "x": balls([11, 22], [33, 44]), "y": table["y"]}  # fmt: skip
    for shorter in (balls([10, 20]), balls([10], [30])):
        with pytest.raises(ValueError, match="zip"):
            plus(table, {"x": shorter})


def test_numbers_of_every_kind_become_balls():
    third = exact_ball(Fraction(1, 3))
    assert third.contains(flint.fmpq(1, 3)) and third.rad() < 1e-15
    assert exact_ball(flint.fmpq(-1, 2)) == -0.5 and exact_ball(3) == exact_ball(3.0) == 3
    assert absolute([[Fraction(-1, 2), 3], [flint.fmpq(0), -4.0]]).table() == balls(
        [0.5, 3], [0, 4]
    )


def test_blocks_are_polynomials_in_what_they_see():
    pointer, index, near = ("read_pointer", 0), ("index", 0), ("near", 0)
    square = block_polynomials(1, (((0,),),), "square", 1)
    assert square == {("read_matrix", 0): {(pointer, pointer): 1}}
    depth = block_polynomials(1, (((0,),),), "depth", 1)
    assert depth == {
        pointer: {(index, near): 1, (near,): 1, (("known", 0),): 1, (("inactive", 0),): 1, (): -2},
        near: {(near,): -1},
    }
    assert block_polynomials(1, (((0,),),), "depth", 0)[pointer] == {(index, near): 1}


# A run


def run(**more):
    """A run of two positions with two features; the coordinates are features."""
    made = Part(sizes={"x": 2, "y": 1}, count=2, form=FORM, saturation=arb(2), **more)
    made.zero = lambda: TreeRunBounds.zero(made)
    made.features = lambda coordinates: {
        "x": [row[:2] for row in coordinates.table()],
        "y": [row[2:] for row in coordinates.table()],
    }
    return made


def test_numbers_are_upper_ends_above_what_underflow_loses_and_unknown_beyond_the_format():
    own = Part(form=FORM, tiny=arb(1))
    assert TreeRunBounds.tiny.func(own) == arb(2) ** 39
    assert TreeRunBounds.number(own, arb(6)) == 7
    assert TreeRunBounds.number(own, FORM.largest - 2) == FORM.largest - 1
    assert not TreeRunBounds.number(own, FORM.largest - 1).is_finite()


def test_features_and_coordinates_are_side_by_side():
    own = run()
    own.weights = Part(write=matrix([1, 0, 0], [0, -2, 0], [1, 0, 3]),
                       absolute_write=flint.arb_mat([[1, 0, 0], [0, 2, 0], [1, 0, 3]]),
                       absolute_read=flint.arb_mat([[1, 2, 0], [0, 1, 5], [3, 0, 1]]))  # fmt: skip
    for name in ("flat", "coordinates"):
        method = getattr(TreeRunBounds, name)
        setattr(own, name, lambda *given, method=method: method(own, *given))
    view = sight()
    assert own.flat(view.errors).table() == balls([1, 2, 16], [4, 8, 32])
    assert own.coordinates(view.values).table() == balls([2, 6, 12], [11, 14, 18])
    found = TreeRunBounds.magnitude(own, view.values, view.errors)
    assert found.table() == balls([2 + 17, 6 + 4, 12 + 48], [11 + 36, 14 + 16, 18 + 96])
    read = TreeRunBounds.features(own, flint.arb_mat([[1, 2, 3], [4, 5, 6]]))
    assert read == {"x": balls([10, 4], [22, 13]), "y": balls([13], [31])}
    assert own.zero() == {"x": balls([0, 0], [0, 0]), "y": balls([0], [0])}


def mixing_of(rounded, keys=1):
    """Scores 3q(t)k(j) of one query and key, C = 2, u = 1/4."""
    key = (("y", 0, Fraction(-3)),)
    part = Part(name="head", query=((("x", 0, Fraction(1)),),), key=(key,) * keys)
    scores = [[flint.fmpq(9)], [flint.fmpq(1), flint.fmpq(3)]]
    own = run(trace=Part(readings={"head": Part(scores=scores, positions=((0,), (1,)))}))
    small = Sight(sight().values, {"x": balls([0.5, 0], [0.25, 0]), "y": balls([0.125], [0])},
                  flint.arb_mat(1, 1))  # fmt: skip
    return TreeRunBounds.mixing(own, part, {"query": small, "key": small}, flint.arb_mat(rounded))


def test_scores_move_by_errors_of_queries_and_keys_and_by_rounding():
    """q = (2, 5) ± (1/2, 1/4) and k = (12, -18) ± (3/8, 0)."""
    found = mixing_of([[0, 99], [0, 0]])
    first = 2 * (2 * 0.375 + 0.5 * 12 + 0.5 * 0.375)
    second = 2 * max(5 * 0.375 + 0.25 * 12 + 0.25 * 0.375, 0.25 * 18)
    assert found.moves == [2 * first + 16, 2 * second + 16]
    assert found.leaks[0] == {} and set(found.leaks[1]) == {0}
    assert float(found.leaks[1][0].log()) == pytest.approx(2 * second + 16 - 2 * 2)
    assert mixing_of([[0, 99], [5, 4]]).moves[1] == 2 * (second + 4 * 5) + 16
    assert mixing_of([[1, 99], [5, 7]]).moves == [2 * (first + 4) + 16, 2 * (2 * 4.5 + 28) + 16]


def test_a_query_without_a_key_is_noticed():
    with pytest.raises(ValueError, match="zip"):
        mixing_of([[0, 0], [0, 0]], keys=2)


def test_a_head_that_was_moved_has_no_scores_to_be_off():
    own = run(trace=Part(readings={"head": Part(scores=None, positions=((0,), (0,)))}))
    found = TreeRunBounds.mixing(own, Part(name="head"), {}, None)
    assert (found.leaks, found.moves) == ([{}, {}], [0, 0])


def test_several_positions_share_what_leaks_to_others():
    part = Part(name="head", query=(), key=())
    scores = [
        [flint.fmpq(0)],
        [flint.fmpq(4), flint.fmpq(4)],
        [flint.fmpq(4), flint.fmpq(1), flint.fmpq(4)],
    ]
    positions = ((0,), (0, 1), (0, 2))
    own = run(trace=Part(readings={"head": Part(scores=scores, positions=positions)}))
    own.count = 3
    found = TreeRunBounds.mixing(own, part, {"query": None, "key": None}, flint.arb_mat(3, 3))
    assert found.moves == [16] * 3 and found.leaks[:2] == [{}, {}]
    assert float(found.leaks[2][1]) == pytest.approx(float(arb(16 - 2 * 3).exp()) / 2)


@pytest.mark.parametrize(("divided", "share"), [(True, 31), (False, 62)])
def test_the_rounding_of_a_head_counts_its_width_the_stream_and_the_positions(divided, share):
    """Width 4 and d = 5, one position: γ_(10 + 4 + 48) for scores, γ_(5 + 1 + 4 + 64) for what is added."""
    asked = []
    shapes = {"W_Q": [[1, 2, 0, 1]], "W_K": [[1] * 4], "W_V": [[2, 0, 0, 0]], "W_O": [[1]] * 4}
    names = {f"blocks.6.attn.{key}.1": flint.arb_mat(rows) for key, rows in shapes.items()}
    mixing = Part(bound=flint.arb_mat([[2]]), error=lambda t, values, off: values[t] + off[t])
    view = Sight({"x": matrix([8])}, {"x": balls([0.5])}, flint.arb_mat([[3]]))
    own = Part(
        weights=Part(by_name=names, divided=divided, write=Part(ncols=lambda: 5)), form=FORM, count=1,
        sight=lambda part, side, stream: view, zero=lambda: {"x": balls([0])},
        features=lambda added: {"x": added.table()},
        mixing=lambda part, sees, rounded: asked.append(rounded.table()) or mixing,
    )  # fmt: skip
    copies = ((((("x", 0, Fraction(2)),)), "x", 0),)
    found, added = TreeRunBounds.head(own, Part(layer=6, head=1, copies=copies), None)
    assert asked == [balls([36 * share])]
    assert added.table() == balls([12]) and found == {"x": balls([74 * 12 + 16 + 1])}


def test_the_rounding_of_a_block_counts_its_units_and_the_stream():
    names = {"W_gate": [[1, 2]], "W_in": [[3, 1]], "W_out": [[1], [5]]}
    weights = {f"blocks.6.mlp.{key}": flint.arb_mat(rows) for key, rows in names.items()}
    own = Part(form=FORM, weights=Part(by_name=weights, write=Part(ncols=lambda: 5)),
               features=lambda added: added.table())  # fmt: skip
    view = Part(magnitude=flint.arb_mat([[2]]))
    found, bound = TreeRunBounds.block(own, Part(layer=6), view)
    assert bound.table() == balls([2 * 6 + 4 * 2 * 5])
    assert found == balls([(3 * 5 + 2 + 80) * 52])
    weights["blocks.6.mlp.W_in"] = flint.arb_mat([[3]])
    with pytest.raises(ValueError, match="zip"):
        TreeRunBounds.block(own, Part(layer=6), view)


def test_a_stream_is_rounded_where_something_is_added_to_it():
    own = run()
    own.number = lambda value: value + 1000
    found = TreeRunBounds.settled(own, sight().errors, flint.arb_mat([[1, 2, 3], [4, 5, 6]]))
    assert found == {"x": balls([1001 + 16, 1002 + 32], [1004 + 64, 1008 + 80]),
                     "y": balls([1016 + 48], [1032 + 96])}  # fmt: skip


def test_the_embedding_is_rounded_by_tokens_and_positions():
    own = run(circuit=Part(tokens=("a", "b", "<bos>")), symbols=("<bos>", "a"))
    own.weights = Part(by_name={
        "embed.W_E": flint.arb_mat([[1, 2, 3], [4, 5, 6], [7, 8, 9]]),
        "pos_embed.W_pos": flint.arb_mat([[10, 20, 30], [40, 50, 60], [70, 80, 90]])})  # fmt: skip
    assert TreeRunBounds.embedding(own) == {
        "x": balls([6 * 17, 6 * 28], [6 * 41, 6 * 52]), "y": balls([6 * 39], [6 * 63])}  # fmt: skip


def test_another_run_reads_a_feature_by_a_sum_over_all_coordinates():
    streams = {site: {"x": balls([more + 1, 2], [3, 4]), "y": balls([5], [6])}
               for more, site in ((0, ("embedding", 0)), (50, ("after", 1)))}  # fmt: skip
    own = run(weights=Part(write=Part(ncols=lambda: 5)), bounds=Part(streams=streams),
              trace=Part(embedded=1, after=[None, 2]))  # fmt: skip
    own.magnitude = lambda values, errors: values * flint.arb_mat([[1, 2, 3], [4, 5, 6]])
    for layer, times, first in ((-1, 1, 1), (1, 2, 51)):
        more = (5 + 8) * times
        assert TreeRunBounds.after(own, layer) == {
            "x": balls([first + more, 2 + 2 * more], [3 + 4 * more, 4 + 5 * more]),
            "y": balls([5 + 3 * more], [6 + 6 * more])}  # fmt: skip


def test_outputs_are_states_with_the_rounding_of_the_readout():
    view = Part(magnitude=flint.arb_mat([[1, 2, 3], [4, 5, 6]]),
                errors={"state": balls([1, 2], [4, 8])})  # fmt: skip
    own = Part(circuit=Part(by_name={"logits": "readout"}), form=FORM,
               weights=Part(write=Part(ncols=lambda: 5),
                            by_name={"unembed.W_U": flint.arb_mat([[1, 0], [0, 1], [0, 0]])}),
               sight=lambda part, side, stream: view, stream=lambda *given: None,
               number=lambda value: 1000 + value)  # fmt: skip
    found = TreeRunBounds.outputs(own, None, None)
    assert found == ((1001 + 21, 1002 + 42), (1004 + 84, 1008 + 105))


def test_a_feature_that_is_0_at_a_position_is_exact_there():
    values, errors = TreeRunBounds.without(run(), "x", 1, sight().values, sight().errors)
    assert values["x"] == matrix([2, -3], [0, 0]) and values["y"] == matrix([-4], [6])
    assert errors == {"x": balls([1, 2], [0, 0]), "y": balls([16], [32])}
    assert sight().values["x"] == matrix([2, -3], [5, 7])


def seen(*interventions, carries=("y",), side="stream"):
    """What a block of layer 2 sees of the stream, where `embed` has added to both features."""
    into = {
        ("mlp 2", side): [
            Part(source="other", carries=("x",)),
            Part(source="embed", carries=carries),
        ]
    }
    own = run(circuit=Part(into=into), interventions=interventions,
              trace=Part(added={"embed": {"y": matrix([1], [2]), "x": matrix([1, 1], [1, 1])}}),
              added={"embed": {"x": balls([100, 100], [100, 100]), "y": balls([200], [200])}})  # fmt: skip
    own.removals = lambda part, side: TreeRunBounds.removals(own, part, side)
    own.without = lambda *given: TreeRunBounds.without(own, *given)
    own.magnitude = lambda values, errors: flint.arb_mat([[10, 0, 0], [0, 10, 0]])
    stream = Sight(sight().values, sight().errors, flint.arb_mat([[1, 2, 3], [4, 5, 6]]))
    return TreeRunBounds.sight(own, Part(name="mlp 2", layer=2), side, stream)


def test_a_reader_sees_the_stream_less_what_an_edge_carries():
    """What is left is rounded by 8u = 2 of the magnitudes, which gain twice those of the source's part."""
    whole = seen()
    assert whole.complete and whole.errors == sight().errors
    found = seen(RemoveEdge("embed", "mlp 2", "stream"))
    assert not found.complete
    assert found.values == {"x": sight().values["x"], "y": matrix([-5], [4])}
    assert found.magnitude.table() == balls([21, 2, 3], [4, 25, 6])
    assert found.errors == {"x": balls([1 + 42, 2 + 4], [4 + 8, 8 + 50]),
                            "y": balls([16 + 200 + 6], [32 + 200 + 12])}  # fmt: skip
    everything = seen(RemoveEdge("embed", "mlp 2", "stream"), carries=())
    assert everything.values == {"x": matrix([1, -4], [4, 6]), "y": matrix([-5], [4])}
    assert everything.errors["x"] == balls([101 + 42, 102 + 4], [104 + 8, 108 + 50])
    unknown = seen(RemoveEdge("nobody", "mlp 2", "stream"))
    assert unknown.values == sight().values and not unknown.complete
    assert seen(RemoveEdge("embed", "mlp 2", "key")).complete


def test_a_block_reads_a_feature_as_0_in_its_own_layer_alone():
    found = seen(AblateScratch(2, 1, "y"))
    assert found.values["y"] == matrix([-4], [0]) and not found.complete
    assert found.errors["y"] == balls([16 + 6], [0 + 12])
    assert seen(AblateScratch(3, 1, "y")).complete
    assert seen(AblateScratch(2, 1, "y"), side="value").complete


def test_what_is_put_into_the_stream_has_the_errors_of_where_it_comes_from():
    """γ_64 of the magnitudes before and after, which are 1 and 2 here at every coordinate."""
    taken = {"x": balls([70, 80], [90, 95]), "y": balls([60], [50])}
    changes = (Interchange(1, 0, ("a",), 1, ("x",)), AblateFeature(1, 1, 1, "x"),
               AblateFeature(1, 1, None, "y"), AblateFeature(0, 0, None, "x"))  # fmt: skip
    patches = [(1, {"x": matrix([1, 1], [1, 1])}), (0, {"y": matrix([5], [5])})]
    own = run(interventions=changes, sources={("a",): Part(after=lambda layer: taken)},
              trace=Part(patches=patches))  # fmt: skip
    own.magnitude = lambda values, errors: flint.arb_mat(2, 3, [int(values["x"][0, 0])] * 6)
    values = {"x": matrix([3, 3], [3, 3]), "y": matrix([0], [0])}
    found = TreeRunBounds.patched(own, 1, sight().errors, values)
    more = 64 * (3 + 2)
    assert found == {"x": balls([90 + more, 95 + more], [4 + more, more]),
                     "y": balls([16 + more], [more])}  # fmt: skip
    assert TreeRunBounds.patched(own, 2, sight().errors, values) == sight().errors


def test_a_block_leaves_errors_of_its_terms_and_of_the_stream_that_it_adds_to():
    terms = {("x", 0): {(("y", 0),): arb(3)}, ("y", 0): {(("y", 0),): arb(-1)}}
    own = run(polynomials=lambda kind, sight: terms)
    added = TreeRunBounds.block_errors(own, Part(kind="step"), sight(), own=False)
    assert added == {"x": balls([48, 0], [96, 0]), "y": balls([16], [32])}
    after = TreeRunBounds.block_errors(own, Part(kind="step"), sight(), own=True)
    assert after == {"x": balls([49, 2], [100, 8]), "y": balls([0], [0])}


def test_the_constant_that_a_block_sees_is_one_number(monkeypatch):
    monkeypatch.setattr(tree_allowance, "block_polynomials", lambda *given: given)
    own = Part(circuit=Part(n=2, tensor="tensor"))
    view = Part(values={"one": matrix([0], [0])})
    assert TreeRunBounds.polynomials(own, "step", view) == (2, "tensor", "step", 0)
    view.values["one"] = matrix([1], [0])
    with pytest.raises(InputError, match="a constant that differs by position"):
        TreeRunBounds.polynomials(own, "step", view)


def test_a_table_has_floats_at_or_above_the_bounds():
    allowed = TreeAllowance({("after", 2): {"x": balls([1, 2], [0, 4])}}, ())
    unit = 1 + 2**-50
    found = allowed.table(Hook("after", 2, "", "output", {}), "x", 2, 2)
    assert found == [[unit, 2 * unit], [0, 4 * unit]]


def test_layers_follow_each_other_and_all_is_computed_with_96_bits():
    """Each layer adds 1 between heads and block and 10 behind it; patches add 100 after a layer."""
    seen = []
    own = Part(
        added={}, circuit=Part(layers=2), trace=Part(embedded="first", after=["second", "third"]),
        embedding=lambda: seen.append(flint.ctx.prec) or 0,
        patched=lambda layer, errors, values: seen.append((layer, values)) or errors + 100,
        layer=lambda layer, values, errors: seen.append((layer, values, errors)) or (
            errors + 1, errors + 10),
        outputs=lambda values, errors: (values, errors),
    )  # fmt: skip
    found = TreeRunBounds.bounds.func(own)
    assert own.added == {"embed": 0} and found.outputs == ("third", 320)
    assert found.streams == {("embedding", 0): 100, ("middle", 0): 101, ("after", 0): 210,
                             ("middle", 1): 211, ("after", 1): 320}  # fmt: skip
    assert seen == [96, (-1, "first"), (0, "first", 100), (0, "second"), (1, "second", 210),
                    (1, "third")]  # fmt: skip


def layer_errors(*interventions, complete=True, kind="begin"):
    """Layer 2 of a stream of one number that is off by 1: the head adds 2, and rounding adds magnitudes."""
    copies = (((), "x", 0),)
    parts = [Component("embed", "embed", 2), TreeHead("head 1.0", "near", 1, 0, copies=copies),
             TreeHead("head 2.0", "near", 2, 0, copies=copies), TreeHead("head 2.1", "idle", 2, 1),
             Component("mlp 2", kind, 2), Component("mlp 3", "step", 3),
             Component("logits", "readout", 2)]  # fmt: skip
    own = Part(
        circuit=Part(components=parts), trace=Part(middle=[None, None, 20]), added={},
        interventions=interventions, stream=lambda values, errors: Part(magnitude=arb(values)),
        head=lambda part, stream: ({"x": balls([2])}, arb(100)),
        sight=lambda part, side, stream: Part(complete=complete),
        block=lambda part, sight: ({"x": balls([5])}, arb(1000)),
        block_errors=lambda part, sight, own: {"x": balls([7 if own else 9])},
        settled=lambda errors, magnitude: plus(errors, {"x": [[magnitude]]}),
    )  # fmt: skip
    middle, after = TreeRunBounds.layer(own, 2, 10, {"x": balls([1])})
    ((between,),), ((behind,),) = middle["x"], after["x"]
    own.added.pop("head 2.0", None)
    return between, behind, own.added


def test_heads_add_to_the_stream_then_the_block_and_both_are_rounded():
    between, behind = 1 + 2 + 10 + 100, 7 + 5 + 20 + 1000
    assert layer_errors() == layer_errors(AblateHead(1, 0)) == (between, behind, {})
    assert layer_errors(complete=False) == (between, 9 + between + 5 + 1020, {})
    assert layer_errors(AblateHead(2, 0)) == (1 + 10, behind, {})
    assert (
        layer_errors(AblateBlock(2))
        == layer_errors(kind="".join(["id", "le"]))
        == (between, between, {})
    )
    assert layer_errors(AblateBlock(3)) == (between, behind, {})
    known = {"mlp 2": {"x": balls([9 + 5])}}
    assert layer_errors(RemoveEdge("mlp 2", "logits", "stream")) == (between, behind, known)
    assert layer_errors(RemoveEdge("mlp 1", "logits", "stream")) == (between, behind, {})
