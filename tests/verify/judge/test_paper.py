"""The rules of the data: each broken in turn, and refused with file and entry."""

import pytest

from verify.judge.data import digest
from verify.judge.entries import InvalidPaper
from verify.judge.paper import read

HEAD = """[[statement]]
id = "s"
title = "S"
form = "{form}"
section = "1"
places = [[1, 2]]
text = "t"
says = "s"
"""
BINDING = """[[statement.binding]]
fact = "f"
parameters = {{ most = 3 }}
covers = "{covers}"
method = "{method}"
outcome = "{outcome}"
because = "b"
"""


HEADER = """title = "A small paper"
authors = ["A. Author"]
venue = "A journal"
year = 2024
source = { sha256 = "%s" }
paper = { key = "a", text = "A.", bibtex = "@article{a}" }
check = { key = "c", text = "C.", bibtex = "@misc{c}" }
"""


def written(tmp_path, text):
    (tmp_path / "paper.toml").write_text(HEADER % ("0" * 64), encoding="utf-8")
    (tmp_path / "x.toml").write_text(text, encoding="utf-8")
    return read(tmp_path)


def binding(covers="all", method="machine-checked", outcome="holds"):
    return BINDING.format(covers=covers, method=method, outcome=outcome)


def one(more="", form="universal", **bound):
    """A statement with further lines and a binding."""
    return HEAD.format(form=form) + more + binding(**bound)


PLACES = "places = [[1, 2]]"
MILK = 'under = ["milk"]\ncite = {{ {} = "It holds." }}\n'
REFUSED = {
    "unknown form 'rumour'": one(form="rumour"),
    "exact never covers the whole range": one(method="exact"),
    "whole range of an asymptotic statement": one(form="asymptotic", method="exact"),
    "must name a {parameter}": one(covers="T ≤ 99", method="exact"),
    "no parameter 'least'": one(covers="{least} to {most}", method="exact"),
    "a failure refutes no possibility": one(form="possibility", method="exact", outcome="fails"),
    "belongs to no finding": one(method="exact", outcome="fails"),
    "rigorous method": one(method="sampled", outcome="fails"),
    "unknown method 'luck'": one(method="luck"),
    "without a binding it needs a reason": HEAD.format(form="universal"),
    "no statement 'nothing'": one('rests_on = ["nothing"]\n'),
    "s: no statement 'twin'": one('same_as = "twin"\n'),
    "rests on itself": one('rests_on = ["s"]\n'),
    "unknown key 'colour'": one('colour = "red"\n'),
    "cite.proved: no field 'colour'": one('cite = { proved = "It is {colour}." }\n'),
    **{
        f"cite.{verdict} drops a condition": one(MILK.format(verdict))
        for verdict in ("proved", "checked", "measured", "repaired")
    },
    "unknown table 'opinion'": '[[opinion]]\nid = "x"\n',
    "needs an id of its own": one() * 2,
    "a view has no verdict": one(form="view"),
    "unknown outcome 'maybe'": one(outcome="maybe"),
    "unknown interpretation 'loose'": one() + 'interpretation = "loose"\n',
    "unknown profile 'slow'": one() + 'profile = "slow"\n',
    "a repaired interpretation needs its repair": one() + 'interpretation = "repaired"\n',
    "impossibility = 'yes', expected true or false": one() + 'impossibility = "yes"\n',
    "same_as = 7, expected text": one("same_as = 7\n"),
    "aliases = 'old', expected a list": one('aliases = "old"\n'),
    "place (2, 1)": one().replace(PLACES, "places = [[2, 1]]"),
    "place (1, 2, 3)": one().replace(PLACES, "places = [[1, 2, 3]]"),
    "a statement of the paper needs its places": one().replace(PLACES, "places = []"),
    "title is missing": one().replace('title = "S"\n', ""),
    "because is missing": one().replace('because = "b"\n', ""),
    "binding 2: unknown method": one() + binding(method="luck"),
    "parameter 1.5: expected a whole number": one().replace("most = 3", "most = { k = 1.5 }"),
}


@pytest.mark.parametrize("rule", REFUSED)
def test_an_entry_that_breaks_a_rule_is_refused_with_its_file(tmp_path, rule):
    with pytest.raises(InvalidPaper) as refused:
        written(tmp_path, REFUSED[rule])
    assert rule in str(refused.value)
    assert "x.toml" in str(refused.value)


