"""What is established: the pinned statement, no axioms beyond it, and every reason to refuse."""

import re
import subprocess
import sys
from dataclasses import replace

import pytest

from verify.coq import axioms, examine, pins
from verify.coq import compile as check
from verify.coq.sources import Refused

CLASSIC = "Classical_Prop.classic"
PRINTED = """Axioms:
ClassicalDedekindReals.sig_not_dec : forall P : Prop, {~ ~ P} + {~ P}
ClassicalDedekindReals.sig_forall_dec
  : forall P : nat -> Prop,
    (forall n : nat, {P n} + {~ P n}) -> {n : nat | ~ P n} + {forall n : nat, P n}
"""


def repinned(folder, name, **changes):
    """Change a pin, or add one, with the digest that belongs to its meaning."""
    table = pins.meanings(folder)
    said = changes.get("statement", "")
    table.setdefault(name, pins.Meaning(pins.THEOREM, said))
    recorded = pins.pins(folder)
    digest = pins.meaning_digest(name, table, check.modules(folder))
    recorded[name] = replace(
        recorded.get(name, pins.Pin(said, (), "")), **changes, definitions=digest
    )
    pins.write_pins(recorded, table, folder)
    return folder


# The pins


def test_no_pin_allows_more_than_the_axioms_of_the_reals():
    assert examine.disallowed(pins.pins()) == []


@pytest.mark.coq
def test_a_pin_with_another_axiom_is_refused(mutant):
    folder = repinned(mutant(), "Scan.scan_rounds", assumptions=(CLASSIC,))
    with pytest.raises(Refused, match=rf"Scan\.scan_rounds is pinned with {CLASSIC}"):
        check.established(["Scan.scan_rounds"], folder)


def test_pinned_statements_are_closed():
    """Sections are closed: every variable of the statement is bound in it."""
    said = pins.pins()["Scan.prefix_scan"].statement
    assert said.startswith("forall (M : Type) (op : M -> M -> M), (forall x y z : M, op (op x y) z")


def test_sizes_of_whole_models_are_said_by_the_one_predicate_that_bounds_every_matrix():
    """Older predicates look at some matrices only; no pinned statement has one of them."""
    older = re.compile(r"\b(?:has|shared|printed|encoder|word|clean|decoder)_sizes\b")
    found = [name for name, pin in pins.pins().items() if older.search(pin.statement)]
    assert found == []
    assert not {name for name in pins.meanings() if older.search(name)}
    sizes = [name for name, pin in pins.pins().items() if "Fits.fits" in pin.statement]
    assert {"Main.theorem1", "Main.theorem2_printed", "FitsWords.mlp_fits"} <= set(sizes)


@pytest.mark.parametrize("name", ["scan_rounds", "Scan.", "../Scan.scan", "Scan.a b"])
def test_a_name_of_another_form_is_refused(name):
    with pytest.raises(Refused, match="expected a name like"):
        pins.file_of(name)


def test_a_theorem_without_a_pin_is_refused():
    with pytest.raises(Refused, match=r"Scan\.nothing: no pinned statement in statements\.json"):
        check.established(["Scan.nothing"])


# Assumptions


def test_a_closed_theorem_assumes_nothing():
    assert axioms.parse_assumptions("Closed under the global context\n") == ()


def test_axioms_are_read_by_name():
    assert axioms.parse_assumptions(PRINTED) == (
        "ClassicalDedekindReals.sig_forall_dec",
        "ClassicalDedekindReals.sig_not_dec",
    )


@pytest.mark.parametrize("printed", ["", "Error: no such thing", "Axioms:", "Axioms:\n?!"])
def test_another_answer_is_refused(printed):
    with pytest.raises(Refused, match="Print Assumptions answered"):
        axioms.parse_assumptions(printed)


@pytest.mark.slow
@pytest.mark.coq
def test_an_axiom_beyond_the_pin_is_named_with_its_theorem(mutant):
    title = "(** * The parallel scan"
    folder = mutant(("Scan.v", title, f"From Coq Require Import Classical. {title}"))
    source = (folder / "Scan.v").read_text("utf-8")
    em = "Theorem em (P : Prop) : P \\/ ~ P. Proof. exact (classic P). Qed."
    (folder / "Scan.v").write_text(f"{source}\n{em}\n", "utf-8")
    repinned(folder, "Scan.em", statement="forall P : Prop, P \\/ ~ P")
    with pytest.raises(Refused, match=rf"^Scan\.em assumes {CLASSIC}$"):
        check.established(["Scan.em", "Scan.scan_rounds", "Scan.prefix_scan"], folder)


