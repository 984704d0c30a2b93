"""The checks of the MLP theorem and of multiplying MLPs: outcomes, certificates, mutants."""

import copy
import json
from dataclasses import replace
from fractions import Fraction

import flint
import pytest

from constructions import multiplication
from constructions.activations import smooth
from constructions.multiplication import Term, schoolbook, slim, strassen
from verify.bounds import certificates
from verify.check import REGISTERED, Job
from verify.checks import mlp, mlp_abridged, theorem2_sizes
from verify.claims.model import Name
from verify.claims.registry import CLAIMS
from verify.engines import units
from verify.evidence import Outcome
from verify.recheck.errors import Refused
from verify.recheck.mlp import DERIVATIVES, VALIDATORS

HOLDS, FAILS, UNKNOWN = Outcome.HOLDS, Outcome.FAILS, Outcome.UNKNOWN
KNOWN = {claim.id: claim for claim in CLAIMS}


@pytest.fixture(scope="module")
def items():
    topics = ("mlp.", "mlp_abridged.")
    checks = [check for check in REGISTERED.values() if check.id.startswith(topics)]
    return [item for check in checks for item in check.body(Job())]


def plain(certificate):
    return json.loads(json.dumps(certificate))


def run(check):
    return list(check(Job()))


def test_every_claim_and_reading_is_in_the_registry(items):
    for item in items:
        assert KNOWN[item.claim].reading(item.reading).name is item.reading


def test_every_claim_of_the_mlp_theorem_gets_evidence(items):
    wanted = {name for name in KNOWN if name.startswith(("mlp.", "beyond.mlp."))}
    assert wanted == {item.claim for item in items}


def test_every_certificate_is_confirmed(items):
    for item in items:
        certificate = plain(item.certificate)
        assert VALIDATORS[certificate["kind"]](certificate)


def test_no_reading_both_holds_and_fails(items):
    seen = {}
    for item in items:
        assert seen.setdefault((item.claim, item.reading), item.outcome) is item.outcome


@pytest.mark.parametrize(
    ("claim", "reading", "expected"),
    [
        ("mlp.theorem", Name.LITERAL, FAILS),
        ("mlp.theorem", Name.CHARITABLE, FAILS),
        ("mlp.theorem", Name.REPAIRED, HOLDS),
        ("mlp.domain", Name.LITERAL, FAILS),
        ("mlp.class", Name.LITERAL, FAILS),
        ("mlp.class", Name.CHARITABLE, HOLDS),
        ("mlp.polynomials", Name.LITERAL, FAILS),
        ("mlp.size-constant", Name.LITERAL, FAILS),
        ("mlp.biases", Name.LITERAL, FAILS),
        ("mlp.activation", Name.LITERAL, FAILS),
        ("mlp.relu", Name.LITERAL, FAILS),
        ("mlp.width", Name.LITERAL, FAILS),
        ("mlp.width", Name.CHARITABLE, HOLDS),
        ("mlp.product", Name.CHARITABLE, HOLDS),
        ("beyond.mlp.slim", Name.LITERAL, HOLDS),
        ("beyond.mlp.fast", Name.LITERAL, HOLDS),
        ("beyond.mlp.relu-lower", Name.LITERAL, HOLDS),
    ],
)
def test_the_outcomes(items, claim, reading, expected):
    found = {i.outcome for i in items if i.claim == claim and i.reading is reading}
    assert found == {expected}


def test_the_figure_of_widths_has_all_four_curves(items):
    (figure,) = [figure for item in items for figure in item.figures]
    assert len(figure.series) == 4
    assert figure.series[0].y[1] == "45"


# mutants


def test_a_wrong_product_of_strassen_is_named():
    first, *rest = strassen(2)
    wrong = (Term(first.left, first.right, {**first.out, 1: 1}), *rest)
    assert mlp.scheme_problem(2, wrong) is not None
    assert mlp.scheme_problem(2, schoolbook(2)) is None