def test_a_finding_must_be_shown_by_a_refuting_binding(tmp_path):
    finding = (
        '[[finding]]\nid = "f"\ntitle = "F"\ngrade = "slip"\nprinted = "p"\nwhy = "w"\n'
        'witness = "w"\nrepair = "r"\ntouches = ["s"]\nshown_by = ["s", 1]\n'
    )
    statement = HEAD.format(form="universal")
    written(tmp_path, statement + binding(method="exact", outcome="fails") + finding)
    with pytest.raises(InvalidPaper, match="refutes nothing"):
        written(tmp_path, statement + binding() + finding)


def named(name, alias):
    head = HEAD.format(form="universal").replace('id = "s"', f'id = "{name}"')
    return f'{head}aliases = ["{alias}"]\n{binding()}'


@pytest.mark.parametrize(
    ("entries", "rule"),
    [
        ([named("s", "old"), named("r", "old")], "statement r: alias 'old' is taken"),
        ([named("s", "r"), named("r", "old")], "statement s: 'r' is an id"),
        ([named("s", "s")], "statement s: 's' is an id"),
    ],
)
def test_a_name_is_that_of_one_statement_alone(tmp_path, entries, rule):
    with pytest.raises(InvalidPaper, match=rule):
        written(tmp_path, "\n".join(entries))


FINDING = """[[finding]]
id = "f"
title = "F"
grade = "{grade}"
printed = "p"
why = "w"
witness = "w"
repair = "r"
touches = {touches}
shown_by = {shown}
"""
REFUTED = HEAD.format(form="universal") + binding(method="exact", outcome="fails")


def finding(grade="slip", touches='["s"]', shown='["s", 1]'):
    return FINDING.format(grade=grade, touches=touches, shown=shown)


@pytest.mark.parametrize(
    ("entries", "rule"),
    [
        (finding(grade="awful"), "x.toml: finding f: unknown grade 'awful'"),
        (finding() + finding(), "x.toml: finding f: stands twice"),
        (finding(touches='["s", "t"]'), "x.toml: finding f: no statement 't'"),
        (finding(shown='["s"]'), "x.toml: finding f: shown_by names a statement and a binding"),
        (finding(shown='["s", 1, 2]'), "x.toml: finding f: shown_by names a statement and a binding"),
        (finding(shown='["t", 1]'), "x.toml: finding f: shown_by 't' is not among what it touches"),
        (finding(shown='["s", 2]'), "x.toml: finding f: s has no binding 2"),
        (finding(shown='["s", 0]'), "x.toml: finding f: s has no binding 0"),
        (finding() + 'figure = "none"\n', "x.toml: finding f: no such figure"),
        (finding() + '[[answer]]\nname = "a"\nabout = "b"\nstatement = "t"\ncovers = []\n',
         "x.toml: answer a: no statement 't'"),
        (finding() + '[[answer]]\nname = "a"\nabout = "b"\nstatement = "s"\ncovers = []\ninstead = "t"\n',
         "x.toml: answer a: no statement 't'"),
        (finding() + '[[figure]]\nid = "g"\ntitle = "G"\ncaption = "c"\nalt = "a"\nstatements = ["t"]\n'
         'fact = "f"\nparameters = {}\nmethod = "exact"\nkind = "curves"\nvalues = "v"\n',
         "x.toml: figure g: no statement 't'"),
    ],
)  # fmt: skip
def test_a_reference_to_nothing_is_refused(tmp_path, entries, rule):
    written(tmp_path, REFUTED + finding())
    with pytest.raises(InvalidPaper) as refused:
        written(tmp_path, REFUTED + entries)
    assert str(refused.value) == rule


def test_a_longer_circle_is_named(tmp_path):
    one = HEAD.format(form="universal") + 'rests_on = ["r"]\n' + binding()
    other = one.replace('id = "s"', 'id = "r"').replace('["r"]', '["s"]')
    with pytest.raises(InvalidPaper, match="statement s: rests on itself: s → r"):
        written(tmp_path, one + other)


def test_an_impossibility_refutes_a_possibility_and_needs_its_finding(tmp_path):
    text = HEAD.format(form="possibility") + binding(method="exact") + "impossibility = true\n"
    assert written(tmp_path, text + finding()).statements["s"].binding[0].refutes
    with pytest.raises(InvalidPaper, match="belongs to no finding"):
        written(tmp_path, text)


