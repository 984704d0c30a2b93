"""Records of two papers, for tests that forge them with all digests made anew.

    SMALL    the small paper of the template: its facts are computed here, and Coq's is taken as given
    LIVE     our own paper: the data as they are now, with the outcomes that are published, so that a
             change of the data is no forgery; what is not published yet is computed here

Neither depends on whether the published record is of this commit.
"""

import json
from dataclasses import dataclass
from functools import cached_property
from importlib.resources import files
from pathlib import Path

import pytest

from verify import rejudge
from verify.facts.registry import find
from verify.judge.outcome import Outcome
from verify.judge.verdict import judge
from verify.recheck import program
from verify.recheck.confirmations import TEMPLATE, confirmations
from verify.recheck.data import Data, fingerprint, parse, read
from verify.recheck.errors import Refused
from verify.record import chosen_paper, plan, prerequisites
from verify.record.record import RunInfo, assemble

FOLDER = files("reports") / "published"
TEXTS = [(FOLDER / f"{name}.json").read_text("utf-8") for name in ("record", "certificates")]
RECORD, CERTIFICATES = map(json.loads, TEXTS)
LIST = CERTIFICATES["certificates"]
PUBLISHED = {item["key"]: item for item in LIST}
# Facts with numbers that only a run can tell, so that another number is not seen.
NUMBERS_ON_TRUST = {"budget.error"}


@dataclass(frozen=True)
class Judged:
    """A record with its certificates, and the data and confirmations that it is judged by."""

    name: str
    about: program.JudgedPaper
    texts: tuple[str, str]

    def __str__(self):
        return self.name

    @cached_property
    def record(self):
        return json.loads(self.texts[0])

    @cached_property
    def certificates(self):
        return json.loads(self.texts[1])

    @property
    def data(self) -> Data:
        return self.about.data

    def copies(self):
        return map(json.loads, self.texts)  # a tenth of what `deepcopy` takes

    def accepted(self, record, certificates):
        return program.recheck(record, certificates, self.about)

    def refused(self, record, certificates, data=None):
        """Why a record is refused, its digest of the certificates made anew."""
        record["certificates"] = fingerprint(certificates)
        about = self.about if data is None else program.JudgedPaper(data, self.about.code)
        with pytest.raises(Refused) as reason:
            program.recheck(record, certificates, about)
        return str(reason.value)

    def some(self, rank):
        return next(row["id"] for row in self.record["statements"] if row["rank"] == rank)

    def alone(self, item):
        """Confirm one certificate by itself, as the program does."""
        program.confirm(item["key"], item, self.about, program.Report(), coq=False)

    @property
    def kinds(self):
        """The facts with a confirmation that sees every change."""
        listed = {item["fact"] for item in self.certificates["certificates"]}
        return sorted(listed & confirmations(self.about.code).keys() - NUMBERS_ON_TRUST)


def row_of(record, name):
    return next(row for row in record["statements"] if row["id"] == name)


def certificate(certificates, fact):
    return next(c for c in certificates["certificates"] if c["fact"] == fact)


def known_outcome(each, facts, given):
    """The published outcome of a fact; else it is computed, or missing what it needs."""
    if each.key in PUBLISHED:
        return plan.outcome_of(PUBLISHED[each.key])
    fact = facts[each.fact]
    if fact.needs or each.profile == "full":
        return Outcome(missing="".join(fact.needs[:1]) or "full profile")
    return find(fact, [dict(each.parameters)], given)[0]


def live() -> Judged:
    """Our paper as it is now."""
    ours = chosen_paper.choose(None)
    paper, facts = ours.paper, ours.registered()
    given = prerequisites.inputs(ours, None, [])
    found = {each.key: known_outcome(each, facts, given) for each, _ in plan.asking(paper)}
    lacking = {item.missing: prerequisites.need_reasons(paper.about)[item.missing]
               for item in found.values() if item.missing}  # fmt: skip
    new = frozenset(found) - frozenset(PUBLISHED)
    held = [key for key in found if key not in new and not found[key].missing] if lacking else []
    run = RunInfo("full", lacking, "earlier" if lacking else "", held, trust=rejudge.trust_of(""))
    made = assemble(paper, found, judge(paper, found), run)
    return Judged("ours", program.JudgedPaper(read()), tuple(map(json.dumps, made)))


def small_outcomes(about, lacking=()):
    """What the facts of the small paper give; Coq is taken to accept what is pinned."""
    pins = json.loads((Path(about.proofs) / "statements.json").read_text("utf-8"))
    facts, given = about.registered(), about.inputs(None, {})
    found = {}
    for each, _ in plan.asking(about.paper):
        need = "".join(facts[each.fact].needs[:1])
        if need in lacking:
            found[each.key] = Outcome(missing=need)
        elif each.fact == "coq.theorem":
            found[each.key] = Outcome(True, pins[each.parameters["theorem"]])
        else:
            found[each.key] = find(facts[each.fact], [dict(each.parameters)], given)[0]
    return found


def small(lacking=()) -> Judged:
    """The small paper as `assay run` judges it."""
    about = chosen_paper.choose(chosen_paper.TEMPLATE)
    found = small_outcomes(about, lacking)
    reasons = {need: prerequisites.need_reasons(about.paper.about)[need] for need in lacking}
    code = chosen_paper.code_digest(about)
    run = RunInfo(lacking=reasons, code=code, trust=rejudge.trust_of(code))
    made = assemble(about.paper, found, judge(about.paper, found), run)
    judged = program.JudgedPaper(parse(about.carried()), TEMPLATE, about.proofs)
    return Judged("small", judged, tuple(map(json.dumps, made)))


SMALL, LIVE = small(), live()
BOTH = [SMALL, LIVE]
DATA = LIVE.data
alone = LIVE.alone