def test_a_check_of_a_wrong_scheme_fails(monkeypatch):
    monkeypatch.setattr(mlp, "strassen", lambda n: strassen(n)[1:])
    fast, *_ = run(mlp.fewer_units_by_strassen)
    assert fast.outcome is FAILS


@pytest.mark.parametrize("name", ["slim", "used", "printed"])
def test_a_built_mlp_of_another_width_is_named(name):
    row = mlp.built_widths(2)
    assert mlp.widths([row]).outcome is HOLDS
    item = mlp.widths([{**row, name: 99}])
    assert item.outcome is FAILS and "99 units" in item.summary


def test_an_mlp_that_misses_eps_fails_the_check(monkeypatch):
    made = slim(2, "tanh", mlp.BOX, mlp.EPS)
    late = replace(made, bound=2 * mlp.EPS)
    monkeypatch.setattr(mlp, "multipliers", lambda: iter([late]))
    found = run(mlp.explicit_mlps_multiply)
    assert {item.outcome for item in found} == {FAILS}
    assert "tanh" in found[0].summary


def test_a_lattice_without_the_doubled_points_fails_the_check(monkeypatch):
    monkeypatch.setattr(mlp, "lattice", lambda m: multiplication.lattice(m)[: m + 1])
    (item,) = run(mlp.the_lattice_of_units)
    assert item.outcome is FAILS
    assert "m = 2: no weights" in (mlp.units_problem(2) or "")


def test_a_unit_moved_to_another_order_is_named(monkeypatch):
    assert mlp.units_problem(2) is None
    monkeypatch.setattr(mlp, "_factorial", lambda point: 1)
    assert mlp.units_problem(2) == "m = 2: a term of order h^0 is left."


def test_another_activation_does_not_refute_the_width():
    found = mlp_abridged.relu_evidence(mlp_abridged.PRODUCT, lambda x: x * x)
    assert {i.outcome for i in found if i.claim == "mlp.width"} == {UNKNOWN}


def test_a_scale_that_is_off_fails_end_to_end(monkeypatch):
    def off(n, activation, radius, eps):
        made = slim(n, activation, radius, eps)
        output = made.block.output.scaled(Fraction(11, 10))
        return replace(made, block=replace(made.block, output=output))

    monkeypatch.setattr(mlp, "slim", off)
    assert {item.outcome for item in run(mlp.end_to_end)} == {FAILS}


def by_reading(found):
    return {(item.claim, item.reading.value): item.outcome for item in found}


RELU = [
    ("mlp.relu", "literal"), ("mlp.activation", "literal"), ("mlp.theorem", "literal"),
    ("mlp.theorem", "charitable"), ("mlp.size-constant", "literal"),
]  # fmt: skip
BOUND = [("beyond.mlp.relu-lower", "literal"), ("mlp.relu", "repaired")]


def test_a_built_network_that_is_not_sharp_is_reported(monkeypatch):
    def lifted(pieces):
        made = multiplication.relu_square(pieces)
        return replace(made, offset=(made.offset[0] - 1,))

    monkeypatch.setattr(mlp_abridged, "relu_square", lifted)
    found = by_reading(run(mlp_abridged.relu_needs_more_units))
    assert {found[key] for key in BOUND} == {FAILS} and {found[key] for key in RELU} == {UNKNOWN}


def test_a_stated_floor_that_units_do_not_force_is_reported(monkeypatch):
    monkeypatch.setattr(mlp_abridged, "relu_floor", lambda number: Fraction(1, 100))
    found = by_reading(run(mlp_abridged.relu_needs_more_units))
    assert {found[key] for key in BOUND} == {FAILS} and {found[key] for key in RELU} == {UNKNOWN}


def test_a_built_network_below_the_floor_is_reported(monkeypatch):
    monkeypatch.setattr(mlp_abridged, "largest_error", lambda *a: Fraction(1, 10**6))
    (item, *_) = run(mlp_abridged.relu_needs_more_units)
    assert item.outcome is FAILS and "below 1/392" in item.summary


