"""Markdown and LaTeX of a record: every value is escaped, and the macros say what the record says."""

import re

import pytest
from jinja2 import UndefinedError
from reports_support import HOSTILE, made

from reports.escape import Raw, latex, markdown
from reports.texts import environment, latex_macros, markdown_report
from reports.view import view

SET = re.compile(r"\\assay@set\{([^{}]*)\}\{(.*?)\}\{(.*?)\}\{(.*)\}$", re.MULTILINE)


def rendered(render, change=lambda record: None):
    record, certificates = made()
    change(record)
    return record, render(view(record, certificates)).decode()


def test_every_statement_has_its_verdict_scope_and_sentence_as_macros():
    record, text = rendered(latex_macros)
    found = {name: values for name, *values in SET.findall(text)}
    assert list(found) == [row["id"] for row in record["statements"]]
    for row in record["statements"]:
        assert found[row["id"]][:2] == [latex(row["verdict"]), latex(row["scope"])]


def test_the_numbers_of_references_are_macros_that_an_author_can_define():
    def cite(record):
        record["statements"][0]["sentence"] = "Lemma 1 of [1] holds [2, Section 3]. See [3]."

    _, text = rendered(latex_macros, cite)
    assert r"{Lemma 1 of~\assaypaper{} holds~\assaytool[Section 3]{}. See [3].}" in text
    for name, key in (("assaypaper", "author2024small"), ("assaytool", "check")):
        assert rf"\providecommand{{\{name}}}[1][]{{\assay@cite{{#1}}{{{key}}}}}" in text


@pytest.mark.parametrize("render", [latex_macros, markdown_report])
def test_hostile_text_is_shown_and_not_obeyed(render):
    def forge(record):
        for row in record["statements"]:
            row["sentence"] = row["title"] = row["text"] = HOSTILE

    _, text = rendered(render, forge)
    assert "<script>" not in text and "49" not in text and r"\input{" not in text.split("\n", 1)[1]


def test_values_are_escaped_unless_a_template_wrote_them_itself():
    for escape in (latex, markdown):
        template = environment(escape).from_string(
            "<< one >> << two >> << after(one) >><< after('') >>"
        )
        assert template.render(one="#up", two=Raw("#up")) == r"\#up #up  \#up"


def test_a_name_that_a_template_does_not_know_is_an_error():
    with pytest.raises(UndefinedError):
        environment(latex).from_string("<< nothing >>").render()


def test_the_report_names_every_finding_observation_and_statement():
    record, text = rendered(markdown_report)
    for row in (each for each in record["statements"] if not each["ours"]):
        assert f'<a id="{row["id"]}"></a>' in text and f"Write: {markdown(row['sentence'])}" in text
    for finding in record["findings"]:
        assert f'<a id="finding-{finding["id"]}"></a>' in text
    for one in record["observations"]:
        assert f"**{markdown(one['title'])}.** {markdown(one['text'])}" in text
