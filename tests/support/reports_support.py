"""A small paper judged by the judge itself, with hostile text, for the tests of the reports."""

from __future__ import annotations

from typing import Any

from verify.judge.about import About, Check, Reference, Source
from verify.judge.data import (
    Binding,
    Cell,
    Condition,
    Figure,
    Finding,
    Observation,
    PageEntry,
    Paper,
    Repair,
    Statement,
    key_of,
)
from verify.judge.outcome import Outcome
from verify.judge.verdict import judge
from verify.record.record import RunInfo, assemble
from verify.rejudge import trust_of

Record = dict[str, Any]
ABOUT = About(
    "A small paper",
    ("A. Author",),
    "A journal",
    2024,
    Source("0" * 64),
    Reference("author2024small", "A. Author: A small paper.", "@article{author2024small}"),
    Check("check", "A check of [1].", "@misc{check}"),
    needs={"paper": ("f.paper",)},
    tools={"SymPy": ("f.shape",), "a tool <b>": ("f.coq",)},
    first_figures=(("curves",),),
)
HOSTILE = "<script>alert(1)</script> <img src=x onerror=y> {{ 7 * 7 }} [x](javascript:z) | \\input"
TREE = {
    "tokens": ["[", "a", "<b>", "]"],
    "depths": [0, 1, 1, 0],
    "heads": [{"label": HOSTILE, "arcs": [[1, 2]], "missed": [1], "depths": []}],
}
CURVES = [{"label": HOSTILE, "x": ["1", "2", "3"], "y": ["1", "10", "100"]}]


def bound(fact: str, **changed: Any) -> Binding:
    plain = {"covers": "all", "method": "machine-checked", "because": f"Because of {fact}."}
    return Binding(**{"fact": fact, **plain, **changed})


def stated(name: str, *bindings: Binding, **changed: Any) -> Statement:
    plain: dict[str, Any] = {
        "title": f"Title of {name}",
        "form": "universal",
        "section": "3.2",
        "text": f"Text of {name}.",
        "says": f"what {name} says",
        "places": ((10, 11),),
        "binding": bindings,
    }
    return Statement(id=name, **{**plain, **changed})


PART = {"covers": "T ≤ {most}", "parameters": {"most": 8}, "method": "exhaustive"}
STATEMENTS = [
    stated("def1", bound("f.shape", method="symbolic"), form="definition", numbered="Definition 1"),
    stated(
        "thm1", bound("f.coq"), numbered="Theorem 1", under=("pads",), notes=("a note",),
        rests_on=("def1",), aliases=("old.thm1",),
    ),
    stated("thm1.part", bound("f.part", **PART), rests_on=("thm1",)),
    stated(
        "eq1", bound("f.fails", outcome="fails", method="exact"),
        bound("f.coq", interpretation="repaired"), numbered="Equation (1)",
        repair=Repair("a change", "what then holds"), section="B.2",
    ),
    stated("thm2", bound("f.coq"), numbered="Theorem 2", rests_on=("eq1",), section="B.2"),
    stated("hostile", bound("f.coq"), title=HOSTILE, text=HOSTILE, says=HOSTILE),
    stated("view", form="view", reason="an opinion"),
    stated("history", form="history", reason="not at hand", section="D.1"),
    stated("beyond.x", bound("f.part", **PART), ours=True, places=()),
]  # fmt: skip
FINDINGS = [
    Finding(
        "norms", "A finding", "material", "it is printed", HOSTILE, "the error is {error}",
        "a change", ("eq1",), ("eq1", 1), figure="curves",
    )
]  # fmt: skip
CONDITIONS = [
    Condition("pads", "The input", HOSTILE, "pads", {
        "thm1": Cell("stated", ("thm1",), HOSTILE),
        "eq1": Cell("false as printed", ("norms", "eq1")),
        "thm2": Cell("needed, missing in print", ("norms", "obs.x")),
    }),
    Condition("other", "The error", "Another", "others", {"thm2": Cell("not needed", ("thm2",))}),
]  # fmt: skip
FOUND = {
    "f.fails": Outcome(False, {"error": "2", "curves": CURVES}, {"error": "2"}),
    "f.part": Outcome(True, {"tree": TREE}),
}


def figure(name: str, fact: str, kind: str, **more: Any) -> Figure:
    plain = {"title": "A figure", "caption": "What to conclude.", "alt": "What is seen"}
    parameters = PART["parameters"] if fact == "f.part" else {}
    method = "exhaustive" if fact == "f.part" else "exact"
    return Figure(
        id=name, fact=fact, kind=kind, parameters=parameters, method=method, **plain, **more
    )


def paper() -> Paper:
    """The small paper."""
    figures = [
        figure("curves", "f.fails", "curves", statements=("eq1",), values="curves",
               xlabel=HOSTILE, ylabel="y", yscale="log"),
        figure("tree", "f.part", "tree", statements=("beyond.x",), values="tree"),
    ]  # fmt: skip
    observation = Observation("obs.x", "Seen", HOSTILE)
    answers = (
        PageEntry("Theorem 1", "About it.", "thm1", ("thm1",)),
        PageEntry("Equation (1)", "About it.", "eq1", ("eq1",), "beyond.x"),
    )
    return Paper(
        ABOUT,
        {s.id: s for s in STATEMENTS},
        {f.id: f for f in FINDINGS},
        {observation.id: observation},
        {f.id: f for f in figures},
        (),
        answers,
        {s.id: "0" * 64 for s in STATEMENTS},
        conditions={c.id: c for c in CONDITIONS},
    )


def made(**found: Outcome) -> tuple[Record, Record]:
    """The record and its certificates; some facts may come out otherwise."""
    small = paper()
    facts = {
        key_of(b.fact, b.parameters): {**FOUND, **found}.get(b.fact, Outcome(True))
        for s in small.statements.values()
        for b in s.binding
    }
    run = RunInfo(lacking={"paper": "not given"}, trust=trust_of(""))
    return assemble(small, facts, judge(small, facts), run)
