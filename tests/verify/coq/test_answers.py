"""What is asked of Coq and how its answers are read, with a stand-in that answers from a table.

Coq itself is run by the tests that are marked `coq`; here every answer that it may give is given.
"""

import json
import re
import subprocess
from pathlib import Path
from types import SimpleNamespace

import pytest

from verify.coq import axioms, build, checker, compile, definitions, examine, pins, session
from verify.coq.sources import Refused

DEDEKIND = "Coq.Reals.ClassicalDedekindReals.sig_not_dec"
ABOUT = {axiom.name: f"Expands to: Constant {path}" for path, axiom in axioms.REALS.items()}
MODULES = ["Model", "Scan"]
TABLE = {
    "Scan.scan": pins.Meaning("theorem", "Model.run 1 = Model.Tree"),
    "Model.run": pins.Meaning("definition", "nat -> nat", "fun x => Model.hidden x"),
    "Model.hidden": pins.Meaning("opaque", "nat -> Other.nat"),
    "Model.Tree": pins.Meaning("inductive", "Set", "forall P, P Model.leaf -> P"),
    "Model.leaf": pins.Meaning("constructor", "Model.Tree"),
}


class Coq:
    """Answers questions from a table, and denies the sentence that has a word of a mark."""

    def __init__(self, table, denied=""):
        self.table, self.denied, self.sessions = table, denied, {}

    def compile_file(self, folder, file, seconds=0):
        """Write an answer for each question of a session."""
        lines = (folder / file).read_text("utf-8").splitlines()
        self.sessions[file] = lines
        for number, line in enumerate(lines, 1):
            if self.denied and self.denied in line:
                raise Refused(f'{file}: File "./{file}", line {number}, characters 0-9: Error: no.')
            if asked := re.fullmatch(r'Redirect "(\w+)" (.*)', line):
                (folder / f"{asked[1]}.out").write_text(self.table[asked[2]], "utf-8")


@pytest.fixture
def coq(monkeypatch):
    """A stand-in for coqc in sessions."""

    def stand_in(table, denied=""):
        made = Coq(table, denied)
        monkeypatch.setattr(session, "compile_file", made.compile_file)
        return made

    return stand_in


def asking_about_axioms(**terms):
    return {f"About {name}.": text for name, text in ABOUT.items()} | terms


def test_sessions_import_chapters_then_the_library_then_print_in_full(coq, tmp_path):
    (tmp_path / "ChapterFirst.vo").write_text("")
    made = coq({"Check 1.": "1\n     : nat\n", "Check 2.": "2\n     : nat -> \n nat\n"})
    found = session.answers(
        tmp_path, "Asked", {"one": "Check 1.", "two": "Check 2."}, ["Let x := 1."]
    )
    assert {key: session.printed_type(text) for key, text in found.items()} == {
        "one": "nat", "two": "nat -> nat"}  # fmt: skip
    opening = [build.importing(tmp_path), *session.LIBRARY, *session.PRINTING]
    assert "ChapterFirst" in opening[0]
    assert made.sessions["Asked.v"] == [
        *opening, "Let x := 1.", 'Redirect "Asked_0" Check 1.', 'Redirect "Asked_1" Check 2.',
    ]  # fmt: skip


@pytest.mark.parametrize("place", [0, 1, 2])
def test_a_sentence_that_is_denied_is_known_by_its_place(coq, tmp_path, place):
    coq({}, denied=f"wrong{place}")
    with pytest.raises(session.Denied, match=r"Error: no\.") as denied:
        session.run_session(tmp_path, "Meaning", [f"Check wrong{k}." for k in range(3)])
    assert denied.value.place == place


def test_what_is_refused_elsewhere_or_for_a_name_that_is_gone_is_no_denial(monkeypatch, tmp_path):
    for words, because in (
        ("Meaning.v: coqc was stopped", "stopped"),
        ('File "./Meaning.v", line 1: Error', "line 1"),
        ('File "./Meaning.v", line 99: Error', "line 99"),
        ('File "./Meaning.v", line 8: The reference Scan.gone was not found',
         r"Scan\.v: no theorem or definition is called gone"),
    ):  # fmt: skip

        def refuse(*_, words=words):
            raise Refused(words)

        monkeypatch.setattr(session, "compile_file", refuse)
        with pytest.raises(Refused, match=because) as refused:
            session.run_session(tmp_path, "Meaning", ["Check 1."])
        assert not isinstance(refused.value, session.Denied)


