"""What one run may be off by, step by step, with numbers for which every term can be followed by hand."""

from fractions import Fraction
from types import SimpleNamespace as Part

import flint
import pytest

from constructions.circuits.circuit import Hook, Subspace
from constructions.circuits.interventions import (
    AblateBlock,
    AblateFeature,
    AblateScratch,
    Interchange,
    RemoveEdge,
)
from constructions.core.matrix import Matrix
from constructions.decoder import Design, Normalisation
from verify.bounds.decoder import Errors
from verify.circuits import allowance
from verify.circuits.allowance import RunBounds

arb = flint.arb
FORM = Part(gamma=arb, roundoff=arb(0.25), normal=arb(0.0625), bits=24)  # γ_k is k
READ = Part(theta=arb(0.5), mean=arb(3), each=arb(2),
            read_error=lambda size, coordinates=1: size + 100 * coordinates)  # fmt: skip
SEVEN = Errors(arb(7), arb(11))


def fresh(text):
    """The same text in another object, as a file that is read has it."""
    return "".join(list(text))


def both(errors):
    return errors.window, errors.scratch


def matrix(*rows):
    return flint.fmpq_mat([list(map(flint.fmpq, row)) for row in rows])


def rounding(asked, **more):
    """Reads, and a head that is off by 13; what they are asked is noted."""
    return Part(form=FORM, reading=lambda square: asked.append(square) or READ,
                head=lambda far, e, read: asked.append((far, e)) or arb(13), **more)  # fmt: skip


def test_a_float_above_a_bound_is_larger_by_a_share_of_2_to_the_minus_50():
    assert allowance.upper(arb(1)) == 1 + 2**-50
    assert 4 < allowance.upper(arb(3, 1)) < 4.0001
    assert allowance.upper(arb("inf")) == allowance.upper(arb("nan")) == float("inf")


def test_window_and_scratch_have_bounds_at_their_hook_and_other_features_are_exact():
    pairs = [Errors(arb(2**k), arb(2 ** (k + 1))) for k in (0, 2, 4, 6, 8)]
    allowed = allowance.Allowance(pairs[0], tuple(pairs[1:3]), tuple(pairs[3:]), ())
    places = (("embedding", 0), ("middle", 0), ("middle", 1), ("after", 0), ("after", 1))
    assert [allowed.at(fresh(site), layer) for site, layer in places] == pairs
    hook = Hook("middle", 1, "", "output", {})
    for name, bound in (("window", 16), ("scratch", 32), ("place", 0)):
        assert allowed.table(hook, name, 2, 3) == [[bound * (1 + 2**-50)] * 3] * 2


CONSTANTS = {"activation": "silu", "fineness": 3, "slope": None, "norm": "none", "large": None,
             "epsilon": "1/4", "levels": 2, "saturation": "5/2", "rotary": 0, "noise": "3"}  # fmt: skip


def setting(**changes):
    constants = CONSTANTS | changes
    sizes = {"large": 5, "logit": 3, "window": 4}
    features = [Part(name=fresh(name), size=size) for name, size in sizes.items()]
    return allowance.setting_of(
        Part(constants=constants, whole=constants.__getitem__, features=features)
    )


def test_a_setting_is_read_from_the_constants_of_a_file():
    found = setting()
    assert (found.saturation, found.rotary, found.noise) == (Fraction(5, 2), False, 3)
    design = found.design
    assert (design.activation, design.fineness, design.large, design.levels) == ("silu", 3, 0, 2)
    assert (design.norm, design.epsilon) == (Normalisation.NONE, Fraction(1, 4))
    assert (design.logits, design.slope) == (3, None)
    assert setting(fineness=None, levels=1).design.fineness is None
    assert setting(rotary=1).rotary and setting(norm="rms", large=8).design.large == 8
    digital = setting(fineness=None, slope=6, levels=1).design
    assert (digital.slope, digital.fineness) == (6, 1)


