"""Laws of the sources, the pins and the printed weights, without Coq."""

import json
import re
from collections import Counter
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from constructions.core.matrix import Matrix
from verify.coq import axioms, pins, sources
from verify.coq.build import compile_file
from verify.coq.graph import theorem_graph
from verify.coq.parsing import (
    Unreadable,
    bare,
    check_term,
    foreign_commands,
    requirements,
    sentences,
)
from verify.coq.printed import PACK, Unread, pairs, read, read_unit, texts, unequal
from verify.coq.sources import COQ, Refused, files
from verify.coq.weights import HEADER

# Sources


CODE = st.sampled_from(
    ["lia. ", "apply (f x). ", "Qed.\n", "- now rewrite H in *. ", "x *) y. ", "(a * b) "]
)
STRINGS = st.text("ab Axiom.", max_size=9).map(lambda text: f'"{text}" ')
COMMENTS = st.recursive(
    st.text("ab Axiom.\n", max_size=9) | st.sampled_from(['" *) "', '"(*"']),
    lambda inner: st.lists(inner, max_size=3).map(lambda parts: f"(* {' '.join(parts)} *)"),
    max_leaves=6,
).map(lambda text: f"(* {text} *)")
ALLOWED = ["Lemma a : b", "Proof", "intros x", "- exact I", "Local Notation \"x\" := y", "2: { lia", "} Qed",
           "From Coq Require Import Reals Lia", "Print Assumptions x", "Open Scope R_scope",
           "all: auto"]  # fmt: skip
FOREIGN = ["Axiom a : b", "Print Universes x", "Succeed Section X", "Fail Qed", "Time Qed", "Admitted",
           "Module M", "Export M", "Set Printing All", "#[local] Hint x", "Require Import A", "Redirect x",
           "From A Require B", "From Coq Require Export B", "Print Assumptions x y", "Extraction f", "Cd a",
           "Module Type M", "Parameter a : b", "Local Axiom a : b", "Add LoadPath x",
           "Canonical x"]  # fmt: skip


@given(st.lists(st.tuples(st.sampled_from("cso"), CODE, STRINGS, COMMENTS), max_size=8))
def test_code_is_left_without_comments_and_with_empty_strings(parts):
    """The expected text is put together from the parts that the source is made of."""
    source = "".join(
        {"c": code, "s": string, "o": comment}[kind] for kind, code, string, comment in parts
    )
    expected = "".join({"c": code, "s": '""', "o": ""}[kind] for kind, code, _, _ in parts)
    assert "".join(bare(source).split()) == "".join(expected.split())


@given(st.lists(st.sampled_from(ALLOWED)), st.sampled_from(FOREIGN), st.integers(0, 9),
       st.sampled_from(["", "- ", "+ - ", "{ ", "1: ", "all: { - ", "[x]: ", "} "]))  # fmt: skip
def test_a_foreign_command_is_found_wherever_it_is(allowed, foreign, place, before):
    source = [f"{sentence}." for sentence in allowed]
    assert list(foreign_commands("\n".join(source))) == []
    source.insert(place, f"{before}{foreign}.")
    assert list(foreign_commands(" ".join(source))) == [" ".join(foreign.split()[:3])]


@given(COMMENTS, CODE)
def test_a_source_that_ends_in_a_comment_or_a_string_is_refused(comment, code):
    for source in (
        f"{code}{comment[:-2]}",
        f'{code}"{code}',
        f'{code}"(*" *)',
        f'{code}"a ""b"" c"',
    ):
        with pytest.raises(Unreadable):
            bare(source)


TERMS = st.recursive(
    st.sampled_from(["x", "forall y", "A.b", "1 <= n"]),
    lambda inner: st.lists(inner, min_size=1).map(lambda ts: f"({' -> '.join(ts)})"),
)


@given(TERMS)
def test_a_balanced_term_is_accepted_and_no_text_that_could_end_a_sentence(term):
    check_term(term)
    for text in (f"{term}. Check x", f"{term}.", f"({term}", f"{term})", f"){term}(", f"{term} (* *)",
                 f'"{term}"', f"{term} λ"):  # fmt: skip
        with pytest.raises(Unreadable):
            check_term(text)