@pytest.mark.parametrize(
    ("printed", "names"),
    [("Closed under the global context\n", ()), ("Axioms:\nB.two : nat\nA.one\n", ("A.one", "B.two")),
     ("Axioms:\nA.one :\n  forall x, x\n", ("A.one",)), ("Axioms:\nA.one\n : nat\n", ("A.one",))],
)  # fmt: skip
def test_assumptions_are_read_line_by_line(printed, names):
    assert axioms.parse_assumptions(printed) == names


@pytest.mark.parametrize(
    "printed", ["", "Axioms:\n", "Something\nelse", "Axioms:\nA.one : nat\n?!\n", "x" * 300]
)
def test_another_answer_to_assumptions_is_refused_with_its_first_200_characters(printed):
    with pytest.raises(Refused) as refused:
        axioms.parse_assumptions(printed)
    assert str(refused.value) == f"Print Assumptions answered {printed[:200]!r}"


def test_axioms_of_the_real_numbers_are_known_by_their_paths(coq, tmp_path):
    name = axioms.REALS[DEDEKIND].name
    printed = {"Print Assumptions term0.": f"Axioms:\n{name} : x\nFile.mine : y\n",
               "Print Assumptions term1.": "Closed under the global context"}  # fmt: skip
    made = coq(asking_about_axioms(**printed))
    found = axioms.assumptions(tmp_path, "Assumed", {"a": "@A.a", "b": "@B.b"})
    assert found == {"a": (DEDEKIND, "File.mine"), "b": ()}
    lines = made.sessions["Assumed.v"]
    assert [line for line in lines if line.startswith("Definition term")] == [
        "Definition term0 := @A.a.", "Definition term1 := @B.b."]  # fmt: skip
    kept = [f"Definition assumption{k} : {axiom.type} := @{axiom.name}."
            for k, axiom in enumerate(axioms.REALS.values())]  # fmt: skip
    assert [line for line in lines if line.startswith("Definition assumption")] == kept


def test_an_axiom_of_the_same_name_in_another_file_is_refused():
    axiom = axioms.REALS[DEDEKIND]
    for root in ("Coq", "Stdlib", "Corelib"):
        axioms._check_path(axiom, f"Expands to: Constant {root}.{DEDEKIND.partition('.')[2]}")
    with pytest.raises(Refused, match=f"{axiom.name} is Assay.Mine, not {DEDEKIND}"):
        axioms._check_path(axiom, "Expands to: Constant Assay.Mine")
    with pytest.raises(Refused) as refused:
        axioms._check_path(axiom, "y" * 300)
    assert f" {'y' * 200}, not" in str(refused.value)


ANSWERS = {
    "Check @Scan.scan.": "Scan.scan\n     : Model.run 1 = Model.Tree",
    **{f"Check @{name}.": f"{name}\n     : {TABLE[name].type}" for name in list(TABLE)[1:]},
    "About Model.run.": "Model.run is transparent\nExpands to: Constant Assay.Model.run",
    "About Model.hidden.": "hidden is opaque\nExpands to: Constant Assay.Model.hidden",
    "About Model.Tree.": "Expands to: Inductive Assay.Model.Tree",
    "About Model.leaf.": "Expands to: Constructor Assay.Model.leaf",
    "Print Model.run.": "Model.run =\nfun x =>\n Model.hidden x\n     : nat -> nat\n",
    "Check @principle0.": "principle0 : forall P, P Model.leaf -> P",
}


def test_meanings_are_asked_until_nothing_new_appears(coq, tmp_path):
    made = coq(ANSWERS)
    assert definitions.meanings_behind(tmp_path, ["Scan.scan"], MODULES) == TABLE
    lines = made.sessions["Meanings.v"]
    assert session.UNFOLDED in lines