def test_an_activation_that_bends_everywhere_refutes_nothing():
    found = by_reading(mlp_abridged.relu_evidence(mlp_abridged.PRODUCT, lambda x: x * x))
    assert {found[key] for key in RELU} == {UNKNOWN}


def test_a_polynomial_that_is_linear_refutes_nothing():
    found = by_reading(mlp_abridged.relu_evidence({(1, 0): 1}))
    assert {found[key] for key in RELU} == {UNKNOWN}


def test_a_linear_activation_is_not_admitted_and_refutes_nothing():
    found = by_reading(mlp_abridged.relu_evidence(mlp_abridged.PRODUCT, lambda x: x))
    assert {found[key] for key in RELU} == {UNKNOWN}


def test_another_printed_width_gives_another_floor(monkeypatch):
    monkeypatch.setattr(mlp_abridged, "WIDTH", "C(m+d, d)+1")
    (item, *_) = run(mlp_abridged.relu_needs_more_units)
    assert item.certificate["units"] == 7 and item.certificate["floor"] == "1/512"
    with pytest.raises(Refused):
        VALIDATORS["mlp.pieces"](plain(item.certificate))


def test_a_continuous_activation_in_place_of_the_step_refutes_nothing():
    (literal, _) = mlp_abridged.class_evidence(
        mlp_abridged.IDENTITY, units.relu, mlp_abridged.CONTINUOUS
    )
    assert literal.outcome is UNKNOWN and literal.certificate is None


def test_a_constant_target_is_met_by_steps():
    (literal, _) = mlp_abridged.class_evidence(
        {(0,): 1}, units.step, {"step": mlp_abridged.STEP, **mlp_abridged.CONTINUOUS}
    )
    assert literal.outcome is UNKNOWN


def test_without_the_step_nothing_jumps_and_continuity_leaves_nothing_out():
    (_, charitable) = mlp_abridged.class_evidence(
        mlp_abridged.IDENTITY, units.step, mlp_abridged.CONTINUOUS
    )
    assert charitable.outcome is FAILS and "none" in charitable.summary


def test_an_unbounded_activation_does_not_refute_the_domain():
    made = multiplication.printed_route(1, "softplus", mlp.BOX, Fraction(1, 1000))
    assert mlp_abridged.domain_evidence(made, mlp_abridged.PRODUCT).outcome is UNKNOWN


def test_a_network_of_another_width_does_not_refute_the_domain():
    made = slim(1, "tanh", mlp.BOX, Fraction(1, 1000))
    assert made.units == 4
    assert mlp_abridged.domain_evidence(made, mlp_abridged.PRODUCT).outcome is UNKNOWN


def test_a_bounded_target_has_no_far_point():
    made = multiplication.printed_route(1, "tanh", mlp.BOX, Fraction(1, 1000))
    assert mlp_abridged.domain_evidence(made, {(0, 0): 1}).outcome is UNKNOWN


def test_a_network_that_follows_the_product_far_out_is_no_counterexample(monkeypatch):
    monkeypatch.setattr(mlp_abridged, "miss", lambda *a: flint.arb(0))
    (item,) = run(mlp_abridged.no_domain_is_given)
    assert item.outcome is UNKNOWN


@pytest.mark.parametrize("claim", ["thm2.size.mlp-width", "thm2.width.epsilon"])
def test_the_width_of_theorem_2_is_refuted_by_relu_alone(claim, monkeypatch):
    assert theorem2_sizes.relu_refutes(claim, "").outcome is FAILS
    assert theorem2_sizes.relu_refutes(claim, "", lambda x: x * x).outcome is UNKNOWN
    monkeypatch.setattr(theorem2_sizes, "WIDTH", "n²+1")
    assert theorem2_sizes.relu_refutes(claim, "").outcome is UNKNOWN
    monkeypatch.undo()
    monkeypatch.setattr(theorem2_sizes, "relu_floor", lambda number: Fraction(0))
    assert theorem2_sizes.relu_refutes(claim, "").outcome is UNKNOWN


