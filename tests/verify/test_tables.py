"""The printed tables: what they contradict, and that changing one cell changes the verdict."""

import json
from dataclasses import replace
from fractions import Fraction

import pytest
from verify.check import Job
from verify.checks import labels, section5, tables
from verify.claims.printed import Spread
from verify.evidence import Outcome, Strength

from verify.experiments import consistency
from verify.experiments.printed import PRINTED, interval
from verify.recheck import experiments as recheck_experiments
from verify.recheck import tables as recheck
from verify.recheck.errors import Refused


def outcomes(evidence, reading="literal"):
    return {e.claim: e.outcome for e in evidence if e.reading.value == reading}


def with_layers(problem, layers):
    row = replace(PRINTED.one[problem], layers=layers)
    return replace(PRINTED, one={**PRINTED.one, problem: row})


def with_cell(number, key, index, **change):
    name = {3: "three", 4: "four"}[number]
    table = dict(getattr(PRINTED, name))
    cells = list(table[key])
    cells[index] = replace(cells[index], **change)
    return replace(PRINTED, **{name: {**table, key: tuple(cells)}})


def test_a_printed_decimal_is_the_interval_that_rounds_to_it():
    assert interval("0.10") == (Fraction(95, 1000), Fraction(105, 1000))
    assert consistency.below("0.0010") is None
    assert consistency.below("0.000999") is True and consistency.below("0.001056") is False


def test_table_1_is_contradicted_for_automaton_38_alone():
    assert consistency.layers_mismatch(PRINTED) == ["38"]
    assert outcomes(tables.layers_needed(PRINTED))["tab1.row-38"] is Outcome.FAILS
    assert outcomes(tables.layers_needed(PRINTED), "repaired")["tab1.layers"] is Outcome.HOLDS


def test_with_the_repaired_entry_the_tables_agree():
    assert outcomes(tables.layers_needed(with_layers("38", "4")))["tab1.layers"] is Outcome.HOLDS


def test_another_wrong_entry_is_named():
    found = [e for e in tables.layers_needed(with_layers("12", "8")) if e.claim == "tab1.row-12"]
    assert found[0].outcome is Outcome.FAILS and "automaton 12" in found[0].counterexample


def test_automaton_4_is_missing_and_a_table_with_it_is_complete():
    assert outcomes(tables.complete(PRINTED))["tab2.complete"] is Outcome.FAILS
    whole = replace(PRINTED, two={**PRINTED.two, "4": PRINTED.two["12"]})
    assert outcomes(tables.complete(whole))["tab2.complete"] is Outcome.HOLDS


def test_bold_cells_are_smallest_and_a_wrong_one_is_named():
    assert outcomes(tables.bold(PRINTED))["tab2.bold"] is Outcome.HOLDS
    row = replace(PRINTED.two["12"], bold="0.000710")
    (evidence,) = tables.bold(replace(PRINTED, two={**PRINTED.two, "12": row}))
    assert evidence.outcome is Outcome.FAILS and evidence.counterexample == "12"


def test_the_impossible_cell_is_found_and_a_smaller_deviation_makes_it_possible():
    found = outcomes(tables.possibility(PRINTED))
    assert found["tab4.row-8"] is Outcome.FAILS and found["tab4.possible"] is Outcome.FAILS
    assert found["tab4.row-16"] is Outcome.UNKNOWN
    mended = outcomes(tables.possibility(with_cell(4, "8", 2, deviation="0.0769370")))
    assert mended["tab4.row-8"] is Outcome.UNKNOWN and mended["tab4.possible"] is Outcome.HOLDS


def test_table_3_is_possible_by_one_of_the_two_divisors_and_says_which():
    (item,) = [
        e
        for e in tables.possibility(PRINTED)
        if e.claim == "tab3.possible" and e.reading.value == "literal"
    ]
    assert item.outcome is Outcome.HOLDS
    assert "0.046805 ± 0.146278" in item.summary and "Which deviation" in item.limits