def test_noise_is_part_of_what_a_norm_sees_and_none_is_there_unless_it_is_said():
    design = Design("silu", norm=Normalisation.RMS, large=2)
    silent = allowance.CircuitSetting(design, Fraction(1))
    noisy = allowance.CircuitSetting(design, Fraction(1), noise=Fraction(5))
    assert silent.noise == 0
    assert noisy.shrinkage(arb(2), 2) == silent.shrinkage(arb(7), 2) == arb(10) / 8


FORMS = {
    "coordinates of their own": ([[1], [1]], [[1], [1]], "float32", "float32", 0),
    "k a g = 3 · 5/2 · 2": ([[1, -1, "1/2"], [1]], [["3/2", "-1/2"], [1]], "float32", "float32", 4),
    "no k": ([[1, -1, "1/2"], [1]], [["3/2", "-1/2"], [1]], "float64", "float32", 3),
    "k in one format": ([[1, -1, "1/2"], [1]], [["3/2", "-1/2"], [1]], "float64", "float64", 4),
    "a power of two": ([[1, 1], [1]], [[2, 2], [1]], "float32", "float32", 4),
    "beyond it": ([[1, 1], [1]], [[2, "33/16"], [1]], "float32", "float32", 5),
    "a no less than one": ([["1/2"], ["1/2"]], [[4], [1]], "float32", "float32", 2),
    "g no less than one": ([[4], [1]], [["1/2"], ["1/2"]], "float32", "float32", 2),
}  # fmt: skip


@pytest.mark.parametrize("name", FORMS)
def test_bits_are_lost_where_features_are_sums_of_coordinates(name):
    reads, writes, kept, computed, bits = FORMS[name]

    def columns(forms, shape):
        return Matrix(shape, {(i, j): Fraction(x) for j, form in enumerate(forms)
                              for i, x in enumerate(form)})  # fmt: skip

    spaces = {
        feature: Subspace(feature, columns([read], (3, 1)), columns([write], (3, 1)))
        for feature, read, write in zip(("window", "scratch"), reads, writes, strict=True)
    }
    constants = {"dtype": fresh(kept), "computes_in": fresh(computed)}
    assert allowance.mixing_bits(Part(subspaces=spaces, constants=constants)) == bits


@pytest.mark.parametrize(
    ("rows", "norm"),
    [([[3, 4]], 5), ([[1, 0], [0, -1]], 1), ([[0, 0], [0, 0]], 0), ([[1, -1], [1, 1]], 2),
     ([[-6], [8]], 10), ([[2, 0, 0], [0, 2, 0], [0, 0, -2]], 2)],
)  # fmt: skip
def test_a_norm_is_bounded_by_squares_or_by_rows_and_columns(rows, norm):
    assert allowance.norm_bound(matrix(*rows)) == norm


def test_the_largest_entry_is_taken_of_all_matrices():
    assert allowance.entry_bound([matrix([1, -7]), matrix([5])]) == 7
    assert allowance.entry_bound([]) == 0


def test_a_norm_sees_three_times_the_window_where_an_edge_is_removed(monkeypatch):
    own = setting()
    monkeypatch.setattr(allowance, "setting_of", lambda circuit: own)
    far = {0: arb(5), 2: arb(3)}
    run = Part(circuit=Part(n=2), copies=[0, 2], distance=far.get, interventions=())
    assert RunBounds.setting.func(run) is own
    run.interventions = (AblateBlock(0), RemoveEdge("a", "b", "key"))
    assert RunBounds.setting.func(run).noise == 3 + (3**2 - 1) * 2 * 25


def edge(source, target, *carries):
    return Part(source=source, target=target, input="key", carries=carries)


