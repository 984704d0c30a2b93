"""A false hypothesis, added to a theorem, is refused by the examples that use the theorem."""

import re

import pytest

from verify.coq.build import compiled
from verify.coq.compile import examples_of
from verify.coq.pins import pins
from verify.coq.session import answers
from verify.coq.sources import COQ, INSTANCES, Refused, groups

pytestmark = [pytest.mark.coq, pytest.mark.slow]

# The file of a theorem, and changes that add a false hypothesis and let its proof go through.
VACUOUS = {
    "Main.theorem1_words": (
        (
            "Main.v",
            "Theorem theorem1_words {Sigma : Type} n T alpha (A : Sigma -> mat) : (1 <= T)%nat ->",
            "Theorem theorem1_words {Sigma : Type} n T alpha (A : Sigma -> mat) : False -> (1 <= T)%nat ->",
        ),
        (
            "Main.v",
            "  intro HT. destruct (exact_model_fits n",
            "  intros _ HT. destruct (exact_model_fits n",
        ),
    ),
    "Theorem2Rates.theorem2_rate_closed": (
        (
            "Theorem2Rates.v",
            "Theorem theorem2_rate_closed sigma eps C : 0 < eps ->",
            "Theorem theorem2_rate_closed sigma eps C : False -> 0 < eps ->",
        ),
        (
            "Theorem2Rates.v",
            "intros He HC. set (m := Rmax 1 (F / eps)) in *.",
            "intros _ He HC. set (m := Rmax 1 (F / eps)) in *.",
        ),
    ),
    "TreeClosed.corollary1_closed": (
        (
            "TreeClosed.v",
            "(1 <= n)%nat -> enough_saturation n T depth 1 W (1 / 2) C ->",
            "False -> (1 <= n)%nat -> enough_saturation n T depth 1 W (1 / 2) C ->",
        ),
        (
            "TreeClosed.v",
            "intros depth W B Hn HC Hsm Hc Hh Hr Hfine t i d u Ht Hnode.",
            "intros depth W B _ Hn HC Hsm Hc Hh Hr Hfine t i d u Ht Hnode.",
        ),
    ),
    "Main.corollary1": (
        (
            "Main.v",
            "Theorem corollary1 (initial : Sigma -> nat -> bool) delta :\n  (exists",
            "Theorem corollary1 (initial : Sigma -> nat -> bool) delta : False ->\n  (exists",
        ),
        (
            "Main.v",
            "  destruct (theorem3 (Corollary1.leaf_of initial)",
            "  intros _. destruct (theorem3 (Corollary1.leaf_of initial)",
        ),
    ),
    "Main.theorem2": (
        (
            "Main.v",
            "Theorem theorem2 {Sigma : Type} n T alpha (A : Sigma -> mat) (letters : list Sigma) sigma :\n"
            "  (1 <= T)%nat ->",
            "Theorem theorem2 {Sigma : Type} n T alpha (A : Sigma -> mat) (letters : list Sigma) sigma :\n"
            "  False -> (1 <= T)%nat ->",
        ),
        (
            "Main.v",
            "  intros HT Hall Hu eps He.\n  destruct (CleanWordsSoft.theorem2_clean",
            "  intros _ HT Hall Hu eps He.\n  destruct (CleanWordsSoft.theorem2_clean",
        ),
    ),
    "Main.theorem_B": (
        (
            "Main.v",
            "Theorem theorem_B n q T alpha (A : nat -> mat) act : (1 <= T)%nat ->",
            "Theorem theorem_B n q T alpha (A : nat -> mat) act : False -> (1 <= T)%nat ->",
        ),
        (
            "Main.v",
            "  intros HT Hodd H1 eps He.",
            "  intros _ HT Hodd H1 eps He.",
        ),
    ),
    "Ville.sampled_variation": (
        (
            "Ville.v",
            "  process k p -> (forall x, (x < k)%nat -> 0 < q x) -> sum k q <= 1 ->",
            "  False -> process k p -> (forall x, (x < k)%nat -> 0 < q x) -> sum k q <= 1 ->",
        ),
        ("Ville.v", "intros Hp Hq Hsum HM", "intros _ Hp Hq Hsum HM"),
        ("Main.v", "  Ville.process k p ->", "  False -> Ville.process k p ->"),
    ),
}


FILES = groups()[INSTANCES]


@pytest.mark.parametrize("name", VACUOUS)
def test_a_theorem_with_a_false_hypothesis_is_proved_but_its_instance_is_not(mutant, name):
    folder = mutant(*VACUOUS[name])
    with compiled([f"{name.partition('.')[0]}.v"], folder):
        pass
    with pytest.raises(Refused, match=r"^Instances\w*\.v: File"), compiled(FILES, folder):
        pass


def test_every_pinned_theorem_is_used_by_an_instance():
    """Coq lists what the examples rest on, down to the last lemma."""
    together = f"Definition together := ({', '.join(f'@{name}' for name in examples_of(COQ))}, tt)."
    with compiled(FILES) as build:
        question = {"uses": "Print Opaque Dependencies together."}
        printed = answers(build, "Uses", question, [together])["uses"]
    used = set(re.findall(r"^([\w.']+)(?=\s|$)", printed, re.MULTILINE))
    assert "Sums.sum_ext" in used
    assert sorted(set(pins()) - used) == []
