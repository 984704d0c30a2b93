# ruff: noqa: E501
"""Total variation and Ville's inequality: what is proved is what the program computes, and no more."""

import re
from fractions import Fraction

import flint
import pytest
import sympy

from constructions.blocks.logarithm import fit_logarithm
from constructions.core.exact import ball
from constructions.language_model import LOW, SPECIALS
from verify.bounds.language import BITS, LogarithmRange, LogitErrors, general_variation
from verify.coq.build import compiled
from verify.coq.parsing import bare
from verify.coq.sources import COQ, Refused, text

# What is changed: its file, the text and the changed text, and why the changed statement is false.
MUTANTS = {
    'variation is half of the sum': ('Variation.v',
        'R := / 2 * sum k (fun i => Rabs',
        'R := sum k (fun i => Rabs',
        'InstancesLanguage.opposite_variation: the bound is attained with the half'),
    'a range of D': ('Variation.v',
        '(forall i j, (i < k)%nat -> (j < k)%nat -> (a i - b i) - (a j - b j) <= D) ->\n  variation k (probabilities k a) (probabilities k b) <= tanh (D / 4).',
        '(forall i j, (i < k)%nat -> (j < k)%nat -> (a i - b i) - (a j - b j) <= D) ->\n  variation k (probabilities k a) (probabilities k b) <= tanh (D / 5).',
        'InstancesLanguage.logits_attained'),
    'a Euclidean error': ('Variation.v',
        'variation k (probabilities k a) (probabilities k b) <= tanh (sqrt 2 * eps / 4).',
        'variation k (probabilities k a) (probabilities k b) <= tanh (eps / 4).',
        'InstancesLanguage.euclidean_attained'),
    'impossible symbols have some mass': ('Variation.v',
        'variation k p (probabilities k b) <= tanh (D / 4) + INR k * exp low.',
        'variation k p (probabilities k b) <= tanh (D / 4).',
        'exact logits, D = 0: the impossible symbol has mass above 0'),
    'the logarithm errs on both sides': ('Variation.v',
        'dropped / s0 + tanh (eta / 2)',
        'dropped / s0 + tanh (eta / 4)',
        'two weights, one too large by e^eta and one too small by it'),
    'what is dropped is divided by the least sum': ('Variation.v',
        'M * exp eta / (s0 - dropped).',
        'M / (s0 - dropped).',
        'all weights of the readable symbols too small by e^-eta'),
    'the shares add up to 1 at most': ('Ville.v',
        '(forall x, (x < k)%nat -> 0 <= q x) -> sum k q <= 1 -> 0 <= s0 ->',
        '(forall x, (x < k)%nat -> 0 <= q x) -> sum k q <= 2 -> 0 <= s0 ->',
        'p = 1/2, 1/2 and q = 1, 1, s0 = 2/3: after one letter every word is below'),
    'a process adds up to what it was': ('Ville.v',
        'sum k (fun x => p (w ++ [x])) = p w).',
        'sum k (fun x => p (w ++ [x])) >= p w).',
        'p = 1 on all words is above its range with weight k^T'),
    'some prefix, not only the word': ('Ville.v',
        '  event [] || match w with [] => false | x',
        '  match w with [] => event [] | x',
        'ever_prefix asks for every prefix'),
}  # fmt: skip


# Each compiles a chapter for some seconds; two are tried in the quick tests.
QUICK = ("variation is half of the sum", "a Euclidean error")


@pytest.mark.coq
@pytest.mark.parametrize("what", [
    pytest.param(what, marks=() if what in QUICK else pytest.mark.slow) for what in MUTANTS
])  # fmt: skip
def test_a_changed_statement_is_not_proved(mutant, what):
    file, old, new, _ = MUTANTS[what]
    folder = mutant((file, old, new))
    with pytest.raises(Refused, match=rf"^{file}: File"), compiled([file], folder):
        pass


def coq_bound() -> sympy.Expr:
    """The definition of `general_bound`, from the text of the proofs."""
    found = re.search(
        r"Definition general_bound [^=]*:=\s*let dropped := (.*?) in(.*?)\.\s",
        bare(text(COQ, "Variation.v")),
        re.DOTALL,
    )
    assert found is not None
    written = [
        re.sub(r"\b(tanh|exp) (\w+)", r"\1(\2)", re.sub(r"\bINR (\w+)", r"\1", part))
        for part in found.groups()
    ]
    names = {name: sympy.Symbol(name) for name in ("k", "m", "s0", "M", "delta", "eps", "eta", "G")}
    dropped, bound = (sympy.sympify(part.replace("\n", " "), locals=names) for part in written)
    return bound.subs("dropped", dropped)


@pytest.mark.parametrize("digits, error", [(8, "1e-9"), (6, "1e-7"), (5, "1e-12")])
def test_the_program_computes_the_bound_that_is_proved(digits, error):
    log = fit_logarithm("silu", Fraction(1, 10**digits), Fraction(1, 10**4))
    of = LogarithmRange(Fraction(1, 1000), Fraction(4), log)
    values = {
        **{"k": 2, "m": SPECIALS, "low": LOW, "s0": of.least_weight, "M": of.largest},
        **{"delta": log.least, "eta": log.error, "eps": Fraction(error)},
    }
    with flint.ctx.workprec(BITS):
        off = ball(Fraction(error))
        values["G"] = sympy.Float(of.below(off).mid().str(50, radius=False), 50)
        proved = coq_bound().subs(values).evalf(40)
        ratio = general_variation(2, off, of) / flint.arb(str(proved))
        assert abs(ratio - 1) < ball(Fraction(1, 10**30)), "40 digits were computed"


def test_the_program_adds_the_mass_of_impossible_tokens_to_the_bound_that_is_proved():
    with flint.ctx.workprec(BITS):
        error = flint.arb("0.01")
        proved = (error / 4).tanh() + (2 + SPECIALS) * (LOW + error).exp()
        given = LogitErrors(error, error).variation(2)
        assert proved <= given <= proved + ball(Fraction(1, 2**70))
