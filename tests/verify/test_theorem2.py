"""The checks of Theorem 2: what they say, that their certificates are confirmed, and mutants."""

import copy
import importlib
import json
from dataclasses import replace
from fractions import Fraction

import flint
import pytest

from constructions import theorem2 as construction
from verify.bounds import certificates, derivation, leak, saturation, search
from verify.bounds.named import named
from verify.check import REGISTERED, Job
from verify.checks import (
    theorem2,
    theorem2_errors,
    theorem2_instances,
    theorem2_sizes,
    theorem2_steps,
    theorem2_sweeps,
)
from verify.claims.model import Name
from verify.claims.registry import CLAIMS
from verify.evidence import Outcome, Strength
from verify.recheck.errors import Refused
from verify.recheck.kinds import validators
from verify.recheck.theorem2 import VALIDATORS

HOLDS, FAILS, UNKNOWN = Outcome.HOLDS, Outcome.FAILS, Outcome.UNKNOWN
TOPICS = ("theorem2", "theorem2_sizes", "theorem2_matrices", "theorem2_errors", "theorem2_steps")
KNOWN = {claim.id: claim for claim in CLAIMS}


def evidence_of(*topics):
    for topic in topics:
        importlib.import_module(f"verify.checks.{topic}")
    return [
        item
        for check in list(REGISTERED.values())
        if check.id.partition(".")[0] in topics
        for item in check.body(Job())
    ]


@pytest.fixture(scope="module")
def items():
    return evidence_of(*TOPICS)


def outcomes(items, claim, reading=Name.LITERAL):
    return {item.outcome for item in items if item.claim == claim and item.reading is reading}


def plain(certificate):
    return json.loads(json.dumps(certificate))


def test_every_claim_and_reading_is_in_the_registry_and_declared(items):
    declared = {c for check in REGISTERED.values() for c in check.claims}
    for item in items:
        KNOWN[item.claim].reading(item.reading)
        assert item.claim in declared


def test_every_rigorous_outcome_has_a_certificate_that_is_confirmed(items):
    for item in items:
        assert item.certificate is not None, item.claim
        certificate = plain(item.certificate)
        assert validators()[certificate["kind"]](certificate)


def test_no_reading_both_holds_and_fails(items):
    for item in items:
        assert len(outcomes(items, item.claim, item.reading)) == 1, item.claim


@pytest.mark.parametrize(
    ("claim", "reading", "expected"),
    [
        ("thm2.recursion", Name.LITERAL, FAILS),
        ("thm2.recursion", Name.CHARITABLE, FAILS),
        ("thm2.recursion", Name.REPAIRED, HOLDS),
        ("thm2.recursion.contractive", Name.LITERAL, FAILS),
        ("thm2.error.max", Name.LITERAL, FAILS),
        ("thm2.error.redefinition", Name.LITERAL, FAILS),
        ("thm2.error.triangle", Name.LITERAL, HOLDS),
        ("thm2.bounded", Name.LITERAL, FAILS),
        ("thm2.frobenius", Name.LITERAL, FAILS),
        ("thm2.frobenius", Name.REPAIRED, HOLDS),
        ("thm2.width", Name.LITERAL, FAILS),
        ("thm2.width", Name.CHARITABLE, HOLDS),
        ("thm2.size.embedding", Name.LITERAL, HOLDS),
        ("thm2.size.mlp-width", Name.LITERAL, FAILS),
        ("thm2.exists", Name.LITERAL, HOLDS),
        ("thm2.proof", Name.LITERAL, FAILS),
        ("thm2.saturation", Name.LITERAL, HOLDS),
    ],
)
def test_the_outcomes(items, claim, reading, expected):
    assert outcomes(items, claim, reading) == {expected}


def test_the_table_of_ratios_shows_a_factor_of_1024(items):
    tables = [table for item in items for table in item.tables if table.id == "theorem2-ratios"]
    (last,) = {table.rows[-1] for table in tables}
    assert last[0] == "16"
    assert abs(Fraction(last[2]) - 1024) < 1


# mutants


def run(check):
    return list(check(Job()))