def test_edges_that_carry_something_and_scratches_leave_a_reader_less_than_the_stream():
    full, empty = RemoveEdge("embed", "head 0.0", "key"), RemoveEdge("mlp 0", "head 1.0", "key")
    listed = [edge("embed", "head 0.0", "place"), edge("mlp 0", "head 1.0")]
    circuit = Part(edges=listed, by_name={"head 0.0": Part(layer=4), "head 1.0": Part(layer=5)})
    for changes, removed, partial, layers in (
        ((full, empty, AblateBlock(2)), [full], True, {2, 4}),
        ((empty,), [], False, set()),
        ((AblateScratch(3, 1),), [], True, {3}),
        ((AblateFeature(1, 1),), [], False, set()),
    ):
        run = Part(circuit=circuit, interventions=changes)
        run.removals = RunBounds.removals.func(run)
        assert run.removals == removed
        assert RunBounds.partial.fget(run) is partial
        assert RunBounds.incomplete.func(run) == layers


def test_layers_that_copy_are_those_of_copying_heads():
    kinds = ("embed", "copy", "and", "idle", "copy", "product", "logarithm", "readout")
    parts = [Part(layer=layer, kind=fresh(kind)) for layer, kind in enumerate(kinds)]
    assert RunBounds.copies.func(Part(circuit=Part(components=parts))) == [1, 4]


def test_norms_are_those_of_what_is_held_and_of_what_heads_and_blocks_read():
    first = Part(embedded=[(matrix([3]), matrix([-4]))], after=[[(matrix([1]), matrix([1]))]],
                 values=[[matrix([2])], [matrix([9])]],
                 views=[[(matrix([5]), matrix([-1]))], [(matrix([0]), matrix([0]))]])  # fmt: skip
    run = Part(runs=[first], partial=False, unit=matrix([1]))
    run.layer_matrices = lambda layer: RunBounds.layer_matrices(run, layer)
    assert run.layer_matrices(0) == [matrix([2]), matrix([-1]), matrix([6])]
    assert RunBounds.distance(run, 0) == 7 and RunBounds.distance(run, 1) == 9
    first.values[1] = []
    assert RunBounds.distance(run, 1) == 2
    first.views[1] = [(matrix([-2]), matrix([-1]))]  # X = Y = -1
    assert RunBounds.norm(run, 0, arb(7)) == 7 and RunBounds.norm(run, 1, arb(7)) == 1
    run.partial = True
    assert RunBounds.norm(run, 0, arb(7)) == 8
    run.circuit = Part(n=2)
    assert RunBounds.unit.func(run) == matrix([1, 0], [0, 1])


def test_the_bounds_of_a_run_are_those_of_its_layers_and_of_its_readout():
    readout = Part(alpha=(Fraction(3),), outputs=((Fraction(3), Fraction(-4)),))
    circuit = Part(n=1, whole={"built_length": 6}.__getitem__, readout=readout)
    run = Part(circuit=circuit, copies=[0, 2], unit=matrix([1]), distance=lambda layer: arb(layer + 1),
               norm=lambda layer, far: 10 * far + layer,
               runs=[Part(final=[matrix([-8]), matrix([2])]), Part(final=[matrix([4])])])  # fmt: skip
    found = RunBounds.bounds.func(run)
    assert (found.n, found.length, found.outputs) == (1, 6, 2)
    assert found.distances == (1, 3) and found.norms == (10, 32)
    assert found.readout == 3 * 5 and found.reach == 7


def test_rounding_is_that_of_the_format_less_the_bits_that_mixing_costs(monkeypatch):
    monkeypatch.setattr(allowance, "mixing_bits", lambda circuit: 3)
    run = Part(circuit=Part(constants={"computes_in": "float32"}), bounds="bounds", setting="own")
    found = RunBounds.rounding.func(run)
    assert (found.form.name, found.form.bits) == ("float32", 21)
    assert (found.bounds, found.setting) == ("bounds", "own")