@pytest.mark.parametrize(
    ("question", "because"),
    [("About Model.run.", "Model.run: About answered"),
     ("Print Model.run.", "Model.run: Print answered")],
)  # fmt: skip
def test_an_answer_that_is_none_is_refused_with_its_name_and_beginning(
    coq, tmp_path, question, because
):
    coq({**ANSWERS, question: "z" * 300})
    with pytest.raises(Refused, match=because) as refused:
        definitions.meanings_behind(tmp_path, ["Scan.scan"], MODULES)
    assert str(refused.value).endswith(f" {'z' * 200!r}")


def test_what_unfolds_is_found_and_what_is_not_pinned_is_refused():
    assert pins.unfolding(["Scan.scan"], TABLE, MODULES) == dict(sorted(TABLE.items()))
    assert list(pins.unfolding(["Model.Tree"], TABLE, MODULES)) == ["Model.Tree", "Model.leaf"]
    with pytest.raises(Refused, match=r"Model\.leaf: no pinned meaning"):
        pins.unfolding(["Model.Tree"], {"Model.Tree": TABLE["Model.Tree"]}, MODULES)


def test_a_digest_depends_on_all_that_a_theorem_unfolds_to_and_on_nothing_else():
    own = pins.meaning_digest("Scan.scan", TABLE, MODULES)
    other = {**TABLE, "Model.hidden": pins.Meaning("opaque", "nat -> bool")}
    assert pins.meaning_digest("Scan.scan", other, MODULES) != own
    more = {**TABLE, "Model.unused": pins.Meaning("opaque", "nat")}
    assert pins.meaning_digest("Scan.scan", more, MODULES) == own


def test_each_kind_of_meaning_has_its_sentences():
    sentences = {name: entry.sentences(name, "pin") for name, entry in TABLE.items()}
    assert sentences["Scan.scan"] == ["Definition pin : Model.run 1 = Model.Tree := @Scan.scan."]
    assert sentences["Model.run"] == [
        "Definition pin : @eq (nat -> nat) (@Model.run) (fun x => Model.hidden x) :="
        " @eq_refl (nat -> nat) (fun x => Model.hidden x)."
    ]
    first, second = sentences["Model.Tree"]
    assert first == "Definition pin : Set := @Model.Tree."
    assert second == (
        "Scheme pin_scheme := Induction for Model.Tree Sort Prop."
        " Definition pin_principle : forall P, P Model.leaf -> P := @pin_scheme."
    )


@pytest.mark.parametrize("name", ["Scan", "Scan.", ".scan", "Scan.a b", "Sc-an.a"])
def test_a_theorem_is_named_with_its_file(name):
    assert pins.file_of("Scan.scan'") == "Scan.v"
    with pytest.raises(Refused, match=re.escape(repr(name))):
        pins.file_of(name)


def pinned(*assumed):
    return pins.Pin("1 = 1", tuple(assumed), "")


def test_a_theorem_may_use_the_axioms_of_the_real_numbers_and_no_other():
    assert examine.disallowed({"A.a": pinned(DEDEKIND)}) == []
    assert examine.disallowed({"A.a": pinned(DEDEKIND, "Z.z", "Y.y")}) == [
        f"A.a is pinned with {axiom}, which is no axiom of the real numbers"
        for axiom in ("Y.y", "Z.z")
    ]


def test_theorems_are_asked_in_groups_by_their_axioms():
    found = examine.groups({"A.a": pinned("y", "x"), "B.b": pinned(), "C.c": pinned("x", "y")})
    assert {key: list(part) for key, part in found.items()} == {
        ("x", "y"): ["A.a", "C.c"], (): ["B.b"]}  # fmt: skip


def test_the_name_that_means_something_else_is_the_one_that_is_told(coq, tmp_path):
    coq({})
    assert examine.check_meanings(tmp_path, TABLE) == []
    for denied, name in (("pin3_scheme", "Model.Tree"), ("@Model.leaf.", "Model.leaf")):
        coq({}, denied=denied)
        (line,) = examine.check_meanings(tmp_path, TABLE)
        assert line.startswith(f"{name} does not mean what is pinned: ")


def test_a_statement_that_changed_is_told_as_it_reads_now(coq, tmp_path):
    stated = {"A.a": pinned(), "B.b": pinned()}
    coq({})
    assert examine.check_statements(tmp_path, "Stated", stated) == []
    made = coq({"Check @B.b.": "B.b\n     : 1 =\n 2"}, denied="Definition pin1 ")
    assert examine.check_statements(tmp_path, "Stated", stated) == [
        "B.b is not the pinned statement: it now reads '1 = 2'"
    ]
    assert "Definition pin0 : 1 = 1 := @A.a." in made.sessions["Stated.v"]


