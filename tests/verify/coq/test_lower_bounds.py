# ruff: noqa: E501
"""The lower bounds say no more than is proved: a statement with one number or hypothesis changed is not.

That coqc refuses a proof of the changed statement does not make it false. Where a theorem of
`LowerSharp.v` is named, that theorem refutes the changed statement; elsewhere the reason is in words.
"""

import re
import tomllib
from importlib.resources import files

import pytest

from verify.coq.build import compiled
from verify.coq.parsing import bare
from verify.coq.sources import COQ, INSTANCES, Refused, groups, text

# What is changed: its file, the text and the changed text, and why the changed statement is false.
MUTANTS = {
    'one_letter_unseen': ('DepthBound.v',
        'Theorem one_letter_unseen : fan (layers net) < T ->',
        'Theorem one_letter_unseen : fan (layers net) <= T ->',
        'LowerSharp.one_letter_unseen_sharp'),
    'few_outputs': ('DepthBound.v',
        "m ^ fan (layers net) < m ^ T ->\n  exists w w', word T m w /\\ word T m w' /\\ w <> w' /\\ output",
        "m ^ fan (layers net) <= m ^ T ->\n  exists w w', word T m w /\\ word T m w' /\\ w <> w' /\\ output",
        'LowerSharp.few_outputs_sharp'),
    'sums_need_depth': ('DepthBound.v',
        '= list_sum w) -> T <= h ^ L.',
        '= list_sum w) -> T < h ^ L.',
        'LowerSharp.sums_need_depth_sharp'),
    'numerals_need_depth': ('DepthBound.v',
        '  m ^ T <= S N ^ geometric h L * m ^ (h ^ L).',
        '  m ^ T < S N ^ geometric h L * m ^ (h ^ L).',
        'LowerSharp.numerals_need_depth_sharp'),
    'small_alphabet': ('DepthBound.v',
        'within net (T + m ^ T) 1 1 /\\',
        'within net (T + m ^ T) 0 1 /\\',
        'LowerSharp.no_layer_is_not_enough'),
    'three_binary_letters': ('DepthBound.v',
        '(nat * nat) O, within net 3 1 2 /\\',
        '(nat * nat) O, within net 3 0 2 /\\',
        'LowerSharp.no_layer_is_not_enough'),
    'hard_attention_depth': ('DepthTransformers.v',
        '(2 <= n)%nat -> (brought own h ^ L < T)%nat ->\n  (forall a',
        '(2 <= n)%nat -> (brought own h ^ L <= T)%nat ->\n  (forall a',
        'LowerSharp.hard_attention_depth_sharp'),
    'hard_attention_depth (residuals)': ('DepthTransformers.v',
        'nat := if own then S h else h.',
        'nat := h.',
        'one head and a residual connection add two letters'),
    'hard_attention_depth_numbers': ('DepthTransformers.v',
        'option nat -> nat -> R) (place row : nat -> nat),\n  all_hard transformer -> at_most L h',
        'option nat -> nat -> R) (place row : nat -> nat),\n  at_most L h',
        'LowerSharp.hard_attention_is_needed'),
    'one_head_fails': ('DepthTransformers.v',
        '(2 <= n)%nat -> (2 <= T)%nat ->',
        '(2 <= n)%nat -> (1 <= T)%nat ->',
        'LowerSharp.one_head_fails_sharp'),
    'hard_attention_depth_binary': ('DepthTransformers.v',
        '(brought own h ^ L + DepthBound.geometric (brought own h) L * Nat.log2_up (S N) < T)%nat ->',
        '(brought own h ^ L < T)%nat ->',
        'three binary letters, one layer, two heads, scores of own and read token'),
    'theorem1_depth_optimal': ('DepthTransformers.v',
        '(forall N L, (L < Nat.log2_up T)%nat ->',
        '(forall N L, (L <= Nat.log2_up T)%nat ->',
        'contradicts its first half'),
    'hard_attention_depth_trees': ('DepthTrees.v',
        '(brought own h ^ L < leaves s)%nat ->',
        '(brought own h ^ L <= leaves s)%nat ->',
        'LowerSharp.hard_attention_depth_trees_sharp'),
    'averages_add': ('DepthAverages.v',
        '(kind : attention) (T : nat) : kind <> Hard ->\n',
        '(kind : attention) (T : nat) : True ->\n',
        'LowerSharp.averages_are_needed'),
    'rank_core': ('WidthBound.v',
        'Theorem rank_core (d K : nat) : (d < n * n)%nat ->',
        'Theorem rank_core (d K : nat) : (d <= n * n)%nat ->',
        'n^2 products give a matrix product'),
    'width_needed': ('WidthBound.v',
        '(h ^ L < T)%nat -> (d < n * n)%nat ->',
        '(h ^ L < T)%nat -> (d <= n * n)%nat ->',
        'Theorem 1'),
    'hard_attention_width': ('WidthTransformers.v',
        'Theorem hard_attention_width (N L h T n d : nat) : (1 <= h)%nat -> (h ^ L < T)%nat -> (d < n * n)%nat ->',
        'Theorem hard_attention_width (N L h T n d : nat) : (1 <= h)%nat -> (h ^ L < T)%nat -> (d <= n * n)%nat ->',
        'LowerSharp.hard_attention_width_sharp'),
    'hard_attention_width (depth)': ('WidthTransformers.v',
        'Theorem hard_attention_width (N L h T n d : nat) : (1 <= h)%nat -> (h ^ L < T)%nat -> (d < n * n)%nat ->',
        'Theorem hard_attention_width (N L h T n d : nat) : (1 <= h)%nat -> (h ^ L <= T)%nat -> (d < n * n)%nat ->',
        'T = 1, L = 0: the token holds the state'),
    'theorem1_width_order': ('WidthTransformers.v',
        'narrow (n * n) first /\\ narrow (n * n) second /\\',
        'narrow (n * n - 1) first /\\ narrow (n * n - 1) second /\\',
        'contradicts its second half'),
    'relu_interpolates': ('ReluFixedAlphabet.v',
        'Theorem relu_interpolates f U k : (k <= U)%nat ->',
        'Theorem relu_interpolates f U k : (k <= S U)%nat ->',
        'LowerSharp.relu_interpolates_sharp'),
    'lookup_simulates': ('ReluFixedAlphabet.v',
        'Pass.forward (S T) (lookup kind n T (S T * m ^ T - 1) (state_of n alpha A))',
        'Pass.forward (S T) (lookup kind n T (S T * m ^ T - 2) (state_of n alpha A))',
        'the last number is not reached'),
    'relu_fixed_alphabet': ('ReluFixedAlphabet.v',
        '  within (Rmax 0) 1 1 (S T * m ^ T - 1) (without_norms transformer) /\\',
        '  within (Rmax 0) 1 1 0 (without_norms transformer) /\\',
        'no unit, scores 0: additive in the letters'),
    'relu_units_follow_the_alphabet': ('ReluFixedAlphabet.v',
        '(forall Q, exists W, forall n (alpha',
        '(exists W, forall Q n (alpha',
        'LowerSharp.units_do_not_come_first'),
    'one_colour_soon': ('ReluGrid.v',
        'nat := S (m * (P * S (m * P) ^ m)).',
        'nat := S m.',
        'm = 2, two colours on 3 x 3 numbers, one of them on the diagonal'),
    'line_rate': ('ReluGrid.v',
        'Rabs (p c) <= (5 * (D * X)) ^ m * eta.\nProof.\n  intros HD HX.',
        'Rabs (p c) <= 1 * eta.\nProof.\n  intros HD HX.',
        'LowerSharp.line_rate_sharp'),
    'rectangle_rate': ('ReluGrid.v',
        '  1 <= INR (m * m * (5 * Q) ^ (m + m)) * eps.\nProof.',
        '  1 <= eps.\nProof.',
        'all outputs 1/2 miss powers of the interval by 1/2'),
    'piecewise_linear_rate': ('ReluRate.v',
        '    / c ^ S W <= eps.\nProof.',
        '    / c <= eps.\nProof.',
        'many ReLU units reach every eps (T = 2, one layer, three tokens)'),
}  # fmt: skip
REFUTED = sorted({why.partition(".")[2] for *_, why in MUTANTS.values() if "LowerSharp." in why})