def test_what_is_required_is_read_from_sentences():
    source = (
        "From Coq Require Import Reals\n Lia. (* From Coq Require A. *) From Assay Require Sums."
    )
    assert list(requirements(source)) == [("Coq", "Reals"), ("Coq", "Lia"), ("Assay", "Sums")]
    assert list(sentences("Proof.  - lia. }  { 2: auto. Qed.")) == ["Proof", "lia", "auto", "Qed"]


# The development


def test_the_files_of_the_development_are_listed_and_have_no_faults():
    assert set(files()) == {path.name for path in COQ.glob("*.v")}
    assert sources.faults(COQ, files()) == []
    listed = list(files())
    for file, required in sources.closure(COQ, files()).items():
        assert all(listed.index(other) < listed.index(file) for other in required), file


def test_no_other_file_depends_on_the_instances():
    instances = set(sources.groups()[sources.INSTANCES])
    others = set(files()) - instances
    assert not instances & set(sources.closure(COQ, others))


def test_the_readme_describes_every_file_once_and_names_theorems_that_exist():
    text = (COQ / "README.md").read_text("utf-8")
    table = text.partition("## The files")[2].partition("## ")[0]
    cells = re.findall(r"^\| (`[^|]*`) \| \S", table, re.MULTILINE)
    described = [file for cell in cells for file in re.findall(r"`(\w+\.v)`", cell)]
    assert sorted(described) == sorted(files())
    named = {(f, t) for f, t in re.findall(r"`([A-Z]\w+)\.([a-z]\w*)\b", text) if t != "v"}
    assert len(named) > 25
    for file, theorem in named:
        kinds = "Theorem|Corollary|Lemma|Definition|Inductive|Record"
        source = bare(sources.text(COQ, f"{file}.v"))
        assert re.search(rf"\b(?:{kinds}) {theorem}\b", source), f"{file}.{theorem}"


# What Coq 8.17 and 8.20 deprecate, and later versions may lack.
DEPRECATED = "app_length|map_length|rev_length|seq_length|repeat_length|firstn_length|skipn_length"
DEPRECATED += "|prod_length|combine_length|concat_length|split_length_[lr]|mod_add|div_add_l"


def test_lemmas_that_later_versions_of_coq_lack_come_from_one_file():
    for file in files():
        source = bare(sources.text(COQ, file))
        assert not re.search(r"\bNat\.(mod_add|div_add_l|div_add|mod_mod|mod_same)\b", source), file
        if re.search(rf"\b(?:{DEPRECATED})\b", source) and file != "Compat.v":
            assert "Compat.v" in sources.imports(COQ, file), file


@given(data=st.data())
def test_a_changed_file_changes_the_keys_of_all_that_is_built_on_it_and_no_others(
    data, tmp_path_factory
):
    folder = tmp_path_factory.mktemp("small")
    count = data.draw(st.integers(1, 6))
    below = {k: data.draw(st.sets(st.integers(0, k - 1))) if k else set() for k in range(count)}
    (folder / "_CoqProject").write_text("\n".join(f"F{k}.v" for k in range(count)))
    for k, required in below.items():
        names = " ".join(f"F{other}" for other in sorted(required))
        (folder / f"F{k}.v").write_text(f"From Assay Require Import {names}." if names else "")
    before = sources.keys(folder, sources.closure(folder, files(folder)), "8.16")
    changed = data.draw(st.integers(0, count - 1))
    source = (folder / f"F{changed}.v").read_text()
    (folder / f"F{changed}.v").write_text(f"{source} (* changed *)")
    graph = sources.closure(folder, files(folder))
    after = sources.keys(folder, graph, "8.16")
    above = {f for f in graph if f"F{changed}.v" in sources.closure(folder, [f])}
    assert {file for file in before if before[file] != after[file]} == above
    assert not before.items() & sources.keys(folder, graph, "8.17").items()


def test_files_that_require_each_other_are_refused(tmp_path):
    (tmp_path / "_CoqProject").write_text("A.v\nB.v\n")
    (tmp_path / "A.v").write_text("From Assay Require Import B.")
    (tmp_path / "B.v").write_text("From Assay Require Import A.")
    with pytest.raises(Refused, match="files require each other: "):
        sources.ordered(sources.closure(tmp_path, ["A.v"]))


# Pins