def test_theorems_that_use_more_than_they_may_are_found_by_halving(monkeypatch, tmp_path):
    used = {"A.a": (), "B.b": ("x",), "C.c": ("x", "y"), "D.d": ("z", "y")}

    def assumptions(_, session, terms):
        (term,) = terms.values()
        names = re.findall(r"@([\w.]+)", term)
        assert term.endswith(", tt)")
        return {"all": tuple(axiom for name in names for axiom in used[name])}

    monkeypatch.setattr(examine, "assumptions", assumptions)
    asked = lambda *allowed: examine.beyond(tmp_path, "Assumed", allowed, list(used))  # noqa: E731
    assert asked("x", "y", "z") == [] and asked("x", "y") == ["D.d assumes z"]
    assert asked() == ["B.b assumes x", "C.c assumes x, y", "D.d assumes y, z"]


def test_all_reasons_are_told_and_no_theorem_has_none(monkeypatch, tmp_path):
    monkeypatch.setattr(examine, "check_meanings", lambda *_: ["meaning"])
    monkeypatch.setattr(examine, "check_statements", lambda _, name, part: [f"{name} {list(part)}"])
    monkeypatch.setattr(examine, "beyond", lambda _, name, allowed, names: [f"{name} {allowed}"])
    stated = {"Scan.scan": pinned(DEDEKIND)}
    with pytest.raises(Refused) as refused:
        examine.examine(tmp_path, stated, TABLE, MODULES)
    assert str(refused.value) == f"meaning; Stated0x ['Scan.scan']; Assumed0x ('{DEDEKIND}',)"
    examine.examine(tmp_path, {}, TABLE, MODULES)
    with pytest.raises(Refused, match="no axiom of the real numbers"):
        examine.examine(tmp_path, {"Scan.scan": pinned("Z.z")}, TABLE, MODULES)


def development(folder):
    """A development of two files with pins that agree."""
    folder.mkdir(exist_ok=True)
    (folder / "_CoqProject").write_text("-Q . Assay\n\n# First: all\nModel.v\nScan.v\n")
    for module in MODULES:
        (folder / f"{module}.v").write_text("")
    digest = pins.meaning_digest("Scan.scan", TABLE, MODULES)
    pins.write_pins({"Scan.scan": pins.Pin("1 = 1", (DEDEKIND,), digest)}, TABLE, folder)
    return folder


def test_pins_are_written_in_order_and_read_again(tmp_path):
    folder = development(tmp_path)
    assert pins.meanings(folder) == dict(sorted(TABLE.items()))
    assert list(json.loads((folder / pins.DEFINITIONS).read_text("utf-8"))) == sorted(TABLE)
    assert pins.pins(folder)["Scan.scan"].assumptions == (DEDEKIND,)
    (folder / pins.DEFINITIONS).unlink()
    assert pins.meanings(folder) == {}


def test_pins_are_written_with_a_line_for_each_field_and_in_plain_letters(tmp_path):
    pins.write_pins(
        {"B.b": pins.Pin("λ = 1", (), ""), "A.a": pinned()}, {"A.a": TABLE["Scan.scan"]}, tmp_path
    )
    empty = '  "assumptions": [],\n  "definitions": ""\n }'
    assert (tmp_path / pins.STATEMENTS).read_text("utf-8") == (
        '{\n "A.a": {\n  "statement": "1 = 1",\n' + empty
        + ',\n "B.b": {\n  "statement": "λ = 1",\n' + empty + "\n}\n")  # fmt: skip
    assert (tmp_path / pins.DEFINITIONS).read_text("utf-8") == (
        '{\n "A.a": {\n  "kind": "theorem",\n  "type": "Model.run 1 = Model.Tree"\n }\n}\n')  # fmt: skip