def test_a_broken_step_of_the_derivation_turns_the_corrected_recursion_down(monkeypatch):
    wrong = derivation.Step("wrong", "identity", lambda: False)
    monkeypatch.setattr(derivation, "STEPS", (*derivation.STEPS[:-1], wrong))
    monkeypatch.setattr(derivation.failures, "__defaults__", (derivation.STEPS,))
    found = run(theorem2_errors.the_corrected_recursion_is_proved)
    assert {item.outcome for item in found if item.claim == "thm2.recursion"} == {FAILS}
    assert "wrong" in found[0].summary
    whole = run(theorem2.the_theorem_by_the_corrected_recursion)
    assert {item.outcome for item in whole} == {FAILS}


def test_without_a_counterexample_nothing_is_refuted(monkeypatch):
    monkeypatch.setattr(theorem2_errors, "smallest", lambda *a, **k: None)
    found = run(theorem2_errors.equation_one_is_violated)
    assert {item.outcome for item in found} == {UNKNOWN}
    monkeypatch.setattr(theorem2, "smallest", lambda *a, **k: None)
    (proof,) = run(theorem2.the_printed_proof_rests_on_a_false_step)
    assert proof.outcome is HOLDS
    assert proof.strength is Strength.ENCLOSURE


def test_a_bound_that_falls_with_the_mlps_error_is_noticed(monkeypatch):
    corrected = theorem2.recursion.corrected

    def falling(norms, attention, mlp=0):
        return [bound - 2 * mlp for bound in corrected(norms, attention)]

    monkeypatch.setattr(theorem2.recursion, "corrected", falling)
    assert theorem2.mlp_share_problem() == "The bound does not grow with ε_mlp."
    monkeypatch.setattr(
        theorem2.recursion, "corrected", lambda n, a, mlp=None: corrected(n, a, mlp or 1)
    )
    assert "another one" in theorem2.mlp_share_problem()


def test_a_model_that_is_not_within_its_eps_fails_the_whole(monkeypatch):
    whole = theorem2_instances.whole("tanh")
    assert theorem2_instances.instance_problem(whole) is None
    coarse = {**whole, "model": {**whole["model"], "saturation": "3"}}
    assert "miss by" in theorem2_instances.instance_problem(coarse)
    assert "wider" in theorem2_instances.instance_problem({**whole, "printed": 31})
    monkeypatch.setattr(theorem2.instances, "instance_problem", lambda body: "Too far.")
    found = run(theorem2.the_theorem_by_the_corrected_recursion)
    assert outcomes(found, "thm2.exists") == {FAILS}
    assert outcomes(found, "thm2.exists", Name.REPAIRED) == {HOLDS}


def test_a_map_of_another_degree_or_size_does_not_meet_the_mlp_theorem(monkeypatch):
    tensor = theorem2.theorem1.tensor(2)
    assert theorem2.invoked(tensor, 2).outcome is HOLDS
    assert theorem2.invoked(tensor, 3).outcome is FAILS
    monkeypatch.setattr(theorem2, "product_degrees", lambda tensor: {2, 3})
    item = theorem2.invoked(tensor, 2)
    assert item.outcome is FAILS and "[2, 3]" in item.summary


def test_a_head_that_reads_a_state_fails_the_check_of_the_filter(monkeypatch):
    layers = construction.layers

    def leaking(n, length, saturation):
        made = layers(n, length, saturation)
        head = made[0].heads[0]
        query = replace(head.query, entries={**head.query.entries, (0, 0): 1})
        return (replace(made[0], heads=(replace(head, query=query), made[0].heads[1])), *made[1:])

    monkeypatch.setattr(construction, "layers", leaking)
    (item,) = run(theorem2_steps.the_filter_reads_positions_only)
    assert item.outcome is FAILS
    assert "(0, 0)" in item.summary


def test_a_smaller_ceiling_is_exceeded_by_the_leak(monkeypatch):
    ceiling = leak.ceiling
    monkeypatch.setattr(leak, "ceiling", lambda c, span: ceiling(c, span) / (2 * span))
    found = run(theorem2.the_leak_falls)
    assert {item.outcome for item in found} == {FAILS}


