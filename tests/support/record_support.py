"""The published record and its certificates, for tests that forge them with all digests made anew."""

import json
from importlib.resources import files

import pytest

from verify.recheck import program
from verify.recheck.confirmations import confirmations
from verify.recheck.data import fingerprint, read
from verify.recheck.errors import Refused

FOLDER = files("reports") / "published"
TEXTS = [(FOLDER / f"{name}.json").read_text("utf-8") for name in ("record", "certificates")]
RECORD, CERTIFICATES = map(json.loads, TEXTS)
DATA = read()
OURS = program.Subject(DATA)
LIST = CERTIFICATES["certificates"]
# Facts with numbers that only a run can tell, so that another number is not seen.
NUMBERS_ON_TRUST = {
    *("budget.error", "decoder.needed", "pautomac.next-symbol", "pautomac.reachable")
}
KINDS = sorted({c["fact"] for c in LIST} & confirmations().keys() - NUMBERS_ON_TRUST)


def refused(record, certificates, data=DATA):
    record["certificates"] = fingerprint(certificates)
    with pytest.raises(Refused) as reason:
        program.recheck(record, certificates, program.Subject(data))
    return str(reason.value)


def copies():
    return map(json.loads, TEXTS)  # a tenth of what `deepcopy` takes


def row_of(record, name):
    return next(row for row in record["statements"] if row["id"] == name)


def some(rank):
    return next(row["id"] for row in RECORD["statements"] if row["rank"] == rank)


def certificate(certificates, fact):
    return next(c for c in certificates["certificates"] if c["fact"] == fact)


def alone(item):
    """Confirm one certificate by itself, as the program does."""
    report = program.Report()
    program._confirm(item["key"], item, OURS, report, coq=False)