def test_what_removed_sources_had_added_is_off_by_the_errors_around_them():
    names = ("embed", "mlp 0", "mlp 1", "mlp 2", "head 2.0", "head 1.0")
    layers = dict(zip(names, (0, 0, 1, 2, 2, 1), strict=True))
    circuit = Part(by_name={name: Part(name=fresh(name), layer=layers[name]) for name in names})
    known = [(Errors(arb(1), arb(2)), Errors(arb(4), arb(8))),
             (Errors(arb(16), arb(32)), Errors(arb(64), arb(128)))]  # fmt: skip
    removed = [RemoveEdge(name, "head 2.0", "key") for name in ("embed", "mlp 0", "mlp 2")]
    removed.append(RemoveEdge("mlp 1", "head 1.0", "key"))
    run = Part(circuit=circuit, removals=removed)
    assert RunBounds.error_of_removals(run, 2, known) == 1 + 2 + 4 + 8
    assert RunBounds.error_of_removals(run, 1, known) == 16 + 32 + 64 + 128
    assert RunBounds.error_of_removals(run, 0, known) == 0


def test_a_head_adds_its_error_and_the_rounding_of_what_it_adds():
    """n = 3, u = 1/4, M = 5, e = 7, ρ = 11, f = 13."""
    asked = []
    run = Part(setting=Part(design=Part(slope=None)), copies=[0, 2, 5],
               rounding=rounding(asked, step=lambda number, before: (number, before)),
               bounds=Part(n=3, distances=(arb(99), arb(98), arb(5))))  # fmt: skip
    middle, after = RunBounds.step(run, 5, SEVEN)
    assert asked == [3 * (12 * 12 + 11 * 11), (5, 7)]
    assert both(middle) == (7 + 13 + 0.75 * (10 + 7 + 13), 11 + 13 + 0.75 * (5 + 13 + 11))
    assert after == (3, SEVEN)
    run.setting.design.slope, run.digital_step = 4, lambda layer, before: (layer, before)
    assert RunBounds.step(run, 5, SEVEN) == (5, SEVEN)


def digital_run(asked, whole=True):
    return Part(bounds=Part(n=3), rounding=rounding(asked), setting=Part(design=Part(activation="x")),
                layer_matrices=lambda layer: [matrix([layer, -3])],
                stream_before=lambda layer: [matrix([5, 1])],
                reads_whole_numbers=lambda layer: whole,
                circuit=Part(whole={"slope": 6}.__getitem__))  # fmt: skip


def test_a_digital_block_keeps_its_units_and_what_erasing_leaves(monkeypatch):
    """n = 3, u = 1/4, θ = 1/2, entries up to 5, e = 7, ρ = 11, f = 13, κ = 6 and c = 2."""
    monkeypatch.setattr(allowance, "residue", lambda activation, slope: Fraction(slope, 4))
    misread = 7 + 13 + 22 + 4 * 0.5 * (1 + 5 + 7 + 13 + 11) + 3 * (10 + 7 + 13 + 300)
    monkeypatch.setattr(allowance, "READABLE", Fraction(misread))
    asked = []
    middle, after = RunBounds.digital_step(digital_run(asked), 2, SEVEN)
    assert asked == [8 * 9 * 29**2, (5, 7)]
    assert both(middle) == (7 + 13 + 8 * 30, 11 + 13 + 8 * 30)
    kept, size = 10 + 2 + 7 + 13 + 11, (6 * 12 + 2) / 2
    left = 0.5 * kept + 24 * kept + 2 * (kept + 100)
    assert both(after) == (3 * (1.5 + (16 / 4 + 14) * size) + left, left)
    _, unknown = RunBounds.digital_step(digital_run([], whole=False), 2, SEVEN)
    assert not unknown.window.is_finite() and not unknown.scratch.is_finite()
    monkeypatch.setattr(allowance, "READABLE", Fraction(misread) + 1)
    assert RunBounds.digital_step(digital_run([]), 2, SEVEN)[1].window.is_finite()
    monkeypatch.setattr(allowance, "READABLE", Fraction(misread) - Fraction(1, 1000))
    middle, unknown = RunBounds.digital_step(digital_run([]), 2, SEVEN)
    assert both(middle) == (260, 264) and not unknown.window.is_finite()