@pytest.mark.coq
@pytest.mark.slow
@pytest.mark.parametrize("name", MUTANTS)
def test_a_changed_statement_is_not_proved(mutant, name):
    file, old, new, _ = MUTANTS[name]
    folder = mutant((file, old, new))
    with pytest.raises(Refused, match=rf"^{file}: File"), compiled([file], folder):
        pass


@pytest.mark.parametrize("name", REFUTED)
def test_a_refutation_that_is_named_is_a_theorem_of_the_compiled_development(name):
    source = bare(text(COQ, "LowerSharp.v"))
    assert len(re.findall(rf"^Theorem {name}\b", source, re.MULTILINE)) == 1
    assert "LowerSharp.v" in groups()[INSTANCES]


# What is said of them


def results(file):
    """The results of ours in a file of the paper's data, by their names."""
    text = (files("verify") / "paper" / file).read_text("utf-8")
    return {entry["id"]: entry for entry in tomllib.loads(text)["result"]}


@pytest.mark.parametrize("name", ["depth", "width", "trees"])
def test_a_lower_bound_is_never_said_without_its_alphabet_and_its_attention(name):
    says = results("optimal.toml")[f"beyond.optimal.{name}"]["says"]
    assert "N^Θ(T) letters" in says or "over a finite alphabet chosen after" in says
    assert "a strict maximum only" in says and "residual connections" in says


def test_what_is_said_of_relu_says_what_is_chosen_before_what():
    says = results("optimal.toml")
    assert "simulates every n-state WFA exactly" in says["beyond.relu.fixed"]["says"]
    assert "for all finite alphabets" in says["beyond.relu.fixed"]["says"]
    assert says["beyond.relu.rate"]["says"].index("c > 1") < says["beyond.relu.rate"]["says"].index(
        "width W"
    )


def test_the_answer_to_section_4_2_says_what_it_costs():
    answer = results("logdepth.toml")["beyond.logdepth.answer"]
    assert "n² + n + 12" in answer["says"] and "finite alphabet" in answer["says"]
    assert "Theorem 3 has embedding O(n)" in answer["text"] and "T log T" in answer["text"]


@pytest.mark.parametrize("file", ["optimal.toml", "logdepth.toml"])
def test_every_theorem_that_is_cited_here_is_applied_to_something(file):
    """Beside its own file and the listing of `Main.v`, some file uses the theorem."""
    cited = {
        each["parameters"]["theorem"]
        for entry in results(file).values()
        for each in entry["binding"]
        if each["fact"] == "coq.theorem"
    }
    applied = "".join(bare(text(COQ, name)) for name in groups()[INSTANCES])
    new = [
        name
        for name in cited
        if re.match(r"Depth|Width|LogDepthEncoder|ReluFixed|ReluRate|Main\.encoder", name)
    ]
    assert len(new) >= 5
    assert [name for name in new if not re.search(rf"\b{name.partition('.')[2]}\b", applied)] == []