# Statements


@pytest.mark.coq
def test_what_is_asked_for_is_established_with_statement_and_axioms():
    found = check.established(["Scan.scan_rounds"])
    assert found == {"Scan.scan_rounds": pins.pins()["Scan.scan_rounds"]}
    assert found["Scan.scan_rounds"].assumptions == ()
    assert pins.file_of("Scan.scan_rounds") == "Scan.v"


@pytest.mark.coq
def test_nothing_asked_for_is_nothing_established():
    assert check.established([]) == {}


@pytest.mark.coq
def test_a_weaker_statement_that_is_proved_is_not_the_pinned_one(mutant):
    folder = mutant(
        ("Lemma1.v", "c < n * n -> bil", "False -> c < n * n -> bil"),
        ("Lemma1.v", "intro Hc. assert (Hn", "intros _ Hc. assert (Hn"),
    )
    with pytest.raises(Refused, match=r"Lemma1\.matmul_lemma is not the pinned .* False ->"):
        check.established(["Lemma1.matmul_lemma"], folder)


@pytest.mark.slow
@pytest.mark.coq
def test_a_hypothesis_of_the_section_is_part_of_the_statement(mutant):
    old = "Theorem matmul_lemma"
    folder = mutant(
        ("Lemma1.v", old, f"Hypothesis absurd : False. {old}"),
        ("Lemma1.v", "intro Hc. assert (Hn", "intro Hc. pose proof absurd. assert (Hn"),
    )
    with pytest.raises(Refused, match=r"Lemma1\.matmul_lemma is not the pinned .* False ->"):
        check.established(["Lemma1.matmul_lemma"], folder)


@pytest.mark.coq
def test_a_theorem_that_is_gone_is_named(mutant):
    folder = repinned(mutant(), "Lemma1.gone", statement="True")
    with pytest.raises(Refused, match=r"^Lemma1\.v: no theorem or definition is called gone$"):
        check.established(["Lemma1.gone"], folder)


@pytest.mark.slow
@pytest.mark.coq
def test_a_pin_is_written_as_coq_prints_it_and_keeps_the_axioms_of_the_others(mutant):
    """One theorem is new, one was recorded with another statement, one with an axiom it may use."""
    folder, names = mutant(), ("Scan.pscan_window", "Scan.prefix_scan", "Scan.scan_rounds")
    for file in (pins.STATEMENTS, pins.DEFINITIONS):
        (folder / file).write_text("{}", "utf-8")
    repinned(folder, "Scan.prefix_scan", statement="False")
    axiom = "Coq.Logic.FunctionalExtensionality.functional_extensionality_dep"
    repinned(folder, "Scan.scan_rounds", statement="True", assumptions=(axiom,))
    check.pin(["Scan.pscan_window"], folder)
    recorded = {name: pins.pins()[name] for name in names}
    recorded["Scan.scan_rounds"] = replace(recorded["Scan.scan_rounds"], assumptions=(axiom,))
    assert pins.pins(folder) == recorded
    behind = pins.unfolding(names, pins.meanings(), check.modules(folder))
    assert pins.meanings(folder) == behind


# The command


def test_without_coqc_the_command_names_the_package_and_ends_with_status_2(repository):
    run = subprocess.run(
        [sys.executable, "-m", "verify.coq.compile"],
        env={"PATH": "", "PYTHONPATH": str(repository)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (run.returncode, run.stdout) == (2, "coqc is not installed (Debian package coq)\n")


@pytest.mark.coq
def test_a_refusal_is_one_line_and_status_1(monkeypatch, capsys):
    def refuse(check):
        raise Refused("Scan.v: wrong")

    monkeypatch.setattr(check, "listing", refuse)
    assert check.main([]) == 1
    assert capsys.readouterr().out == "refused: Scan.v: wrong\n"


@pytest.mark.coq
@pytest.mark.slow
def test_the_whole_development_is_established(capsys):
    assert check.main([]) == 0
    printed = capsys.readouterr().out
    for name in pins.pins():
        assert f"{name}: " in printed