def test_a_theorem_is_selected_where_statement_and_definitions_agree(tmp_path):
    folder = development(tmp_path)
    assert list(compile.selection(["Scan.scan"], folder)) == ["Scan.scan"]
    with pytest.raises(Refused, match=r"Scan\.other: no pinned statement"):
        compile.selection(["Scan.other"], folder)
    pins.write_pins({"Scan.scan": pins.Pin("1 = 1", (), "other")}, TABLE, folder)
    with pytest.raises(Refused, match="do not agree"):
        compile.selection(["Scan.scan"], folder)


class Compiled:
    """A stand-in for a build, which notes what was asked for."""

    def __init__(self, monkeypatch, folder):
        self.asked, self.folder = [], folder
        monkeypatch.setattr(compile, "compiled", self.compiled)
        monkeypatch.setattr(compile, "missing", lambda: "")

    def compiled(self, wanted, folder, complete=True, cache=None):
        self.asked.append((set(wanted), folder, complete, cache))
        return self

    def __enter__(self):
        return self.folder

    def __exit__(self, *_):
        return None


def test_only_the_files_of_the_theorems_are_compiled_and_then_examined(tmp_path, monkeypatch):
    folder, examined = development(tmp_path / "proofs"), []
    made = Compiled(monkeypatch, tmp_path)
    monkeypatch.setattr(compile, "examine", lambda *given: examined.append(given))
    found = compile.established(["Scan.scan", "Scan.scan"], folder, False, tmp_path)
    assert list(found) == ["Scan.scan"]
    assert made.asked == [({"Scan.v"}, folder, False, tmp_path)]
    assert examined == [(tmp_path, found, pins.meanings(folder), MODULES)]


def test_pins_are_made_anew_with_further_theorems(tmp_path, monkeypatch, coq, capsys):
    folder = development(tmp_path / "proofs")
    Compiled(monkeypatch, tmp_path)
    closed = "Closed under the global context"
    coq({**ANSWERS, "Check @Scan.more.": "Scan.more\n     : True",
         **asking_about_axioms(**{"Print Assumptions term0.": closed})})  # fmt: skip
    assert compile.main(["--folder", str(folder), "--pin", "Scan.more"]) == 0
    assert capsys.readouterr().out == "Scan.more: no axioms\nScan.scan: sig_not_dec\n"
    found = pins.pins(folder)
    assert {name: pin.statement for name, pin in found.items()} == {
        "Scan.more": "True", "Scan.scan": "Model.run 1 = Model.Tree"}  # fmt: skip
    assert set(pins.meanings(folder)) == {*TABLE, "Scan.more"}


def test_axioms_are_asked_anew_where_those_recorded_are_not_enough(monkeypatch, tmp_path):
    recorded = {"A.a": pinned("x"), "B.b": pinned("x")}
    monkeypatch.setattr(compile, "beyond", lambda *_: ["B.b assumes z"])
    asked = []
    answer = lambda build, name, terms: asked.append(terms) or dict.fromkeys(terms, ("z",))  # noqa: E731
    monkeypatch.setattr(compile, "assumptions", answer)
    found = compile.axioms_now(tmp_path, ["A.a", "B.b", "C.c"], recorded)
    assert found == {"A.a": ("x",), "B.b": ("z",), "C.c": ("z",)}
    assert asked == [{"B.b": "@B.b", "C.c": "@C.c"}]
    monkeypatch.setattr(compile, "beyond", lambda *_: [])
    assert compile.axioms_now(tmp_path, ["A.a"], recorded) == {"A.a": ("x",)} and len(asked) == 1


def test_the_status_says_whether_all_is_well(tmp_path, monkeypatch, capsys):
    folder = development(tmp_path / "proofs")
    Compiled(monkeypatch, tmp_path)
    monkeypatch.setattr(compile, "examine", lambda *_: None)
    assert compile.main(["--folder", str(folder)]) == 0
    assert capsys.readouterr().out == "Scan.scan: sig_not_dec\n"

    def refuse(*_):
        raise Refused("another statement")

    monkeypatch.setattr(compile, "examine", refuse)
    assert compile.main(["--folder", str(folder)]) == 1
    assert capsys.readouterr().out == "refused: another statement\n"
    monkeypatch.setattr(compile, "missing", lambda: "coqc is not installed")
    assert compile.main(["--folder", str(folder)]) == 2
    assert capsys.readouterr().out == "coqc is not installed\n"