def test_a_deviation_that_no_divisor_allows_is_refuted_in_table_3_too():
    for reading in ("literal", "charitable"):
        found = outcomes(tables.possibility(with_cell(3, "9", 2, deviation="0.246278")), reading)
        assert found["tab3.possible"] is Outcome.FAILS


@pytest.mark.parametrize("divisor", [9, 10])
def test_the_bound_on_the_deviation_is_attained_by_one_large_value(divisor):
    values = [Fraction(10)] + [Fraction(0)] * 9
    mean = sum(values) / 10
    square = sum((x - mean) ** 2 for x in values) / divisor
    assert divisor * square == 10 * 9 * mean**2
    assert consistency.possible(Spread("1.0", "3.0"), divisor)
    assert not consistency.possible(Spread("1.0", "3.6"), divisor)


def test_nine_runs_are_bounded_by_mean_and_deviation():
    assert consistency.others_at_most(Spread("1.000000", "3.162277")) < Fraction(1, 1000)
    assert consistency.others_at_most(Spread("1.000", "0.000")) >= 1


def test_the_means_of_table_3_rise_twice_and_without_these_they_fall():
    assert outcomes(tables.order(PRINTED))["tab3.decrease"] is Outcome.FAILS
    assert outcomes(tables.order(PRINTED), "charitable")["tab3.decrease"] is Outcome.HOLDS
    one = with_cell(3, "9", 2, mean="0.044000")
    both = replace(one, three={**one.three, "10": with_cell(3, "10", 0, mean="0.0009").three["10"]})
    assert outcomes(tables.order(both))["tab3.decrease"] is Outcome.HOLDS


def test_a_rise_in_table_4_is_found():
    assert outcomes(tables.order(PRINTED))["tab4.decrease"] is Outcome.HOLDS
    rising = with_cell(4, "64", 0, mean="0.016623")
    found = outcomes(tables.order(rising))
    assert found["tab4.decrease"] is Outcome.FAILS and found["tab4.k-order"] is Outcome.FAILS


def test_means_above_a_quarter_refute_rounding_and_smaller_means_leave_it_open():
    assert outcomes(tables.rounding(PRINTED))["exp.train.counting.rounding"] is Outcome.FAILS
    small = {key: (Spread("0.1", "0.1"),) * 3 for key in PRINTED.three}
    found = outcomes(tables.rounding(replace(PRINTED, three=small)))
    assert found["exp.train.counting.rounding"] is Outcome.UNKNOWN


def test_the_header_of_table_3_is_repaired_by_t():
    assert (
        outcomes(tables.header(PRINTED, ("L=16", "L=32", "L=64")))["tab3.header"] is Outcome.FAILS
    )
    assert (
        outcomes(tables.header(PRINTED, ("T=16", "T=32", "T=64")))["tab3.header"] is Outcome.HOLDS
    )


def test_two_figures_with_one_label_are_found():
    (twice,) = labels.labels("\\label{a}\n\\label{b} \\label{a}")
    assert twice.outcome is Outcome.FAILS and "lines [1, 2]" in twice.counterexample
    (once,) = labels.labels("\\label{a}\n\\label{b}")
    assert once.outcome is Outcome.HOLDS


FLOAT = (
    r"\section{A}\begin{figure}[H]%s\caption{f}%s\end{figure}\begin{theorem}\label{t}\end{theorem}"
)


def test_a_label_takes_the_number_of_what_was_counted_last():
    before, after = FLOAT % (r"\label{x}", ""), FLOAT % ("", r"\label{x}")
    assert labels.anchors(before) == {"x": "section", "t": "theorem"}
    assert labels.anchors(after) == {"x": "figure", "t": "theorem"}
    assert labels.moved(before, "x") == after


def test_the_label_of_the_scan_is_refuted_before_its_caption_and_mended_behind_it():
    def found(text):
        return {e.reading.value: e.outcome for e in labels.scan_label(text.split("\n"))}

    name = r"\label{fig:prefix_sum}"
    assert found(FLOAT % (name, "")) == {"literal": Outcome.FAILS, "repaired": Outcome.HOLDS}
    assert found(FLOAT % ("", name))["literal"] is Outcome.HOLDS
    never = (FLOAT % (name, "")).replace("caption", "centering")
    assert found(never) == {"literal": Outcome.FAILS, "repaired": Outcome.FAILS}


