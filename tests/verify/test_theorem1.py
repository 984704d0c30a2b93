"""The proofs of Theorem 1 hold, and every one of them refutes its mutants."""

from dataclasses import replace
from fractions import Fraction

import pytest

from constructions import theorem1
from constructions.matrix import Matrix, Tensor
from verify.check import Job
from verify.checks import lemma1, theorem1_matrices, theorem1_sizes
from verify.checks import theorem1 as checks
from verify.engines import generic, pads
from verify.evidence import Outcome


@pytest.mark.parametrize(("n", "length"), [(1, 1), (1, 2), (2, 3), (2, 4), (2, 8), (3, 4)])
def test_codes_and_dense_scores_prove_the_same(n, length):
    assert generic.prove(n, length) is None
    assert generic.prove_dense(n, length) is None


@pytest.mark.parametrize(("n", "length"), [(4, 8), (2, 16), (12, 4)])
def test_polynomials_reach_further(n, length):
    assert generic.prove(n, length) is None


@pytest.mark.parametrize(
    ("n", "length"), [(1, 1), (1, 2), (1, 8), (2, 2), (2, 3), (2, 4), (3, 4), (2, 8)]
)
def test_sympy_proves_it_too(n, length):
    assert generic.prove_symbolic(n, length) is None


@pytest.mark.parametrize("length", [1, 2, 3, 5, 8, 13, 16, 31, 64])
def test_words_prove_all_n(length):
    assert generic.prove_words(length) is None


@pytest.mark.slow
@pytest.mark.parametrize("length", [*range(1, 131), *(2**k for k in range(8, 13))])
def test_words_prove_all_n_at_every_length(length):
    assert generic.prove_words(length) is None


@pytest.mark.slow
def test_eight_states_at_length_1024_by_layers_and_by_identity_testing():
    assert generic.prove_layer(8) is None
    assert generic.prove_routing(1024) is None
    tested = generic.prove_modular(8, 1024)
    assert tested.mismatch is None
    assert tested.failure < Fraction(1, 2**60)


@pytest.mark.slow
@pytest.mark.parametrize("length", [2**k for k in range(17)])
def test_the_gap_is_certified_up_to_65536(length):
    assert checks.gap_problem(length) is None


def test_identity_testing_agrees_and_states_its_failure_probability():
    tested = generic.prove_modular(3, 16)
    assert tested.mismatch is None
    assert tested.failure < Fraction(1, 2**60)


def flipped_angle(layer, span):
    return Fraction(2 ** (layer - 1), span)


def shift_too_far(layer, span):
    return Fraction(-(2**layer), span)


def shift_by_layer(layer, span):
    return Fraction(-layer, span)


def reversed_tensor(n):
    good = theorem1_tensor(n)
    return Tensor(good.shape, {(b, a, c): one for (a, b, c), one in good.entries.items()})


def holed_tensor(n):
    good = theorem1_tensor(n)
    return Tensor(good.shape, dict(list(good.entries.items())[:-1]))


def wrong_entry_tensor(n):
    good = dict(theorem1_tensor(n).entries)
    good[0, 0, n * n - 1] = 1
    return Tensor((n * n,) * 3, good)


theorem1_tensor = theorem1.tensor
theorem1_output = theorem1.output
theorem1_select_position = theorem1.select_position


def transposed_output(n):
    good = theorem1_output(n)
    twisted = {
        (i, j if j < n * n else n * n + (j - n * n + 1) % (n * n)): v
        for (i, j), v in good.entries.items()
    }
    return Matrix(good.shape, twisted)


def swapped_heads(n, layer, span, attention):
    left, right = original_heads(n, layer, span, attention)
    return replace(left, key=right.key), replace(right, key=left.key)


original_heads = theorem1.heads


def exchanged_key(n, layer, span):
    good = theorem1_select_position(n, theorem1.rotation(theorem1.theta(layer, span)))
    size = theorem1.layout(n).size
    first, second = size - 2, size - 1
    swap = {first: second, second: first}
    return Matrix(good.shape, {(swap[i], j): v for (i, j), v in good.entries.items()})


MUTANTS = {
    "sign of θ flipped": ("theta", flipped_angle),
    "shift 2^l": ("theta", shift_too_far),
    "shift l": ("theta", shift_by_layer),
    "product in the other order": ("tensor", reversed_tensor),
    "an entry of the tensor missing": ("tensor", holed_tensor),
    "a wrong entry of the tensor": ("tensor", wrong_entry_tensor),
    "W_out twisted": ("output", transposed_output),
    "left and right swapped": ("heads", swapped_heads),
    "P_1 and P_2 exchanged on keys": ("left_key", exchanged_key),
}