def test_only_whole_numbers_are_read_by_a_digital_block():
    half = matrix(["1/2"])
    run = Part(runs=[Part(views=[[(matrix([1]), matrix([2]))], [(matrix([1]), half)]])])
    assert RunBounds.reads_whole_numbers(run, 0) and not RunBounds.reads_whole_numbers(run, 1)
    run.runs.append(Part(views=[[(half, matrix([2]))]]))
    assert not RunBounds.reads_whole_numbers(run, 0)


PATCH = Interchange(0, 1, ("a",), 1)


@pytest.mark.parametrize(
    ("change", "bits", "left"),
    [(PATCH, 2, 80), (AblateFeature(0, 1), 1, 80), (PATCH, 0, 0), (AblateBlock(0), 2, 0)],
)  # fmt: skip
def test_a_window_that_is_replaced_leaves_rounding_of_mixed_coordinates(
    change, bits, left, monkeypatch
):
    monkeypatch.setattr(allowance, "mixing_bits", lambda circuit: bits)
    run = Part(circuit=None, interventions=(AblateBlock(1), change), rounding=rounding([]),
               bounds=Part(distances=(arb(3), arb(5), arb(4))))  # fmt: skip
    assert both(RunBounds.with_patch_errors(run, SEVEN)) == (7 + left, 11 + left)


def test_errors_go_from_layer_to_layer_and_stay_where_no_head_copies():
    """Patches add 1 and 2; what removed sources had added is off by ten for each layer so far."""
    run = Part(
        bounds=Part(n=3, distances=(arb(5), arb(8))), rounding=Part(form=FORM),
        circuit=Part(layers=3), copies=[0, 2], incomplete={2},
        with_patch_errors=lambda errors: Errors(errors.window + 1, errors.scratch + 2),
        error_of_removals=lambda layer, known: arb(10 * len(known) + layer),
        step=lambda layer, before: (Errors(before.window + 100, before.scratch + 200),
                                    Errors(before.window * 2, before.scratch * 3)),
    )  # fmt: skip
    begin, known = RunBounds.errors(run)
    start = 2 * 3 * 0.25 * 5 + 3 * 0.0625 + 1
    assert both(begin) == (start, 2)
    first = (2 * start, 2 + start)
    after = (2 * first[0] + 1, 3 * first[1] + 2)
    assert [both(errors) for errors in known[0]] == [(first[0] + 100, first[1] + 200), after]
    assert [both(errors) for errors in known[1]] == [after, after]
    unseen = 20 + 2 + start
    before = (after[0] + unseen, after[1] + unseen)
    middle = (before[0] + 100, before[1] + 200)
    last = (2 * before[0] + middle[0] + 1, 3 * before[1] + middle[1] + 2)
    assert [both(errors) for errors in known[2]] == [middle, last] and len(known) == 3


def test_the_readout_sees_the_stream_less_what_was_removed():
    known = [(Errors(arb(k), arb(1)), Errors(arb(10 * k), arb(k))) for k in (1, 2, 5, 3)]
    bits = []
    run = Part(errors=lambda: bits.append(flint.ctx.prec) or (SEVEN, known), circuit=Part(layers=4),
               error_of_removals=lambda layer, known: arb(1000 * layer),
               output_bounds=lambda last: both(last))  # fmt: skip
    found = RunBounds.allowance(run)
    assert bits == [256]
    assert found.embedded is SEVEN and found.outputs == (3030, 3)
    assert found.middle == tuple(pair[0] for pair in known)
    assert found.after == tuple(pair[1] for pair in known)