def test_the_own_development_is_listed_with_its_weights(tmp_path, monkeypatch):
    from verify.coq import samples, weights

    made = Compiled(monkeypatch, tmp_path)
    monkeypatch.setattr(compile, "compiled", lambda *given: made)
    monkeypatch.setattr(compile, "examine", lambda *_: None)
    monkeypatch.setattr(compile, "selection", lambda *_: {})
    monkeypatch.setattr(samples, "new_seed", lambda: "42")
    model = SimpleNamespace(witness=lambda seed: f"a model by the seed {seed}")
    monkeypatch.setattr(weights, "MODELS", {"model": model})
    monkeypatch.setattr(weights, "compare_all", lambda seed, names: [])
    monkeypatch.setattr(compile, "check_compiled", lambda _: ["coqchk accepts"])
    lines = compile.listing(check=True)
    count, files, names = len(pins.pins()), len(compile.files()), len(pins.meanings())
    assert lines[count:] == [
        f"{count} theorems in {files} files",
        f"{names - count} definitions behind them are the pinned ones", "coqchk accepts",
        "sizes of runs are drawn by the seed 42", "weights, a model by the seed 42",
    ]  # fmt: skip
    assert "coqchk accepts" not in compile.listing()
    monkeypatch.setattr(weights, "compare_all", lambda seed, names: ["one", "two"])
    with pytest.raises(Refused, match="one; two"):
        compile.listing()


def done(status=0, out="", err=""):
    return subprocess.CompletedProcess([], status, out, err)


def test_coqc_is_run_with_less_young_memory_and_refuses_in_its_own_words(tmp_path, monkeypatch):
    called = []

    def answering(answer):
        monkeypatch.setattr(build.shutil, "which", lambda _: "/bin/coqc")
        monkeypatch.setattr(
            build.subprocess, "run", lambda *given, **more: called.append((given, more)) or answer
        )

    answering(done())
    build.compile_file(tmp_path, "A.v", 7)
    ((command,), more) = called[-1]
    assert command == ["/bin/coqc", *build.OPTIONS, "A.v"]
    assert (more["cwd"], more["timeout"], more["check"], more["text"]) == (tmp_path, 7, False, True)
    assert more["capture_output"] is True and more["env"][build.MEMORY]
    for out, err, words in (("said", "", "said"), ("said", "no\n way", "no way"),
                            ("", "w" * 700, "w" * 600)):  # fmt: skip
        answering(done(1, out, err))
        with pytest.raises(Refused) as refused:
            build.compile_file(tmp_path, "A.v")
        assert str(refused.value) == f"A.v: {words}"


def test_coqc_that_is_not_there_or_takes_too_long_is_refused_in_a_line(tmp_path, monkeypatch):
    monkeypatch.setattr(build.shutil, "which", lambda _: None)
    assert build.missing() == "coqc is not installed (Debian package coq)"
    with pytest.raises(Refused, match="coqc is not installed"):
        build.run([], tmp_path, 1)

    def late(*_, **__):
        raise subprocess.TimeoutExpired("coqc", 1)

    monkeypatch.setattr(build.shutil, "which", lambda _: "/bin/coqc")
    monkeypatch.setattr(build.subprocess, "run", late)
    with pytest.raises(Refused, match=r"^A\.v: coqc was stopped after 1\.5 s$"):
        build.compile_file(tmp_path, "A.v", 1.5)
    monkeypatch.setattr(checker.shutil, "which", lambda _: "/bin/coqchk")
    monkeypatch.setattr(checker.subprocess, "run", late)
    with pytest.raises(Refused, match="coqchk was stopped after 600 s"):
        checker.check_compiled(tmp_path)


def part(name, *below):
    return SimpleNamespace(name=name, file=f"{name}.v", text=f"(* {name} *)", below=below,
                           located=lambda words: f"there: {words}")  # fmt: skip