def test_statements_and_results_have_the_hash_of_their_entry(tmp_path):
    entry = {"id": "s", "title": "S", "form": "view", "section": "1", "text": "t", "says": "s",
             "places": [[1, 2]], "reason": "r"}  # fmt: skip
    view = HEAD.format(form="view") + 'reason = "r"\n'
    paper = written(
        tmp_path, view + view.replace("statement", "result").replace('id = "s"', 'id = "r"')
    )
    assert paper.hashes == {"s": digest(entry), "r": digest({**entry, "id": "r"})}


def test_a_file_that_is_no_toml_is_named_and_other_files_are_not_read(tmp_path):
    (tmp_path / "notes.txt").write_text("no = toml = at all")
    with pytest.raises(InvalidPaper, match=r"^paper\.toml: no statement"):
        written(tmp_path, "")
    with pytest.raises(InvalidPaper, match=r"^x\.toml: "):
        written(tmp_path, "[[statement]")


def test_entries_without_an_id_are_numbered_from_one(tmp_path):
    with pytest.raises(InvalidPaper, match=r"x\.toml: statement 1: needs an id of its own"):
        written(tmp_path, "[[statement]]\n")
    with pytest.raises(InvalidPaper, match=r"x\.toml: silent 2: reason is missing"):
        written(tmp_path, '[[silent]]\nplaces = []\nreason = "r"\n[[silent]]\nplaces = []\n')


# What paper.toml says


@pytest.mark.parametrize(
    ("old", "new", "rule"),
    [
        ('title = "A small paper"\n', "", "paper.toml: title is missing"),
        ("year = 2024", 'year = "2024"', "paper.toml: year = '2024', expected a whole number"),
        ('["A. Author"]', '"A. Author"', "paper.toml: authors = 'A. Author', expected a list"),
        ('["A. Author"]', "[1]", r"paper.toml: authors[0] = 1, expected text"),
        ("0" * 64, "0" * 63, "paper.toml: source: sha256 is the SHA-256"),
        ('key = "a"', 'key = "a}b"', "paper.toml: paper: key = 'a}b', expected letters"),
        ('text = "C."', 'texts = "C."', "paper.toml: check: unknown key 'texts'"),
        ("year = 2024", "year = 2024\nerratum = 'x'", "paper.toml: unknown key 'erratum'"),
        ("year = 2024", "year = 2024\nneeds = { coq = 'f' }", "needs.coq = 'f', expected a list"),
        ("year = 2024", "year =", "paper.toml: "),
    ],
)
def test_a_head_that_is_not_whole_is_refused(tmp_path, old, new, rule):
    statement = HEAD.format(form="universal") + binding()
    written(tmp_path, statement)
    text = (HEADER % ("0" * 64)).replace(old, new)
    (tmp_path / "paper.toml").write_text(text, encoding="utf-8")
    with pytest.raises(InvalidPaper) as refused:
        read(tmp_path)
    assert rule in str(refused.value)


def test_a_folder_without_a_head_is_none_of_a_paper(tmp_path):
    (tmp_path / "x.toml").write_text(HEAD.format(form="universal") + binding(), encoding="utf-8")
    with pytest.raises(InvalidPaper, match=r"^paper\.toml: no such file"):
        read(tmp_path)


@pytest.mark.parametrize(
    "active",
    [
        r"\input{x}",
        r"\write18{x}",
        r"\def\x{}",
        "^^5cinput",
        r"\csname x",
        r"\InputIfFileExists{x}{}{}",
        r"\pdffiledump{0}",
        r"\pdfximage{x}",
        r"\begin{filecontents}{x}",
        r"\begin {filecontents*}",
        r"\begin\x",
        r"\anything",
    ],
)
def test_an_erratum_that_could_do_something_is_refused(tmp_path, active):
    statement = HEAD.format(form="universal") + binding()
    (tmp_path / "erratum.tex").write_text(
        r"\section{Fine} \begin{itemize}\item $x_{\inf}$, \alpha\\ 5\%\end{itemize}",
        encoding="utf-8",
    )
    assert written(tmp_path, statement).about.erratum.startswith(r"\section")
    (tmp_path / "erratum.tex").write_text(active, encoding="utf-8")
    with pytest.raises(InvalidPaper, match=r"erratum\.tex: .* has no place in an erratum"):
        written(tmp_path, statement)


def test_a_persons_word_refutes_nothing_of_any_form(tmp_path):
    for form in ("universal", "history", "citation"):
        with pytest.raises(InvalidPaper, match="a refutation needs a rigorous method"):
            text = HEAD.format(form=form) + binding(method="vouched", outcome="fails")
            written(tmp_path, text + finding())