def test_outputs_have_the_error_of_the_state_or_those_of_logits(monkeypatch):
    monkeypatch.setattr(allowance, "LogarithmBounds", lambda *parts: parts)
    trace = Part(outputs=[(8, 4), (2, 6)], arguments=[(4, 12), (8, 16)])
    readout = Part(logarithm=None, largest=Fraction(4))
    run = Part(state_error=lambda last: (READ, arb(6)), runs=[trace], circuit=Part(readout=readout),
               absolute_sum=lambda: arb(10), bounds=Part(n=3), rounding=Part(form=FORM),
               logit_bounds=lambda log, inside, outside: (log, inside, outside))  # fmt: skip
    assert RunBounds.output_bounds(run, SEVEN) == ((6, 6), (6, 6))
    readout.logarithm = "units"
    first, second = RunBounds.output_bounds(run, SEVEN)
    assert first == (("units", 3, FORM, READ, 1.5, 2.5), [1, 3], [2, 1])
    assert second[1:] == ([2, 4], [Fraction(1, 2), Fraction(3, 2)])
    trace.arguments.pop()
    with pytest.raises(ValueError, match="zip"):
        RunBounds.output_bounds(run, SEVEN)
    readout.largest = None
    assert RunBounds.output_bounds(run, SEVEN) == ((6, 6), (6, 6))


def test_the_last_norm_sees_all_logits_of_a_position():
    asked, seen = [], {(1, 5): (arb(1), arb(2)), (2, 6): (arb(3), arb(4))}
    log = Part(sizes=lambda x, y: seen[int(float(x)), int(float(y))],
               bound=lambda moved, size, last: (moved, size, last))  # fmt: skip
    run = Part(bounds=Part(n=3, reach=arb(5)), rounding=rounding(asked))
    found = RunBounds.logit_bounds(run, log, [Fraction(1), Fraction(2)], [Fraction(5), Fraction(6)])
    assert asked == [2 * 3 * 7**2 + 3**2 + 7**2]
    assert found == ((1, 2, READ), (3, 4, READ))
    with pytest.raises(ValueError, match="zip"):
        RunBounds.logit_bounds(run, log, [Fraction(1)], [Fraction(5), Fraction(6)])


def test_what_sums_of_outputs_add_up_is_bounded_by_absolute_values():
    readout = Part(alpha=(Fraction(1, 2), Fraction(-3)), outputs=((1, -2), (3, 4)))
    finals = [[matrix([1, -5], [0, 2])], [matrix([-9, 0], [0, 0])]]
    run = Part(circuit=Part(readout=readout), unit=matrix([1, 0], [0, 1]),
               runs=[Part(final=final) for final in finals])  # fmt: skip
    assert RunBounds.absolute_sum(run) == 8 * 3.5 * 6
    run.runs = run.runs[:1]
    assert RunBounds.absolute_sum(run) == 5 * 3.5 * 6


@pytest.mark.parametrize(("slope", "e"), [(None, 7), (6, 4 * 7)])
def test_a_state_is_off_by_its_window_the_norm_and_the_rounding_of_its_sums(slope, e):
    """n = 4, ‖A^w‖ ≤ 5, θ = 1/2, m = 3, ρ = 11, and ‖α‖ ‖B‖ = 3."""
    asked = []
    own = rounding(asked, lost_readout=lambda size, read: asked.append(size) or arb(17),
                   fits=lambda error: asked.append(error) or True)  # fmt: skip
    run = Part(bounds=Part(n=4, reach=arb(5), readout=arb(3)), rounding=own,
               setting=Part(design=Part(slope=slope)))  # fmt: skip
    read, found = RunBounds.state_error(run, SEVEN)
    whole = 5 + 1 + e
    assert read is READ and asked == [4 * (whole**2 + 11**2), whole, e]
    rounded = (4 * 4 + 4 + 5 + 2) * 2 * (2 * whole + 1 + 4 * 4 * 3)
    assert found == 3 * (e + 0.5 * (5 + e) + rounded) + 17
    own.fits = lambda error: False
    assert not RunBounds.state_error(run, SEVEN)[1].is_finite()