# certificates


def mutations(certificate):
    for field in certificate:
        if field != "kind":
            dropped = copy.deepcopy(certificate)
            del dropped[field]
            yield dropped
    yield {**certificate, "extra": 1}


def of_kind(items, kind):
    if kind == "mlp.relu":
        return plain(theorem2_sizes.relu_refutes("thm2.width.epsilon", "").certificate)
    return next(plain(i.certificate) for i in items if i.certificate["kind"] == kind)


@pytest.mark.parametrize("kind", sorted(VALIDATORS))
def test_every_kind_refuses_missing_and_unknown_fields(items, kind):
    for mutant in mutations(of_kind(items, kind)):
        with pytest.raises(Refused):
            VALIDATORS[kind](mutant)


WRONG = [
    ("mlp.multiplier", {"bound": "1/1000000000000000"}),
    ("mlp.multiplier", {"units": 31}),
    ("mlp.multiplier", {"step": "1/2"}),
    ("mlp.multiplier", {"scale": "1"}),
    ("mlp.multiplier", {"activation": "relu"}),
    ("mlp.multiplier", {"radius": "200"}),
    ("mlp.multiplier", {"point": "0"}),
    ("mlp.relu", {"eps": "1/10"}),
    ("mlp.relu", {"units": 7}),
    ("mlp.pieces", {"floor": "1/393"}),
    ("mlp.pieces", {"width": "C(m+d+1, d)"}),
    ("mlp.pieces", {"inputs": 3}),
    ("mlp.pieces", {"polynomial": [[[1, 0], 1]], "floor": "0"}),
    ("mlp.step", {"floor": "1/9"}),
    ("mlp.step", {"polynomial": [[[0], 1]], "floor": "0"}),
    ("mlp.jumps", {"jumps": []}),
    ("mlp.jumps", {"activations": ["step"]}),
    ("mlp.odd", {"left": "0"}),
    ("mlp.bounded", {"point": "1"}),
    ("mlp.bounded", {"weights": "-5"}),
    ("mlp.bounded", {"activation": "gelu"}),
    ("mlp.bounded", {"polynomial": [[[0, 0], 1]]}),
    ("mlp.degree", {"exponent": 2}),
    ("mlp.scheme", {"n": 3}),
    ("mlp.lattice", {"variables": 99}),
    ("mlp.end-to-end", {"eps": "1/1000000000000000"}),
    ("mlp.end-to-end", {"saturation": "50"}),
    ("mlp.end-to-end", {"radius": "2"}),
    ("mlp.end-to-end", {"units": 28}),
]


@pytest.mark.parametrize(("kind", "change"), WRONG)
def test_a_false_certificate_is_refused(items, kind, change):
    with pytest.raises(Refused):
        VALIDATORS[kind]({**of_kind(items, kind), **change})


@pytest.mark.parametrize("name", DERIVATIVES)
def test_the_rechecker_confirms_every_activation(name):
    body = plain(certificates.multiplier(slim(2, name, mlp.BOX, mlp.EPS), mlp.EPS))
    assert "32" in VALIDATORS["mlp.multiplier"](body)


@pytest.mark.parametrize("name", DERIVATIVES)
@pytest.mark.parametrize("order", [2, 3, 4])
def test_the_rechecker_knows_the_derivatives_that_series_give(name, order):
    for x in (Fraction(-1, 3), Fraction(0), Fraction(1, 2)):
        low, high = DERIVATIVES[name]((x, x), order)
        with flint.ctx.workprec(200):
            value = smooth(name).derivative(
                flint.arb(flint.fmpq(x.numerator, x.denominator)), order
            )
            ends = [flint.arb(flint.fmpq(end.numerator, end.denominator)) for end in (low, high)]
            assert ends[0].union(ends[1]).overlaps(value)
            assert high - low < Fraction(1, 2**100)