def test_a_closed_form_that_forgets_the_amplification_is_not_enough(monkeypatch):
    monkeypatch.setattr(saturation, "amplification", lambda norms, diameters: flint.arb(1) / 1000)
    assert theorem2.closed_form_fails(named("scalar:2")) is not None


def test_a_model_of_another_size_fails_the_check_of_sizes(monkeypatch):
    models = theorem2_sizes.built()
    models[3] = {**models[3], "embedding": 99}
    monkeypatch.setattr(theorem2_sizes, "built", lambda: models)
    found = run(theorem2_sizes.built_sizes)
    assert outcomes(found, "thm2.size.embedding") == {FAILS}


def test_sweeps_report_a_violation(monkeypatch):
    monkeypatch.setattr(theorem2_sweeps, "SWEPT", ("scalar:2", "counting"))
    monkeypatch.setattr(theorem2_sweeps, "QUICK", (2, 4))
    (good,) = run(theorem2_sweeps.no_sweep_violates_the_corrected_bound)
    assert good.outcome is HOLDS
    assert {figure.id for figure in good.figures} == {"error-against-c", "ratio-against-t"}
    row = theorem2_sweeps.row
    monkeypatch.setattr(
        theorem2_sweeps, "row", lambda *a: replace(row(*a), corrected=row(*a).printed)
    )
    (bad,) = run(theorem2_sweeps.no_sweep_violates_the_corrected_bound)
    assert bad.outcome is FAILS
    assert "scalar:2" in bad.summary


def test_a_required_c_that_is_too_large_is_reported(monkeypatch):
    monkeypatch.setattr(theorem2_sweeps, "SWEPT", ("scalar:2",))
    needed = theorem2_sweeps.required_saturation
    monkeypatch.setattr(
        theorem2_sweeps, "required_saturation",
        lambda *a: replace(needed(*a), constant=3 * needed(*a).constant),
    )  # fmt: skip
    (item,) = run(theorem2_sweeps.the_required_c_is_at_most_twice_the_least)
    assert item.outcome is FAILS


def test_the_plain_pass_is_held_against_the_enclosures(monkeypatch):
    (good,) = run(theorem2_sweeps.a_plain_pass_measures_the_same)
    assert good.outcome is HOLDS
    monkeypatch.setattr(theorem2_sweeps, "measured", lambda *a, **k: [1, 1, 1])
    (bad,) = run(theorem2_sweeps.a_plain_pass_measures_the_same)
    assert bad.outcome is FAILS


# certificates


def mutations(certificate):
    """The certificate with one field changed, dropped or added."""
    for field in certificate:
        if field == "kind":
            continue
        dropped = copy.deepcopy(certificate)
        del dropped[field]
        yield f"without {field}", dropped
        changed = copy.deepcopy(certificate)
        changed[field] = {"unexpected": True}
        yield f"wrong type of {field}", changed
    yield "extra field", {**certificate, "extra": 1}


@pytest.mark.parametrize("kind", sorted(VALIDATORS))
def test_every_kind_refuses_missing_unknown_and_ill_typed_fields(items, kind):
    found = [plain(i.certificate) for i in items if i.certificate["kind"] == kind]
    if kind == "theorem2.within":
        found = [plain(theorem2_sweeps.within_certificate())]
    if kind == "theorem2.saturation":
        found = [plain(theorem2.small_instance())]
    assert found, f"no evidence carries {kind}"
    for name, mutant in mutations(found[0]):
        with pytest.raises((Refused, AttributeError, TypeError)) as caught:
            VALIDATORS[kind](mutant)
        assert caught.type is Refused, f"{kind}: {name} raised {caught.value!r}"