TEXTS = st.sampled_from(["x", "Model.run 1 = Model.Tree", "fun y => Model.hidden y", "(Other.z)"])
TABLES = st.dictionaries(
    st.sampled_from(["Model.run", "Model.hidden", "Model.Tree", "Main.thm"]),
    st.builds(pins.Meaning, st.sampled_from([pins.DEFINITION, pins.OPAQUE]), TEXTS, TEXTS),
)


PINS = st.builds(pins.Pin, TEXTS, st.lists(TEXTS).map(tuple), TEXTS)
EXAMPLES = st.dictionaries(st.just("Instances.a"), TEXTS, min_size=1)


@given(TABLES, st.dictionaries(st.just("Main.thm"), PINS), EXAMPLES)
def test_pins_that_are_written_are_read_again(tmp_path_factory, table, statements, examples):
    folder = tmp_path_factory.mktemp("pins")
    pins.write_pins(statements, table, folder, examples)
    assert (pins.pins(folder), pins.meanings(folder), pins.examples(folder)) == (
        statements,
        table,
        examples,
    )
    for path in folder.iterdir():
        data = json.loads(path.read_text("utf-8"))
        assert list(data) == sorted(data)


@given(TABLES)
def test_a_digest_depends_on_all_that_a_theorem_unfolds_to_and_on_nothing_else(table):
    table["Main.thm"] = pins.Meaning(pins.THEOREM, "Model.run")
    try:
        behind = pins.unfolding(["Main.thm"], table, ["Model", "Main"])
    except Refused:
        return
    own = pins.meaning_digest("Main.thm", table, ["Model", "Main"])
    for name, entry in table.items():
        other = {**table, name: pins.Meaning(entry.kind, f"{entry.type} y", entry.content)}
        digest = pins.meaning_digest("Main.thm", other, ["Model", "Main"])
        assert (digest != own) == (name in behind)


def test_no_pin_allows_more_than_the_axioms_of_the_reals():
    for pin in pins.pins().values():
        assert set(pin.assumptions) <= axioms.REALS.keys()


def test_every_size_is_stated_with_the_one_predicate_that_bounds_every_matrix():
    """Older predicates bound some matrices only."""
    older = re.compile(r"\b(?:has|shared|printed|encoder|word|clean|decoder)_sizes\b")
    assert not [name for name, pin in pins.pins().items() if older.search(pin.statement)]
    sizes = [name for name, pin in pins.pins().items() if "Fits.fits" in pin.statement]
    assert {"Main.theorem1", "Main.theorem2_printed", "FitsWords.mlp_fits"} <= set(sizes)


@pytest.mark.parametrize(
    "name", ["scan_rounds", "Scan.", ".scan", "../Scan.scan", "Scan.a b", "λ.a"]
)
def test_a_theorem_is_named_with_its_file(name):
    assert pins.file_of("Scan.scan'") == "Scan.v"
    with pytest.raises(Refused, match="expected a name like"):
        pins.file_of(name)


NAMES = st.lists(st.sampled_from(["A.one", "B.two", "Top.sig_not_dec"]), unique=True, min_size=1)


@given(NAMES, st.sampled_from([" : nat", "\n  : forall x,\n    x = x", ""]))
def test_assumptions_are_read_by_name(names, types):
    printed = "Axioms:\n" + "".join(f"{name}{types}\n" for name in names)
    assert axioms.parse_assumptions(printed) == tuple(sorted(names))
    assert axioms.parse_assumptions("Closed under the global context\n") == ()
    for other in ("", "Axioms:", f"Error\n{printed}", f"{printed}?!\n"):
        with pytest.raises(Refused, match="Print Assumptions answered"):
            axioms.parse_assumptions(other)


@given(
    st.dictionaries(st.sampled_from("abcdef"), st.sets(st.sampled_from("abcdef"))),
    st.sets(st.sampled_from("abcdef")),
)
def test_a_theorem_uses_those_that_a_path_without_theorems_leads_to(uses, theorems):
    def reached(name, seen):
        for other in uses.get(name, ()):
            if other not in seen:
                yield other
                if other not in theorems:
                    yield from reached(other, seen | {other})

    found = theorem_graph(uses, theorems)
    assert found == {t: {n for n in reached(t, {t}) if n in theorems} - {t} for t in theorems}


# Printed weights


