"""Certificates on trees: every change of a single field is refused, or says another true thing."""

import pytest

from constructions.random_trees import random_wta, rational_wta
from constructions.theorem3 import Places, build
from constructions.tree_automaton import random_automaton
from verify.check import Job
from verify.checks import (
    corollary,
    theorem3,
    theorem3_depths,
    theorem3_fourier,
    theorem3_free,
    theorem3_gate,
    theorem3_large,
    theorem3_printed,
    theorem3_sizes,
    theorem3_step,
    theorem3_widths,
)
from verify.checks.theorem3 import machines
from verify.engines.tree_proof import Proof
from verify.engines.tree_proof_masked import MaskedProof
from verify.engines.tree_rules import strings
from verify.engines.tree_states import Digest, Masked, by_length, tally
from verify.engines.tree_weights import plain_layer, plain_masked
from verify.recheck.errors import Refused
from verify.recheck.kinds import validators

JOB = Job()
MOST = 40


def flips(value):
    """Every way to change one field of plain data to something else of its kind."""
    if isinstance(value, dict):
        for key in value:
            if key != "kind":
                yield from ({**value, key: changed} for changed in flips(value[key]))
        yield {**value, "unknown": 1}
    elif isinstance(value, list):
        for i in range(len(value)):
            yield from ([*value[:i], changed, *value[i + 1 :]] for changed in flips(value[i]))
        if value:
            yield value[:-1]
    elif isinstance(value, int):
        yield value + 1
    elif isinstance(value, str):
        yield {"1": "2", "0": "1", "a": "b"}.get(value, "5/11" if "/" in value else value + "x")


def states(leaves):
    digest = Digest()
    for machine in machines()[:2]:
        for batch in by_length(Masked, strings(leaves)):
            tally(batch, machine, leaves - 1, digest)
    return theorem3.states_certificate("masks", leaves, machines()[:2], digest)


def runs(leaves):
    machine = random_automaton(2, 1)
    found = corollary.disagreements(machine, leaves)
    return {"kind": "trees.runs", "automata": [corollary.plain_automaton(machine)],
            "leaves": leaves, "trees": len(corollary.trees_within("ab", leaves)),
            "positions": found.positions, "largest": [str(found.largest)],
            "roots": [found.digest()]}  # fmt: skip


def bodies():
    yield states(3)
    yield runs(4)
    yield {"kind": "trees.free-proof", "most": 1, "layers": [plain_layer(Proof(1))]}
    yield {"kind": "trees.masked-proof", "most": 1, "layers": [plain_masked(MaskedProof(1))]}
    yield theorem3_fourier.forms_certificate(build(random_wta(1, 1), 7, places=Places.LINE).plan)
    yield next(theorem3_depths.without_mask(3)).certificate
    yield theorem3_gate.closing_brackets(rational_wta(2, 12, "abcd"), 4).certificate
    for check in (
        theorem3.each_repair_is_necessary,
        theorem3_free.large_trees_without_masks,
        theorem3_free.small_trees_without_masks_with_symbols,
        theorem3_gate.the_printed_gate_on_every_small_tree,
        theorem3_gate.the_printed_parse_layers,
        theorem3_gate.states_at_closing_brackets,
        theorem3_large.large_trees_of_every_family,
        theorem3_printed.where_the_right_head_looks,
        theorem3_printed.the_left_head_on_the_half_circle,
        theorem3_step.does_the_step_keep_the_head_ahead,
        theorem3_sizes.the_built_models_have_the_printed_sizes,
        theorem3_sizes.how_many_layers,
        theorem3_widths.the_width_of_the_mlp,
        corollary.how_precise_counts_must_be,
    ):
        yield from (item.certificate for item in check(JOB) if item.certificate)


@pytest.fixture(scope="module")
def certificates():
    found = {}
    for body in bodies():
        found.setdefault(body["kind"], body)
    return found


# A change that makes another true statement of the same kind is confirmed, as it should be.
# Letters at the leaves of a shape are names; other columns may find the same right children.
STILL_TRUE = {
    ("trees.right-head", "tokens"),
    ("trees.early-head", "tokens"),
    ("trees.convention", "tokens"),
    ("trees.position", "tokens"),
    ("trees.right-forms", "forms"),
}


def test_every_change_of_a_single_field_is_refused(certificates):
    assert len(certificates) > 25
    for kind, body in certificates.items():
        validate = validators()[kind]
        assert validate(body)
        changes = list(flips(body))
        for changed in changes[:: max(1, len(changes) // MOST)]:
            try:
                echo = validate(changed)
            except (Refused, ArithmeticError, LookupError, TypeError, ValueError, AttributeError):
                continue
            (field,) = {key for key in changed if changed[key] != body.get(key)}
            assert (kind, field) in STILL_TRUE, (kind, changed, echo)