def test_chapters_are_compiled_after_what_they_require_and_kept(tmp_path, monkeypatch):
    compiled = []

    def compile_file(folder, file):
        compiled.append(file)
        assert (folder / file).read_text("utf-8") == f"(* {file[:-2]} *)"
        (folder / file.replace(".v", ".vo")).write_bytes(file.encode())

    monkeypatch.setattr(build, "compile_file", compile_file)
    parts = [part("A"), part("B", "A"), part("C", "A"), part("D", "B", "C")]
    keys = {each.name: f"key{each.name}" for each in parts}
    first, second, cache = (tmp_path / name for name in ("first", "second", "cache"))
    for folder in (first, second):
        folder.mkdir()
    build.compile_all(first, parts, keys, cache)
    assert (compiled[0], set(compiled[1:3]), compiled[3]) == ("A.v", {"B.v", "C.v"}, "D.v")
    assert (cache / "ke" / "keyA.vo").exists()
    build.compile_all(second, parts, keys, cache)
    assert len(compiled) == 4 and (second / "D.vo").read_bytes() == b"D.v"


def test_a_chapter_that_is_refused_is_located_and_not_kept(tmp_path, monkeypatch):
    def refuse(*_):
        raise Refused("no")

    monkeypatch.setattr(build, "compile_file", refuse)
    with pytest.raises(Refused, match=r"^there: no$"):
        build.compile_all(tmp_path, [part("A")], {"A": "key"}, tmp_path / "cache")
    assert not (tmp_path / "cache").exists()


def test_a_seal_depends_on_key_and_content_and_on_where_one_ends():
    seals = {build.seal(key, content) for key, content in (("a", b"bc"), ("ab", b"c"), ("a", b"b"))}
    assert len(seals) == 3 and all(len(seal) == 65 and seal.endswith(b"\n") for seal in seals)


SUMMARY = """CONTEXT SUMMARY
===============

* Theory: Set is predicative

* Axioms:
    Coq.Reals.ClassicalDedekindReals.sig_not_dec
    Coq.Logic.Classical_Prop.classic

* Constants/Inductives relying on type-in-type: <none>

* Inductives whose positivity is assumed: <none>
"""


def test_a_context_of_the_real_numbers_is_accepted():
    checker.check_summary(SUMMARY)
    checker.check_summary(SUMMARY.replace("Coq.", "Stdlib."))
    nothing = re.sub(r"Axioms:.*?\n\n", "Axioms: <none>\n\n", SUMMARY, flags=re.DOTALL)
    checker.check_summary(nothing)


@pytest.mark.parametrize(
    ("old", "new", "because"),
    [("Coq.Logic.Classical_Prop.classic", "Assay.Z.z Assay.Y.y", r"names the axiom Assay\.Y\.y"),
     ("Set is predicative", "Set is impredicative", "coqchk answered"),
     ("type-in-type: <none>", "type-in-type: A.a\n  B.b", "type-in-type: A.a B.b"),
     ("assumed: <none>", "assumed: " + "v" * 300, "assumed: " + "v" * 200 + "$")],
)  # fmt: skip
def test_another_context_is_refused(old, new, because):
    with pytest.raises(Refused, match=because):
        checker.check_summary(SUMMARY.replace(old, new))


def test_coqchk_is_asked_for_all_chapters_and_refuses_in_its_own_words(tmp_path, monkeypatch):
    for name in ("ChapterB", "ChapterA"):
        (tmp_path / f"{name}.vo").write_text("")
    commands = []
    monkeypatch.setattr(checker.shutil, "which", lambda _: "/bin/coqchk")

    def answering(answer):
        monkeypatch.setattr(
            checker.subprocess, "run", lambda command, **_: commands.append(command) or answer
        )

    answering(done(0, SUMMARY))
    assert checker.check_compiled(tmp_path) == ["coqchk accepts 2 compiled chapters"]
    assert commands[0][-2:] == ["Assay.ChapterA", "Assay.ChapterB"]
    for out, err, words in (("said", "", "said"), ("said", "u" * 700, "u" * 600)):
        answering(done(1, out, err))
        with pytest.raises(Refused) as refused:
            checker.check_compiled(tmp_path)
        assert str(refused.value) == f"coqchk: {words}"
    answering(done(0, "", SUMMARY.replace("predicative", "impredicative")))
    with pytest.raises(Refused, match="coqchk answered"):
        checker.check_compiled(tmp_path)
    monkeypatch.setattr(checker.shutil, "which", lambda _: None)
    with pytest.raises(Refused, match="coqchk is not installed"):
        checker.check_compiled(Path())