def test_without_a_source_the_label_is_not_judged():
    (item,) = labels.what_the_label_of_the_scan_counts(Job())
    assert item.outcome is Outcome.UNAVAILABLE


def test_the_text_on_pautomac_is_recounted():
    found = outcomes(section5.pautomac_text(PRINTED))
    assert found["exp.pautomac.more-than-half"] is Outcome.HOLDS
    assert found["exp.pautomac.insufficient"] is Outcome.HOLDS
    assert found["exp.pautomac.complexity"] is Outcome.HOLDS
    fewer = replace(with_layers("12", "-"), two=PRINTED.two)
    assert outcomes(section5.pautomac_text(fewer))["exp.pautomac.more-than-half"] is Outcome.FAILS
    sixes = {p: replace(row, layers="6") for p, row in PRINTED.one.items()}
    found = outcomes(section5.pautomac_text(replace(PRINTED, one=sixes)))
    assert found["exp.pautomac.inconsistent"] is Outcome.FAILS
    split = {p: replace(r, states="9" if r.layers == "-" else "12") for p, r in PRINTED.one.items()}
    found = outcomes(section5.pautomac_text(replace(PRINTED, one=split)))
    assert found["exp.pautomac.complexity"] is Outcome.FAILS


def test_a_dash_whose_row_reaches_the_error_is_refuted():
    for reading in ("literal", "charitable"):
        found = outcomes(section5.pautomac_text(with_layers("12", "-")), reading)
        assert found["exp.pautomac.insufficient"] is Outcome.FAILS
    supported = [
        e for e in section5.pautomac_text(PRINTED) if e.claim == "exp.pautomac.insufficient"
    ]
    assert (
        supported[0].strength is Strength.OBSERVED and "depth is what lacks" in supported[0].limits
    )


def test_more_layers_than_theorem_1_takes_are_not_necessary():
    found = outcomes(section5.necessary(PRINTED, 64))
    assert found["exp.pautomac.necessary"] is Outcome.FAILS
    (item, *_) = section5.necessary(PRINTED, 64)
    assert item.certificate["over"] == ["4", "31"]
    written = json.loads(json.dumps(item.certificate, sort_keys=True))
    assert "4, 31" in recheck_experiments.necessary(written)
    assert outcomes(section5.necessary(PRINTED, 257))["exp.pautomac.necessary"] is Outcome.HOLDS
    fewer = replace(PRINTED, one={p: replace(r, layers="6") for p, r in PRINTED.one.items()})
    assert outcomes(section5.necessary(fewer, 64))["exp.pautomac.necessary"] is Outcome.HOLDS


def test_a_deeper_construction_would_refute_nothing(monkeypatch):
    monkeypatch.setattr(section5.theorem1, "depth", lambda length: 8)
    assert outcomes(section5.necessary(PRINTED, 64))["exp.pautomac.necessary"] is Outcome.HOLDS


def test_the_least_tried_number_is_contradicted_for_automaton_38_alone():
    charitable = outcomes(section5.necessary(PRINTED, 64), "charitable")
    assert charitable["exp.pautomac.necessary"] is Outcome.FAILS
    assert outcomes(section5.necessary(PRINTED, 64), "repaired") == {
        "exp.pautomac.necessary": Outcome.HOLDS
    }
    mended = outcomes(section5.necessary(with_layers("38", "4"), 64), "charitable")
    assert mended["exp.pautomac.necessary"] is Outcome.HOLDS
    assert outcomes(section5.necessary(with_layers("12", "8"), 64), "repaired") == {}


@pytest.mark.parametrize(
    "change",
    [{"length": 65}, {"depth": 7}, {"over": ["4"]}, {"entries": {"4": "6"}}, {"more": 1}],
)
def test_a_changed_certificate_on_necessary_layers_is_refused(change):
    (item, *_) = section5.necessary(PRINTED, 64)
    with pytest.raises(Refused):
        recheck_experiments.necessary({**item.certificate, **change})