WRONG = [
    ("theorem2.recursion", {"error": "1000"}),
    ("theorem2.recursion", {"bound": "1/1000000"}),
    ("theorem2.recursion", {"weight": "1"}),
    ("theorem2.recursion", {"layer": 7}),
    ("theorem2.recursion", {"reading": "other"}),
    ("theorem2.recursion", {"saturation": "-1"}),
    ("theorem2.recursion", {"weight": "2/2"}),
    ("theorem2.attention", {"layer": 1}),
    ("theorem2.attention", {"weight": "1/2"}),
    ("theorem2.rows", {"positions": [0, 0]}),
    ("theorem2.rows", {"positions": [0, 99]}),
    ("theorem2.redefinition", {"weight": "2"}),
    ("theorem2.redefinition", {"length": 2}),
    ("theorem2.frobenius", {"alpha": "1/100"}),
    ("theorem2.frobenius", {"eps": "1/100000"}),
    ("theorem2.unbounded", {"saturation": "9"}),
    ("theorem2.unbounded", {"floors": ["1", "1", "1", "1"]}),
    ("theorem2.unbounded", {"lengths": [8, 16, 32, 65]}),
    ("theorem2.leak", {"leak": "1/100000000000000000000"}),
    ("theorem2.leak", {"ceiling": "10"}),
    ("theorem2.depth", {"length": 4, "layers": 2}),
    ("theorem2.depth", {"layers": 3}),
    ("theorem2.width", {"equal": True}),
    ("theorem2.width", {"points": [1, 2, 3]}),
    ("theorem2.width", {"factor": 2, "extra": 0}),
    ("theorem2.shapes", {"n": 1}),
    ("theorem2.scores", {"shift": 1}),
    ("theorem2.assumptions", {"built": ["hard", "bilinear"]}),
    ("theorem2.assumptions", {"assumed": ["soft", "mlp"]}),
    ("theorem2.factors", {"position": 2, "rows": [1, 2]}),
    ("theorem2.factors", {"rows": [1, 2]}),
    ("theorem2.derivation", {"terms": [["X", "F"]]}),
    ("theorem2.derivation", {"majorant": {"delta*mu": 1}}),
    ("theorem2.derivation", {"minus": []}),
]


@pytest.mark.parametrize(("kind", "change"), WRONG)
def test_a_false_certificate_is_refused(items, kind, change):
    found = next(
        plain(i.certificate)
        for i in items
        if i.certificate["kind"] == kind
        and not (kind == "theorem2.derivation" and not i.certificate["minus"])
        and not (kind == "theorem2.width" and i.certificate["equal"])
    )
    VALIDATORS[kind](found)
    with pytest.raises(Refused):
        VALIDATORS[kind]({**found, **change})


@pytest.mark.parametrize("change", [{"saturation": "5"}, {"eps": "1/100000000"}])
def test_an_instance_that_misses_its_eps_is_refused(change):
    body = plain(theorem2.small_instance())
    assert VALIDATORS["theorem2.saturation"](body)
    with pytest.raises(Refused):
        VALIDATORS["theorem2.saturation"]({**body, **change})


def test_a_wrong_size_is_refused(items):
    found = next(plain(i.certificate) for i in items if i.certificate["kind"] == "theorem2.sizes")
    found["models"][0]["units"] += 1
    with pytest.raises(Refused, match="units"):
        VALIDATORS["theorem2.sizes"](found)


def test_words_that_break_the_bound_or_the_alphabet_are_refused():
    body = plain(theorem2_sweeps.within_certificate())
    VALIDATORS["theorem2.within"](body)
    with pytest.raises(Refused, match="no word"):
        VALIDATORS["theorem2.within"]({**body, "words": [["2"]]})
    with pytest.raises(Refused, match="no word is named"):
        VALIDATORS["theorem2.within"]({**body, "words": []})


def test_balls_become_short_rationals_on_the_right_side():
    with flint.ctx.workprec(300):
        value = flint.arb(2).sqrt() * flint.arb("1e-200")
        low, high = certificates.below(value), certificates.above(value)
        assert flint.arb(flint.fmpq(low.numerator, low.denominator)) < value
        assert flint.arb(flint.fmpq(high.numerator, high.denominator)) > value
        assert (high - low) / low < Fraction(1, 2**40)


def test_the_rechecker_refuses_a_larger_counterexample_than_found():
    found = search.smallest("printed")
    body = plain(certificates.counterexample(found))
    VALIDATORS["theorem2.recursion"](body)
    body["pads"] = True
    with pytest.raises(Refused):
        VALIDATORS["theorem2.recursion"](body)
