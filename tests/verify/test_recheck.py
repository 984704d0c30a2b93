"""The re-checker confirms what a run certifies and refuses everything that was tampered with."""

import json
import math
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from verify.check import Job
from verify.checks import lemma1, theorem1, theorem1_matrices, theorem1_sizes
from verify.claims.registry import CLAIMS
from verify.recheck import bounds, kinds
from verify.recheck.errors import Refused
from verify.recheck.program import digest, evidence_of, load, main, parse, recheck
from verify.record import Seen, assemble
from verify.writing import write_report

PUBLISHED = Path(__file__).resolve().parents[2] / "reports" / "published"


def flips(value):
    """Every way to change one field of plain data to something else."""
    if isinstance(value, dict):
        for key in value:
            for changed in flips(value[key]):
                yield {**value, key: changed}
            yield {k: v for k, v in value.items() if k != key}
        yield {**value, "unknown": 1}
    elif isinstance(value, list):
        for i in range(len(value)):
            for changed in flips(value[i]):
                yield [*value[:i], changed, *value[i + 1 :]]
        if value:
            yield value[:-1]
    elif isinstance(value, bool):
        yield not value
    elif isinstance(value, int):
        yield value + 1
    elif isinstance(value, str):
        yield value + "x"
    elif value is None:
        yield 0


@pytest.mark.skipif(not (PUBLISHED / "record.json").exists(), reason="nothing is published yet")
class TestPublished:
    def test_every_certificate_is_confirmed(self, capsys):
        assert main(PUBLISHED, quiet=True) == 0
        assert "0 refused" in capsys.readouterr().out

    def test_every_change_of_a_single_field_is_refused(self):
        certificates, record = load(PUBLISHED)
        refused = 0
        for name, content in certificates.items():
            evidence = evidence_of(record, name)
            for changed in flips(parse(content)):
                with pytest.raises(Refused):
                    recheck(json.dumps(changed).encode(), evidence)
                refused += 1
        assert refused > 1000


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    out = tmp_path_factory.mktemp("run")
    bodies = (
        lemma1.the_tensor_multiplies_for_small_n,
        lemma1.the_printed_tensor_is_ill_typed,
        theorem1.how_many_pads_are_needed,
        theorem1.ways_to_carry_the_positions,
        theorem1_matrices.do_the_printed_blocks_fit,
        theorem1_sizes.printed_depth,
    )
    seen = [Seen(body.__name__, item) for body in bodies for item in body(Job())]
    spoken = {item.evidence.claim for item in seen}
    record, certificates = assemble([c for c in CLAIMS if c.id in spoken], seen, "quick", [], {})
    write_report(out, record, certificates)
    return out


def test_a_run_is_confirmed(run, capsys):
    assert main(run) == 0
    assert "confirmed: lem1.matmul" in capsys.readouterr().out


def test_tampering_is_refused_even_where_the_hash_is_made_anew(run):
    certificates, record = load(run)
    for name, content in certificates.items():
        certificate = parse(content)
        for body in flips(certificate["body"]):
            unsigned = {k: v for k, v in certificate.items() if k != "sha256"} | {"body": body}
            forged = json.dumps({**unsigned, "sha256": digest(unsigned)}).encode()
            try:
                echo = recheck(forged, evidence_of(record, name))
            except Refused:
                continue
            (field,) = {k for k in body if body[k] != certificate["body"].get(k)}
            assert (body["kind"], field) in STILL_TRUE, (name, body, echo)


# A change that makes another true statement of the same kind is confirmed, as it should be.
STILL_TRUE = {
    ("theorem1.lemma", "states"),
    ("theorem1.no-pads", "lengths"),
    ("theorem1.pads", "enough"),
    ("theorem1.blocks", "transposed"),
    ("theorem1.no-power", "length"),
    ("theorem1.depth", "lengths"),
}


def test_a_missing_index_an_empty_index_and_a_missing_file_are_refused(run, tmp_path, capsys):
    assert main(tmp_path) == 1
    folder = tmp_path / "certificates"
    folder.mkdir()
    (folder / "INDEX.json").write_text('{"assay-index": 1, "certificates": {}}')
    (tmp_path / "record.json").write_text("{}")
    assert main(tmp_path) == 1
    (folder / "INDEX.json").write_text('{"assay-index": 1, "certificates": {"a.json": "00"}}')
    assert main(tmp_path) == 1
    assert "names no certificate" in capsys.readouterr().out


def test_a_rigorous_verdict_without_certificate_is_refused(run, tmp_path, capsys):
    import shutil

    shutil.copytree(run, tmp_path / "copy")
    record = json.loads((tmp_path / "copy" / "record.json").read_text())
    record["claims"][0]["readings"][0]["verdict"] = "proved"
    record["claims"][0]["readings"][0]["name"] = "charitable"
    (tmp_path / "copy" / "record.json").write_text(json.dumps(record))
    assert main(tmp_path / "copy", quiet=True) == 1
    assert "no confirmed certificate" in capsys.readouterr().out


def test_an_unknown_kind_is_refused(run):
    certificates, record = load(run)
    name, content = next(iter(certificates.items()))
    certificate = parse(content)
    unsigned = {k: v for k, v in certificate.items() if k != "sha256"} | {"body": {"kind": "new"}}
    with pytest.raises(Refused, match="not known"):
        recheck(
            json.dumps({**unsigned, "sha256": digest(unsigned)}).encode(), evidence_of(record, name)
        )


def test_every_kind_has_one_validator():
    assert set(kinds.validators()) >= {"theorem1.exact", "lemma1.shape"}


small = st.fractions(min_value=-40, max_value=40, max_denominator=50)


@settings(max_examples=150, deadline=None)
@given(small)
def test_bounds_enclose_exp_and_cos(x):
    import flint

    with flint.ctx.workprec(400):
        value = flint.arb(flint.fmpq(x.numerator, x.denominator))
        for (low, high), exact in (
            (bounds.exp(x), value.exp()),
            (bounds.cos_pi(x), flint.arb.cos_pi_fmpq(flint.fmpq(x.numerator, x.denominator))),
        ):
            assert flint.arb(flint.fmpq(low.numerator, low.denominator)) <= exact
            assert exact <= flint.arb(flint.fmpq(high.numerator, high.denominator))


def test_bounds_are_tight_and_enclose_pi_and_roots():
    low, high = bounds.pi(200)
    assert 0 < high - low < Fraction(1, 2**190)
    assert low < Fraction(math.pi) + Fraction(1, 2**50) and high > Fraction(math.pi) - Fraction(
        1, 2**50
    )
    low, high = bounds.sqrt(Fraction(2))
    assert low * low <= 2 <= high * high
    low, high = bounds.exp(Fraction(-700), 128)
    assert 0 < low <= high < Fraction(1, 10**300)