@pytest.mark.parametrize("mutant", MUTANTS)
@pytest.mark.parametrize("prove", [generic.prove, generic.prove_dense], ids=["codes", "dense"])
def test_polynomials_refute_the_mutant(monkeypatch, mutant, prove):
    monkeypatch.setattr(theorem1, *MUTANTS[mutant])
    assert prove(2, 8) is not None


@pytest.mark.parametrize(
    "mutant", ["sign of θ flipped", "shift 2^l", "shift l", "left and right swapped"]
)
def test_words_refute_the_mutant(monkeypatch, mutant):
    monkeypatch.setattr(theorem1, *MUTANTS[mutant])
    assert generic.prove_words(8) is not None


def test_the_shift_by_l_is_invisible_below_eight(monkeypatch):
    monkeypatch.setattr(theorem1, *MUTANTS["shift l"])
    assert generic.prove(2, 4) is None
    assert generic.prove(2, 8) is not None


def test_one_layer_missing_is_refuted(monkeypatch):
    whole = theorem1.layers
    monkeypatch.setattr(theorem1, "layers", lambda *a, **k: whole(*a, **k)[:-1])
    assert generic.prove(2, 4).position == 3


def test_sympy_refutes_a_mutant(monkeypatch):
    monkeypatch.setattr(theorem1, "tensor", reversed_tensor)
    assert generic.prove_symbolic(2, 2) is not None


def test_identity_testing_refutes_a_mutant(monkeypatch):
    monkeypatch.setattr(theorem1, "tensor", reversed_tensor)
    assert generic.prove_modular(2, 4).mismatch is not None


def test_one_layer_on_fresh_symbols_refutes_a_leak(monkeypatch):
    def leaking(n, side):
        return Matrix.identity(theorem1.layout(n).size)

    assert generic.prove_layer(3) is None
    monkeypatch.setattr(theorem1, "value", leaking)
    assert generic.prove_layer(3) is not None


def test_routing_refutes_a_flipped_angle(monkeypatch):
    assert generic.prove_routing(16) is None
    monkeypatch.setattr(theorem1, "theta", flipped_angle)
    assert "attends" in generic.prove_routing(16).why


def test_pads_every_even_number_is_enough_and_odd_ones_are_not():
    assert pads.sufficient(8) == [2, 4, 6, 8]
    assert not pads.works(8, 7)
    assert not pads.works(4, 0)


def test_the_gap_is_certified_and_a_wrong_gap_would_not_be(monkeypatch):
    assert checks.gap_problem(1) is None
    assert checks.gap_problem(64) is None
    assert checks.score_identity_problem() is None
    import flint

    class Bent(flint.arb):
        @staticmethod
        def cos_pi_fmpq(angle):
            return flint.arb(1)

    monkeypatch.setattr(checks.flint, "arb", Bent)
    assert "not certified" in checks.gap_problem(4)


def test_lemma_one_holds_for_all_n_and_refutes_a_mutant():
    assert lemma1.for_all_n() is None
    for n in range(1, 9):
        assert lemma1.for_small_n(n) is None
    assert "missed" in lemma1.for_small_n(2, holed_tensor(2))


def test_the_readout_check_refutes_a_mutant():
    assert theorem1_matrices.readout_problem(3) is None
    wrong = theorem1.readout((1, 2, 3))
    assert theorem1_matrices.readout_problem(3, wrong) is not None


def outcomes(body):
    return {(e.claim, e.reading.value): e.outcome for e in body(Job())}


def test_printed_blocks_do_not_fit_and_repaired_ones_do():
    found = outcomes(theorem1_matrices.do_the_printed_blocks_fit)
    assert found["thm1.qk", "literal"] is Outcome.FAILS
    assert found["thm1.qk", "repaired"] is Outcome.HOLDS
    assert found["thm1.values", "literal"] is Outcome.FAILS
    assert found["thm1.wout", "literal"] is Outcome.FAILS
    assert found["thm1.selectors", "literal"] is Outcome.HOLDS


def test_sizes_are_compared_and_a_wider_model_is_noticed(monkeypatch):
    found = outcomes(theorem1_sizes.printed_widths)
    assert found["thm1.size.embedding", "literal"] is Outcome.HOLDS
    wider = theorem1_sizes.measured

    monkeypatch.setattr(theorem1_sizes, "measured", lambda n, t: replace(wider(n, t), embedding=99))
    found = outcomes(theorem1_sizes.printed_widths)
    assert found["thm1.size.embedding", "literal"] is Outcome.FAILS


@pytest.mark.parametrize("mutant", ["sign of θ flipped", "product in the other order"])
def test_checks_report_a_mutant_as_failed(monkeypatch, mutant):
    monkeypatch.setattr(theorem1, *MUTANTS[mutant])
    found = outcomes(checks.outputs_are_states_in_flint)
    assert found["thm1.exact", "literal"] is Outcome.FAILS
