"""A hypothesis that nobody can meet, added to a theorem, is noticed twice: by its use and by its pin."""

import re

import pytest

from verify.coq.build import compiled
from verify.coq.parsing import bare
from verify.coq.pins import pins
from verify.coq.sources import COQ, Refused, closure, files, text

pytestmark = [pytest.mark.coq, pytest.mark.slow]

# The file of a theorem, and changes that add a false hypothesis and let its proof go through.
VACUOUS = {
    "Theorem2MLP.theorem2_restated": (
        (
            "Theorem2MLP.v",
            "(1 <= T)%nat -> (forall a, In a letters) -> in_use sigma ->",
            "False -> (1 <= T)%nat -> (forall a, In a letters) -> in_use sigma ->",
        ),
        (
            "Theorem2MLP.v",
            "intros HT Hall Huse L width extra.",
            "intros _ HT Hall Huse L width extra.",
        ),
    ),
    "Statements.theorem1_simulates": (
        (
            "Statements.v",
            "Theorem theorem1_simulates : exists net,",
            "Theorem theorem1_simulates : False -> exists net,",
        ),
        (
            "Statements.v",
            "  exists (network_of alpha 1 (construction n L (fun w => w))). split.",
            "  intros _. exists (network_of alpha 1 (construction n L (fun w => w))). split.",
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
    "FreeMLP.theorem3_in_use": (
        (
            "FreeMLP.v",
            "(1 <= n)%nat -> (1 <= T)%nat -> (forall a, In a letters) -> in_use sigma ->",
            "False -> (1 <= n)%nat -> (1 <= T)%nat -> (forall a, In a letters) -> in_use sigma ->",
        ),
        (
            "FreeMLP.v",
            "  intros Hn HT Hall Hu eps He.\n  apply (theorem3_printed",
            "  intros _ Hn HT Hall Hu eps He.\n  apply (theorem3_printed",
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
    "Corollary1.corollary1": (
        (
            "Corollary1.v",
            "(1 <= n)%nat -> (1 <= T)%nat -> (forall a, In a letters) -> usable sigma ->",
            "False -> (1 <= n)%nat -> (1 <= T)%nat -> (forall a, In a letters) -> usable sigma ->",
        ),
        (
            "Corollary1.v",
            "intros Hn HT Hall Hu network.",
            "intros _ Hn HT Hall Hu network.",
        ),
    ),
    "CleanWordsSoft.theorem2_clean": (
        (
            "CleanWordsSoft.v",
            "(1 <= T)%nat -> (forall a, In a letters) -> usable sigma -> forall eps, 0 < eps ->",
            "(1 <= T)%nat -> (forall a, In a letters) -> usable sigma -> False -> forall eps, 0 < eps ->",
        ),
        (
            "CleanWordsSoft.v",
            "intros HT Hall (b & c & Hc & Hc0) eps He.",
            "intros HT Hall (b & c & Hc & Hc0) _ eps He.",
        ),
    ),
    "CleanTreeStatements.corollary1_clean": (
        (
            "CleanTreeStatements.v",
            "let network depth := clean_network n depth (leaf_of initial)",
            "False -> let network depth := clean_network n depth (leaf_of initial)",
        ),
        (
            "CleanTreeStatements.v",
            "intros Hn HT Hall Hu network.",
            "intros Hn HT Hall Hu _ network.",
        ),
    ),
}


@pytest.mark.parametrize("name", VACUOUS)
def test_a_theorem_with_a_false_hypothesis_is_proved_but_its_instance_is_not(mutant, name):
    folder = mutant(*VACUOUS[name])
    with compiled([f"{name.partition('.')[0]}.v"], folder):
        pass
    with pytest.raises(Refused, match=r"^Instances\.v: File"), compiled(["Instances.v"], folder):
        pass


def uses(name):
    """How often a theorem is named in the development, beside its own statement."""
    sources = (bare(text(COQ, file)) for file in files())
    return sum(len(re.findall(rf"\b{name}\b", source)) for source in sources) - 1


def test_every_theorem_and_corollary_of_the_paper_is_used_by_another_one_or_by_an_instance():
    named = [name.partition(".")[2] for name in pins()]
    cited = [name for name in named if re.match(r"(theorem|corollary)\d", name)]
    assert len(cited) > 20
    assert [name for name in cited if uses(name) < 1] == []


def test_no_other_file_depends_on_the_instances():
    for path in COQ.glob("*.v"):
        if path.name != "Instances.v":
            assert "Instances.v" not in closure(COQ, [path.name])
