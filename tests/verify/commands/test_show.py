"""Law of `assay show`: every statement of the record is shown with all that the record says of it."""

from contextlib import redirect_stdout
from io import StringIO

from hypothesis import given, settings
from hypothesis import strategies as st

from reports.labels import METHODS
from verify.cli import main
from verify.record import source as record_source

RECORD = record_source.load()
ROWS = record_source.rows(RECORD)
FINDINGS = {finding["id"]: finding for finding in RECORD["findings"]}


def words(text):
    """A text without its blanks and line ends, which are those of the terminal."""
    return "".join(text.split())


def shown(name):
    out = StringIO()
    with redirect_stdout(out):
        assert main(["show", name]) == 0
    return words(out.getvalue())


@settings(max_examples=40, deadline=None)
@given(st.sampled_from(sorted(ROWS)))
def test_a_statement_is_shown_with_its_sentence_verdict_places_findings_and_evidence(name):
    row, said = ROWS[name], shown(name)
    assert said.startswith(
        words(f"{name} {row['numbered'] and row['numbered'] + ': '}{row['title']}")
    )
    grade, scope = row["grade"] and f" ({row['grade']})", row["scope"]
    parts = (
        f"{row['verdict']}{grade}", METHODS.get(row["method"], row["method"]),
        "the whole range" if scope == "all" else scope,
        row["through"] and f"standing {row['standing']} because of {row['through']}",
    )  # fmt: skip
    assert words(f"verdict {'; '.join(part for part in parts if part)}") in said
    lines = ", ".join(str(a) if a == b else f"{a}-{b}" for a, b in row["places"])
    lines = f", lines {lines}" if lines else ""
    assert words(f"where section {row['section']}{lines} ({row['form']})") in said
    texts = [row["sentence"], row["text"], row["note"], (row["repair"] or {}).get("change", "")]
    assert all(words(text) in said for text in texts)
    assert words("; ".join([*row["under"], *row["conditions"]])) in said
    for finding in (FINDINGS[each] for each in row["findings"]):
        assert words(f"{finding['title']} ({finding['grade']}): {finding['witness']}") in said
    for interpretation in row["interpretations"]:
        for binding in interpretation["bindings"]:
            assert words(f"{binding['fact']} {binding['expects']} ({binding['weight']}") in said