def test_elbows_are_found_and_a_straight_line_has_none():
    assert outcomes(section5.curves(PRINTED))["exp.layers.elbow"] is Outcome.HOLDS
    line = {str(k): (Spread(f"{1 - k / 20:.2f}", "0.1"),) * 3 for k in range(1, 11)}
    straight = replace(PRINTED, three=line)
    assert consistency.elbow(line, 0) is None
    assert outcomes(section5.curves(straight))["exp.layers.elbow"] is Outcome.FAILS


def test_grids_that_differ_from_the_text_are_refuted():
    assert outcomes(section5.grids(PRINTED))["exp.train.k.grid"] is Outcome.HOLDS
    fewer = {key: PRINTED.four[key] for key in ("2", "4", "8")}
    found = outcomes(section5.grids(replace(PRINTED, four=fewer)))
    assert found["exp.train.k.grid"] is Outcome.FAILS


def test_sizes_say_when_they_are_met_and_when_not():
    assert section5.compare("embedding", 2, 16, 16)["met"] is True
    assert section5.compare("embedding", 6, 64, 64)["met"] is False
    assert section5.compare("hidden", 2, 16, 16)["needed"] == 45
    assert section5.compare("depth", 3, 33, 6)["needed"] == 6


def test_training_details_are_missed_where_they_are_missing():
    head = "\\section{EXPERIMENTS} we train \\section{RELATED WORKS} \\section{Experiments} "
    assert section5.details(head).outcome is Outcome.FAILS
    said = "number of epochs, batch size, dropout, activation, positional encoding"
    assert section5.details(head + said).outcome is Outcome.HOLDS


def test_every_certificate_on_the_tables_is_confirmed_by_the_other_road():
    found = [
        *tables.layers_needed(PRINTED),
        *tables.complete(PRINTED),
        *tables.bold(PRINTED),
        *tables.possibility(PRINTED),
        *tables.order(PRINTED),
        *tables.digits(PRINTED),
        *tables.rounding(PRINTED),
        *section5.pautomac_text(PRINTED),
        *section5.grids(PRINTED),
    ]
    bodies = [item.certificate for item in found if item.certificate]
    assert len(bodies) > 20
    for body in bodies:
        assert recheck.VALIDATORS[body["kind"]](body)


def test_a_certificate_from_a_changed_table_is_refused():
    for changed in (with_layers("12", "8"), with_layers("38", "4")):
        body = next(iter(tables.layers_needed(changed))).certificate
        with pytest.raises(Refused):
            recheck.statement(body)


@pytest.mark.parametrize(
    "change",
    [{"possible": True}, {"mean": "0.2"}, {"row": "16"}, {"table": 5}, {"divisor": 8}, {"x": 1}],
)
def test_a_changed_certificate_of_a_cell_is_refused(change):
    (body,) = [
        e.certificate
        for e in tables.possibility(PRINTED)
        if e.certificate and e.certificate["kind"] == "tables.deviation"
    ]
    assert "impossible" in recheck.deviation(body)
    with pytest.raises(Refused):
        recheck.deviation({**body, **change})


def test_an_unknown_statement_is_refused():
    with pytest.raises(Refused):
        recheck.statement({"kind": "tables.statement", "statement": "other", "value": []})


def test_the_re_checkers_copy_of_the_tables_is_the_printed_one():
    assert [r[0] for r in recheck.rows(recheck.TABLE1)] == list(PRINTED.one)
    for text, table in ((recheck.TABLE3, PRINTED.three), (recheck.TABLE4, PRINTED.four)):
        flat = {k: [t for c in cells for t in (c.mean, c.deviation)] for k, cells in table.items()}
        assert {row[0]: row[1:] for row in recheck.rows(text)} == flat
    cells = {p: list(row.cells) for p, row in PRINTED.two.items()}
    copied = {p: [c.lstrip("*") for c in row] for p, *row in recheck.rows(recheck.TABLE2)}
    assert copied == cells
