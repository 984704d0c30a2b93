"""The registry: one name a claim, nothing rests on itself, every place lies in the paper."""

from dataclasses import replace

import pytest

from verify.claims.model import Claim, Kind, Name, Severity
from verify.claims.registry import (
    CLAIMS,
    RegistryError,
    ancestors,
    build,
    claim,
    gather,
    in_order,
)
from verify.claims.shorthand import at

LAST_LINE = 1039
WIDEST = 40


def small(id: str, *rests_on: str) -> Claim:
    """A claim for the tests."""
    return Claim(id, "t", Kind.TEXT, at("1", 97), "s", "r", Severity.SLIP, rests_on=rests_on)


def test_every_id_is_used_once() -> None:
    assert len({entry.id for entry in CLAIMS}) == len(CLAIMS)


def test_the_registry_is_found_by_id() -> None:
    assert all(claim(entry.id) is entry for entry in CLAIMS)


def test_an_unknown_id_is_named() -> None:
    with pytest.raises(KeyError, match=r"there is no claim 'thm9\.none'"):
        claim("thm9.none")


def test_an_id_used_twice_is_refused_by_name() -> None:
    with pytest.raises(RegistryError, match=r"two claims are called a\.b"):
        gather([small("a.b"), small("a.b")])


@pytest.mark.parametrize("id", ["", "one", "a..b", "A.b", "a.b_c", "a.-b", "a.b-", "1.b"])
def test_a_malformed_id_is_refused(id: str) -> None:
    with pytest.raises(RegistryError, match="not a dotted lower-case slug"):
        gather([small(id)])


def test_resting_on_nothing_is_refused_by_name() -> None:
    with pytest.raises(RegistryError, match=r"claim a\.b rests on c\.d, which is no claim"):
        build([small("a.b", "c.d")])


def test_a_circle_is_refused_with_its_path() -> None:
    with pytest.raises(RegistryError, match=r"a\.a → a\.b → a\.a"):
        build([small("a.a", "a.b"), small("a.b", "a.a")])


def test_a_claim_that_rests_on_itself_is_refused() -> None:
    with pytest.raises(RegistryError, match=r"a\.a → a\.a"):
        build([small("a.a", "a.a")])


def test_ancestors_are_all_found_once() -> None:
    found = build(
        [small("a.a", "a.b", "a.c"), small("a.b", "a.d"), small("a.c", "a.d"), small("a.d")]
    )
    assert ancestors(found, "a.a") == ("a.d", "a.b", "a.c")


def test_claims_come_in_the_order_of_the_paper_and_beyond_last() -> None:
    late = replace(small("a.a"), where=at("7", 372))
    beyond = replace(small("a.b"), kind=Kind.BEYOND)
    early = small("a.c")
    assert in_order([beyond, late, early]) == [early, late, beyond]
    assert list(CLAIMS) == in_order(CLAIMS)


@pytest.mark.parametrize("entry", CLAIMS, ids=lambda entry: entry.id)
def test_every_place_is_a_narrow_stretch_of_the_source(entry: Claim) -> None:
    first, last = entry.where.lines
    assert 1 <= first <= last <= LAST_LINE
    assert entry.kind is Kind.PROOF or last - first < WIDEST


@pytest.mark.parametrize("entry", CLAIMS, ids=lambda entry: entry.id)
def test_every_claim_is_written_in_full(entry: Claim) -> None:
    assert entry.title
    assert entry.refuted_by
    assert entry.statement.endswith(".")
    assert not entry.refuted_by.endswith(".")


@pytest.mark.parametrize("entry", CLAIMS, ids=lambda entry: entry.id)
def test_every_other_reading_says_what_differs(entry: Claim) -> None:
    names = [reading.name for reading in entry.readings]
    assert len(names) == len(set(names))
    assert Name.LITERAL not in names
    assert all(reading.text and reading.differs for reading in entry.readings)


@pytest.mark.parametrize("theorem", ["thm1", "lem1", "thm2", "thm3", "cor1"])
def test_statement_and_printed_proof_are_separate(theorem: str) -> None:
    proof = claim(f"{theorem}.proof")
    assert proof.kind is Kind.PROOF
    found = {entry.id: entry for entry in CLAIMS}
    statements = [
        entry
        for entry in CLAIMS
        if entry.id.startswith(theorem) and entry.kind in (Kind.THEOREM, Kind.LEMMA, Kind.COROLLARY)
    ]
    assert statements
    assert all(proof.id not in ancestors(found, entry.id) for entry in statements)


def test_few_claims_are_out_of_reach_and_each_says_why() -> None:
    out_of_reach = [entry for entry in CLAIMS if entry.uncheckable]
    assert len(out_of_reach) < len(CLAIMS) / 10
    assert all(len(entry.uncheckable.split()) > 0 for entry in out_of_reach)
