"""The rules of the data: each broken in turn, and refused with file and entry."""

import pytest

from verify.judge.paper import InvalidPaper, load, read

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


def written(tmp_path, text):
    (tmp_path / "x.toml").write_text(text, encoding="utf-8")
    return read(tmp_path)


def binding(covers="all", method="machine-checked", outcome="holds"):
    return BINDING.format(covers=covers, method=method, outcome=outcome)


def test_a_statement_with_a_binding_is_read(tmp_path):
    paper = written(tmp_path, HEAD.format(form="universal") + binding("T ≤ {most}", "exact"))
    assert paper.statements["s"].binding[0].scope == "T ≤ 3"


REFUSED = {
    "unknown form 'rumour'": HEAD.format(form="rumour") + binding(),
    "exact never covers the whole range": HEAD.format(form="universal") + binding(method="exact"),
    "must name a {parameter}": HEAD.format(form="universal") + binding("T ≤ 99", "exact"),
    "no parameter 'least'": HEAD.format(form="universal") + binding("{least} to {most}", "exact"),
    "a failure refutes no possibility": HEAD.format(form="possibility")
    + binding(method="exact", outcome="fails"),
    "belongs to no finding": HEAD.format(form="universal")
    + binding(method="exact", outcome="fails"),
    "rigorous method": HEAD.format(form="universal") + binding(method="sampled", outcome="fails"),
    "unknown method 'luck'": HEAD.format(form="universal") + binding(method="luck"),
    "without a binding it needs a reason": HEAD.format(form="universal"),
    "no statement 'nothing'": HEAD.format(form="universal")
    + 'rests_on = ["nothing"]\n'
    + binding(),
    "rests on itself": HEAD.format(form="universal") + 'rests_on = ["s"]\n' + binding(),
    "unknown key 'colour'": HEAD.format(form="universal") + 'colour = "red"\n' + binding(),
    "cite.proved: no field 'colour'": HEAD.format(form="universal")
    + 'cite = { proved = "It is {colour}." }\n'
    + binding(),
    "cite.proved drops the conditions": HEAD.format(form="universal")
    + 'under = ["milk"]\ncite = { proved = "It holds." }\n'
    + binding(),
    "unknown table 'opinion'": '[[opinion]]\nid = "x"\n',
    "needs an id of its own": (HEAD.format(form="universal") + binding()) * 2,
    "a view has no verdict": HEAD.format(form="view") + binding(),
}


@pytest.mark.parametrize("rule", REFUSED)
def test_an_entry_that_breaks_a_rule_is_refused_with_its_file(tmp_path, rule):
    with pytest.raises(InvalidPaper) as refused:
        written(tmp_path, REFUSED[rule])
    assert rule in str(refused.value)
    assert "x.toml" in str(refused.value) or "statement s" in str(refused.value)


def test_a_finding_must_be_shown_by_a_refuting_binding(tmp_path):
    finding = (
        '[[finding]]\nid = "f"\ntitle = "F"\ngrade = "slip"\nprinted = "p"\nwhy = "w"\n'
        'witness = "w"\nrepair = "r"\ntouches = ["s"]\nshown_by = ["s", 1]\n'
    )
    statement = HEAD.format(form="universal")
    written(tmp_path, statement + binding(method="exact", outcome="fails") + finding)
    with pytest.raises(InvalidPaper, match="refutes nothing"):
        written(tmp_path, statement + binding() + finding)


def test_the_data_of_the_package_keep_every_rule():
    assert len(load().statements) > 100


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