NUMBERS = st.fractions(max_denominator=9)
PLACES = st.dictionaries(st.tuples(st.integers(0, 3), st.integers(0, 3)), NUMBERS.filter(bool))


def number(words):
    (word,) = words
    return {"h": Fraction(1, 8), "s": Fraction(16), "b": Fraction(1, 2)}.get(word) or Fraction(word)


def as_printed(entries, size="4 4"):
    return "; ".join([f"size {size}", *(f"{i} {j} : {x}" for (i, j), x in entries.items())])


@given(PLACES, PLACES)
def test_exactly_the_entries_that_differ_are_listed(proof, program):
    assert read(as_printed(proof), number) == ((4, 4), proof)
    lines = list(unequal(as_printed(proof), Matrix((4, 4), program), number))
    places = {at for at in {*proof, *program} if proof.get(at, 0) != program.get(at, 0)}
    assert [line.partition(" is ")[0] for line in lines] == [f"entry {at}" for at in sorted(places)]
    assert "shape" in next(unequal(as_printed(proof, "4 5"), Matrix((4, 4), program), number))


UNITS = st.lists(
    st.tuples(st.integers(0, 2), st.sampled_from([1, -1]), st.integers(0, 2), NUMBERS.filter(bool)),
    max_size=4,
)


@given(UNITS, UNITS)
def test_exactly_the_hidden_units_of_one_side_are_counted(proof, program):
    def line(unit):
        left, sign, target, weight = unit
        return f"{left} 1 4 {sign} -1 : {target} = {weight}"

    printed = "; ".join(map(line, proof))
    built = Counter(read_unit(line(unit), number) for unit in program)
    if printed:
        extra = Counter(map(line, proof)), Counter(map(line, program))
        counts = [sum((a - b).values()) for a, b in (extra, extra[::-1])]
        lines = list(unequal(printed, built, number))
        for side, count in zip(("proof", "program"), counts, strict=True):
            assert sum(int(text.split()[0]) for text in lines if f"in the {side}" in text) == count


def test_what_is_printed_twice_or_has_another_form_is_refused():
    unit = read_unit("0 1 2 -1 -1 : 3 = 1/4 , 4 = 2", number)
    assert unit.reads == ((0, Fraction(1, 8)), (2, Fraction(-1, 8)))
    assert unit.bias == Fraction(1, 2) and unit.writes == ((3, -4), (4, -32))
    with pytest.raises(Unread, match="twice"):
        read("size 1 1; 0 0 : 1; 0 0 : 1", number)
    with pytest.raises(Unread, match="twice"):
        pairs(packed("query", "size 1 1", "query", "size 1 1"))


def packed(*texts):
    """The numbers that Coq prints for some texts, seven bytes each."""
    words = [text[k : k + 7] for text in texts for k in range(0, len(text) + 1, 7)]
    return "".join(f" 0x1{word.encode().hex()}%uint63;" for word in words)


@given(st.lists(st.text("abc 0123456789/:;-", max_size=40)),
       st.sampled_from(["0", "2", "a12", "16", "161626", "1" + 16 * "6"]))  # fmt: skip
def test_texts_are_read_back_from_the_numbers_into_which_they_are_packed(written, strange):
    printed = packed(*written)
    assert texts(f"     = [{printed}]\n     : list PrimInt63.int\n") == written
    with pytest.raises(Unread, match="a text does not end"):
        texts(printed + packed("1234567").rpartition(" ")[0])
    with pytest.raises(Unread, match="the number 0x"):
        texts(f"{printed} 0x{strange}%uint63")


@pytest.mark.coq
def test_coq_packs_texts_as_they_are_read_back(tmp_path):
    written = [x for k in range(16) for x in (f"name {k}", "a 1/2; \x7f\t-"[:k])]
    pairs_of = "; ".join(
        f'("{a}", "{b}")' for a, b in zip(written[::2], written[1::2], strict=True)
    )
    script = f"From Coq Require Import String List.\n{HEADER}\n{PACK}\nOpen Scope string_scope.\n"
    question = f'Redirect "packed" Eval vm_compute in (Packing.pack [{pairs_of}]).\n'
    (tmp_path / "Own.v").write_text(script + question, "utf-8")
    compile_file(tmp_path, "Own.v")
    assert texts((tmp_path / "packed.out").read_text("utf-8")) == written
