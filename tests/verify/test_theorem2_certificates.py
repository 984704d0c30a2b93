"""Each step of Theorem 2 has a certificate of its own, and no changed field is confirmed."""

import json
from fractions import Fraction

import pytest
from tests_support import changes, other_numbers

from constructions.families import counting, scalar
from verify.bounds.named import named
from verify.check import REGISTERED, Job
from verify.checks import (
    theorem2,
    theorem2_certificates,
    theorem2_errors,
    theorem2_instances,
    theorem2_steps,
)
from verify.checks import theorem2_matrices as matrices
from verify.claims.model import Name
from verify.evidence import Outcome
from verify.recheck.errors import Refused
from verify.recheck.kinds import validators
from verify.recheck.theorem2_steps import VALIDATORS as STEPS
from verify.recheck.theorem2_whole import VALIDATORS as WHOLE
from verify.recheck.theorem2_whole import seal

TOPICS = ("theorem2", "theorem2_errors", "theorem2_steps", "theorem2_matrices")
JOINED = ("thm2.exists", "thm2.choose", "thm2.proof", "thm2.idea.difference", "beyond.saturation")


@pytest.fixture(scope="module")
def items():
    checks = [c for c in REGISTERED.values() if c.id.partition(".")[0] in TOPICS]
    return [item for check in checks for item in check.body(Job())]


def plain(certificate):
    return json.loads(json.dumps(certificate, sort_keys=True))


def confirms(body):
    try:
        validator = validators().get(str(body.get("kind")))
        return validator is not None and bool(validator(body))
    except (Refused, ArithmeticError, LookupError, TypeError, ValueError, AttributeError):
        return False


def of_kind(items, kind):
    return next(plain(i.certificate) for i in items if i.certificate["kind"] == kind)


KINDS = sorted([*STEPS, *WHOLE, "theorem2.derivation"])


@pytest.mark.parametrize("kind", KINDS)
def test_every_changed_field_is_refused(items, kind):
    body = of_kind(items, kind)
    assert confirms(body)
    for other in changes(body, other_numbers):
        assert not confirms(other), other


def test_no_two_claims_share_a_certificate(items):
    spoken = {}
    for item in items:
        if not item.claim.startswith(("thm2.error.", "thm2.recursion", *JOINED)):
            continue
        body = json.dumps(plain(item.certificate), sort_keys=True)
        if item.certificate["kind"] not in {"theorem2.recursion", "theorem2.shapes"}:
            assert spoken.setdefault(body, item.claim) == item.claim, item.claim
    assert len(spoken) > 25


SEALED = {
    "theorem2.exists": [{"heads": 3}, {"depth": 4}, {"printed": 46}],
    "theorem2.exact-products": [{"saturation": "5"}, {"eps": "1/100000000"}],
    "theorem2.choice": [{"choices": []}, {"length": 4}],
    "theorem2.closed-form": [{"constants": [12, 51, 242]}, {"constants": [12, 51, 244]}],
    "theorem2.difference": [{"leak": "0"}, {"miss": "1"}, {"left": "2"}],
    "theorem2.proof": [{"absorbed": {"delta*mu": 2, "delta*delta": -1}}, {"attention": {}}],
}


@pytest.mark.parametrize("kind", SEALED)
def test_a_false_instance_is_refused_even_where_it_is_sealed_anew(items, kind):
    for change in SEALED[kind]:
        body = {**of_kind(items, kind), **change}
        body["seal"] = seal(body)
        assert not confirms(body), change


def test_a_model_outside_of_the_mlps_domain_is_refused_though_sealed(items):
    body = of_kind(items, "theorem2.exists")
    body["model"]["radius"] = "2"
    body["seal"] = seal(body)
    with pytest.raises(Refused, match="leave the MLP's domain"):
        validators()["theorem2.exists"](body)


def test_constants_are_the_least_ones():
    body = theorem2_instances.choice(counting(), 4)
    assert confirms(plain(body))
    for row in range(3):
        for step in (-1, 1):
            other = plain(body)
            other["choices"][row][1] = str(int(other["choices"][row][1]) + step)
            other["seal"] = seal(other)
            assert not confirms(other)


@pytest.mark.parametrize("name", ["counting", "permutation:3", "random:2:1"])
def test_the_closed_form_is_confirmed_for_other_automata(name):
    assert confirms(plain(theorem2_instances.closed_form(named(name), Fraction(1, 100))))


def test_the_closed_form_grows_with_length_and_precision():
    coarse = theorem2_instances.closed_form(scalar(2), Fraction(1, 10))["constants"]
    fine = theorem2_instances.closed_form(scalar(2), Fraction(1, 10**6))["constants"]
    assert coarse == sorted(coarse) and all(a < b for a, b in zip(coarse, fine, strict=True))


def test_heads_that_look_elsewhere_make_another_certificate(monkeypatch):
    good = theorem2_certificates.sources()
    monkeypatch.setattr(theorem2_certificates, "attended", lambda head, length: list(range(16)))
    assert confirms(plain(good)) and not confirms(plain(theorem2_certificates.sources()))


def test_a_head_that_reads_a_state_makes_a_certificate_that_is_refused(monkeypatch):
    layers = theorem2_certificates.theorem2.layers
    monkeypatch.setattr(
        theorem2_certificates.theorem2, "layers", lambda n, length, c: layers(1, length, c)
    )
    assert not confirms(plain(theorem2_certificates.filters()))


