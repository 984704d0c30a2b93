"""Law: on random papers both judges come to the same verdicts, grades and standings.

They share no code; a paper that one of them refuses has no verdict by the other.
"""

from dataclasses import fields

from hypothesis import assume, event, given, settings
from hypothesis import strategies as st
from reports_support import ABOUT

from verify.judge.data import FORMS, GRADES, METHODS, Binding, Finding, Paper, Repair, Statement
from verify.judge.outcome import Outcome
from verify.judge.verdict import judge
from verify.recheck import judge as second
from verify.recheck.data import Data, key
from verify.recheck.errors import Refused
from verify.recheck.evidence import Evidence

NAMES = ("a", "b", "c", "d")
one_of = st.sampled_from
# A fact whose parameter is 2 is expected to fail, everywhere alike: its certificate is one.
BINDING = st.fixed_dictionaries(
    {
        "fact": one_of(["f", "g"]),
        "parameters": st.fixed_dictionaries({"k": st.integers(0, 2)}),
        "method": one_of(METHODS),
        "covers": one_of(["all", "k ≤ {k}"]),
        "because": one_of(["x", "y"]),
        "impossibility": one_of([False, False, True]),
        "interpretation": one_of(["printed", "printed", "repaired"]),
        "assumes": one_of([[], [], ["z"]]),
    }
).map(lambda each: {**each, "outcome": "fails" if each["parameters"]["k"] == 2 else "holds"})
STATE = one_of(["decided", "decided", "decided", "open", "coq", "torch"])


@st.composite
def papers(draw):
    """Statements and findings as tables, and what became of each fact by its certificate's name."""
    names = NAMES[: draw(st.integers(1, 4))]
    statements = {}
    for number, name in enumerate(names):
        table = dict.fromkeys(("title", "section", "text", "says"), "t")
        table |= {"id": name, "form": draw(one_of(FORMS)), "reason": draw(one_of(["", "r"]))}
        table["binding"] = draw(st.lists(BINDING, max_size=4))
        below = st.lists(one_of(names[:number]), unique=True) if number else st.just([])
        table["rests_on"] = draw(below)
        if draw(st.booleans()):
            table["repair"] = {"change": "c", "says": "s"}
        statements[name] = table
    grades = st.dictionaries(one_of(names), one_of(GRADES), max_size=1)
    findings = {
        f"F{number}": {"id": f"F{number}", "grade": draw(one_of(GRADES)), "grades": draw(grades),
                       "touches": [draw(one_of(names))]}
        for number in range(draw(st.integers(0, 3)))
    }  # fmt: skip
    keys = {key(b["fact"], b["parameters"]) for s in statements.values() for b in s["binding"]}
    return statements, findings, {name: draw(STATE) for name in sorted(keys)}


def first(statements, findings, states):
    """The judgements of the package."""
    made = {}
    for name, table in statements.items():
        repair = Repair(**table["repair"]) if "repair" in table else None
        bindings = tuple(Binding(**b | {"assumes": tuple(b["assumes"])}) for b in table["binding"])
        rests_on = tuple(table["rests_on"])
        whole = {**table, "binding": bindings, "repair": repair, "rests_on": rests_on}
        made[name] = Statement(**whole)
    plain = dict.fromkeys(("title", "printed", "why", "witness", "repair"), "")
    noted = {name: Finding(**plain, shown_by=("a", 1), **each) for name, each in findings.items()}
    found = {
        b.key: outcome(states[b.key], b.outcome == "fails")
        for s in made.values()
        for b in s.binding
    }
    empty = {each.name: {} for each in fields(Paper) if each.name != "where"}
    tables = {"about": ABOUT, "statements": made, "findings": noted, "answers": ()}
    return judge(Paper(**empty | tables), found)


def outcome(state, fails):
    """Draw the outcome of a fact."""
    if state in ("coq", "torch"):
        return Outcome(missing=state)
    if state == "open":
        return Outcome(None)
    return Outcome(not fails, {}, {"w": 1} if fails else None)


def again(statements, findings, states):
    """The verdicts and standings of the re-checker."""
    lack = {name: state for name, state in states.items() if state in ("coq", "torch")}
    held = {name: {"holds": None if state == "open" else True}
            for name, state in states.items() if name not in lack}  # fmt: skip
    data = Data(statements, findings, {}, {}, [])
    verdicts = {n: second.verdict(s, data, Evidence(held, lack)) for n, s in statements.items()}
    return verdicts, second.standings(data, verdicts)


@settings(max_examples=400)
@given(papers())
def test_both_judges_come_to_the_same(drawn):
    try:
        verdicts, standings = again(*drawn)
    except Refused:
        assume(False)
    for name, one in first(*drawn).items():
        two = verdicts[name]
        event(one.verdict)
        assert (one.rank, one.verdict, one.grade, one.findings) == (
            two.rank, two.word, two.grade, two.findings)  # fmt: skip
        assert [(each.name, each.rank, each.reason) for each in one.interpretations] == [
            (each.name, each.rank, each.reason) for each in two.interpretations
        ]
        assert (one.interpretation.method, one.interpretation.scope) == (
            two.interpretation.method, two.interpretation.scope)  # fmt: skip
        assert (one.standing, one.through) == standings[name]
