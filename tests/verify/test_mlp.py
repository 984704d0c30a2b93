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
from verify.checks import mlp
from verify.claims.model import Name
from verify.claims.registry import CLAIMS
from verify.evidence import Outcome
from verify.recheck.errors import Refused
from verify.recheck.mlp import DERIVATIVES, VALIDATORS

HOLDS, FAILS = Outcome.HOLDS, Outcome.FAILS
KNOWN = {claim.id: claim for claim in CLAIMS}


@pytest.fixture(scope="module")
def items():
    checks = [check for check in REGISTERED.values() if check.id.startswith("mlp.")]
    return [item for check in checks for item in check.body(Job())]


def plain(certificate):
    return json.loads(json.dumps(certificate))


def run(check):
    return list(check(Job()))


def test_every_claim_and_reading_is_in_the_registry(items):
    for item in items:
        KNOWN[item.claim].reading(item.reading)


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
        ("mlp.biases", Name.LITERAL, FAILS),
        ("mlp.activation", Name.LITERAL, FAILS),
        ("mlp.relu", Name.LITERAL, FAILS),
        ("mlp.width", Name.LITERAL, HOLDS),
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


def test_a_scale_that_is_off_fails_end_to_end(monkeypatch):
    def off(n, activation, radius, eps):
        made = slim(n, activation, radius, eps)
        output = made.block.output.scaled(Fraction(11, 10))
        return replace(made, block=replace(made.block, output=output))

    monkeypatch.setattr(mlp, "slim", off)
    assert {item.outcome for item in run(mlp.end_to_end)} == {FAILS}


def test_a_relu_network_that_is_not_sharp_is_reported(monkeypatch):
    monkeypatch.setattr(mlp, "_relu_error", lambda pieces: Fraction(1, 100))
    found = run(mlp.relu_needs_more_units)
    assert {item.outcome for item in found} == {FAILS}
    assert len(found) == 2


# certificates


def mutations(certificate):
    for field in certificate:
        if field != "kind":
            dropped = copy.deepcopy(certificate)
            del dropped[field]
            yield dropped
    yield {**certificate, "extra": 1}


@pytest.mark.parametrize("kind", sorted(VALIDATORS))
def test_every_kind_refuses_missing_and_unknown_fields(items, kind):
    found = next(plain(i.certificate) for i in items if i.certificate["kind"] == kind)
    for mutant in mutations(found):
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
    ("mlp.step", {"eps": "1/2"}),
    ("mlp.odd", {"left": "0"}),
    ("mlp.bounded", {"point": "1"}),
    ("mlp.bounded", {"weights": "-5"}),
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
    found = next(plain(i.certificate) for i in items if i.certificate["kind"] == kind)
    with pytest.raises(Refused):
        VALIDATORS[kind]({**found, **change})


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