def test_an_expanding_weight_is_no_contraction():
    body = theorem2_certificates.layers("contractive", "one", theorem2_certificates.DEEP)
    with pytest.raises(Refused, match="norm above 1"):
        STEPS["theorem2.contractive"](plain(body))


def test_a_weight_above_one_does_not_show_that_pads_matter():
    body = theorem2_certificates.first_bound(theorem2_certificates.EXPANDING)
    with pytest.raises(Refused, match="does not lie between"):
        STEPS["theorem2.first-bound"](plain(body))


def test_the_readings_of_one_claim_have_different_certificates(items):
    for claim in ("thm2.exists", "thm2.choose", "thm2.error.redefinition", "thm2.recursion.base"):
        kinds = [
            json.dumps(plain(i.certificate), sort_keys=True) for i in items if i.claim == claim
        ]
        assert len(kinds) == len(set(kinds)) > 1, claim


def test_a_broken_step_leaves_none_of_its_claims_standing(monkeypatch):
    wrong = "The step does not check."
    for module in (theorem2_errors, theorem2_steps):
        monkeypatch.setattr(module, "broken_steps", lambda *steps: wrong)
    monkeypatch.setattr(theorem2, "unproved", lambda: wrong)
    symbolic = (
        theorem2_errors.pads_are_factors_too,
        theorem2_errors.attention_errors_differ_by_layer,
        theorem2_errors.the_redefined_error_is_larger,
        theorem2_errors.the_corrected_recursion_is_proved,
        theorem2_steps.a_vector_is_added_to_matrices,
        theorem2_steps.rows_have_different_errors,
        theorem2.the_theorem_by_the_corrected_recursion,
        theorem2.errors_grow_with_the_layers,
        theorem2.from_products_to_states,
    )
    for check in symbolic:
        for item in check(Job()):
            assert item.outcome is Outcome.FAILS or item.claim == "thm2.recursion.base", item


# the matrices as printed


def test_the_printed_matrices_are_refuted_and_the_mended_ones_are_those_of_the_model():
    found = [
        *matrices.query_and_key_as_printed(Job()),
        *matrices.output_as_printed(Job()),
    ]
    assert {(i.claim, i.reading.value): i.outcome.value for i in found} == {
        ("thm2.qk", "literal"): "fails",
        ("thm2.qk", "repaired"): "holds",
        ("thm2.wout", "literal"): "fails",
        ("thm2.wout", "repaired"): "holds",
    }


def test_a_formula_that_fits_is_held_against_the_model():
    mended = matrices.query_evidence(matrices.SCORES_MENDED, Name.LITERAL)
    assert mended.outcome is Outcome.HOLDS
    swapped = matrices.Scores.of("√C (I_2 0_{2×n²} 0_{2×n²})ᵀ", "√C (ρ 0_{2×n²} 0_{2×n²})ᵀ")
    item = matrices.query_evidence(swapped, Name.LITERAL)
    assert item.outcome is Outcome.FAILS and "head left differs" in item.summary
    unscaled = matrices.Scores.of("(0_{2×n²} 0_{2×n²} I_2)ᵀ", "(0_{2×n²} 0_{2×n²} ρ)ᵀ")
    assert matrices.query_evidence(unscaled, Name.LITERAL).outcome is Outcome.FAILS


def test_heads_without_the_root_of_c_differ_from_the_mended_formula(monkeypatch):
    heads = matrices.theorem2.heads
    monkeypatch.setattr(
        matrices.theorem2, "heads", lambda n, layer, span, c: heads(n, layer, span, c * c)
    )
    item = matrices.query_evidence(matrices.SCORES_MENDED, Name.REPAIRED)
    assert item.outcome is Outcome.FAILS and "differs" in item.summary


def test_scores_that_are_not_c_times_the_exact_ones_are_reported(monkeypatch):
    monkeypatch.setattr(matrices, "other_weights", lambda scores: None)
    monkeypatch.setattr(matrices.theorem1, "layers", lambda n, t: matrices.theorem2.layers(n, t, 5))
    item = matrices.query_evidence(matrices.SCORES_MENDED, Name.REPAIRED)
    assert item.outcome is Outcome.FAILS and "not C times" in item.summary


def test_another_product_or_another_formula_changes_what_is_said_of_w_out(monkeypatch):
    square = matrices.printed.matrix("(I_{n²} 0_{n²×n²} 0_{n²×2})")
    item = matrices.output_evidence(square, Name.LITERAL)
    assert item.outcome is Outcome.FAILS and "not copied into both halves" in item.summary
    copying = matrices.copying
    monkeypatch.setattr(matrices, "copying", lambda n: copying(n).transpose)
    item = matrices.output_evidence(matrices.OUTPUT_MENDED, Name.REPAIRED)
    assert item.outcome is Outcome.FAILS and "meets a matrix" in item.summary


def test_a_product_as_wide_as_the_embedding_would_go_through_the_printed_w_out(monkeypatch):
    whole = lambda n: matrices.multiplier(n).block.output  # noqa: E731
    monkeypatch.setattr(matrices, "copying", whole)
    problem = matrices.output_problem(matrices.OUTPUT_PRINTED)
    assert "not copied" in problem and "meets" not in problem
